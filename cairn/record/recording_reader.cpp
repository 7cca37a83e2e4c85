// SPDX-License-Identifier: MIT
// Reading recordings: a child process reads with HDF5 and sends plain bytes.
#include <fmt/format.h>

#include "cairn/core/bytes.h"
#include "cairn/core/index.h"
#include "cairn/io/hdf5.h"
#include "cairn/record/isolated_read.h"
#include "cairn/record/recording.h"

namespace cairn {

namespace {

// One function says what is sent and received, in which order.

template <class A>
void archive(A& a, std::conditional_t<A::kReads, std::vector<std::string>, const std::vector<std::string>>& texts) {
  a.size(texts, 8);
  for (auto& text : texts) a.text(text);
}

template <class A, class V>
void archive_vector(A& a, V& v) {
  a.number(v.x), a.number(v.y), a.number(v.z);
}

template <class A, class Info>
void archive_info(A& a, Info& info) {
  auto& m = info.meta;
  a.text(m.scene), a.text(m.parameters), a.text(m.scene_text), a.text(m.solver), a.text(m.settings), a.text(m.program);
  a.number(m.dt);
  archive(a, m.body_names), archive(a, m.joint_names);
  a.text(m.inputs);
  a.size(info.bodies, 32);
  for (auto& body : info.bodies)
    a.text(body.name), a.text(body.shape), a.number(body.kind), a.number(body.mass), a.number(body.colour);
  a.size(info.joints, 24);
  for (auto& joint : info.joints)
    a.text(joint.name), a.text(joint.kind), a.number(joint.body_a), a.number(joint.body_b);
  a.text(info.start);
  a.number(info.first_step), a.number(info.frames);
  a.size(info.hashes, 16);
  for (auto& hash : info.hashes) a.number(hash.high), a.number(hash.low);
  a.size(info.times, 8);
  for (auto& time : info.times) a.number(time);
  archive(a, info.statistic_names);
  a.size(info.statistics, 8);
  for (auto& column : info.statistics) {
    a.size(column, 8);
    for (auto& x : column) a.number(x);
  }
}

template <class A, class Frames>
void archive_frames(A& a, Frames& frames) {
  a.size(frames, 16);
  for (auto& frame : frames) {
    a.number(frame.step), a.number(frame.time);
    a.size(frame.pose, 56);
    for (auto& p : frame.pose) {
      archive_vector(a, p.position);
      a.number(p.orientation.w), a.number(p.orientation.x), a.number(p.orientation.y), a.number(p.orientation.z);
    }
    a.size(frame.velocity, 48);
    for (auto& v : frame.velocity) archive_vector(a, v.linear), archive_vector(a, v.angular);
    a.size(frame.awake, 1);
    for (auto& x : frame.awake) a.number(x);
    a.size(frame.contacts, 89);
    for (auto& c : frame.contacts) {
      a.number(c.body_a), a.number(c.body_b);
      archive_vector(a, c.point), archive_vector(a, c.normal), archive_vector(a, c.impulse);
      a.number(c.separation), a.number(c.mode);
    }
    a.size(frame.joints, 40);
    for (auto& r : frame.joints)
      a.number(r.position), a.number(r.velocity), a.number(r.effort), a.number(r.force), a.number(r.torque);
  }
}

void check_head(const Hdf5Reader& in) {
  if (!in.has_attribute("/", "format") || in.text_attribute("/", "format") != "cairn-recording")
    fail_input("is no recording of Cairn");
  const double version = in.number_attribute("/", "version");
  if (version != kRecordingVersion)
    fail_input(fmt::format("is a recording of version {}, this program reads version {}", version, kRecordingVersion),
               ErrorKind::unsupported);
}

/// What older files do not have: colours, joints and inputs.
void read_added(const Hdf5Reader& in, RecordingInfo& info) {
  const auto n = static_cast<std::int64_t>(info.bodies.size());
  if (in.has("/inputs")) info.meta.inputs = in.read_bytes("/inputs");
  if (in.has("/bodies/colour")) {
    const std::vector<std::int64_t> colour = in.read_ints("/bodies/colour", n);
    for (std::size_t k = 0; k < info.bodies.size(); ++k) info.bodies[k].colour = static_cast<std::uint32_t>(colour[k]);
  }
  if (!in.has("/joints")) return;
  info.meta.joint_names = in.read_texts("/joints/name");
  const std::vector<std::string> kinds = in.read_texts("/joints/kind");
  const auto count = static_cast<std::int64_t>(info.meta.joint_names.size()), pair = std::int64_t{2};
  std::vector<std::int64_t> ends;
  in.read_rows("/joints/body", std::span(&pair, 1), 0, count, ends);
  require(kinds.size() == info.meta.joint_names.size(), "/joints/kind must have one entry per joint");
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::int64_t a = ends[2 * k], b = ends[2 * k + 1];
    require(a >= -1 && a < n && b >= -1 && b < n, "/joints/body names none of the bodies");
    info.joints.push_back(
        {info.meta.joint_names[k], kinds[k], static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
  }
}

RecordingInfo read_info(const std::string& path) {
  const Hdf5Reader in(path);
  check_head(in);
  RecordingInfo info;
  RecordingMeta& m = info.meta;
  m.scene = in.text_attribute("/", "scene"), m.parameters = in.text_attribute("/", "parameters");
  m.solver = in.text_attribute("/", "solver"), m.settings = in.text_attribute("/", "settings");
  m.program = in.text_attribute("/", "program"), m.dt = in.number_attribute("/", "dt");
  m.scene_text = in.read_bytes("/scene_text");
  info.start = in.read_bytes("/start");
  info.first_step = static_cast<std::int64_t>(in.number_attribute("/", "first_step"));
  m.body_names = in.read_texts("/bodies/name");
  const std::vector<std::string> shapes = in.read_texts("/bodies/shape");
  const auto n = static_cast<std::int64_t>(m.body_names.size());
  const std::vector<double> mass = in.read_doubles("/bodies/mass", n);
  const std::vector<std::int64_t> kind = in.read_ints("/bodies/kind", n);
  require(static_cast<std::int64_t>(shapes.size()) == n, "/bodies/shape must have one entry per body");
  for (std::size_t k = 0; k < m.body_names.size(); ++k) {
    require(kind[k] >= 0 && kind[k] <= 2, "/bodies/kind is none of 0, 1, 2");
    info.bodies.push_back({m.body_names[k], shapes[k], static_cast<BodyKind>(kind[k]), mass[k]});
  }
  read_added(in, info);
  info.frames = in.shape("/frames/step").at(0);
  const std::int64_t steps = in.shape("/hash").at(0), pair[] = {2};
  std::vector<std::uint64_t> words;
  in.read_rows("/hash", pair, 0, steps, words);
  for (std::size_t k = 0; k + 1 < words.size(); k += 2) info.hashes.push_back({words[k], words[k + 1]});
  in.read_rows("/stats/time", {}, 0, steps, info.times);
  for (const char* name : statistic_names()) {
    info.statistic_names.emplace_back(name);
    in.read_rows(fmt::format("/stats/{}", name), {}, 0, steps, info.statistics.emplace_back());
  }
  return info;
}

void read_contacts(const Hdf5Reader& in, std::int64_t first, std::int64_t bodies, std::vector<MotionFrame>& frames) {
  std::vector<std::int64_t> offset, body, mode;
  std::vector<double> point, normal, impulse, separation;
  in.read_rows("/contacts/offset", {}, first, static_cast<std::int64_t>(frames.size()) + 1, offset);
  for (std::size_t k = 1; k < offset.size(); ++k) require(offset[k] >= offset[k - 1], "/contacts/offset must not fall");
  const std::int64_t begin = offset.front(), count = offset.back() - begin, three[] = {3}, two[] = {2};
  in.read_rows("/contacts/body", two, begin, count, body);
  in.read_rows("/contacts/point", three, begin, count, point);
  in.read_rows("/contacts/normal", three, begin, count, normal);
  in.read_rows("/contacts/impulse", three, begin, count, impulse);
  in.read_rows("/contacts/separation", {}, begin, count, separation);
  in.read_rows("/contacts/mode", {}, begin, count, mode);
  const auto vector_at = [](const std::vector<double>& x, std::size_t k) {
    return Vec3{x[3 * k], x[3 * k + 1], x[3 * k + 2]};
  };
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (auto c = to_index(offset[f] - begin); c < to_index(offset[f + 1] - begin); ++c) {
      const auto is_body = [&](std::int64_t b) { return b >= 0 && b < bodies; };
      require(is_body(body[2 * c]) && is_body(body[2 * c + 1]), "/contacts/body names none of the bodies");
      require(mode[c] >= 0 && mode[c] <= 2, "/contacts/mode is none of 0, 1, 2");
      frames[f].contacts.push_back({static_cast<std::int32_t>(body[2 * c]), static_cast<std::int32_t>(body[2 * c + 1]),
                                    vector_at(point, c), vector_at(normal, c), vector_at(impulse, c), separation[c],
                                    static_cast<ContactMode>(mode[c])});
    }
}

void read_readings(const Hdf5Reader& in, std::int64_t first, std::vector<MotionFrame>& frames) {
  if (!in.has("/frames/joint")) return;
  const std::vector<std::int64_t> extents = in.shape("/frames/joint");
  require(extents.size() == 3 && extents[2] == 5, "/frames/joint must have 5 numbers per joint");
  const std::int64_t row[] = {extents[1], 5};
  std::vector<double> x;
  in.read_rows("/frames/joint", row, first, static_cast<std::int64_t>(frames.size()), x);
  for (std::size_t at = 0, f = 0; f < frames.size(); ++f)
    for (std::int64_t k = 0; k < extents[1]; ++k, at += 5)
      frames[f].joints.push_back({x[at], x[at + 1], x[at + 2], x[at + 3], x[at + 4]});
}

std::vector<MotionFrame> read_some(const std::string& path, std::int64_t first, std::int64_t count) {
  const Hdf5Reader in(path);
  check_head(in);
  const std::vector<std::int64_t> extents = in.shape("/frames/pose");
  require(extents.size() == 3 && extents[2] == 7, "/frames/pose must have 7 numbers per body");
  const std::int64_t n = extents[1], pose_row[] = {n, 7}, velocity_row[] = {n, 6}, awake_row[] = {n};
  std::vector<std::int64_t> step, awake;
  std::vector<double> time, pose, velocity;
  in.read_rows("/frames/step", {}, first, count, step);
  in.read_rows("/frames/time", {}, first, count, time);
  in.read_rows("/frames/pose", pose_row, first, count, pose);
  in.read_rows("/frames/velocity", velocity_row, first, count, velocity);
  in.read_rows("/frames/awake", awake_row, first, count, awake);
  std::vector<MotionFrame> frames(to_index(count));
  for (std::size_t f = 0; f < frames.size(); ++f) {
    frames[f].step = step[f], frames[f].time = time[f];
    for (std::size_t b = 0; b < to_index(n); ++b) {
      const std::size_t at = f * to_index(n) + b;
      const double *p = &pose[7 * at], *v = &velocity[6 * at];
      frames[f].pose.push_back({{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}});
      frames[f].velocity.push_back({{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
      frames[f].awake.push_back(awake[at] != 0 ? 1 : 0);
    }
  }
  read_readings(in, first, frames);
  read_contacts(in, first, n, frames);
  return frames;
}

}  // namespace

Expected<RecordingInfo> read_recording(const std::string& path, double time_limit) {
  const Expected<std::string> bytes = read_isolated(path, time_limit, [&](ByteWriter& out) {
    const RecordingInfo info = read_info(path);
    archive_info(out, info);
  });
  if (!bytes) return bytes.error();
  RecordingInfo info;
  ByteReader in(*bytes);
  archive_info(in, info);
  return info;
}

Expected<std::vector<MotionFrame>> read_frames(const std::string& path, std::int64_t first, std::int64_t count,
                                               double time_limit) {
  const Expected<std::string> bytes = read_isolated(path, time_limit, [&](ByteWriter& out) {
    const std::vector<MotionFrame> frames = read_some(path, first, count);
    archive_frames(out, frames);
  });
  if (!bytes) return bytes.error();
  std::vector<MotionFrame> frames;
  ByteReader in(*bytes);
  archive_frames(in, frames);
  return frames;
}

}  // namespace cairn
