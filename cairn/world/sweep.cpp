// SPDX-License-Identifier: MIT
#include "cairn/world/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "cairn/dynamics/integrate.h"
#include "cairn/narrow/gjk.h"
#include "cairn/narrow/surface.h"

namespace cairn {

namespace {

constexpr int kMostSteps = 64;
constexpr double kTolerance = 0.2;   ///< of the skin and of the depth
constexpr double kLookAhead = 2;     ///< steps: whoever gets in deep by then touches in this one
constexpr double kDeep = 0.5;        ///< of the half thickness: deeper overlaps are looked at by the core alone
constexpr double kCoreRadius = 0.1;  ///< of the half thickness
constexpr double kCoreStep = 0.5;    ///< of the distance at which a core touches
constexpr double kApproach = 1e-6;   ///< of the speed: less is a rounding error of the impact before

/// Two bodies at a time of the step.
struct Moment {
  double time = 0;
  Pose a, b;
  ConvexDistance distance;

  Touch touch() const { return {time, distance.normal, distance.on_b, distance.distance}; }
};

/// A convex part of `a` and a convex thing of `b` on their ways.
struct Encounter {
  const BodyPath &a, &b;
  SweepLimits limits;
  Vec3 middle;                      ///< of the part's bounding ball
  double turns_by = 0;              ///< m
  double reach_a = 0, reach_b = 0;  ///< m, radii about the centres of mass that turning moves
  double half_thick = 0;            ///< m, of the part
  double turn = 0;                  ///< rad, by which turning moves the surface of the part, seen from b

  double tolerance() const { return kTolerance * std::min(limits.skin, limits.depth); }

  /// How the middle moves as seen from the other body, per step, and how much of that may change within a step.
  struct Seen {
    Vec3 velocity;
    double change;
  };
  Seen seen(const Pose& of_a, const Pose& of_b) const {
    const Vec3 out = rotate(of_a.orientation, middle), apart = of_a.position + out - of_b.position;
    const Vec3 &turn_a = a.way.angular, &turn_b = b.way.angular;
    const Vec3 v = a.way.linear + cross(turn_a, out) - b.way.linear - cross(turn_b, apart);
    const double speed_b = norm(turn_b);
    return {v, speed_b * (speed_b * norm(apart) + 2 * norm(v)) + dot(turn_a, turn_a) * norm(out)};
  }

  /// How long the distance along the moment's normal takes at least to fall by `drop`; infinite: it never does.
  ///
  /// Seen from b it falls within t by at most (n . v + |w_a - w_b| r) t + c t^2 / 2, seen from the world by at most
  /// (n . (v_a - v_b) + |w_a| R_a + |w_b| R_b) t.
  double time_to_close(const Moment& now, double drop) const {
    const Vec3& n = now.distance.normal;
    const double straight = dot(n, a.way.linear - b.way.linear);
    if (now.time >= 1) return time_at(straight, drop);
    const Seen middle_now = seen(now.a, now.b);
    const double speed = dot(n, middle_now.velocity) + turns_by * turn;
    const double c = middle_now.change;
    const double from_b = time_at(0.5 * (speed + std::sqrt(speed * speed + 2 * c * drop)), drop);
    if (b.way.angular == Vec3{}) return from_b;
    return std::max(from_b, time_at(straight + reach_a * norm(a.way.angular) + reach_b * norm(b.way.angular), drop));
  }

