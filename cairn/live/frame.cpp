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
  if (at == names.bodies.end() || !(*at == body)) return "shot ball";
  const auto place = to_index(at - names.bodies.begin());
  return place < names.titles.size() ? names.titles[place] : "";
}

/// Bodies by place; -1 is the world.
void write_joints(ByteWriter& out, const World& world, std::span<const BodyId> bodies) {
  const auto place = [&](BodyId body) {
    const auto at = std::lower_bound(bodies.begin(), bodies.end(), body);
    return at != bodies.end() && *at == body ? static_cast<std::int32_t>(at - bodies.begin()) : std::int32_t{-1};
  };
  const std::vector<JointId> joints = world.joints();
  out.size(joints, 72);
  for (const JointId id : joints) {
    const JointDef& joint = world.joint_def(id);
    out.text(kind_name(joint.kind));
    out.number(place(joint.body_a)), out.number(place(joint.body_b));
    write_page_pose(out, joint.frame_a), write_page_pose(out, joint.frame_b);
  }
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
    list.push_back({title_of(names, body), shape_names(world, body), view.kind, view.mass});
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
  write_joints(out, world, scene->bodies);
  write_page_cameras(out, names.cameras);
  scene->bytes = out.take();
  return scene;
}

LiveFrame take_live_frame(const LiveRun& run, std::shared_ptr<const LiveScene> scene, bool contacts, bool groups) {
  const World& world = run.world();
  LiveFrame frame;
  frame.motion = take_frame(world, scene->bodies, contacts);
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
  return out.take();
}

}  // namespace cairn
