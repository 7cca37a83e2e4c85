// SPDX-License-Identifier: MIT
// What a run leaves behind while it goes on: a recording, a table of statistics, frames for other
// programs, checkpoints.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/commands/scene_source.h"
#include "cairn/record/checkpoint.h"
#include "cairn/record/pictures.h"
#include "cairn/record/recording.h"

namespace cairn::cli {

/// Everything else about a run that belongs into its files.
struct RunFacts {
  std::string scene;       ///< name with parameters
  SceneIdentity identity;  ///< if there are to be checkpoints
  double dt = 0;
  std::int64_t last_step = 0;
  SceneLook look{};
};

/// "NAME a=1 b=2", for people.
std::string scene_label(const RunOptions& options);

class RunOutputs {
 public:
  /// Files are refused here, before anything is computed.
  RunOutputs(const RunOptions& options, const scenes::Scene& scene, const SceneChoice& choice, const RunFacts& facts);

  /// After every step. False when a checkpoint could not be written and the run is to stop then.
  bool add(const World& world);
  /// After the last step; `interrupted`: there is something left to go on with.
  void finish(const World& world, bool interrupted);

 private:
  bool write_checkpoint(const World& world);
  void write_pictures(const World& world);

  const RunOptions& options_;
  RunFacts facts_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<Csv> csv_;
  std::unique_ptr<CheckpointWriter> checkpoint_;
  std::optional<BodyPictures> pictures_;
  std::optional<PictureCamera> camera_;
  std::vector<std::pair<std::string, double>> vtp_files_;  ///< names and times
  std::vector<JointId> joints_;                            ///< of the table
  bool warned_ = false;                                    ///< of a checkpoint that could not be written
};

}  // namespace cairn::cli
