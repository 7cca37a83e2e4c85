// SPDX-License-Identifier: MIT
// Recordings: a run as an HDF5 file that any program can read (docs/recordings.md has the layout).
//
//   Recorder recorder("run.h5", world, {.scene = "tower", .dt = dt});
//   for (...) world.step(dt), recorder.add(world);
//   recorder.close();
//
// The file holds the whole state at the beginning, so that the run can be computed again and compared step by step. It
// is written by a thread of its own behind a bounded queue; while a Recorder lives nothing else may use HDF5.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/core/background.h"
#include "cairn/core/errors.h"
#include "cairn/core/hash.h"
#include "cairn/record/frame.h"

namespace cairn {

inline constexpr int kRecordingVersion = 1;

/// What the program knows of a run and the world does not.
struct RecordingMeta {
  std::string scene{};       ///< name of the scene
  std::string parameters{};  ///< name=value, separated by spaces, of a scene by name
  std::string scene_text{};  ///< of a scene file
  std::string solver{};      ///< with its settings, as people write it
  std::string settings{};    ///< of the world, as JSON
  std::string program{};     ///< version and compiler
  double dt = 1.0 / 60;
  std::vector<std::string> body_names{};      ///< per body, or empty
  std::vector<std::uint32_t> body_colours{};  ///< per body, or empty: as RecordedBody
  std::vector<std::string> joint_names{};     ///< per joint of World::joints(), or empty
  std::string inputs{};                       ///< what was done by hand while it ran: pack_inputs (cairn/live/input.h)
};

struct RecordedBody {
  std::string name, shape;  ///< shape: names of its shapes
  BodyKind kind = BodyKind::dynamic;
  double mass = 0;
  std::uint32_t colour = 0;  ///< red, green, blue, opacity from the lowest byte on; 0: none was given
};

struct RecordedJoint {
  std::string name, kind;
  std::int32_t body_a = -1, body_b = -1;  ///< places in the list of bodies; -1: the world
};

struct RecorderSettings {
  int every = 1;                      ///< steps from frame to frame; hashes and statistics are kept of every step
  bool contacts = true;               ///< keep the contacts of frames
  std::size_t queue = 8;              ///< frames that may wait for the disk
  bool overwrite = false;             ///< replace a file that exists, when the new one is complete
  std::vector<RecordedBody> later{};  ///< bodies that are added while it lasts, in that order
};

class Recorder {
 public:
  /// The bodies of the world are those of the recording, and RecorderSettings::later; without later ones none may be
  /// added or removed while it lasts. The joints are those of now. The file has the
  /// name PATH.partial until it is complete. InputError if it cannot be written.
  Recorder(const std::string& path, const World& world, const RecordingMeta& meta,
           const RecorderSettings& settings = {});
  /// Without close() the partial file stays.
  ~Recorder();

  /// After every step. Waits only while the queue is full.
  void add(const World& world);
  /// The next of the later bodies is in the world now.
  void appear(BodyId body);
  /// All is written and the file has its name, or InputError says why not.
  void close();

 private:
  struct File;
  /// InputErrors that leave `work` get the name of the file.
  void naming_the_file(const std::function<void()>& work) const;
  MotionFrame frame_of(const World& world) const;

  std::string path_;
  RecorderSettings settings_;
  std::vector<BodyId> bodies_;  ///< those that appeared
  std::vector<JointId> joints_;
  std::size_t expected_ = 0;  ///< bodies of the file
  bool by_hand_ = false;      ///< bodies may be removed: the file says when
  std::unique_ptr<File> file_;
  BackgroundQueue queue_;  ///< last: its thread ends first
};

/// Everything about a recording but its frames.
struct RecordingInfo {
  RecordingMeta meta;
  std::vector<RecordedBody> bodies;
  std::vector<RecordedJoint> joints;
  std::string start;                            ///< snapshot (World::restore) of the state at the beginning
  std::int64_t first_step = 0;                  ///< steps done at the beginning
  std::int64_t frames = 0;                      ///< the first is the beginning
  std::vector<Hash128> hashes;                  ///< after every step
  std::vector<double> times;                    ///< s, after every step
  std::vector<std::string> statistic_names;     ///< of the columns of `statistics`
  std::vector<std::vector<double>> statistics;  ///< by name, then by step
};

/// Both read in a process of their own, so that a file made to crash HDF5 is one clear error.
Expected<RecordingInfo> read_recording(const std::string& path, double time_limit = 60);
/// Frames first to first + count.
Expected<std::vector<MotionFrame>> read_frames(const std::string& path, std::int64_t first, std::int64_t count,
                                               double time_limit = 60);

}  // namespace cairn
