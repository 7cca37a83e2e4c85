// SPDX-License-Identifier: MIT
#include "cairn/world/sweep.h"

#include <algorithm>
#include <type_traits>

#include "cairn/dynamics/integrate.h"
#include "cairn/narrow/gjk.h"
#include "cairn/narrow/surface.h"

namespace cairn {

namespace {

constexpr int kMostSteps = 64;
constexpr double kDepth = 0.05;      ///< of the half thickness: shallower overlaps are the business of contacts
constexpr double kTolerance = 0.2;   ///< of the target
constexpr double kLookAhead = 2;     ///< steps: whoever gets in deep by then must stop in this one
constexpr double kCoreRadius = 0.1;  ///< of the half thickness

/// Two bodies at a fraction of the step.
struct Moment {
  double fraction = 0;
  Pose a, b;
  ConvexDistance distance;
};

/// A convex part of `a` and a convex thing of `b` on their ways.
struct Encounter {
  const BodyPath &a, &b;
  Vec3 middle;                      ///< of the part's bounding ball
  double turns_by = 0;              ///< m
  double skin = 0;                  ///< m
  double share = 1;                 ///< of the limits
  double until = 1;                 ///< fraction of the step
  double reach_a = 0, reach_b = 0;  ///< m, radii about the centres of mass that turning moves
  double half_thick = 0;            ///< m, of the part

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

  /// How fast, per step, the distance along the moment's normal may fall from then on.
  double closing_speed(const Moment& now) const {
    const Vec3& n = now.distance.normal;
    if (now.fraction >= 1) return dot(n, a.way.linear - b.way.linear);
    const Seen middle_now = seen(now.a, now.b);
    const double from_b = dot(n, middle_now.velocity) + (1 - now.fraction) * middle_now.change +
                          turns_by * norm(a.way.angular - b.way.angular);
    if (b.way.angular == Vec3{}) return from_b;
    return std::min(
        from_b, dot(n, a.way.linear - b.way.linear) + reach_a * norm(a.way.angular) + reach_b * norm(b.way.angular));
  }
};

/// A moment with the distance there: `distance_at` gives that of two poses.
template <class DistanceAt>
Moment look(const Encounter& e, double fraction, DistanceAt&& distance_at) {
  Moment now{fraction, e.a.at(fraction), e.b.at(fraction), {}};
  now.distance = distance_at(now.a, now.b);
  return now;
}

/// The first moment from `now` on, up to `limit`, at which the distance is about `target`. When the steps run out, the
/// moment reached is the answer: early, never late.
template <class DistanceAt>
std::optional<Moment> reach(const Encounter& e, Moment now, double target, double limit, DistanceAt&& distance_at) {
  const double near = target + kTolerance * std::fabs(target);
  for (int step = 0; step < kMostSteps && now.distance.distance > near; ++step) {
    const double speed = e.closing_speed(now);
    if (!(speed > 0)) return std::nullopt;
    const double fraction = now.fraction + (now.distance.distance - target) / speed;
    if (!(fraction <= limit)) return std::nullopt;
    now = look(e, fraction, distance_at);
  }
  return now;
}

/// The core of a part, a small ball about a point inside, keeps out of the other body, or at least goes no deeper.
template <class CoreDistanceAt>
std::optional<double> stop_core(const Encounter& part, const Vec3& inside, CoreDistanceAt&& distance_at) {
  Encounter core = part;
  core.middle = inside, core.turns_by = 0, core.reach_a = norm(inside);
  const double target = 0.5 * part.share * kCoreRadius * part.half_thick;
  const Moment start = look(core, 0, distance_at);
  if (start.distance.distance > target) {
    const std::optional<Moment> met = reach(core, start, target, core.until, distance_at);
    return met ? std::optional(met->fraction) : std::nullopt;
  }
  return core.closing_speed(start) > 0 ? std::optional(0.0) : std::nullopt;
}

/// A point inside a convex shape.
Vec3 inner_point(const Shape& shape) {
  Vec3 sum;
  for (const Vec3& way : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}})
    sum += support(shape, way);
  return (1.0 / 6) * sum;
}

/// A convex part of the body on its way.
struct ConvexPart {
  const Shape& shape;
  Pose local;         ///< in the frame of the body
  double radius = 0;  ///< of a ball about Encounter::middle that holds the body
};

