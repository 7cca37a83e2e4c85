// SPDX-License-Identifier: MIT
// Continuous collision: a flagged body never passes through anything, however fast it moves or turns.
//
// After the solve each body has a path, its displacement. Flagged bodies look for their first touch along it (sweep.h),
// side by side. The touches are then dealt with one after the other in the order of time: both bodies get the
// velocities after the impact (local_impact.cpp), flagged ones go on from there for the rest of the step and look
// again. A body that is not flagged keeps its path and starts the next step with its new velocity. Nothing waits in
// front of an obstacle with a speed that its contacts cannot see: what stops a body has taken the speed that drove it
// in.
//
// Slow shapes stay within the bounds that the broad phase has of them: its tree knows them. The others, mostly few, are
// in a tree of the boxes that they sweep; flagged bodies whose path has changed are in a list.
#include "cairn/world/continuous.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 8;    ///< continuous bodies per block of work
constexpr double kSkin = 0.1;         ///< of the margin
constexpr double kThinSkin = 0.25;    ///< of the half thickness, at most
constexpr double kDepth = 0.05;       ///< of the half thickness, see SweepLimits
constexpr double kShortWay = 0.25;    ///< of the half thickness: contacts of the step saw what is so near
constexpr double kShortWayOn = 0.05;  ///< the same after an impact, which contacts did not see
constexpr double kMostTurn = 2;       ///< rad: turning farther brings a shape no farther out

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

SweptShape swept_shape(const Shapes& shapes, std::size_t s) {
  const double radius = shapes.ball_radius[s];
  return {shapes.shape[s], shapes.local[s], shapes.ball_centre[s], radius, shapes.sphere_radius[s] >= 0 ? 0 : radius};
}

/// How far a shape's surface leaves where translation alone would bring it, in a part of the step.
double turned_by(const Shapes& shapes, std::size_t s, const BodyPath& path, double part) {
  const Vec3& turn = path.way.angular;
  if (turn == Vec3{}) return 0;  // a half-space reaches to infinity
  const double own = shapes.sphere_radius[s] >= 0
                         ? 0
                         : effective_turn(shapes.shape[s], path.start.orientation * shapes.local[s].orientation, turn);
  const double middle = norm(shapes.ball_centre[s]), radius = own > 0 ? shapes.ball_radius[s] : 0;
  return std::min(part * norm(turn), kMostTurn) * middle + std::min(part * own, kMostTurn) * radius;
}

/// In which box a shape is from a time on, but for the translation from then on.
Aabb turning_box(const Shapes& shapes, std::size_t s, const BodyPath& path, double from) {
  const Pose pose = from == 0 ? shapes.pose[s] : path.at(from) * shapes.local[s];
  return grown(bounds(shapes.shape[s], pose), turned_by(shapes, s, path, 1 - from));
}

Aabb moved_along(const Aabb& box, const Vec3& way) { return clamped(unite(box, {box.lower + way, box.upper + way})); }

/// Lists the continuous bodies with their paths.
void list_continuous(WorldState& world) {
  ContinuousWork& work = world.continuous;
  const ContactProblem& problem = world.assembly.problem;
  for (const FastBody& fast : work.bodies)
    if (to_index(fast.body) < work.number.size()) work.number[to_index(fast.body)] = -1;
  work.bodies.clear(), work.changed.clear(), work.hits.clear(), work.events.clear();
  work.number.resize(world.bodies.size(), -1);
  for (const std::int32_t mover : world.movers.bodies) {
    const auto i = to_index(mover);
    if (!world.bodies.record[i].continuous || !world.bodies.is_active(i)) continue;
    FastBody fast;
    fast.body = mover;
    fast.path = planned_path(world, i);
    // What the forces of the step have changed, unless something held against them.
    const Velocity& v = world.assembly.solution.velocity[i];
    const Vec3 gained = problem.dt * problem.bodies[i].acceleration.linear;
    const Vec3 pushed = v.linear - problem.bodies[i].velocity.linear - gained;
    const bool is_free = dot(pushed, pushed) <= 0.25 * dot(gained, gained);
    fast.acceleration = is_free ? problem.bodies[i].acceleration.linear : Vec3{};
    fast.velocity = {is_free ? v.linear - gained : v.linear, v.angular};
    work.number[i] = static_cast<std::int32_t>(work.bodies.size());
    work.bodies.push_back(fast);
  }
}

