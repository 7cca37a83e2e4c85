// SPDX-License-Identifier: MIT
// Reading recordings of elastic solids: a child process reads with HDF5 and sends plain bytes.
#include <fmt/format.h>

#include "cairn/core/index.h"
#include "cairn/io/hdf5.h"
#include "cairn/record/elastic_recording.h"
#include "cairn/record/isolated_read.h"

namespace cairn {

namespace {

template <class A, class V>
void archive_elastic_vector(A& a, V& v) {
  a.number(v.x), a.number(v.y), a.number(v.z);
}

template <class A, class Info>
void archive_elastic_info(A& a, Info& info) {
  a.text(info.meta.scene), a.text(info.meta.parameters), a.text(info.meta.program);
  a.number(info.meta.dt);
  a.text(info.start);
  a.number(info.solids), a.number(info.bodies), a.number(info.frames);
  a.size(info.hashes, 16);
  for (auto& hash : info.hashes) a.number(hash.high), a.number(hash.low);
  a.size(info.times, 8);
  for (auto& time : info.times) a.number(time);
  a.size(info.statistics, 8);
  for (auto& column : info.statistics) {
    a.size(column, 8);
    for (auto& x : column) a.number(x);
  }
}

template <class A, class Frames>
void archive_elastic_frames(A& a, Frames& frames) {
  a.size(frames, 16);
  for (auto& frame : frames) {
    a.number(frame.step), a.number(frame.time);
    a.size(frame.pose, 56);
    for (auto& p : frame.pose) {
      archive_elastic_vector(a, p.position);
      a.number(p.orientation.w), a.number(p.orientation.x), a.number(p.orientation.y), a.number(p.orientation.z);
    }
    a.size(frame.velocity, 48);
    for (auto& v : frame.velocity) archive_elastic_vector(a, v.linear), archive_elastic_vector(a, v.angular);
    a.size(frame.surfaces, 24);
    for (auto& s : frame.surfaces) {
      a.size(s.vertices, 24);
      for (auto& v : s.vertices) archive_elastic_vector(a, v);
      a.size(s.speed, 8);
      for (auto& x : s.speed) a.number(x);
      a.size(s.triangles, 12);
      for (auto& t : s.triangles)
        for (auto& corner : t) a.number(corner);
    }
  }
}

bool has_elastic_format(const Hdf5Reader& in) {
  return in.has_attribute("/", "format") && in.text_attribute("/", "format") == "cairn-elastic-recording";
}

void check_elastic_head(const Hdf5Reader& in) {
  if (!has_elastic_format(in)) fail_input("is no recording of elastic solids");
  const double version = in.number_attribute("/", "version");
  if (version != kElasticRecordingVersion)
    fail_input(
        fmt::format("is a recording of version {}, this program reads version {}", version, kElasticRecordingVersion),
        ErrorKind::unsupported);
}

ElasticRecordingInfo read_elastic_info(const std::string& path) {
  const Hdf5Reader in(path);
  check_elastic_head(in);
  ElasticRecordingInfo info;
  info.meta.scene = in.text_attribute("/", "scene");
  info.meta.parameters = in.text_attribute("/", "parameters");
  info.meta.program = in.text_attribute("/", "program");
  info.meta.dt = in.number_attribute("/", "dt");
  info.start = in.read_bytes("/start");
  const std::vector<std::int64_t> ends = in.shape("/surface/end"), poses = in.shape("/frames/pose");
  require(ends.size() == 3 && ends[2] == 2 && poses.size() == 3 && poses[2] == 7,
          "/surface/end must have 2 numbers per solid and /frames/pose 7 per body");
  info.solids = ends[1], info.bodies = poses[1], info.frames = in.shape("/frames/step").at(0);
  const std::int64_t steps = in.shape("/hash").at(0), pair[] = {2};
  std::vector<std::uint64_t> words;
  in.read_rows("/hash", pair, 0, steps, words);
  for (std::size_t k = 0; k + 1 < words.size(); k += 2) info.hashes.push_back({words[k], words[k + 1]});
  in.read_rows("/stats/time", {}, 0, steps, info.times);
  for (const char* name : elastic_statistic_names())
    in.read_rows(fmt::format("/stats/{}", name), {}, 0, steps, info.statistics.emplace_back());
  return info;
}

/// Surfaces of frames whose ends are known; begin: the ends before the first.
void read_surfaces(const Hdf5Reader& in, std::span<const std::int64_t> ends, std::int64_t solids,
                   std::array<std::int64_t, 2> begin, std::vector<ElasticFrame>& frames) {
  const std::int64_t three[] = {3};
  std::array<std::int64_t, 2> at = begin;
  for (std::size_t k = 0; k < ends.size(); k += 2) {
    require(ends[k] >= at[0] && ends[k + 1] >= at[1], "/surface/end must not fall");
    std::vector<double> vertex, speed;
    std::vector<std::int64_t> triangle;
    in.read_rows("/surface/vertex", three, at[0], ends[k] - at[0], vertex);
    in.read_rows("/surface/speed", {}, at[0], ends[k] - at[0], speed);
    in.read_rows("/surface/triangle", three, at[1], ends[k + 1] - at[1], triangle);
    SolidSurface surface;
    surface.speed = speed;
    for (std::size_t i = 0; i + 2 < vertex.size(); i += 3)
      surface.vertices.push_back({vertex[i], vertex[i + 1], vertex[i + 2]});
    for (std::size_t i = 0; i + 2 < triangle.size(); i += 3) {
      for (std::size_t c = 0; c < 3; ++c)
        require(triangle[i + c] >= 0 && triangle[i + c] < ends[k] - at[0], "/surface/triangle names no vertex");
      surface.triangles.push_back({static_cast<std::int32_t>(triangle[i]), static_cast<std::int32_t>(triangle[i + 1]),
                                   static_cast<std::int32_t>(triangle[i + 2])});
    }
    frames[k / 2 / to_index(solids)].surfaces.push_back(std::move(surface));
    at = {ends[k], ends[k + 1]};
  }
}

std::vector<ElasticFrame> read_some_elastic(const std::string& path, std::int64_t first, std::int64_t count) {
  const Hdf5Reader in(path);
  check_elastic_head(in);
  const std::int64_t n = in.shape("/frames/pose").at(1), solids = in.shape("/surface/end").at(1);
  const std::int64_t pose_row[] = {n, 7}, velocity_row[] = {n, 6}, end_row[] = {solids, 2};
  std::vector<std::int64_t> step, ends, before;
  std::vector<double> time, pose, velocity;
  in.read_rows("/frames/step", {}, first, count, step);
  in.read_rows("/frames/time", {}, first, count, time);
  in.read_rows("/frames/pose", pose_row, first, count, pose);
  in.read_rows("/frames/velocity", velocity_row, first, count, velocity);
  in.read_rows("/surface/end", end_row, first, count, ends);
  std::vector<ElasticFrame> frames(to_index(count));
  for (std::size_t f = 0; f < frames.size(); ++f) {
    frames[f].step = step[f], frames[f].time = time[f];
    for (std::size_t b = f * to_index(n); b < (f + 1) * to_index(n); ++b) {
      const double *p = &pose[7 * b], *v = &velocity[6 * b];
      frames[f].pose.push_back({{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}});
      frames[f].velocity.push_back({{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
    }
  }
  std::array<std::int64_t, 2> begin{0, 0};
  if (first > 0 && solids > 0) {
    in.read_rows("/surface/end", end_row, first - 1, 1, before);
    begin = {before[before.size() - 2], before[before.size() - 1]};
  }
  read_surfaces(in, ends, solids, begin, frames);
  return frames;
}

}  // namespace

bool is_elastic_recording(const std::string& path) {
  const Expected<std::string> bytes =
      read_isolated(path, 60, [&](ByteWriter& out) { out.number(has_elastic_format(Hdf5Reader(path))); });
  return bytes && *bytes == std::string(1, '\1');
}

Expected<ElasticRecordingInfo> read_elastic_recording(const std::string& path, double time_limit) {
  const Expected<std::string> bytes = read_isolated(path, time_limit, [&](ByteWriter& out) {
    const ElasticRecordingInfo info = read_elastic_info(path);
    archive_elastic_info(out, info);
  });
  if (!bytes) return bytes.error();
  ElasticRecordingInfo info;
  ByteReader in(*bytes);
  archive_elastic_info(in, info);
  return info;
}

Expected<std::vector<ElasticFrame>> read_elastic_frames(const std::string& path, std::int64_t first, std::int64_t count,
                                                        double time_limit) {
  const Expected<std::string> bytes = read_isolated(path, time_limit, [&](ByteWriter& out) {
    const std::vector<ElasticFrame> frames = read_some_elastic(path, first, count);
    archive_elastic_frames(out, frames);
  });
  if (!bytes) return bytes.error();
  std::vector<ElasticFrame> frames;
  ByteReader in(*bytes);
  archive_elastic_frames(in, frames);
  return frames;
}

}  // namespace cairn