 private:
  static double time_at(double speed, double drop) {
    return speed > 0 ? drop / speed : std::numeric_limits<double>::infinity();
  }
};

/// A moment with the distance there: `distance_at` gives that of two poses.
template <class DistanceAt>
Moment look(const Encounter& e, double time, DistanceAt&& distance_at) {
  Moment now{time, e.a.at(time), e.b.at(time), {}};
  now.distance = distance_at(now.a, now.b);
  return now;
}

/// The first moment from `now` on, up to `until`, at which the distance is about `target`. When the steps run out, the
/// moment reached is the answer: early, never late.
template <class DistanceAt>
std::optional<Moment> reach(const Encounter& e, Moment now, double target, double until, DistanceAt&& distance_at) {
  const double near = target + e.tolerance();
  for (int step = 0; step < kMostSteps && now.distance.distance > near; ++step) {
    const double time = now.time + e.time_to_close(now, now.distance.distance - target);
    if (!(time <= until)) return std::nullopt;
    now = look(e, time, distance_at);
  }
  return now;
}

std::optional<Touch> to_touch(const std::optional<Moment>& moment) {
  return moment ? std::optional(moment->touch()) : std::nullopt;
}

/// The core of a part, a small ball about a point inside, keeps out of the other body, or at least goes no deeper. A
/// core that is in and does not approach is followed by small steps: bodies that turn may approach later.
template <class CoreDistanceAt>
std::optional<Touch> stop_core(const Encounter& part, const Vec3& inside, CoreDistanceAt&& distance_at) {
  Encounter core = part;
  core.middle = inside, core.turns_by = 0, core.reach_a = norm(inside);
  const double target = 0.5 * kCoreRadius * part.half_thick, near = (1 + kTolerance) * target;
  Moment now = look(core, core.limits.from, distance_at);
  for (int step = 0; step < kMostSteps; ++step) {
    const double d = now.distance.distance;
    const Vec3 v = core.seen(now.a, now.b).velocity;
    if (d <= near && dot(now.distance.normal, v) > kApproach * norm(v)) break;
    const double time = now.time + core.time_to_close(now, std::max(d - target, kCoreStep * target));
    if (!(time <= core.limits.until)) return std::nullopt;
    now = look(core, time, distance_at);
  }
  now.distance.distance -= part.half_thick;
  return now.touch();
}

/// A point in the middle of a convex shape: the centroid, which for all but hulls is the origin of their frame.
Vec3 inner_point(const Shape& shape) {
  if (!std::holds_alternative<ConvexHull>(shape)) return {};
  Vec3 sum;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) sum += support(shape, {x, y, z});
  return 0.125 * sum;
}

/// A convex part of the body on its way.
struct ConvexPart {
  const Shape& shape;
  Pose local;         ///< in the frame of the body
  double radius = 0;  ///< of a ball about Encounter::middle that holds the body
};

/// One convex part against one convex thing. distance_of(shape, pose_a, pose_b): of a shape in the pose of the part.
template <class DistanceOf>
std::optional<Touch> meet(const Encounter& e, const ConvexPart& part, DistanceOf&& distance_of) {
  const auto distance_at = [&](const Pose& a, const Pose& b) { return distance_of(part.shape, a * part.local, b); };
  const auto& [from, until, skin, depth] = e.limits;
  const double deepest = std::max(kDeep * e.half_thick, depth);
  const Moment start = look(e, from, distance_at);
  const double d = start.distance.distance;
  if (d > skin + e.tolerance()) {
    const std::optional<Moment> touch = reach(e, start, skin, until, distance_at);
    return touch && reach(e, *touch, -depth, kLookAhead, distance_at) ? to_touch(touch) : std::nullopt;
  }
  if (d > -deepest + 2 * e.tolerance())
    return to_touch(reach(e, start, std::max(d - depth, -deepest), until, distance_at));
  const Vec3 inside = transform(part.local, inner_point(part.shape));
  const Shape core = Sphere{kCoreRadius * e.half_thick};
  return stop_core(e, inside, [&](const Pose& a, const Pose& b) {
    return distance_of(core, Pose{transform(a, inside), a.orientation}, b);
  });
}

/// What the planes across the normal are apart: never more than the distance, even if the walk did not come to its end,
/// as between a small shape and a very large one. `nearest`: the point of the other shape farthest against the normal.
ConvexDistance certified(ConvexDistance d, const Shape& shape, const Pose& pose, const Vec3& nearest) {
  const Vec3 on_a = transform(pose, support(shape, rotate_back(pose.orientation, d.normal)));
  d.distance = std::min(d.distance, dot(d.normal, nearest - on_a));
  return d;
}

Vec3 farthest(const Triangle& triangle, const Vec3& direction) {
  const auto is_lower = [&](const Vec3& x, const Vec3& y) { return dot(direction, x) < dot(direction, y); };
  return std::max({triangle.a, triangle.b, triangle.c}, is_lower);
}

void keep_first(std::optional<Touch>& first, const std::optional<Touch>& other) {
  if (other && (!first || other->time < first->time)) first = other;
}

/// Signed distance to a plane.
ConvexDistance plane_distance(const Shape& shape, const Pose& pose, const HalfSpace& plane, const Pose& frame) {
  const Vec3 up = rotate(frame.orientation, plane.normal);
  const Vec3 low = transform(pose, support(shape, rotate_back(pose.orientation, -up)));
  ConvexDistance result;
  result.distance = dot(up, low - frame.position) - plane.offset;
  result.normal = -up;
  result.on_a = low, result.on_b = low - result.distance * up;
  return result;
}

/// The box, in the frame of `b`, in which the part is at some time of this step and the next. Turning stays in the
/// ball.
Aabb swept_box(const Encounter& e, double radius, const Pose& local_b) {
  Aabb box;
  const double from = e.limits.from;
  for (const double time : {from, 0.5 * (from + 1), 1.0, kLookAhead}) {
    const Pose frame = e.b.at(time) * local_b;
    const Vec3 middle = transform_back(frame, transform(e.a.at(time), e.middle));
    box = unite(box, Aabb{middle, middle});
  }
  // Between the times the middle leaves its chord by at most an eighth of the change of its velocity.
  return grown(box, radius + e.limits.skin + 0.125 * e.seen(e.a.start, e.b.start).change);
}

/// Triangles of a surface. Those that the part is behind at the beginning are no obstacle.
template <class Surface>
std::optional<Touch> meet_surface(const Encounter& e, const ConvexPart& part, const Surface& surface,
                                  const Pose& local_b) {
  std::optional<Touch> first;
  const double from = e.limits.from;
  const Pose there = inverse(e.b.at(from) * local_b) * (e.a.at(from) * part.local);
  surface.for_each_overlapping(swept_box(e, part.radius, local_b), [&](std::int32_t index) {
    const SurfaceTriangle t = surface_triangle(surface, index);
    const Vec3 top = transform(there, support(part.shape, rotate_back(there.orientation, t.normal)));
    if (dot(t.normal, top - t.corner[0]) < 0) return;
    const Triangle corners = t.triangle();
    const auto distance_of = [&](const Shape& shape, const Pose& a, const Pose& b) {
      const Pose frame = b * local_b;
      const Pose there = inverse(frame) * a;
      ConvexDistance d = distance(shape, there, corners);
      d = certified(d, shape, there, farthest(corners, -d.normal));
      d.normal = rotate(frame.orientation, d.normal);
      d.on_b = transform(frame, d.on_b);
      return d;
    };
    keep_first(first, meet(e, part, distance_of));
  });
  return first;
}

template <class T>
constexpr bool kSurface = std::is_same_v<T, TriangleMesh> || std::is_same_v<T, HeightField>;

/// A convex part against anything.
std::optional<Touch> meet_shape(const Encounter& e, const ConvexPart& part, const Shape& other, const Pose& local_b) {
  return std::visit(
      [&]<class B>(const B& b) -> std::optional<Touch> {
        if constexpr (std::is_same_v<B, Compound>) {
          std::optional<Touch> first;
          for (const CompoundChild& child : b.data->children)
            keep_first(first, meet_shape(e, part, child.shape, local_b * child.pose));
          return first;
        } else if constexpr (kSurface<B>) {
          return meet_surface(e, part, b, local_b);
        } else if constexpr (std::is_same_v<B, HalfSpace>) {
          return meet(e, part, [&](const Shape& shape, const Pose& at, const Pose& frame) {
            return plane_distance(shape, at, b, frame * local_b);
          });
        } else {
          return meet(e, part, [&](const Shape& shape, const Pose& at, const Pose& of_b) {
            const Pose frame = of_b * local_b;
            const ConvexDistance d = distance(shape, at, other, frame);
            return certified(d, shape, at, transform(frame, support(other, rotate_back(frame.orientation, -d.normal))));
          });
        }
      },
      other);
}

}  // namespace

