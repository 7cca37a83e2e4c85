// SPDX-License-Identifier: MIT
// Continuous collision: a flagged body is moved only to where it first touches something, and from there along with it.
// The next step sees the contact and does what contacts do.
//
// All bodies have a plan, their displacement. In a pass each flagged body looks at the plans of all others and shortens
// its own, side by side. What it stopped for may itself have been stopped, so passes are repeated for pairs one of
// which has changed. Who still meets something after kPasses goes along with it from the beginning: with what is not
// flagged, or else with the flagged body of the lowest number. From then on it looks at nothing of a higher rank, so
// that this comes to an end: in a crowd that a wall drives together, bodies get into each other but not into the wall.
//
// Slow bodies stay within the bounds that the broad phase has of them: its tree knows them. The others, mostly few, are
// in a tree of the boxes that they sweep.
#include "cairn/world/continuous.h"

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/geometry/static_tree.h"
#include "cairn/world/sweep.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 8;  ///< continuous bodies per block of work
constexpr int kPasses = 4;          ///< then bodies that meet something go along with it
constexpr int kMostPasses = 32;
constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();
constexpr double kSkin = 0.1;          ///< of the margin
constexpr double kSharePerPass = 0.7;  ///< of the limits of the pass before, so that a body that stopped stands
constexpr double kShortWay = 0.5;      ///< of the half thickness: less cannot jump over anything

bool may_meet(const WorldState& world, std::size_t shape, std::size_t other) {
  const std::int32_t body = world.shapes.body[shape], other_body = world.shapes.body[other];
  if (other_body < 0 || other_body == body) return false;
  if (!accepts(world.shapes.filter[shape], world.shapes.filter[other])) return false;
  const BroadPair pair{std::min(body, other_body), std::max(body, other_body)};
  return !std::binary_search(world.uncollided.begin(), world.uncollided.end(), pair);
}

/// Convex, or made of convex parts: what can be swept.
bool can_be_swept(const Shape& shape) {
  const Compound* compound = std::get_if<Compound>(&shape);
  if (compound == nullptr) return has_support(shape);
  return std::all_of(compound->data->children.begin(), compound->data->children.end(),
                     [](const CompoundChild& child) { return has_support(child.shape); });
}

Velocity planned_way(const WorldState& world, std::size_t body) {
  const Bodies& bodies = world.bodies;
  if (bodies.is_active(body)) return world.assembly.solution.displacement[body];
  if (!bodies.is_moving_kinematic(body)) return {};
  const double dt = world.assembly.problem.dt;
  return {dt * bodies.velocity[body].linear, dt * bodies.velocity[body].angular};
}

BodyPath path_of(const WorldState& world, std::size_t body) {
  return {world.bodies.pose[body], planned_way(world, body)};
}

SweptShape swept_shape(const Shapes& shapes, std::size_t s) {
  const double radius = shapes.ball_radius[s];
  return {shapes.shape[s], shapes.local[s], shapes.ball_centre[s], radius, shapes.sphere_radius[s] >= 0 ? 0 : radius};
}

/// How far a shape's surface leaves where translation alone would bring it.
double turned_by(const Shapes& shapes, std::size_t s, const Velocity& way) {
  const double reach = norm(shapes.ball_centre[s]) + (shapes.sphere_radius[s] >= 0 ? 0 : shapes.ball_radius[s]);
  // A half-space reaches to infinity.
  return way.angular == Vec3{} || reach == 0 ? 0 : std::min(norm(way.angular), 2.0) * reach;
}

/// Where a shape is at some time of the step, in its bounds of now and moved by its way.
Aabb swept_box(const Shapes& shapes, std::size_t s, const Velocity& way) {
  const Aabb now = grown(bounds(shapes.shape[s], shapes.pose[s]), turned_by(shapes, s, way));
  return clamped(unite(now, {now.lower + way.linear, now.upper + way.linear}));
}

