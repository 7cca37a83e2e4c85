// SPDX-License-Identifier: MIT
#include "cairn/record/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "cairn/io/deflate.h"

namespace cairn {

namespace {

constexpr std::size_t kMostRatio = 40;  // by which a page that is not silly may be compressed

void single(ByteWriter& out, double x) { out.number(static_cast<float>(x)); }

std::string surface_bytes(const Tessellation& surface) {
  ByteWriter out;
  out.size(surface.vertices, 12);
  for (const Vec3& v : surface.vertices) write_page_vector(out, v);
  out.size(surface.triangles, 12);
  for (const auto& t : surface.triangles)
    for (const std::int32_t corner : t) out.number(corner);
  return out.take();
}

}  // namespace

void write_page_vector(ByteWriter& out, const Vec3& v) { single(out, v.x), single(out, v.y), single(out, v.z); }

void write_page_pose(ByteWriter& out, const Pose& p) {
  write_page_vector(out, p.position);
  const Quat& q = p.orientation;
  single(out, q.w), single(out, q.x), single(out, q.y), single(out, q.z);
}

void write_page_bodies(ByteWriter& out, std::span<const RecordedBody> list, const BodyPictures& bodies,
                       std::span<const Pose> poses) {
  std::map<std::string, std::uint32_t> places;  // of surfaces by their bytes
  std::vector<std::uint32_t> surface_of;
  std::string surfaces;
  for (const Tessellation& surface : bodies.surfaces) {
    std::string bytes = surface_bytes(surface);
    const auto [at, fresh] = places.try_emplace(bytes, static_cast<std::uint32_t>(places.size()));
    if (fresh) surfaces += bytes;
    surface_of.push_back(at->second);
  }
  out.size(places, 16);
  out.raw(surfaces);
  out.size(list, 1);
  for (std::size_t b = 0; b < list.size(); ++b) {
    out.text(list[b].name), out.text(list[b].shape);
    out.number(static_cast<std::uint8_t>(bodies.moves[b] ? 1 : 0));
    single(out, list[b].mass);
    out.number(surface_of[b]);
    write_page_pose(out, poses[b]);
    out.number(list[b].colour);
  }
}

namespace {

void write_axis(ByteWriter& out, const JointKind& kind) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  out.number(coordinate_of(kind));
  const JointAxis* axis = axis_of(kind);
  const bool limited = axis != nullptr && axis->motion == AxisMotion::limited;
  single(out, limited ? axis->lower : kNone), single(out, limited ? axis->upper : kNone);
  const AxisDrive drive = axis != nullptr ? axis->drive : AxisDrive{};
  out.number(static_cast<std::uint8_t>(drive.kind));
  for (const double x : {drive.position, drive.speed, drive.stiffness, drive.damping, drive.max_force}) single(out, x);
}

}  // namespace

std::string page_joints(const World& world, std::span<const std::string> names) {
  const std::vector<BodyId> bodies = world.bodies();
  const auto place = [&](BodyId body) {
    const auto at = std::lower_bound(bodies.begin(), bodies.end(), body);
    return at != bodies.end() && *at == body ? static_cast<std::int32_t>(at - bodies.begin()) : std::int32_t{-1};
  };
  ByteWriter out;
  const std::vector<JointId> joints = world.joints();
  out.size(joints, 110);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const JointDef& joint = world.joint_def(joints[k]);
    out.text(kind_name(joint.kind)), out.text(k < names.size() ? names[k] : "");
    out.number(place(joint.body_a)), out.number(place(joint.body_b));
    write_page_pose(out, joint.frame_a), write_page_pose(out, joint.frame_b);
    write_axis(out, joint.kind);
  }
  return out.take();
}

void write_page_cameras(ByteWriter& out, std::span<const PictureCamera> cameras) {
  out.size(cameras, 48);
  for (const PictureCamera& c : cameras) {
    out.text(c.name);
    for (const Vec3* v : {&c.position, &c.target, &c.up}) write_page_vector(out, *v);
    single(out, c.field_of_view);
  }
}

PagePacker::PagePacker(const RecordingInfo& info, const BodyPictures& bodies, const PageSettings& settings)
    : info_(info), bodies_(bodies), settings_(settings), frames_(bodies.moves, settings.contacts) {
  require(info.bodies.size() == bodies.surfaces.size(),
          "the recording's list of bodies is not that of its first state: the file was changed, record it again");
}

void PagePacker::add(const MotionFrame& frame) {
  const std::size_t n = bodies_.surfaces.size();
  require(frame.pose.size() == n && frame.velocity.size() == n && frame.awake.size() == n,
          "a frame has other bodies than the recording: the file was changed, record it again");
  if (frames_.count() == 0) first_ = frame.pose;
  frames_.add(frame);
  check_size(frames_.bytes() / kMostRatio, "before it is compressed, and far more than can be won by that");
}

void PagePacker::check_size(std::size_t bytes, const char* state) const {
  if (bytes > settings_.max_bytes)
    fail_input(fmt::format(
        "the page would be larger than allowed: with its first {} frames it takes {:.1f} MB {}; keep fewer frames "
        "(--every N), leave the contacts out (--no-contacts) or allow more (--max-mb)",
        frames_.count(), 1e-6 * static_cast<double>(bytes), state));
}

void PagePacker::write_statistics(ByteWriter& out) const {
  const std::vector<std::string>& names = info_.statistic_names;
  out.size(names, 1);
  for (const std::string& name : names) out.text(name);
  out.size(info_.times, 8);
  for (const double t : info_.times) out.number(t);
  for (const std::vector<double>& column : info_.statistics)
    for (std::size_t k = 0; k < info_.times.size(); ++k) single(out, column.at(k));
}

void PagePacker::write_head(ByteWriter& out) const {
  out.text(info_.meta.scene), out.text(info_.meta.solver), out.text(info_.meta.program);
  out.number(info_.meta.dt);
  write_page_bodies(out, info_.bodies, bodies_, first_);
  out.raw(settings_.joints.empty() ? page_joints(World(), {}) : settings_.joints);
  write_page_cameras(out, settings_.cameras);
  write_statistics(out);
}

std::string PagePacker::take(std::string_view more) {
  require(frames_.count() > 0, "the recording has no frames: record it again");
  ByteWriter out;
  write_head(out);
  frames_.write(out);
  out.raw(more);
  std::string packed = kPageMagic + deflate(out.bytes());
  check_size(packed.size(), "packed");
  return packed;
}

std::string to_base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t word = 0;  // 24 bits, what is missing is zero
    for (std::size_t i = 0; i < 3; ++i)
      word = word << 8 | (i < left ? static_cast<unsigned char>(bytes[k + i]) : std::uint32_t{0});
    for (std::size_t i = 0; i < 4; ++i) text += i <= left ? kDigits[word >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace cairn
