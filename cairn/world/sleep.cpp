// SPDX-License-Identifier: MIT
// Sleeping: islands that have been slow for a while are left out until something disturbs them.
//
// One rule decides in every step (is_restful): an island sleeps if every body in it may sleep and has been slow for
// long enough. A body that arrives has not, so it wakes the island that it joins. An edit sets the rest time of the
// body, and of those that touch it, to 0.
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

bool is_restful(const BodyRecord& record, const SleepSettings& sleep) {
  return record.may_sleep && record.rest_time >= sleep.time;
}

/// In quarantine: neither asleep nor a reason to stay awake.
bool is_frozen(const Bodies& bodies, std::size_t i) { return (bodies.status[i] & kQuarantined) != 0; }

/// visit(a, b) for the bodies of every enabled joint between two.
template <class Visit>
void for_each_joint(const Joints& joints, Visit&& visit) {
  for (const JointState& joint : joints.state)
    if (joint.live && joint.rows > 0 && joint.body_a >= 0) visit(to_index(joint.body_a), to_index(joint.body_b));
}

/// A moving kinematic body disturbs what it touches or holds.
void disturb_by_kinematic(WorldState& world) {
  const Bodies& bodies = world.bodies;
  for (std::size_t i = 0; i < world.cache.pairs().size(); ++i) {
    if (world.cache.records()[i].manifold_count == 0) continue;
    const BroadPair& pair = world.cache.pairs()[i];
    const auto a = to_index(world.shapes.body[to_index(pair.a)]);
    const auto b = to_index(world.shapes.body[to_index(pair.b)]);
    if (bodies.is_moving_kinematic(a)) wake_body(world, b);
    if (bodies.is_moving_kinematic(b)) wake_body(world, a);
  }
  for_each_joint(world.joints, [&](std::size_t a, std::size_t b) {
    if (bodies.is_moving_kinematic(a)) wake_body(world, b);
    if (bodies.is_moving_kinematic(b)) wake_body(world, a);
  });
}

void set_asleep(Bodies& bodies, std::size_t i, bool asleep) {
  std::uint8_t& status = bodies.status[i];
  if (asleep == ((status & kAsleep) != 0)) return;
  status = static_cast<std::uint8_t>(asleep ? status | kAsleep : status & ~kAsleep);
  if (asleep) bodies.velocity[i] = {};
}

}  // namespace

void wake_body(WorldState& world, std::size_t body) {
  world.partial_sums.clear();
  world.bodies.record[body].rest_time = 0;
  world.bodies.status[body] &= static_cast<std::uint8_t>(~kAsleep);
}

void wake_neighbours(WorldState& world) {
  if (!world.settings.sleep.enabled) return;
  const std::vector<std::uint8_t>& status = world.bodies.status;
  const auto touched = [&](std::int32_t body) { return (status[to_index(body)] & kTouched) != 0; };
  if (std::none_of(status.begin(), status.end(), [](std::uint8_t s) { return (s & kTouched) != 0; })) return;
  for (std::size_t i = 0; i < world.cache.pairs().size(); ++i) {
    if (world.cache.records()[i].manifold_count == 0) continue;
    const std::int32_t a = world.shapes.body[to_index(world.cache.pairs()[i].a)];
    const std::int32_t b = world.shapes.body[to_index(world.cache.pairs()[i].b)];
    if (a < 0 || b < 0) continue;  // removed: forget_removed does it
    if (touched(a)) wake_body(world, to_index(b));
    if (touched(b)) wake_body(world, to_index(a));
  }
  for_each_joint(world.joints, [&](std::size_t a, std::size_t b) {
    if (touched(static_cast<std::int32_t>(a))) wake_body(world, b);
    if (touched(static_cast<std::int32_t>(b))) wake_body(world, a);
  });
}

void update_sleep(WorldState& world) {
  Bodies& bodies = world.bodies;
  StepReport& report = world.report;
  const Islands& islands = world.graph.islands();
  // Every slot is an island of its own at least; those of bodies that cannot move are none.
  std::int64_t other = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) other += bodies.is_dynamic(i) ? 0 : 1;
  report.islands = islands.count - other, report.sleeping_islands = 0;
  if (!world.settings.sleep.enabled) return;
  bool kinematic = false;
  for_each_stirred(bodies, [&](std::size_t i) { kinematic = kinematic || bodies.is_moving_kinematic(i); });
  if (kinematic) disturb_by_kinematic(world);
  // Who sleeps is restful, unless he has been woken or the settings changed.
  std::vector<std::uint8_t>& awake = world.awake_islands;
  awake.assign(to_index(islands.count), 0);
  const auto disturb = [&](std::size_t i) {
    if (bodies.is_dynamic(i) && !is_frozen(bodies, i) && !is_restful(bodies.record[i], world.settings.sleep))
      awake[to_index(islands.of_vertex[i])] = 1;
  };
  if (world.all_may_wake)
    for (std::size_t i = 0; i < bodies.size(); ++i) disturb(i);
  else
    for_each_stirred(bodies, disturb);
  world.all_may_wake = false;
  report.sleeping_islands = std::count(awake.begin(), awake.end(), std::uint8_t{0}) - other;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.is_dynamic(i) || is_frozen(bodies, i)) continue;
    set_asleep(bodies, i, awake[to_index(islands.of_vertex[i])] == 0);
  }
}

void update_rest_times(const SleepSettings& sleep, const Movers& movers, double dt, Bodies& bodies) {
  if (!sleep.enabled) return;
  for (const std::int32_t mover : movers.bodies) {
    const auto i = to_index(mover);
    if (!bodies.is_active(i)) continue;
    const Velocity& v = bodies.velocity[i];
    const bool slow = dot(v.linear, v.linear) <= sleep.linear_speed * sleep.linear_speed &&
                      dot(v.angular, v.angular) <= sleep.angular_speed * sleep.angular_speed;
    bodies.record[i].rest_time = slow ? bodies.record[i].rest_time + dt : 0;
  }
}

}  // namespace cairn
