// SPDX-License-Identifier: MIT
// Continuous collision: a flagged body that would move by a good part of its size in one step is moved only to where it
// first touches something, and from there along with it; the next step sees the contact and does what contacts do. The
// body's own turning within the step is not followed.
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/dynamics/integrate.h"
#include "cairn/narrow/cast.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr double kSkin = 0.1;       ///< of the margin
constexpr double kShortWay = 0.25;  ///< of the radius of the bounding ball: less cannot jump over anything

bool may_meet(const WorldState& world, std::size_t shape, std::size_t other) {
  const std::int32_t body = world.shapes.body[shape], other_body = world.shapes.body[other];
  if (other_body < 0 || other_body == body) return false;
  if (!accepts(world.shapes.filter[shape], world.shapes.filter[other])) return false;
  const BroadPair pair{std::min(body, other_body), std::max(body, other_body)};
  return !std::binary_search(world.uncollided.begin(), world.uncollided.end(), pair);
}

/// Convex, or made of convex parts: what can be cast.
bool can_be_cast(const Shape& shape) {
  const Compound* compound = std::get_if<Compound>(&shape);
  if (compound == nullptr) return has_support(shape);
  return std::all_of(compound->data->children.begin(), compound->data->children.end(),
                     [](const CompoundChild& child) { return has_support(child.shape); });
}

/// Where a body will be at the end of the step.
Pose end_pose(const WorldState& world, std::size_t body) {
  const Bodies& bodies = world.bodies;
  const Velocity& v = bodies.velocity[body];
  const double dt = world.assembly.problem.dt;
  if (bodies.is_active(body)) return moved(bodies.pose[body], world.assembly.solution.displacement[body]);
  return bodies.is_moving_kinematic(body) ? moved(bodies.pose[body], {dt * v.linear, dt * v.angular})
                                          : bodies.pose[body];
}

/// How far a body may leave the bounds that the broad phase has of it: its way and the sweep of its farthest corner,
/// less what the bounds allow for.
double way_beyond_bounds(const WorldState& world, std::size_t body) {
  const Bodies& bodies = world.bodies;
  Velocity way;
  if (bodies.is_active(body)) way = world.assembly.solution.displacement[body];
  if (bodies.is_moving_kinematic(body)) {
    const double dt = world.assembly.problem.dt;
    way = {dt * bodies.velocity[body].linear, dt * bodies.velocity[body].angular};
  }
  double excess = 0;
  for (const std::uint32_t s : bodies.record[body].shapes) {
    const double radius = world.shapes.ball_radius[s], reach = norm(world.shapes.ball_centre[s]) + radius;
    const double turned_by = way.angular == Vec3{} ? 0 : norm(way.angular) * reach;  // a half-space reaches to infinity
    if (norm(way.linear) > kSpeculativeReach * radius || turned_by > 0)
      excess = std::max(excess, norm(way.linear) + turned_by);
  }
  return std::min(excess, kLargestPosition);
}

/// The two largest ways beyond bounds, so that each body can look out for all others.
struct Outlook {
  double largest = 0, second = 0;
  std::size_t farthest = 0;  ///< the body that goes the largest

  double without(std::size_t body) const { return body == farthest ? second : largest; }
};

Outlook look_out(const WorldState& world) {
  Outlook outlook;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const double way = way_beyond_bounds(world, i);
    if (way > outlook.largest)
      outlook.second = outlook.largest, outlook.largest = way, outlook.farthest = i;
    else
      outlook.second = std::max(outlook.second, way);
  }
  return outlook;
}

/// The earliest touch found so far.
struct FirstTouch {
  double fraction = 1;
  Vec3 way;  ///< the body's displacement up to it, and then along with what it touched
};

/// Casts a shape in the frame of each body on its way, which itself moves and turns: there the shape goes (nearly)
/// straight to where its end appears from the end of the other's motion, and what it touches at x carries it to the
/// image of x.
void find_first_touch(WorldState& world, std::size_t shape, const Vec3& way, double outlook, FirstTouch& first) {
  const Shapes& shapes = world.shapes;
  const Vec3 here = shapes.pose[shape].position;
  const Aabb box = bounds(shapes.shape[shape], shapes.pose[shape]);
  world.broad->find_overlaps(grown(unite(box, {box.lower + way, box.upper + way}), outlook), world.found);
  for (const std::int32_t index : world.found) {
    const auto other = to_index(index);
    if (!may_meet(world, shape, other)) continue;
    const auto body = to_index(shapes.body[other]);
    const Pose start = world.bodies.pose[body], end = end_pose(world, body);
    const Vec3 relative = transform(start, transform_back(end, here + way)) - here;
    const auto hit = cast(shapes.shape[shape], shapes.pose[shape], relative, shapes.shape[other], shapes.pose[other]);
    // What touches at the start is the business of contacts.
    if (!hit || !(hit->fraction > 0 && hit->fraction < first.fraction)) continue;
    first.fraction = hit->fraction;
    // Short of the touch by a skin, so that the next step finds the bodies apart and holds them rigidly.
    const double length = norm(relative), skin = kSkin * world.settings.margin;
    const double fraction = std::max(0.0, hit->fraction - (length > 0 ? skin / length : 0.0));
    first.way = transform(end, transform_back(start, here + fraction * relative)) - here;
  }
}

}  // namespace

void stop_at_first_touch(WorldState& world) {
  const Bodies& bodies = world.bodies;
  const std::vector<std::int32_t>& movers = world.movers.bodies;
  const auto is_flagged = [&](std::int32_t i) { return bodies.record[to_index(i)].continuous; };
  if (std::none_of(movers.begin(), movers.end(), is_flagged)) return;
  const Outlook outlook = look_out(world);
  // All see the whole ways of the others, so that it does not matter who comes first.
  world.stopped.clear();
  for (const std::int32_t mover : movers) {
    const auto i = to_index(mover);
    if (!bodies.record[i].continuous || !bodies.is_active(i)) continue;
    const Vec3 way = world.assembly.solution.displacement[i].linear;
    FirstTouch first{1, way};
    for (const std::uint32_t shape : bodies.record[i].shapes)
      if (norm(way) > kShortWay * world.shapes.ball_radius[shape] && can_be_cast(world.shapes.shape[shape]))
        find_first_touch(world, shape, way, outlook.without(i), first);
    if (first.fraction < 1) world.stopped.emplace_back(i, first.way);
  }
  for (const auto& [body, way] : world.stopped) world.assembly.solution.displacement[body].linear = way;
}

}  // namespace cairn
