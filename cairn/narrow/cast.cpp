// SPDX-License-Identifier: MIT
#include "cairn/narrow/cast.h"

#include <algorithm>
#include <type_traits>

#include "cairn/core/errors.h"
#include "cairn/narrow/gjk.h"
#include "cairn/narrow/surface.h"

namespace cairn {

namespace {

constexpr int kMaxSteps = 64;

/// A convex shape on its way.
struct Flight {
  const Shape& shape;
  Pose start;
  Vec3 translation;
  double touching = 0;  ///< distance that counts as none

  Pose at(double fraction) const { return {start.position + fraction * translation, start.orientation}; }
};

double diagonal(const Shape& shape) {
  const Aabb box = bounds(shape, Pose{});
  return norm(box.upper - box.lower);
}

/// Newton's steps on the distance to one convex thing, at most to the fraction `limit`.
template <class DistanceTo>
std::optional<CastHit> advance(const Flight& flight, double limit, DistanceTo&& distance_to) {
  double fraction = 0;
  ConvexDistance d = distance_to(flight.start);
  if (d.distance < -flight.touching) return CastHit{0, d.normal, d.on_b};
  for (int step = 0; step < kMaxSteps; ++step) {
    const double speed = dot(flight.translation, d.normal);
    if (!(speed > 0)) return std::nullopt;  // from here on the planes across the normal only part
    if (d.distance <= flight.touching) break;
    fraction += d.distance / speed;
    if (!(fraction <= limit)) return std::nullopt;
    d = distance_to(flight.at(fraction));
  }
  return CastHit{fraction, d.normal, d.on_b};
}

void keep_first(std::optional<CastHit>& best, const std::optional<CastHit>& hit) {
  if (hit && (!best || hit->fraction < best->fraction)) best = hit;
}

/// The lowest point of a convex shape, seen along `up`.
Vec3 lowest(const Shape& shape, const Pose& pose, const Vec3& up) {
  return transform(pose, support(shape, rotate_back(pose.orientation, -up)));
}

/// Closed form: the lowest point falls onto the plane.
std::optional<CastHit> cast_onto(const Flight& flight, const HalfSpace& plane, const Pose& pose) {
  const Vec3 up = rotate(pose.orientation, plane.normal), low = lowest(flight.shape, flight.start, up);
  const double height = dot(up, low - pose.position) - plane.offset, fall = -dot(up, flight.translation);
  if (height < -flight.touching) return CastHit{0, -up, low - height * up};
  if (!(fall > 0) || height > fall) return std::nullopt;
  const double fraction = std::max(0.0, height) / fall;
  return CastHit{fraction, -up, low + fraction * flight.translation};
}

/// Triangles in the way, in the frame of the surface.
template <class Surface>
std::optional<CastHit> cast_onto_surface(const Flight& flight, const Surface& surface) {
  std::optional<CastHit> best;
  const Aabb way =
      grown(unite(bounds(flight.shape, flight.start), bounds(flight.shape, flight.at(1))), flight.touching);
  surface.for_each_overlapping(way, [&](std::int32_t index) {
    SurfaceTriangle t = surface_triangle(surface, index);
    const double limit = best ? best->fraction : 1, fall = -dot(t.normal, flight.translation);
    const double height = dot(t.normal, lowest(flight.shape, flight.start, t.normal) - t.corner[0]);
    const double top = dot(t.normal, lowest(flight.shape, flight.start, -t.normal) - t.corner[0]);
    // From behind, away, or too slow to reach the plane.
    if (top < 0 || (height > flight.touching && height - limit * fall > flight.touching)) return;
    const Triangle corners = t.triangle();
    std::optional<CastHit> hit =
        advance(flight, limit, [&](const Pose& pose) { return distance(flight.shape, pose, corners); });
    if (!hit || !(fall > 0 || hit->fraction == 0)) return;
    add_edges(surface, t);
    const TrianglePart part = closest_on_triangle(hit->point, corners).part;
    // An overlap, like any contact with a triangle, pushes to the front.
    const bool turned = dot(hit->normal, t.normal) > 0 || judge(surface, t, part, -hit->normal) == SurfaceVerdict::face;
    if (turned) hit->normal = -t.normal;
    keep_first(best, hit);
  });
  return best;
}

template <class T>
constexpr bool kSurface = std::is_same_v<T, TriangleMesh> || std::is_same_v<T, HeightField>;

std::optional<CastHit> cast_convex(const Flight& flight, const Shape& b, const Pose& pose_b) {
  return std::visit(
      [&]<class B>(const B& other) -> std::optional<CastHit> {
        if constexpr (std::is_same_v<B, Compound>) {
          std::optional<CastHit> best;
          for (const CompoundChild& child : other.data->children)
            keep_first(best, cast_convex(flight, child.shape, pose_b * child.pose));
          return best;
        } else if constexpr (std::is_same_v<B, HalfSpace>) {
          return cast_onto(flight, other, pose_b);
        } else if constexpr (kSurface<B>) {
          const Flight there{flight.shape, inverse(pose_b) * flight.start,
                             rotate_back(pose_b.orientation, flight.translation), flight.touching};
          std::optional<CastHit> hit = cast_onto_surface(there, other);
          if (hit) hit = CastHit{hit->fraction, rotate(pose_b.orientation, hit->normal), transform(pose_b, hit->point)};
          return hit;
        } else {
          return advance(flight, 1, [&](const Pose& pose) { return distance(flight.shape, pose, b, pose_b); });
        }
      },
      b);
}

/// Without the depth: the walk alone, with the radii of round shapes.
bool meets(const MinkowskiDifference& difference) {
  const GjkResult walk = gjk(difference);
  return walk.overlap || norm(walk.simplex.nearest) <= difference.radius_a() + difference.radius_b();
}

bool overlaps_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  return std::visit(
      [&]<class B>(const B& other) {
        if constexpr (std::is_same_v<B, HalfSpace>) {
          const Vec3 up = rotate(pose_b.orientation, other.normal);
          return dot(up, lowest(a, pose_a, up) - pose_b.position) <= other.offset;
        } else if constexpr (kSurface<B>) {
          bool found = false;
          const Pose there = inverse(pose_b) * pose_a;
          other.for_each_overlapping(bounds(a, there), [&](std::int32_t t) {
            const Triangle corners = other.triangle(t);
            found = found || meets(MinkowskiDifference(a, there, corners));
          });
          return found;
        } else if constexpr (std::is_same_v<B, Compound>) {
          return false;  // taken apart by the caller
        } else {
          return meets(MinkowskiDifference(a, pose_a, b, pose_b));
        }
      },
      b);
}

}  // namespace

std::optional<CastHit> cast(const Shape& a, const Pose& pose_a, const Vec3& translation, const Shape& b,
                            const Pose& pose_b) {
  if (const auto* compound = std::get_if<Compound>(&a)) {
    std::optional<CastHit> best;
    for (const CompoundChild& child : compound->data->children)
      keep_first(best, cast(child.shape, pose_a * child.pose, translation, b, pose_b));
    return best;
  }
  require(has_support(a), "only convex shapes and compounds of them can be cast; swap the shapes and turn the motion");
  return cast_convex({a, pose_a, translation, kCastTolerance * diagonal(a)}, b, pose_b);
}

bool overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  if (const auto* compound = std::get_if<Compound>(&a)) {
    const auto& children = compound->data->children;
    return std::any_of(children.begin(), children.end(), [&](const CompoundChild& child) {
      return overlaps(child.shape, pose_a * child.pose, b, pose_b);
    });
  }
  if (std::holds_alternative<Compound>(b)) return overlaps(b, pose_b, a, pose_a);
  if (has_support(a)) return overlaps_convex(a, pose_a, b, pose_b);
  return has_support(b) && overlaps_convex(b, pose_b, a, pose_a);
}

}  // namespace cairn
