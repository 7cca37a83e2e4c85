// SPDX-License-Identifier: MIT
// Edits of joints: adding, removing, changing, asking. Whatever is edited wakes the bodies it joins.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

void touch(WorldState& world, std::int32_t body) {
  if (body < 0) return;
  world.bodies.status[to_index(body)] |= kTouched;
  wake_body(world, to_index(body));
}

void touch_bodies(WorldState& world, const JointState& state) {
  for (const std::int32_t body : {state.body_a, state.body_b, state.carrier}) touch(world, body);
}

std::int32_t slot_or_world(const WorldState& world, BodyId body, const char* function) {
  return body == BodyId{} ? -1 : static_cast<std::int32_t>(world.slot(body, function));
}

/// Checked, with the slots of its bodies.
JointState bodies_of(const WorldState& world, const JointDef& def, const char* function) {
  check_joint_def(def);
  JointState state;
  if (def.body_b == BodyId{})
    fail_input(
        fmt::format("{}: body_b is null; give the body as b and leave body_a null to join it to the world", function));
  state.body_a = slot_or_world(world, def.body_a, function);
  state.body_b = slot_or_world(world, def.body_b, function);
  state.carrier = slot_or_world(world, def.carrier, function);
  if (state.body_a == state.body_b)
    fail_input(fmt::format("{}: a body cannot be joined to itself; give two bodies", function));
  const bool gear = std::holds_alternative<GearJoint>(def.kind);
  if (!gear && state.carrier >= 0) fail_input(fmt::format("{}: only a gear has a carrier; leave it null", function));
  if (state.carrier >= 0 && (state.carrier == state.body_a || state.carrier == state.body_b))
    fail_input(fmt::format("{}: the carrier of a gear cannot be one of its wheels; give a third body", function));
  return state;
}

JointDef with_unit_frames(JointDef def) {
  def.frame_a = checked_pose(def.frame_a, "joint: frame_a");
  def.frame_b = checked_pose(def.frame_b, "joint: frame_b");
  return def;
}

}  // namespace

void check_joints_are_taken(const std::string& solver) {
  static const std::vector<SolverInfo> kTable = solver_table();  // asked for with every joint
  std::string takers;
  for (const SolverInfo& info : kTable) {
    if (info.joints && info.name == solver) return;
    if (info.joints) takers += (takers.empty() ? "" : ", ") + info.name;
  }
  fail_input(fmt::format("the solver {} takes no joints; use one of {}", solver, takers), ErrorKind::unsupported);
}

void count_joint_rows(const Bodies& bodies, const JointDef& def, JointState& state) {
  JointRows rows;
  JointPlace place;
  place_joint(bodies, def, state, 1, place);
  write_rows(def, place, rows);
  if (rows.count != state.rows || rows.holding != state.holding) state.impulse.fill(0);
  state.rows = rows.count, state.holding = rows.holding;
  state.turn = rows.turn;
}

void drop_joint(WorldState& world, std::size_t j) {
  touch_bodies(world, world.joints.state[j]);
  world.joint_ids.destroy(world.joint_ids.at(j));
  world.joints.def[j] = {};
  world.joints.state[j] = {};
  world.exclusions_changed = true;
}

void drop_joints_of(WorldState& world, std::size_t body) {
  const auto slot = static_cast<std::int32_t>(body);
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const JointState& state = world.joints.state[j];
    if (state.live && (state.body_a == slot || state.body_b == slot || state.carrier == slot)) drop_joint(world, j);
  }
}

void break_joints(WorldState& world) {
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const JointState& state = world.joints.state[j];
    const JointDef& def = world.joints.def[j];
    if (!state.live || state.rows == 0) continue;
    if (norm(state.force) <= def.break_force && norm(state.torque) <= def.break_torque) continue;
    world.report.broken_joints.push_back(world.joint_ids.at(j));
    drop_joint(world, j);
  }
}

JointDef World::joint_at(BodyId body_a, BodyId body_b, const Pose& where, const JointKind& kind) const {
  const Pose pose = checked_pose(where, "joint_at: where");
  JointDef def;
  def.body_a = body_a, def.body_b = body_b, def.kind = kind;
  const auto local = [&](BodyId body) {
    const std::int32_t i = slot_or_world(*state_, body, "joint_at");
    return i < 0 ? pose : inverse(frame_of(state_->bodies, to_index(i))) * pose;
  };
  def.frame_a = local(body_a), def.frame_b = local(body_b);
  return def;
}

JointId World::add_joint(const JointDef& def) {
  state_->check_edit("add_joint");
  WorldState& world = *state_;
  JointState state = bodies_of(world, def, "add_joint");
  check_joints_are_taken(world.settings.solver);
  const JointId id = world.joint_ids.create();
  const std::size_t j = id.index;
  if (j >= world.joints.size()) world.joints.resize(j + 1);
  world.joints.def[j] = with_unit_frames(def);
  state.live = true;
  count_joint_rows(world.bodies, world.joints.def[j], state);
  world.joints.state[j] = state;
  world.exclusions_changed = true;
  touch_bodies(world, state);
  return id;
}

void World::set_joint(JointId joint, const JointDef& def) {
  state_->check_edit("set_joint");
  WorldState& world = *state_;
  const std::size_t j = world.slot(joint, "set_joint");
  JointState state = bodies_of(world, def, "set_joint");
  JointState& now = world.joints.state[j];
  const bool same = state.body_a == now.body_a && state.body_b == now.body_b && state.carrier == now.carrier &&
                    def.kind.index() == world.joints.def[j].kind.index();
  require(same, "set_joint: a joint keeps its bodies and its kind; remove it and add another");
  world.joints.def[j] = with_unit_frames(def);
  count_joint_rows(world.bodies, world.joints.def[j], now);
  world.exclusions_changed = true;
  touch_bodies(world, now);
}

void World::set_joint_enabled(JointId joint, bool enabled) {
  state_->check_edit("set_joint_enabled");
  JointDef def = joint_def(joint);
  def.enabled = enabled;
  set_joint(joint, def);
}

void World::remove_joint(JointId joint) {
  state_->check_edit("remove_joint");
  WorldState& world = *state_;
  const std::size_t j = world.slot(joint, "remove_joint");
  if (world.delivering) return world.joints_to_remove.push_back(joint);
  drop_joint(world, j);
}

bool World::contains(JointId joint) const { return state_->joint_ids.is_valid(joint); }

std::vector<JointId> World::joints() const {
  std::vector<JointId> result;
  for (std::size_t j = 0; j < state_->joints.size(); ++j)
    if (state_->joints.state[j].live) result.push_back(state_->joint_ids.at(j));
  return result;
}

const JointDef& World::joint_def(JointId joint) const { return state_->joints.def[state_->slot(joint, "joint_def")]; }

JointView World::view(JointId joint) const {
  const std::size_t j = state_->slot(joint, "view");
  const JointState& state = state_->joints.state[j];
  JointRows rows;
  JointPlace place;
  place_joint(state_->bodies, state_->joints.def[j], state, 1, place);
  write_rows(state_->joints.def[j], place, rows);
  return {rows.slide, rows.turn, std::sqrt(rows.separation2), std::sqrt(rows.misalignment2), state.force, state.torque};
}

}  // namespace cairn