/// One convex part against one convex thing. distance_of(shape, pose_a, pose_b): of a shape in the pose of the part.
template <class DistanceOf>
std::optional<double> meet(const Encounter& e, const ConvexPart& part, DistanceOf&& distance_of) {
  const auto distance_at = [&](const Pose& a, const Pose& b) { return distance_of(part.shape, a * part.local, b); };
  const double depth = kDepth * e.half_thick / e.share;
  const Moment start = look(e, 0, distance_at);
  if (start.distance.distance > e.skin) {
    const std::optional<Moment> touch = reach(e, start, e.skin, e.until, distance_at);
    if (!touch || !reach(e, *touch, -depth, kLookAhead, distance_at)) return std::nullopt;
    return touch->fraction;
  }
  if (start.distance.distance > -depth) {
    const std::optional<Moment> deep = reach(e, start, -depth, e.until, distance_at);
    return deep ? std::optional(deep->fraction) : std::nullopt;
  }
  const Vec3 inside = transform(part.local, inner_point(part.shape));
  const Shape core = Sphere{kCoreRadius * e.half_thick};
  return stop_core(e, inside, [&](const Pose& a, const Pose& b) {
    return distance_of(core, Pose{transform(a, inside), a.orientation}, b);
  });
}

void keep_first(std::optional<double>& first, const std::optional<double>& other) {
  if (other && (!first || *other < *first)) first = other;
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
  for (const double fraction : {0.0, 0.5, 1.0, kLookAhead}) {
    const Pose frame = e.b.at(fraction) * local_b;
    const Vec3 middle = transform_back(frame, transform(e.a.at(fraction), e.middle));
    box = unite(box, Aabb{middle, middle});
  }
  // Between the times the middle leaves its chord by at most an eighth of the change of its velocity.
  return grown(box, radius + e.skin + 0.125 * e.seen(e.a.start, e.b.start).change);
}

/// Triangles of a surface. Those that the part is behind at the beginning are no obstacle.
template <class Surface>
std::optional<double> meet_surface(const Encounter& e, const ConvexPart& part, const Surface& surface,
                                   const Pose& local_b) {
  std::optional<double> first;
  const Pose there = inverse(e.b.start * local_b) * (e.a.start * part.local);
  surface.for_each_overlapping(swept_box(e, part.radius, local_b), [&](std::int32_t index) {
    const SurfaceTriangle t = surface_triangle(surface, index);
    const Vec3 top = transform(there, support(part.shape, rotate_back(there.orientation, t.normal)));
    if (dot(t.normal, top - t.corner[0]) < 0) return;
    const Triangle corners = t.triangle();
    const auto distance_of = [&](const Shape& shape, const Pose& a, const Pose& b) {
      const Pose frame = b * local_b;
      ConvexDistance d = distance(shape, inverse(frame) * a, corners);
      d.normal = rotate(frame.orientation, d.normal);
      return d;
    };
    keep_first(first, meet(e, part, distance_of));
  });
  return first;
}

template <class T>
constexpr bool kSurface = std::is_same_v<T, TriangleMesh> || std::is_same_v<T, HeightField>;

/// A convex part against anything.
std::optional<double> meet_shape(const Encounter& e, const ConvexPart& part, const Shape& other, const Pose& local_b) {
  return std::visit(
      [&]<class B>(const B& b) -> std::optional<double> {
        if constexpr (std::is_same_v<B, Compound>) {
          std::optional<double> first;
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
          return meet(e, part, [&](const Shape& shape, const Pose& at, const Pose& frame) {
            return distance(shape, at, other, frame * local_b);
          });
        }
      },
      other);
}

}  // namespace

Pose BodyPath::at(double fraction) const {
  const double turned_by = std::min(fraction, 1.0);
  return moved(start, {fraction * way.linear, turned_by * way.angular});
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

std::optional<double> first_touch(const SweptShape& a, const BodyPath& path_a, const SweptShape& b,
                                  const BodyPath& path_b, const SweepLimits& limits) {
  Encounter e{path_a, path_b, a.middle, a.turns_by};
  e.skin = limits.share * limits.skin, e.share = limits.share, e.until = limits.until;
  e.reach_a = norm(a.middle) + a.turns_by, e.reach_b = norm(b.middle) + b.turns_by;
  e.half_thick = half_thickness(a.shape);
  const auto* compound = std::get_if<Compound>(&a.shape);
  if (compound == nullptr) return meet_shape(e, {a.shape, a.local, a.radius}, b.shape, b.local);
  std::optional<double> first;
  for (const CompoundChild& child : compound->data->children) {
    e.half_thick = half_thickness(child.shape);
    keep_first(first, meet_shape(e, {child.shape, a.local * child.pose, a.radius}, b.shape, b.local));
  }
  return first;
}

}  // namespace cairn