/// Lists the shapes that leave their bounds in this step.
void list_swift_shapes(WorldState& world) {
  ContinuousWork& work = world.continuous;
  const Shapes& shapes = world.shapes;
  for (const std::int32_t s : work.swift_shapes)
    if (to_index(s) < work.is_swift.size()) work.is_swift[to_index(s)] = 0;
  work.swift_shapes.clear(), work.is_swift.resize(shapes.size(), 0);
  for (const std::int32_t mover : world.movers.bodies) {
    const BodyPath path = planned_path(world, to_index(mover));
    if (path.way == Velocity{}) continue;
    for (const std::uint32_t s : world.bodies.record[to_index(mover)].shapes) {
      // Bounds reach farther than the shape by half the margin at least.
      if (norm(path.way.linear) + turned_by(shapes, s, path, 1) <= 0.5 * world.settings.margin) continue;
      const Aabb box = moved_along(turning_box(shapes, s, path, 0), path.way.linear);
      if (contains(shapes.bounds[s], box)) continue;
      work.is_swift[s] = 1;
      work.tree.resize(std::max(work.tree.size(), work.swift_shapes.size() + 1));
      work.tree.set(work.swift_shapes.size(), box);
      work.swift_shapes.push_back(static_cast<std::int32_t>(s));
    }
  }
  work.tree.resize(work.swift_shapes.size());
  work.tree.update(world.pool.get());
}

/// The time within [from, 1] from which on a box that moves by `way` per step overlaps another; 2: never.
double entry_time(const Aabb& box, const Vec3& way, const Aabb& other, double from) {
  double first = from, last = 1;
  const auto cut = [&](double lower, double upper, double speed, double other_lower, double other_upper) {
    if (speed == 0) {
      if (upper < other_lower || lower > other_upper) last = -1;
      return;
    }
    const double one = (other_lower - upper) / speed, two = (other_upper - lower) / speed;
    first = std::max(first, from + std::min(one, two)), last = std::min(last, from + std::max(one, two));
  };
  cut(box.lower.x, box.upper.x, way.x, other.lower.x, other.upper.x);
  cut(box.lower.y, box.upper.y, way.y, other.lower.y, other.upper.y);
  cut(box.lower.z, box.upper.z, way.z, other.lower.z, other.upper.z);
  return first <= last ? first : 2;
}

/// A continuous body's search for its next touch.
struct Search {
  WorldState& world;
  const FastBody& fast;
  const double from;
  SearchScratch& scratch;

  const FastBody* fast_of(std::size_t other) const {
    const std::int32_t number = world.continuous.number[to_index(world.shapes.body[other])];
    return number >= 0 ? &world.continuous.bodies[to_index(number)] : nullptr;
  }
  BodyPath path_of(std::size_t other) const {
    const FastBody* it = fast_of(other);
    return it != nullptr ? it->path : planned_path(world, to_index(world.shapes.body[other]));
  }

  /// Whether the shape moves too little, as seen from the other body, to get in deep before contacts see it.
  bool is_short(std::size_t shape, const BodyPath& other) const {
    const Vec3 apart = transform(fast.path.start, world.shapes.ball_centre[shape]) - other.start.position;
    const Vec3 seen = fast.path.way.linear - other.way.linear - cross(other.way.angular, apart);
    const double most =
        (fast.is_changed() || other.begin > 0 ? kShortWayOn : kShortWay) * half_thickness(world.shapes.shape[shape]);
    return (1 - from) * norm(seen) + turned_by(world.shapes, shape, fast.path, 1 - from) <= most;
  }

