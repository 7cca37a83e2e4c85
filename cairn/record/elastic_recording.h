// SPDX-License-Identifier: MIT
// Recordings of elastic solids: their surfaces frame by frame, the rigid bodies beside them, hashes and statistics of
// every step, as an HDF5 file (docs/recordings.md has the layout).
//
//   ElasticRecorder recorder("run.h5", world, {.scene = "jelly_cubes", .dt = dt});
//   for (...) world.step(dt), recorder.add(world);
//   recorder.close();
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/euler/elastic_world.h"
#include "cairn/euler/surface.h"
#include "cairn/record/page_data.h"
#include "cairn/record/recording.h"

namespace cairn {

inline constexpr int kElasticRecordingVersion = 1;

/// What a recording keeps of an ElasticWorld after a step.
struct ElasticFrame {
  std::int64_t step = 0;
  double time = 0;                     ///< s
  std::vector<SolidSurface> surfaces;  ///< per solid
  std::vector<Pose> pose;              ///< per rigid body
  std::vector<Velocity> velocity;      ///< per rigid body
};
ElasticFrame take_frame(const ElasticWorld& world);

/// Numbers of a step by name: energies, volume, mass, rows, active sets, factorisations.
std::span<const char* const> elastic_statistic_names();
std::vector<double> statistics_of(const ElasticReport& report);

class ElasticRecorder {
 public:
  /// The file has the name PATH.partial until it is complete. InputError if it cannot be written.
  ElasticRecorder(const std::string& path, const ElasticWorld& world, const RecordingMeta& meta,
                  const RecorderSettings& settings = {});
  ~ElasticRecorder();

  /// After every step.
  void add(const ElasticWorld& world);
  /// All is written and the file has its name, or InputError says why not.
  void close();

 private:
  struct File;
  std::string path_;
  RecorderSettings settings_;
  std::unique_ptr<File> file_;
};

/// Everything about a recording but its frames.
struct ElasticRecordingInfo {
  RecordingMeta meta;
  std::string start;  ///< ElasticWorld::restore
  std::int64_t solids = 0, bodies = 0, frames = 0;
  std::vector<Hash128> hashes;                  ///< after every step
  std::vector<double> times;                    ///< s, after every step
  std::vector<std::vector<double>> statistics;  ///< by elastic_statistic_names, then by step
};

/// False for other files, damaged ones included.
bool is_elastic_recording(const std::string& path);
Expected<ElasticRecordingInfo> read_elastic_recording(const std::string& path, double time_limit = 60);
/// Frames first to first + count.
Expected<std::vector<ElasticFrame>> read_elastic_frames(const std::string& path, std::int64_t first, std::int64_t count,
                                                        double time_limit = 60);

/// A recording packed for the page: that of its rigid bodies, and behind it the surfaces (docs/recordings.md).
class ElasticPagePacker {
 public:
  /// `world` is that of the beginning.
  ElasticPagePacker(const ElasticRecordingInfo& info, const ElasticWorld& world, const PageSettings& settings);
  void add(const ElasticFrame& frame);
  std::string take();

 private:
  PageSettings settings_;
  RecordingInfo rigid_;
  BodyPictures pictures_;
  PagePacker packer_;
  ByteWriter surfaces_;
  double fastest_ = 0;  ///< m/s, of all vertices
  std::size_t solids_ = 0;
};

}  // namespace cairn
