// SPDX-License-Identifier: MIT
#include "cairn/live/frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/record/page_data.h"

namespace cairn {

namespace {

void single(ByteWriter& out, double x) { out.number(static_cast<float>(x)); }

void write_texts(ByteWriter& out, std::span<const std::string> texts) {
  out.size(texts, 8);
  for (const std::string& text : texts) out.text(text);
}

std::string title_of(const LiveNames& names, BodyId body) {
  const auto at = std::lower_bound(names.bodies.begin(), names.bodies.end(), body);
  if (at == names.bodies.end() || !(*at == body)) return "added by hand";
  const auto place = to_index(at - names.bodies.begin());
  return place < names.titles.size() ? names.titles[place] : "";
}

std::uint32_t colour_of(const LiveNames& names, BodyId body) {
  const auto at = std::lower_bound(names.bodies.begin(), names.bodies.end(), body);
  const auto place = to_index(at - names.bodies.begin());
  return at != names.bodies.end() && *at == body && place < names.colours.size() ? names.colours[place] : 0;
}

/// Joints by place, as JointReading, and what the drive is told: a position or a speed, NaN without one.
void write_readings(ByteWriter& out, const LiveFrame& frame) {
  out.number(static_cast<std::uint32_t>(frame.motion.joints.size()));
  for (std::size_t k = 0; k < frame.motion.joints.size(); ++k) {
    const JointReading& r = frame.motion.joints[k];
    for (const double x : {r.position, r.velocity, r.effort, r.force, r.torque, frame.targets[k]}) single(out, x);
  }
}

double target_of(const World& world, JointId joint) {
  const JointAxis* axis = world.contains(joint) ? axis_of(world.joint_def(joint).kind) : nullptr;
  if (axis == nullptr || axis->drive.kind == DriveKind::none) return std::numeric_limits<double>::quiet_NaN();
  return axis->drive.kind == DriveKind::velocity ? axis->drive.speed : axis->drive.position;
}

void write_groups(ByteWriter& out, const LiveFrame& frame) {
  const std::vector<bool>& moves = frame.scene->moves;
  for (std::size_t b = 0; b < moves.size(); ++b)
    if (moves[b]) out.number(frame.groups.island[b]);
  constexpr std::int32_t kMost = std::numeric_limits<std::uint16_t>::max();
  for (std::size_t b = 0; b < moves.size(); ++b)
    if (moves[b]) out.number(static_cast<std::uint16_t>(std::min(frame.groups.sub_bodies[b], kMost)));
}

void write_contacts(ByteWriter& out, std::span<const FrameContact> contacts) {
  out.size(contacts, 51);
  for (const FrameContact& c : contacts) {
    out.number(static_cast<std::uint32_t>(c.body_a)), out.number(static_cast<std::uint32_t>(c.body_b));
    out.number(c.mode);
    out.number(static_cast<std::int16_t>(std::clamp<std::int32_t>(c.colour, -1, 32767)));
    single(out, c.separation);
    for (const Vec3* v : {&c.point, &c.normal, &c.impulse}) write_page_vector(out, *v);
  }
}

}  // namespace

std::vector<std::string> solvers_for(const World& world) {
  const bool joints = !world.joints().empty();
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_table())
    if (info.joints || !joints) names.push_back(info.name);
  return names;
}

std::string solver_label(const WorldSettings& settings) {
  std::string label = settings.solver;
  char before = ':';
  for (const auto& [name, value] : settings.solver_settings) {
    label += fmt::format("{}{}={}", before, name, value);
    before = ',';
  }
  return label;
}

std::shared_ptr<const LiveScene> make_live_scene(const World& world, double dt, const LiveNames& names,
                                                 std::uint64_t generation) {
  auto scene = std::make_shared<LiveScene>();
  const BodyPictures pictures(world);
  scene->generation = generation;
  scene->bodies = world.bodies(), scene->joints = world.joints();
  scene->moves = pictures.moves;
  std::vector<RecordedBody> list;
  std::vector<Pose> poses;
  for (const BodyId body : scene->bodies) {
    const BodyView view = world.view(body);
    list.push_back({title_of(names, body), shape_names(world, body), view.kind, view.mass, colour_of(names, body)});
    poses.push_back(view.pose);
  }
  ByteWriter out;
  out.raw("SCEN");
  out.number(generation);
  out.text(names.scene), out.text(solver_label(world.settings())), out.text(names.program);
  out.number(dt);
  write_page_bodies(out, list, pictures, poses);
  const std::span<const char* const> statistics = statistic_names();
  write_texts(out, std::vector<std::string>(statistics.begin(), statistics.end()));
  write_texts(out, solvers_for(world));
  out.raw(page_joints(world, names.joints));
  write_page_cameras(out, names.cameras);
  scene->bytes = out.take();
  return scene;
}

LiveFrame take_live_frame(const LiveRun& run, std::shared_ptr<const LiveScene> scene, bool contacts, bool groups) {
  const World& world = run.world();
  LiveFrame frame;
  const bool readings = scene->joints.size() <= kMostReadings;
  frame.motion = take_frame(world, scene->bodies, contacts,
                            readings ? std::span<const JointId>(scene->joints) : std::span<const JointId>());
  if (readings)
    for (const JointId joint : scene->joints) frame.targets.push_back(target_of(world, joint));
  frame.oldest = run.history().oldest(), frame.newest = run.history().newest();
  frame.solver = solver_label(world.settings());
  // Things done since the step are in the state, and not in what was kept of the step.
  frame.hash = world.state_hash().to_string();
  frame.statistics = run.record().statistics;
  for (std::size_t b = 0; b < scene->bodies.size(); ++b) {
    const bool quarantined = world.view(scene->bodies[b]).quarantined;
    frame.flags.push_back(static_cast<std::uint8_t>(frame.motion.awake[b] | (quarantined ? 2 : 0)));
  }
  frame.has_contacts = contacts, frame.has_groups = groups;
  if (groups) frame.groups = world.groups();
  frame.scene = std::move(scene);
  return frame;
}

std::string pack_live_frame(const LiveFrame& frame, bool contacts, bool groups) {
  const std::vector<bool>& moves = frame.scene->moves;
  const MotionFrame& motion = frame.motion;
  const auto for_moving = [&](auto&& visit) {
    for (std::size_t b = 0; b < moves.size(); ++b)
      if (moves[b]) visit(b);
  };
  ByteWriter out;
  out.raw("FRAM");
  out.number(frame.scene->generation);
  out.number(motion.time);
  for (const std::int64_t step : {motion.step, frame.oldest, frame.newest})
    out.number(static_cast<std::uint64_t>(step));
  out.number(static_cast<std::uint8_t>(frame.playing ? 1 : 0));
  single(out, frame.speed), single(out, frame.rate);
  out.text(frame.solver), out.text(frame.hash);
  for_moving([&](std::size_t b) { write_page_pose(out, motion.pose[b]); });
  for_moving([&](std::size_t b) {
    write_page_vector(out, motion.velocity[b].linear), write_page_vector(out, motion.velocity[b].angular);
  });
  for_moving([&](std::size_t b) { out.number(frame.flags[b]); });
  const bool with_groups = groups && frame.has_groups;
  out.number(static_cast<std::uint8_t>(with_groups ? 1 : 0));
  if (with_groups) write_groups(out, frame);
  write_contacts(out, contacts ? std::span<const FrameContact>(motion.contacts) : std::span<const FrameContact>());
  out.size(frame.statistics, 4);
  for (const float x : frame.statistics) out.number(x);
  write_readings(out, frame);
  return out.take();
}

}  // namespace cairn
