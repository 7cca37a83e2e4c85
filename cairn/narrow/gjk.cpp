// SPDX-License-Identifier: MIT
#include "cairn/narrow/gjk.h"

#include "cairn/core/index.h"
#include "cairn/narrow/epa.h"

namespace cairn {

namespace {

constexpr int kMaxIterations = 128;
/// The distance lies between dot(v, w) / |v| and |v|; the walk ends when they are this near, relatively. Polyhedra end
/// exactly, on a vertex that is known; normals of round shapes know half as many digits.
constexpr double kGap = 1e-11;
/// Relative to the size of the shapes: rounding of dot(v, w), and the distance below which the cores overlap.
constexpr double kRounding = 4e-16, kTouching = 1e-9;
/// A margin that no pair is beyond.
constexpr double kEverything = std::numeric_limits<double>::infinity();

bool is_vertex(const Simplex& simplex, const Vec3& w) {
  for (std::size_t k = 0; k < to_index(simplex.size); ++k)
    if (simplex.vertex[k].difference == w) return true;
  return false;
}

/// Whether the cores are farther apart along `axis` than asked about; `along` is that times the axis' length.
bool is_apart(const Vec3& axis, double along, double far, GjkResult& result) {
  if (!(along > 0)) return false;
  const double length = norm(axis);
  result.apart = along > far * length;
  if (!result.apart) return false;
  result.converged = true;
  result.axis = (1.0 / length) * axis;
  result.separation = along / length;
  return true;
}

}  // namespace

GjkResult gjk(const MinkowskiDifference& difference, const GjkStart& start) {
  GjkResult result;
  Simplex& s = result.simplex;
  const Vec3 centres = difference.between_centres();
  const Vec3 first = dot(start.axis, start.axis) > 0 ? start.axis : dot(centres, centres) > 0 ? centres : Vec3{1, 0, 0};
  s.vertex[0] = difference.support(first);
  if (is_apart(first, -dot(first, s.vertex[0].difference), start.far, result)) return result;
  s.size = 1;
  s.weight[0] = 1;
  s.nearest = s.vertex[0].difference;
  const double touching = kTouching * difference.size();
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const Vec3 v = s.nearest;
    const double vv = dot(v, v), length = std::sqrt(vv);
    if (s.holds_origin || !(length > touching)) {
      result.overlap = result.converged = true;
      return result;
    }
    const MinkowskiPoint w = difference.support(-v);
    const double along = dot(v, w.difference), gap = vv - along;
    if (is_apart(-v, along, start.far, result)) return result;
    result.converged = gap <= kGap * vv + kRounding * length * (difference.size() + length);
    if (result.converged || is_vertex(s, w.difference)) break;
    s.vertex[to_index(s.size)] = w;
    const SimplexFoot next = nearest_to_origin(s.vertex, s.size + 1);
    // No progress: what is left of the gap is rounding.
    if (!next.holds_origin && !(dot(next.nearest, next.nearest) < vv)) break;
    s.keep(next);
  }
  result.converged = result.iterations < kMaxIterations;
  return result;
}

namespace {

/// `pose` is that of A.
ConvexDistance signed_distance(const MinkowskiDifference& difference, const Pose& pose, const Vec3& axis,
                               double margin) {
  const double radii = difference.radius_a() + difference.radius_b();
  const GjkResult walk = gjk(difference, {axis, margin + radii});
  ConvexDistance result;
  result.converged = walk.converged, result.iterations = walk.iterations;
  if (walk.apart) {
    result.apart = true;
    result.normal = rotate(pose.orientation, walk.axis);
    result.distance = walk.separation - radii;
    return result;
  }
  if (walk.overlap) {
    const EpaResult depth = epa(difference, walk.simplex);
    result.normal = depth.normal;
    result.distance = -depth.depth;
    result.on_a = depth.on_a;
    result.converged = depth.converged;
    result.iterations += depth.iterations;
  } else {
    const double length = norm(walk.simplex.nearest);
    result.on_a = walk.simplex.on_a();
    result.normal = (-1.0 / length) * walk.simplex.nearest;
    result.distance = length;
  }
  // From the cores to the surfaces, and from A's frame to the world's.
  result.distance -= radii;
  const Vec3 on_a = result.on_a + difference.radius_a() * result.normal;
  result.normal = rotate(pose.orientation, result.normal);
  result.on_a = transform(pose, on_a);
  result.on_b = result.on_a + result.distance * result.normal;
  return result;
}

}  // namespace

ConvexDistance distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  return signed_distance(MinkowskiDifference(a, pose_a, b, pose_b), pose_a, {}, kEverything);
}

ConvexDistance distance(const Shape& a, const Pose& pose_a, const Triangle& b) {
  return signed_distance(MinkowskiDifference(a, pose_a, b), pose_a, {}, kEverything);
}

ConvexDistance distance_within(const Shape& a, const Pose& pose_a, const Triangle& b, double margin) {
  return signed_distance(MinkowskiDifference(a, pose_a, b), pose_a, {}, margin);
}

Manifold collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
                        WalkAxis& axis) {
  const Vec3 start{double{axis[0]}, double{axis[1]}, double{axis[2]}};
  const ConvexDistance found = signed_distance(MinkowskiDifference(a, pose_a, b, pose_b), pose_a, start, margin);
  const Vec3 n = rotate_back(pose_a.orientation, found.normal);
  axis = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
  Manifold result;
  if (found.apart || !(found.distance <= margin)) return result;
  result.normal = found.normal;
  result.count = 1;
  result.point[0] = {found.on_a, found.on_b, found.distance, 0};
  return result;
}

Manifold collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin) {
  WalkAxis none{};
  return collide_convex(a, pose_a, b, pose_b, margin, none);
}

}  // namespace cairn