/// Lists the shapes that leave their bounds in this step.
void list_fast_shapes(WorldState& world) {
  ContinuousWork& work = world.continuous;
  const Shapes& shapes = world.shapes;
  work.is_fast.resize(shapes.size(), 0), work.tree.resize(shapes.size());
  for (const std::int32_t s : work.fast_shapes) work.is_fast[to_index(s)] = 0, work.tree.set(to_index(s), Aabb{});
  work.fast_shapes.clear();
  for (const std::int32_t mover : world.movers.bodies) {
    const Velocity way = planned_way(world, to_index(mover));
    if (way == Velocity{}) continue;
    for (const std::uint32_t s : world.bodies.record[to_index(mover)].shapes) {
      // Bounds reach farther than the shape by half the margin at least.
      if (norm(way.linear) + turned_by(shapes, s, way) <= 0.5 * world.settings.margin) continue;
      const Aabb box = swept_box(shapes, s, way);
      if (contains(shapes.bounds[s], box)) continue;
      work.is_fast[s] = 1, work.tree.set(s, box);
      work.fast_shapes.push_back(static_cast<std::int32_t>(s));
    }
  }
  work.tree.update(world.pool.get());
}

/// One body's look at its surroundings.
struct Lookout {
  const WorldState& world;
  const std::size_t body;
  const BodyPath path;
  const int pass;
  const SweepLimits limits;
  std::vector<std::int32_t>& nearby;
  std::int32_t rank;        ///< of the body that it touches, or goes along with
  double touch = 1;         ///< fraction of its way to the first touch
  std::int32_t first = -1;  ///< the shape that it touches there

  /// Whether the bounds meet, as seen from the other body. Turning is within the bounds of fast shapes.
  bool boxes_meet(const Aabb& mine, std::size_t other, const Velocity& way) const {
    const Aabb box =
        world.continuous.is_fast[other] != 0
            ? grown(bounds(world.shapes.shape[other], world.shapes.pose[other]), turned_by(world.shapes, other, way))
            : world.shapes.bounds[other];
    const Vec3 half = 0.5 * (mine.upper - mine.lower) + Vec3{limits.skin, limits.skin, limits.skin};
    const BoxRay ray(centre(mine), path.way.linear - way.linear);
    return ray.meets(clamped({box.lower - half, box.upper + half}), 1);
  }

  /// Whether balls about the centres of mass meet, in which the shapes stay however they turn.
  bool balls_meet(std::size_t shape, std::size_t other, const BodyPath& theirs) const {
    const auto reach = [&](std::size_t s) { return norm(world.shapes.ball_centre[s]) + world.shapes.ball_radius[s]; };
    const Vec3 apart = theirs.start.position - path.start.position, way = path.way.linear - theirs.way.linear;
    const double length2 = dot(way, way), near = reach(shape) + reach(other) + limits.skin;
    const double nearest = length2 > 0 ? std::clamp(dot(apart, way) / length2, 0.0, 1.0) : 0;
    const Vec3 then = apart - nearest * way;
    return dot(then, then) <= near * near;
  }

  /// Whether the shape moves too little, as seen from the other body, to jump over anything.
  bool is_short(std::size_t shape, const BodyPath& other) const {
    const Vec3 apart = transform(path.start, world.shapes.ball_centre[shape]) - other.start.position;
    const Vec3 seen = path.way.linear - other.way.linear - cross(other.way.angular, apart);
    return norm(seen) + turned_by(world.shapes, shape, path.way) <=
           kShortWay * half_thickness(world.shapes.shape[shape]);
  }

  void look_at(std::size_t shape, const Aabb& mine, std::size_t other) {
    const ContinuousWork& work = world.continuous;
    if (!may_meet(world, shape, other)) return;
    const auto other_body = to_index(world.shapes.body[other]);
    if (pass > 0 && work.changed[body] == 0 && work.changed[other_body] == 0) return;
    const BodyPath theirs = path_of(world, other_body);
    if (is_short(shape, theirs) || !boxes_meet(mine, other, theirs.way) || !balls_meet(shape, other, theirs)) return;
    const std::int32_t its_rank = world.bodies.record[other_body].continuous ? world.shapes.body[other] : -1;
    if (pass >= kPasses && (its_rank > static_cast<std::int32_t>(body) || its_rank > rank)) return;
    const std::optional<double> found =
        first_touch(swept_shape(world.shapes, shape), path, swept_shape(world.shapes, other), theirs,
                    {limits.skin, limits.share, pass < kPasses ? touch : 1});
    const auto index = static_cast<std::int32_t>(other);
    if (!found) return;
    const bool is_lower = pass >= kPasses && its_rank < rank;
    if (!is_lower && !(*found < touch || (*found == touch && (first < 0 || index < first)))) return;
    touch = *found, first = index, rank = its_rank;
  }

