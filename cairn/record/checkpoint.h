// SPDX-License-Identifier: MIT
// Checkpoints: a run that is killed at any instant goes on to the same bits.
//
// A checkpoint is written beside its name, brought to the disk and then renamed; the one before it is kept as
// NAME.previous. So at every instant at least one complete file is there, once there was one. Reading takes the one
// with more steps of those that are whole. All of it is under checksums (cairn/world/snapshot/snapshot_file.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/hash.h"

namespace cairn {

/// By which a run knows its scene again, whatever that is called: the world as it was made, before its first step and
/// without what the command line changed.
struct SceneIdentity {
  Hash128 bodies;        ///< World::definition_hash()
  std::string settings;  ///< of the scene, with dt and steps, as JSON
};

/// What is not the same, for people; empty where all is.
std::string difference(const SceneIdentity& then, const SceneIdentity& now);

struct Checkpoint {
  std::string scene;  ///< what is run: name and parameters, for people
  SceneIdentity identity;
  double dt = 0;               ///< s
  std::int64_t step = 0;       ///< steps done
  std::int64_t last_step = 0;  ///< where the run ends
  std::string state;           ///< World::save()
};

/// Holds the name while it lives: a second process that would write the same one is refused. A lock whose process is
/// gone does not count.
class CheckpointWriter {
 public:
  /// InputError if the name is taken or its folder cannot be written to.
  explicit CheckpointWriter(const std::string& path);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// All or nothing; what was there before stays where it fails. Never follows a link that stands in the way.
  Expected<bool> write(const Checkpoint& checkpoint);

 private:
  std::string path_;
  int lock_ = -1;
};

struct LoadedCheckpoint {
  Checkpoint checkpoint;
  std::string file;                ///< the one that was taken
  std::vector<std::string> notes;  ///< why another was not
};

/// Nothing is changed or removed. An error only where none of the two is whole.
Expected<LoadedCheckpoint> read_checkpoint(const std::string& path);

std::string pack_checkpoint(const Checkpoint& checkpoint);
/// Throws InputError.
Checkpoint unpack_checkpoint(const std::string& bytes);

}  // namespace cairn
