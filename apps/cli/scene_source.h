// SPDX-License-Identifier: MIT
// From options of the command line to a scene under the settings they say; what `run` and `capture` share.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/cli/solve_report.h"
#include "cairn/record/recording.h"
#include "cairn/scenefile/scene_file.h"
#include "scenes/scene.h"

namespace cairn::cli {

/// A number that takes up the whole text; InputError that names the setting where it does not.
template <class T>
T parse_number(const std::string& name, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    fail_input(
        fmt::format("setting {}={}: the value must be a {}number", name, text, std::is_integral_v<T> ? "whole " : ""));
  return value;
}

/// A scene file (.json) or a robot (.urdf).
Expected<SceneFile> open_scene_file(const std::string& path, const SceneFileOptions& options);

/// The world at the beginning of a recording.
World world_of(const RecordingInfo& info, const std::string& file);

/// What the options name: a scene by name or by file, and the solver for it.
struct SceneChoice {
  SolverSpec solver;              ///< the scene's own, or the world's default, where the options name none
  std::optional<SceneFile> file;  ///< for names that end with .json or .urdf
};
SceneChoice choose_scene(const RunOptions& options);

/// The scene at its beginning. Bad names and values are refused.
scenes::Scene build_scene(const RunOptions& options, const SceneChoice& choice);

}  // namespace cairn::cli