  /// `box`: of the shape at `from`.
  void consider(std::size_t shape, const Aabb& box, std::size_t other) {
    if (!may_meet(world, shape, other)) return;
    const FastBody* it = fast_of(other);
    if (it != nullptr && fast.meetings >= kMostMeetings) return;
    const BodyPath path = path_of(other);
    if (is_short(shape, path)) return;
    const bool is_bounded = world.continuous.is_swift[other] == 0 && (it == nullptr || !it->is_changed());
    const Aabb its_box = is_bounded ? world.shapes.bounds[other] : turning_box(world.shapes, other, path, from);
    const Vec3 way = is_bounded ? fast.path.way.linear : fast.path.way.linear - path.way.linear;
    const double entry = entry_time(box, way, its_box, from);
    if (entry <= 1)
      scratch.candidates.push_back({entry, static_cast<std::int32_t>(shape), static_cast<std::int32_t>(other)});
  }

  void look_from(std::size_t shape) {
    const ContinuousWork& work = world.continuous;
    const Aabb box = clamped(grown(turning_box(world.shapes, shape, fast.path, from), touch_skin(world, shape)));
    const Aabb swept = moved_along(box, (1 - from) * fast.path.way.linear);
    const auto is_elsewhere = [&](std::size_t other) {
      const FastBody* it = fast_of(other);
      return it != nullptr && it->is_changed();
    };
    world.broad->find_overlaps(swept, scratch.nearby);
    for (const std::int32_t index : scratch.nearby) {
      const auto other = to_index(index);
      if (world.shapes.body[other] >= 0 && work.is_swift[other] == 0 && !is_elsewhere(other))
        consider(shape, box, other);
    }
    work.tree.visit_overlaps(swept, [&](std::size_t entry) {
      const auto other = to_index(work.swift_shapes[entry]);
      if (!is_elsewhere(other)) consider(shape, box, other);
    });
    for (const std::int32_t number : work.changed)
      for (const std::uint32_t other : world.bodies.record[to_index(work.bodies[to_index(number)].body)].shapes)
        consider(shape, box, other);
  }

  /// Where contacts can be left alone with an overlap.
  double depth(std::size_t shape, std::size_t other) const {
    double thick = half_thickness(world.shapes.shape[shape]);
    if (fast_of(other) != nullptr) thick = std::min(thick, half_thickness(world.shapes.shape[other]));
    return std::max(kDepth * thick, std::min(world.settings.stabilisation.slop, 0.5 * thick));
  }

  NextTouch run() {
    NextTouch next;
    scratch.candidates.clear();
    for (const std::uint32_t shape : world.bodies.record[to_index(fast.body)].shapes)
      if (can_be_swept(world.shapes.shape[shape])) look_from(shape);
    std::sort(scratch.candidates.begin(), scratch.candidates.end(), [](const auto& x, const auto& y) {
      if (x.entry != y.entry) return x.entry < y.entry;
      return x.other != y.other ? x.other < y.other : x.shape < y.shape;
    });
    for (const auto& [entry, s, o] : scratch.candidates) {
      if (entry > next.touch.time) break;
      if (is_refused_on_the_way(world, {std::min(s, o), std::max(s, o)})) continue;
      const auto shape = to_index(s), other = to_index(o);
      const SweepLimits limits{entry, next.touch.time, touch_skin(world, shape), depth(shape, other)};
      const std::optional<Touch> found = first_touch(swept_shape(world.shapes, shape), fast.path,
                                                     swept_shape(world.shapes, other), path_of(other), limits);
      if (!found || (next.shape >= 0 && found->time >= next.touch.time)) continue;
      const FastBody* it = fast_of(other);
      next = {*found, s, o, it != nullptr ? it->version : 0};
    }
    return next;
  }
};

