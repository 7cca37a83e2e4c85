// SPDX-License-Identifier: MIT
#include "cairn/narrow/gjk.h"

#include "cairn/narrow/epa.h"

namespace cairn {

namespace {

constexpr int kMaxIterations = 128;
/// The distance lies between dot(v, w) / |v| and |v|; the walk ends when they are this near, relatively.
constexpr double kGap = 1e-11;
/// Relative to the size of the shapes: rounding of dot(v, w), and the distance below which the cores overlap.
constexpr double kRounding = 4e-16, kTouching = 1e-9;

bool is_vertex(const Simplex& simplex, const Vec3& w) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(simplex.size); ++k)
    if (simplex.vertex[k].difference == w) return true;
  return false;
}

}  // namespace

GjkResult gjk(const MinkowskiDifference& difference) {
  GjkResult result;
  Simplex& s = result.simplex;
  const Vec3 d = difference.between_centres();
  s.vertex[0] = difference.support(dot(d, d) > 0 ? d : Vec3{1, 0, 0});
  s.size = 1;
  s = nearest_to_origin(s);
  const double touching = kTouching * difference.size();
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const Vec3 v = s.nearest;
    const double vv = dot(v, v), length = std::sqrt(vv);
    if (s.holds_origin || !(length > touching)) {
      result.overlap = result.converged = true;
      return result;
    }
    const MinkowskiPoint w = difference.support(-v);
    const double gap = vv - dot(v, w.difference);
    result.converged = gap <= kGap * vv + kRounding * length * (difference.size() + length);
    if (result.converged || is_vertex(s, w.difference)) break;
    Simplex next = s;
    next.vertex[static_cast<std::size_t>(next.size++)] = w;
    next = nearest_to_origin(next);
    // No progress: what is left of the gap is rounding.
    if (!next.holds_origin && !(dot(next.nearest, next.nearest) < vv)) break;
    s = next;
  }
  result.converged = result.iterations < kMaxIterations;
  return result;
}

namespace {

ConvexDistance signed_distance(const MinkowskiDifference& difference, const Vec3& origin) {
  const GjkResult walk = gjk(difference);
  ConvexDistance result{0, {}, walk.simplex.on_a(), walk.simplex.on_b(), walk.converged, walk.iterations};
  if (walk.overlap) {
    const EpaResult depth = epa(difference, walk.simplex);
    result.normal = depth.normal;
    result.distance = -depth.depth;
    result.on_a = depth.on_a;
    result.converged = depth.converged;
    result.iterations += depth.iterations;
  } else {
    const double length = norm(walk.simplex.nearest);
    result.normal = (-1.0 / length) * walk.simplex.nearest;
    result.distance = length;
  }
  // From the cores to the surfaces, and from A's origin to the world's.
  result.distance -= difference.radius_a() + difference.radius_b();
  result.on_a += origin + difference.radius_a() * result.normal;
  result.on_b = result.on_a + result.distance * result.normal;
  return result;
}

}  // namespace

ConvexDistance distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  return signed_distance(MinkowskiDifference(a, pose_a, b, pose_b), pose_a.position);
}

ConvexDistance distance(const Shape& a, const Pose& pose_a, const Triangle& b) {
  return signed_distance(MinkowskiDifference(a, pose_a, b), pose_a.position);
}

Manifold collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin) {
  const ConvexDistance found = distance(a, pose_a, b, pose_b);
  Manifold result;
  if (!(found.distance <= margin)) return result;
  result.normal = found.normal;
  result.count = 1;
  result.point[0] = {found.on_a, found.on_b, found.distance, 0};
  return result;
}

}  // namespace cairn