  /// Who did not stop has seen all others but those that did.
  void look_at_changed(std::size_t shape, const Aabb& mine) {
    for (const FastBody& other : world.continuous.bodies)
      if (world.continuous.changed[to_index(other.body)] != 0)
        for (const std::uint32_t s : world.bodies.record[to_index(other.body)].shapes) look_at(shape, mine, s);
  }

  void look_from(std::size_t shape) {
    const Shapes& shapes = world.shapes;
    const ContinuousWork& work = world.continuous;
    const Aabb mine = grown(bounds(shapes.shape[shape], shapes.pose[shape]), turned_by(shapes, shape, path.way));
    const Aabb swept = grown(unite(mine, {mine.lower + path.way.linear, mine.upper + path.way.linear}), limits.skin);
    if (pass > 0 && work.changed[body] == 0) return look_at_changed(shape, mine);
    world.broad->find_overlaps(swept, nearby);
    for (const std::int32_t other : nearby)
      if (work.is_fast[to_index(other)] == 0) look_at(shape, mine, to_index(other));
    work.tree.visit_overlaps(swept, [&](std::size_t other) { look_at(shape, mine, other); });
  }

  /// Up to the touch, and then along with what is touched: what it touches at x carries it to the image of x.
  Velocity shortened() const {
    const BodyPath other = path_of(world, to_index(world.shapes.body[to_index(first)]));
    const double fraction = pass < kPasses ? touch : 0;
    const Vec3 touching = transform_back(other.at(fraction), path.at(fraction).position);
    return {transform(other.at(1), touching) - path.start.position,
            fraction * path.way.angular + (1 - fraction) * other.way.angular};
  }
};

void look_out(const WorldState& world, int pass, std::vector<std::int32_t>& nearby, FastBody& fast) {
  SweepLimits limits{kSkin * world.settings.margin, 1};
  for (int k = 0; k < std::min(pass, kPasses); ++k) limits.share *= kSharePerPass;
  const auto body = to_index(fast.body);
  Lookout lookout{world, body, path_of(world, body), pass, limits, nearby, fast.rank};
  for (const std::uint32_t shape : world.bodies.record[body].shapes)
    if (can_be_swept(world.shapes.shape[shape])) lookout.look_from(shape);
  fast.stops = lookout.first >= 0;
  if (!fast.stops) return;
  fast.way = lookout.shortened();
  if (pass >= kPasses) fast.rank = lookout.rank;
}

/// Plans of the pass become displacements. False if nobody stopped.
bool commit(WorldState& world) {
  ContinuousWork& work = world.continuous;
  bool any = false;
  std::fill(work.changed.begin(), work.changed.end(), std::uint8_t{0});
  // Who stopped looks again at all others, even if it stays where it was: it may have met several.
  for (const FastBody& fast : work.bodies) {
    if (!fast.stops) continue;
    world.assembly.solution.displacement[to_index(fast.body)] = fast.way;
    work.changed[to_index(fast.body)] = 1, any = true;
  }
  return any;
}

}  // namespace

void stop_at_first_touch(WorldState& world) {
  ContinuousWork& work = world.continuous;
  work.bodies.clear();
  for (const std::int32_t i : world.movers.bodies)
    if (world.bodies.record[to_index(i)].continuous && world.bodies.is_active(to_index(i)))
      work.bodies.push_back({i, false, {}, kNoRank});
  if (work.bodies.empty()) return;
  work.changed.assign(world.bodies.size(), 0);
  const auto count = static_cast<std::int64_t>(work.bodies.size());
  work.nearby.resize(std::max(work.nearby.size(), to_index((count + kGrain - 1) / kGrain)));
  for (int pass = 0; pass < kMostPasses; ++pass) {
    list_fast_shapes(world);
    parallel_for(world.pool.get(), count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int32_t>& nearby = work.nearby[to_index(begin / kGrain)];
      for (auto k = to_index(begin); k < to_index(end); ++k) look_out(world, pass, nearby, work.bodies[k]);
    });
    if (!commit(world)) return;
  }
}

}  // namespace cairn
