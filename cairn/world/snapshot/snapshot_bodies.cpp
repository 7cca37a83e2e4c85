// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cmath>

#include "cairn/world/snapshot/snapshot_archive.h"
#include "cairn/world/snapshot/snapshot_parts.h"

namespace cairn {

namespace {

constexpr std::size_t kMostBodies = std::size_t{1} << 30;

/// A body that was edited gets its reference by the next detection; what it has is left over from an earlier one.
bool has_reference(std::uint8_t status) { return (status & kTouched) == 0; }

template <class A, class B>
void archive_body(A& a, B& bodies, std::size_t i) {
  auto& r = bodies.record[i];
  archive_all(a, bodies.pose[i], bodies.velocity[i]);
  if (has_reference(bodies.status[i])) archive(a, bodies.reference[i]);
  archive_all(a, r.centre, r.mass, r.linear_damping, r.angular_damping, r.gravity_scale, r.locked_axes);
  archive_all(a, r.may_sleep, r.continuous, r.user, r.force, r.torque, r.rest_time);
}

/// Which bits may be set together.
void check_status(std::uint8_t status, bool live) {
  constexpr std::uint8_t kKnown = kLive | kDynamic | kKinematic | kAsleep | kQuarantined | kTouched;
  require((status & ~kKnown) == 0 && live == ((status & kLive) != 0), "its status is none");
  require(live || (status & ~kTouched) == 0, "it is not there and has a status");
  require((status & (kDynamic | kKinematic)) != (kDynamic | kKinematic), "it is dynamic and kinematic at once");
  require((status & kDynamic) != 0 || (status & (kAsleep | kQuarantined)) == 0, "it is frozen without being dynamic");
}

void check_body(const Bodies& bodies, std::size_t i) {
  const BodyRecord& r = bodies.record[i];
  BodyDef def;
  def.mass = r.mass;
  def.linear_damping = r.linear_damping, def.angular_damping = r.angular_damping;
  def.gravity_scale = r.gravity_scale, def.locked_axes = r.locked_axes;
  check_body_def(def);
  check_reached(bodies.pose[i], "pose");
  if (has_reference(bodies.status[i])) check_reached(bodies.reference[i], "reference pose");
  check_vector(bodies.velocity[i].linear, kBrokenSpeed, "velocity");
  check_vector(bodies.velocity[i].angular, kBrokenSpeed, "angular velocity");
  const bool fixed = (bodies.status[i] & (kDynamic | kKinematic)) == 0;
  require(!fixed || bodies.velocity[i] == Velocity{}, "it is fixed and moves");
  check_vector(r.centre, 2 * kLargestPosition, "centre of mass");
  check_vector(r.force, kLargestForce, "force");
  check_vector(r.torque, kLargestForce, "torque");
  require(r.rest_time >= 0 && std::isfinite(r.rest_time), "its time of rest is negative or not finite");
}

template <class A, class Settings>
void archive_settings(A& a, Settings& s) {
  archive_all(a, s.gravity, s.solver);
  a.size(s.solver_settings, 16);
  for (auto& [name, value] : s.solver_settings) archive_all(a, name, value);
  archive_all(a, s.iterations, s.tolerance, s.measure_residual, s.measure_every, s.warm_start, s.broad_phase,
              s.integrator);
  auto& st = s.stabilisation;
  archive_all(a, st.contact_rate, st.joint_rate, st.slop, st.max_push, st.bounce_speed);
  archive_all(a, s.margin, s.recycling, s.recycle_shift, s.recycle_turn, s.slip_speed);
  archive_all(a, s.sleep.enabled, s.sleep.linear_speed, s.sleep.angular_speed, s.sleep.time, s.persist_events);
  archive_all(a, s.sub_steps, s.joint_projection.use, s.joint_projection.tolerance, s.joint_projection.iterations);
}

}  // namespace

void check_reached(const Pose& pose, const char* what) {
  check_vector(pose.position, kFarthest, what);
  if (!(std::fabs(norm2(pose.orientation) - 1) <= 1e-9))
    fail_input(fmt::format("{}: its quaternion is not unit", what));
}

void save_settings(const WorldState& world, ByteWriter& out) { archive_settings(out, world.settings); }

void load_settings(ByteReader& in, WorldState& world) {
  WorldSettings settings;
  archive_settings(in, settings);
  apply_settings(world, settings);
}

void save_bodies(const WorldState& world, ByteWriter& out) {
  const auto ids = world.body_ids.state();
  archive(out, ids);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    archive_all(out, world.bodies.version[i], world.bodies.status[i]);
    if (world.bodies.is_live(i)) archive_body(out, world.bodies, i);
  }
}

void load_bodies(ByteReader& in, WorldState& world) {
  HandlePool<BodyTag>::State ids;
  archive(in, ids);
  require(ids.generation.size() <= kMostBodies, "there are too many bodies");
  Bodies& bodies = world.bodies;
  bodies.resize(ids.generation.size());
  world.body_ids.restore(std::move(ids));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    archive_all(in, bodies.version[i], bodies.status[i]);
    const bool live = !(world.body_ids.at(i) == BodyId{});
    try {
      check_status(bodies.status[i], live);
      if (!live) continue;
      archive_body(in, bodies, i);
      check_body(bodies, i);
      const BodyRecord& record = bodies.record[i];
      if (!(record.force == Vec3{} && record.torque == Vec3{})) world.forced.push_back(static_cast<std::int32_t>(i));
    } catch (const InputError& error) {
      fail_input(fmt::format("body {}: {}", i, error.what()), error.kind());
    }
  }
}

}  // namespace cairn
