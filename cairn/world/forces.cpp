// SPDX-License-Identifier: MIT
// Forces and impulses from outside. Forces are kept until the next step; impulses change the velocity at once.
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

/// The slot of a body that forces can move.
std::size_t movable(const WorldState& world, BodyId body, const char* function) {
  world.check_edit(function);
  const std::size_t i = world.slot(body, function);
  if (!world.bodies.is_dynamic(i))
    fail_input(std::string(function) + ": the body is fixed or kinematic, forces do not move it; set_kind first");
  return i;
}

void add_force_and_torque(WorldState& world, std::size_t i, const Vec3& force, const Vec3& torque) {
  BodyRecord& record = world.bodies.record[i];
  const Vec3 sum = record.force + force, turn = record.torque + torque;
  check_vector(sum, kLargestForce, "the sum of forces on the body");
  check_vector(turn, kLargestForce, "the sum of torques on the body");
  record.force = sum, record.torque = turn;
  world.forced.push_back(static_cast<std::int32_t>(i));
  wake_body(world, i);
}

void change_velocity(WorldState& world, std::size_t i, const Vec3& impulse, const Vec3& angular) {
  const Velocity& v = world.bodies.velocity[i];
  const Velocity next{v.linear + world.bodies.mass[i].inverse_mass * impulse,
                      v.angular + world_inverse_inertia(world.bodies, i) * angular};
  check_vector(next.linear, kLargestSpeed, "the velocity after the impulse");
  check_vector(next.angular, kLargestSpeed, "the angular velocity after the impulse");
  world.bodies.velocity[i] = next;
  wake_body(world, i);
}

}  // namespace

void World::add_force(BodyId body, const Vec3& force) {
  const std::size_t i = movable(*state_, body, "add_force");
  check_vector(force, kLargestForce, "add_force: force");
  add_force_and_torque(*state_, i, force, {});
}

void World::add_force_at(BodyId body, const Vec3& force, const Vec3& point) {
  const std::size_t i = movable(*state_, body, "add_force_at");
  check_vector(force, kLargestForce, "add_force_at: force");
  check_vector(point, kLargestPosition, "add_force_at: point");
  add_force_and_torque(*state_, i, force, cross(point - state_->bodies.pose[i].position, force));
}

void World::add_torque(BodyId body, const Vec3& torque) {
  const std::size_t i = movable(*state_, body, "add_torque");
  check_vector(torque, kLargestForce, "add_torque: torque");
  add_force_and_torque(*state_, i, {}, torque);
}

void World::add_impulse(BodyId body, const Vec3& impulse) {
  const std::size_t i = movable(*state_, body, "add_impulse");
  check_vector(impulse, kLargestForce, "add_impulse: impulse");
  change_velocity(*state_, i, impulse, {});
}

void World::add_impulse_at(BodyId body, const Vec3& impulse, const Vec3& point) {
  const std::size_t i = movable(*state_, body, "add_impulse_at");
  check_vector(impulse, kLargestForce, "add_impulse_at: impulse");
  check_vector(point, kLargestPosition, "add_impulse_at: point");
  change_velocity(*state_, i, impulse, cross(point - state_->bodies.pose[i].position, impulse));
}

void World::add_angular_impulse(BodyId body, const Vec3& impulse) {
  const std::size_t i = movable(*state_, body, "add_angular_impulse");
  check_vector(impulse, kLargestForce, "add_angular_impulse: impulse");
  change_velocity(*state_, i, {}, impulse);
}

}  // namespace cairn
