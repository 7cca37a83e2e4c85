// SPDX-License-Identifier: MIT
// Quarantine: a body whose numbers broke down is frozen where it last was well, with its island; the rest goes on.
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/world/limits.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 1024;

bool is_within(const Vec3& v, double largest) {
  return std::fabs(v.x) <= largest && std::fabs(v.y) <= largest && std::fabs(v.z) <= largest;  // false for NaN
}

/// A velocity and where it leads to.
bool is_well(const WorldState& world, std::size_t i, const Velocity& velocity) {
  return is_within(velocity.linear, kBrokenSpeed) && is_within(velocity.angular, kBrokenSpeed) &&
         is_within(world.bodies.pose[i].position + world.assembly.problem.dt * velocity.linear, kBrokenPosition);
}
/// Where the body is about to go.
bool is_well_placed(const WorldState& world, std::size_t i, const Velocity& displacement) {
  return is_within(displacement.angular, kBrokenSpeed) &&
         is_within(world.bodies.pose[i].position + displacement.linear, kBrokenPosition);
}

/// Freezes a body where it is.
void freeze(WorldState& world, std::size_t i) {
  world.bodies.status[i] |= kQuarantined | kTouched;
  world.bodies.velocity[i] = {};
  world.bodies.record[i].force = world.bodies.record[i].torque = {};
  world.report.quarantined.push_back(world.body_ids.at(i));
}

}  // namespace

bool quarantine(WorldState& world, bool solved_already) {
  const Bodies& bodies = world.bodies;
  const auto is_broken = [&](std::size_t i) {
    if (!bodies.is_active(i)) return false;
    const ContactSolution& solution = world.assembly.solution;
    if (solved_already)
      return !is_well(world, i, solution.velocity[i]) || !is_well_placed(world, i, solution.displacement[i]);
    return !is_well(world, i, free_velocity(world.assembly.problem, static_cast<std::int32_t>(i)));
  };
  const bool any = parallel_reduce(
      world.pool.get(), static_cast<std::int64_t>(world.movers.bodies.size()), kBodyGrain, false,
      [&](std::int64_t begin, std::int64_t end) {
        bool broken = false;
        for (auto k = to_index(begin); k < to_index(end); ++k)
          broken = broken || is_broken(to_index(world.movers.bodies[k]));
        return broken;
      },
      [](bool a, bool b) { return a || b; });
  if (!any) return false;
  const Islands& islands = world.graph.islands();
  std::vector<std::uint8_t>& broken = world.broken_islands;
  broken.assign(to_index(std::max(1, islands.count)), 0);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (is_broken(i)) broken[to_index(islands.of_vertex[i])] = 1;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.is_active(i) && broken[to_index(islands.of_vertex[i])] != 0) freeze(world, i);
  return true;
}

}  // namespace cairn
