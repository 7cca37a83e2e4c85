// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/record/elastic_recording.h"

namespace cairn {

namespace {

constexpr std::string_view kSurfaceMark = "SURFACE1";

/// The rigid bodies as a recording of their own.
RecordingInfo rigid_info(const ElasticRecordingInfo& info, const World& world) {
  RecordingInfo rigid;
  rigid.meta = info.meta;
  rigid.meta.solver = "staggered";
  for (const BodyId body : world.bodies()) {
    const BodyView view = world.view(body);
    rigid.bodies.push_back({"", shape_names(world, body), view.kind, view.mass});
  }
  rigid.times = info.times;
  for (const char* name : elastic_statistic_names()) rigid.statistic_names.emplace_back(name);
  rigid.statistics = info.statistics;
  return rigid;
}

void put_single(ByteWriter& out, double x) { out.number(static_cast<float>(x)); }

}  // namespace

ElasticPagePacker::ElasticPagePacker(const ElasticRecordingInfo& info, const ElasticWorld& world,
                                     const PageSettings& settings)
    : settings_(settings),
      rigid_(rigid_info(info, world.rigid())),
      pictures_(world.rigid()),
      packer_(rigid_, pictures_, settings),
      solids_(to_index(world.body_count())) {}

void ElasticPagePacker::add(const ElasticFrame& frame) {
  require(frame.surfaces.size() == solids_, "a frame has other solids than the recording: record it again");
  MotionFrame rigid;
  rigid.step = frame.step, rigid.time = frame.time;
  rigid.pose = frame.pose, rigid.velocity = frame.velocity;
  rigid.awake.assign(frame.pose.size(), 1);
  packer_.add(rigid);
  for (const SolidSurface& s : frame.surfaces) {
    surfaces_.size(s.vertices, 16);
    for (const Vec3& v : s.vertices) write_page_vector(surfaces_, v);
    for (const double speed : s.speed) {
      put_single(surfaces_, speed);
      fastest_ = std::max(fastest_, speed);
    }
    surfaces_.size(s.triangles, 12);
    for (const auto& t : s.triangles)
      for (const std::int32_t corner : t) surfaces_.number(corner);
  }
  if (surfaces_.bytes().size() > settings_.max_bytes)
    fail_input("the page would be larger than allowed: keep fewer frames (--every N) or allow more (--max-mb)");
}

std::string ElasticPagePacker::take() {
  ByteWriter out;
  out.raw(kSurfaceMark);
  out.number(static_cast<std::uint64_t>(solids_));
  put_single(out, fastest_);
  out.raw(surfaces_.bytes());
  return packer_.take(out.bytes());
}

}  // namespace cairn
