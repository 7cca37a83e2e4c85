// SPDX-License-Identifier: MIT
// From options of the command line to a scene under the settings they say; what `run` and `capture` share.
#pragma once

#include <optional>
#include <string>

#include "apps/cli/commands.h"
#include "apps/commands/solve_report.h"
#include "cairn/live/input.h"
#include "cairn/record/pictures.h"
#include "cairn/record/recording.h"
#include "cairn/scenefile/scene_file.h"
#include "scenes/scene.h"

namespace cairn::cli {

/// A scene file (.json) or a robot (.urdf).
Expected<SceneFile> open_scene_file(const std::string& path, const SceneFileOptions& options);
/// Its views, for pages.
std::vector<PictureCamera> cameras_of(const SceneFile& file);

/// The world at the beginning of a recording.
World world_of(const RecordingInfo& info, const std::string& file);
/// The run of a recording, to be computed again with what was done by hand.
InputReplay replay_of(const RecordingInfo& info, const std::string& file);
/// What its bodies look like, those that were added by hand included.
BodyPictures pictures_of(const RecordingInfo& info, const World& start);

/// What the options name: a scene by name or by file, and the solver for it.
struct SceneChoice {
  SolverSpec solver;              ///< the scene's own, or the world's default, where the options name none
  std::optional<SceneFile> file;  ///< for names that end with .json or .urdf
};
SceneChoice choose_scene(const RunOptions& options);

/// What a scene file says for eyes and for people.
struct SceneLook {
  std::vector<std::uint32_t> body_colours;  ///< per body, as RecordedBody; or empty
  std::vector<std::string> joint_names;     ///< per joint of World::joints(), or empty
};

/// The scene at its beginning. Bad names and values are refused. `own`, if given: its settings but for the options.
scenes::Scene build_scene(const RunOptions& options, const SceneChoice& choice, WorldSettings* own = nullptr,
                          SceneLook* look = nullptr);

}  // namespace cairn::cli
