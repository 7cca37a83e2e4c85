// SPDX-License-Identifier: MIT
// Continuous collision: a flagged body that would move by a good part of its size in one step is moved only to where it
// first touches something; the next step sees the contact and does what contacts do.
#include <algorithm>

#include "cairn/narrow/cast.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr double kShortWay = 0.25;  ///< of the radius of the bounding ball: less cannot jump over anything

bool may_meet(const WorldState& world, std::size_t shape, std::size_t other) {
  const std::int32_t body = world.shapes.body[shape], other_body = world.shapes.body[other];
  if (other_body < 0 || other_body == body) return false;
  if (!accepts(world.shapes.filter[shape], world.shapes.filter[other])) return false;
  const BroadPair pair{std::min(body, other_body), std::max(body, other_body)};
  return !std::binary_search(world.uncollided.begin(), world.uncollided.end(), pair);
}

/// The part of its way that a shape can go before it touches another.
double free_fraction(WorldState& world, std::size_t shape, const Vec3& way) {
  const Shapes& shapes = world.shapes;
  const Aabb here = bounds(shapes.shape[shape], shapes.pose[shape]);
  const Aabb swept = unite(here, {here.lower + way, here.upper + way});
  world.broad->find_overlaps(swept, world.found);
  double fraction = 1;
  for (const std::int32_t index : world.found) {
    const auto other = static_cast<std::size_t>(index);
    if (!may_meet(world, shape, other)) continue;
    const auto body = static_cast<std::size_t>(shapes.body[other]);
    const Vec3 relative = world.bodies.is_active(body)
                              ? way - world.assembly.solution.displacement[body].linear
                              : way - world.assembly.problem.dt * world.bodies.velocity[body].linear;
    const auto hit = cast(shapes.shape[shape], shapes.pose[shape], relative, shapes.shape[other], shapes.pose[other]);
    // What touches at the start is the business of contacts.
    if (hit && hit->fraction > 0) fraction = std::min(fraction, hit->fraction);
  }
  return fraction;
}

}  // namespace

void stop_at_first_touch(WorldState& world) {
  const Bodies& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.record[i].continuous || !bodies.is_active(i)) continue;
    Vec3& way = world.assembly.solution.displacement[i].linear;
    double fraction = 1;
    for (const std::uint32_t shape : bodies.record[i].shapes)
      if (norm(way) > kShortWay * world.shapes.ball_radius[shape] && has_support(world.shapes.shape[shape]))
        fraction = std::min(fraction, free_fraction(world, shape, way));
    way = fraction * way;
  }
}

}  // namespace cairn