/// The heap has the first event on top; of several at once, that of the lowest body.
bool is_later(const ContinuousWork::Event& x, const ContinuousWork::Event& y) {
  return x.time != y.time ? x.time > y.time : x.number > y.number;
}

void add_event(ContinuousWork& work, const FastBody& fast) {
  if (fast.next.shape < 0) return;
  work.events.push_back({fast.next.touch.time, work.number[to_index(fast.body)], fast.version});
  std::push_heap(work.events.begin(), work.events.end(), is_later);
}

void search_again(WorldState& world, FastBody& fast, double from) {
  ContinuousWork& work = world.continuous;
  if (fast.is_tied) return;
  fast.next = Search{world, fast, from, work.scratch[0]}.run();
  add_event(work, fast);
}

/// All search side by side along their whole paths; one after the other where the caller's filter is asked.
void search_all(WorldState& world) {
  ContinuousWork& work = world.continuous;
  const auto count = static_cast<std::int64_t>(work.bodies.size());
  work.scratch.resize(std::max(work.scratch.size(), to_index((count + kGrain - 1) / kGrain)));
  parallel_for(world.filter ? nullptr : world.pool.get(), count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    SearchScratch& scratch = work.scratch[to_index(begin / kGrain)];
    for (auto k = to_index(begin); k < to_index(end); ++k)
      work.bodies[k].next = Search{world, work.bodies[k], 0, scratch}.run();
  });
  for (const FastBody& fast : work.bodies) add_event(work, fast);
}

/// The other body of the next touch, if it is continuous.
FastBody* partner(WorldState& world, const FastBody& fast) {
  ContinuousWork& work = world.continuous;
  const std::int32_t number = work.number[to_index(world.shapes.body[to_index(fast.next.other)])];
  return number >= 0 ? &work.bodies[to_index(number)] : nullptr;
}

void resolve_events(WorldState& world) {
  ContinuousWork& work = world.continuous;
  while (!work.events.empty()) {
    std::pop_heap(work.events.begin(), work.events.end(), is_later);
    const ContinuousWork::Event event = work.events.back();
    work.events.pop_back();
    FastBody& fast = work.bodies[to_index(event.number)];
    if (event.version != fast.version) continue;  // it has searched again since
    FastBody* other = partner(world, fast);
    if (other != nullptr && other->version != fast.next.version) {  // which went another way
      search_again(world, fast, event.time);
      continue;
    }
    const std::uint32_t its_version = other != nullptr ? other->version : 0;
    resolve_touch(world, fast);
    search_again(world, fast, event.time);
    if (other != nullptr && other->version != its_version) search_again(world, *other, event.time);
  }
}

/// Velocities and displacements at the end of the step.
void keep_paths(WorldState& world) {
  const ContinuousWork& work = world.continuous;
  ContactSolution& solution = world.assembly.solution;
  for (const std::int32_t number : work.changed) {
    const FastBody& fast = work.bodies[to_index(number)];
    const auto i = to_index(fast.body);
    const double rest = (1 - fast.path.begin) * world.assembly.problem.dt;
    solution.velocity[i] = {fast.velocity.linear + rest * fast.acceleration, fast.velocity.angular};
    solution.displacement[i].linear = fast.path.at(1).position - world.bodies.pose[i].position;
  }
}

}  // namespace

double touch_skin(const WorldState& world, std::size_t shape) {
  return std::min(kSkin * world.settings.margin, kThinSkin * half_thickness(world.shapes.shape[shape]));
}

void stop_at_first_touch(WorldState& world) {
  list_continuous(world);
  if (world.continuous.bodies.empty()) return;
  list_swift_shapes(world);
  search_all(world);
  resolve_events(world);
  keep_paths(world);
  tell_hits(world);
}

void place_continuous(WorldState& world) {
  for (const std::int32_t number : world.continuous.changed) {
    const FastBody& fast = world.continuous.bodies[to_index(number)];
    world.bodies.pose[to_index(fast.body)] = fast.path.at(1);
  }
}

}  // namespace cairn