Pose BodyPath::at(double time) const {
  const double turned_for = std::min(time, 1.0) - begin, moved_for = time - begin;
  return moved(start, {moved_for * way.linear, turned_for * way.angular});
}

double effective_turn(const Shape& shape, const Quat& orientation, const Vec3& turn) {
  const bool is_round = std::holds_alternative<Capsule>(shape) || std::holds_alternative<Cylinder>(shape) ||
                        std::holds_alternative<Cone>(shape);
  if (!is_round) return norm(turn);
  return norm(cross(turn, rotate(orientation, {0, 0, 1})));  // the same while the axis turns about `turn`
}

double half_thickness(const Shape& shape) {
  if (const auto* compound = std::get_if<Compound>(&shape)) {
    double thinnest = kLargestSize;
    for (const CompoundChild& child : compound->data->children)
      thinnest = std::min(thinnest, half_thickness(child.shape));
    return thinnest;
  }
  if (!has_support(shape)) return kLargestSize;
  const Aabb box = local_bounds(shape);
  const Vec3 size = box.upper - box.lower;
  return 0.5 * std::min({size.x, size.y, size.z});
}

std::optional<Touch> first_touch(const SweptShape& a, const BodyPath& path_a, const SweptShape& b,
                                 const BodyPath& path_b, const SweepLimits& limits) {
  const bool b_turns = !(path_b.way.angular == Vec3{});
  Encounter e{path_a, path_b, limits, a.middle, a.turns_by};
  e.reach_a = norm(a.middle) + a.turns_by, e.reach_b = norm(b.middle) + b.turns_by;
  e.half_thick = half_thickness(a.shape);
  e.turn = b_turns ? norm(path_a.way.angular - path_b.way.angular)
                   : effective_turn(a.shape, path_a.start.orientation * a.local.orientation, path_a.way.angular);
  const auto* compound = std::get_if<Compound>(&a.shape);
  if (compound == nullptr) return meet_shape(e, {a.shape, a.local, a.radius}, b.shape, b.local);
  std::optional<Touch> first;
  for (const CompoundChild& child : compound->data->children) {
    e.half_thick = half_thickness(child.shape);
    keep_first(first, meet_shape(e, {child.shape, a.local * child.pose, a.radius}, b.shape, b.local));
  }
  return first;
}

}  // namespace cairn
