// SPDX-License-Identifier: MIT
// Joints: definitions, coordinates and impulses. Rows are counted anew by reading.
#include <fmt/core.h>

#include <cmath>

#include "cairn/world/snapshot/snapshot_archive.h"
#include "cairn/world/snapshot/snapshot_parts.h"

namespace cairn {

// Found by archive_all, which looks among the types' own namespace.
template <class A, Is<JointAxis> T>
void archive(A& a, T& x) {
  archive_all(a, x.motion, x.lower, x.upper, x.limit_compliance, x.limit_damping);
  archive_all(a, x.drive.kind, x.drive.speed, x.drive.position, x.drive.stiffness, x.drive.damping, x.drive.max_force);
  archive(a, x.friction);
}

template <class A, Is<BallJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.cone, j.twist, j.friction);
}
template <class A, Is<HingeJoint> T>
void archive(A& a, T& j) {
  archive(a, j.turn);
}
template <class A, Is<PrismaticJoint> T>
void archive(A& a, T& j) {
  archive(a, j.slide);
}
template <class A, Is<CylindricalJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.slide, j.turn);
}
template <class A, Is<FixedJoint> T>
void archive(A&, T&) {}
template <class A, Is<DistanceJoint> T>
void archive(A& a, T& j) {
  archive(a, j.length);
}
template <class A, Is<RopeJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.length, j.compliance, j.damping);
}
template <class A, Is<SpringJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.length, j.stiffness, j.damping, j.max_force);
}
template <class A, Is<UniversalJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.turn_x, j.turn_y);
}
template <class A, Is<PlanarJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.slide_y, j.slide_z, j.turn);
}
template <class A, Is<GearJoint> T>
void archive(A& a, T& j) {
  archive_all(a, j.point, j.tangent, j.radius_a, j.radius_b, j.start_a, j.start_b);
}
template <class A, Is<SixDofJoint> T>
void archive(A& a, T& j) {
  for (auto& axis : j.slide) archive(a, axis);
  for (auto& axis : j.turn) archive(a, axis);
}
template <class A, Is<BodyId> T>
void archive(A& a, T& id) {
  archive_all(a, id.index, id.generation);
}
template <class A, Is<JointSoftness> T>
void archive(A& a, T& s) {
  archive_all(a, s.compliance, s.damping);
}

namespace {

/// The kind with that index.
template <std::size_t kIndex = 0>
JointKind empty_kind(std::size_t index) {
  if constexpr (kIndex < std::variant_size_v<JointKind>) {
    if (index == kIndex) return JointKind(std::in_place_index<kIndex>);
    return empty_kind<kIndex + 1>(index);
  }
  fail_input("its kind is none");
}

template <class A, class Def>
void archive_def(A& a, Def& d) {
  archive_all(a, d.body_a, d.body_b, d.carrier, d.frame_a, d.frame_b);
  archive_all(a, d.enabled, d.collide_connected, d.linear, d.angular, d.break_force, d.break_torque, d.user);
  auto kind = static_cast<std::uint8_t>(d.kind.index());
  archive(a, kind);
  if constexpr (A::kReads) d.kind = empty_kind(kind);
  std::visit([&](auto& joint) { archive(a, joint); }, d.kind);
}

template <class A, class State>
void archive_state(A& a, State& s) {
  archive_all(a, s.turn, s.force, s.torque, s.separation, s.misalignment);
  for (auto& impulse : s.impulse) archive(a, impulse);
}

/// The slot of a body that a joint names, -1 for the world.
std::int32_t slot_of(const WorldState& world, BodyId body) {
  if (body == BodyId{}) return -1;
  require(world.body_ids.is_valid(body), "it joins a body that does not exist");
  return static_cast<std::int32_t>(body.index);
}

void check_joint(const JointDef& def, const JointState& state) {
  check_joint_def(def);
  require(state.body_b >= 0 && state.body_a != state.body_b, "it joins nothing, or a body to itself");
  const bool gear = std::holds_alternative<GearJoint>(def.kind);
  require(state.carrier < 0 || (gear && state.carrier != state.body_a && state.carrier != state.body_b),
          "its carrier is none");
  check_vector(state.turn, kFarthest, "turn");
  // What a step finds has no limit: short sub-steps, long arms and heavy bodies make any force. Joints whose force is
  // not a number break.
  for (const Vec3& v : {state.force, state.torque})
    require(!std::isnan(v.x) && !std::isnan(v.y) && !std::isnan(v.z), "its force or its torque is not a number");
  require(state.separation >= 0, "its separation is none");
  require(state.misalignment >= 0, "its misalignment is none");
  for (const double impulse : state.impulse)
    require(std::fabs(impulse) <= kLargestImpulse, "an impulse is out of range");
}

void load_joint(ByteReader& in, const WorldState& world, JointDef& def, JointState& state) {
  archive_def(in, def);
  archive_state(in, state);
  state.body_a = slot_of(world, def.body_a), state.body_b = slot_of(world, def.body_b);
  state.carrier = slot_of(world, def.carrier);
  check_joint(def, state);
  const JointState saved = state;
  state.live = true;
  count_joint_rows(world.bodies, def, state);
  state.turn = saved.turn, state.impulse = saved.impulse;
}

}  // namespace

void save_joints(const WorldState& world, ByteWriter& out) {
  const auto ids = world.joint_ids.state();
  archive(out, ids);
  for (std::size_t j = 0; j < world.joints.size(); ++j)
    if (world.joints.state[j].live) archive_def(out, world.joints.def[j]), archive_state(out, world.joints.state[j]);
}

void load_joints(ByteReader& in, WorldState& world) {
  HandlePool<JointTag>::State ids;
  archive(in, ids);
  world.joints.resize(ids.generation.size());
  world.joint_ids.restore(std::move(ids));
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    if (world.joint_ids.at(j) == JointId{}) continue;
    try {
      check_joints_are_taken(world.settings.solver);
      load_joint(in, world, world.joints.def[j], world.joints.state[j]);
    } catch (const InputError& error) {
      fail_input(fmt::format("joint {}: {}", j, error.what()), error.kind());
    }
  }
}

}  // namespace cairn
