// SPDX-License-Identifier: MIT
#include "cairn/narrow/triangle_axis.h"

#include <algorithm>
#include <limits>

#include "cairn/narrow/gjk.h"

namespace cairn {

namespace {

/// Relative to the lengths of the sides: edges with a smaller sine are parallel; points this near to a side are on it.
constexpr double kParallel = 1e-6, kOnPart = 1e-6;
/// Directions that fall behind the face by more than this sine push to the back.
constexpr double kBehind = 1e-3;

/// The box about the origin, the triangle beside it.
struct BoxAndTriangle {
  std::array<Vec3, 3> axis;
  std::array<double, 3> half;
  std::array<Vec3, 3> corner;
  Vec3 up;

  double reach(const Vec3& n) const {
    return half[0] * std::fabs(dot(axis[0], n)) + half[1] * std::fabs(dot(axis[1], n)) +
           half[2] * std::fabs(dot(axis[2], n));
  }
};

struct Candidate {
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 m;
  std::size_t box_axis = 0, side = 0;  ///< of crossed edges
};

/// Offers both directions of a unit axis; false when they are apart by more than the margin.
bool offer(const BoxAndTriangle& pair, const Vec3& n, double margin, Candidate& best, const Candidate& self) {
  const double r = pair.reach(n);
  const double t0 = dot(n, pair.corner[0]), t1 = dot(n, pair.corner[1]), t2 = dot(n, pair.corner[2]);
  const double above = -r - std::max({t0, t1, t2}), below = std::min({t0, t1, t2}) - r;
  if (above > margin || below > margin) return false;
  const double front = dot(n, pair.up);
  const auto take = [&](double separation, const Vec3& m) {
    if (!(separation > best.separation)) return;
    best = self;
    best.separation = separation;
    best.m = m;
  };
  if (front >= -kBehind) take(above, n);
  if (front <= kBehind) take(below, -n);
  return true;
}

/// The corners that are farthest along m, all of them within rounding.
TrianglePart farthest_part(const std::array<Vec3, 3>& corner, const Vec3& m) {
  const std::array<double, 3> along{dot(m, corner[0]), dot(m, corner[1]), dot(m, corner[2])};
  const double top = std::max({along[0], along[1], along[2]});
  std::array<bool, 3> high{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double length = std::max(norm(corner[(k + 1) % 3] - corner[k]), norm(corner[(k + 2) % 3] - corner[k]));
    high[k] = along[k] >= top - kOnPart * length;
  }
  if (high[0] && high[1] && high[2]) return TrianglePart::face;
  for (std::size_t k = 0; k < 3; ++k)
    if (high[k] && high[(k + 1) % 3]) return static_cast<TrianglePart>(3 + k);
  return static_cast<TrianglePart>(high[0] ? 0 : high[1] ? 1 : 2);
}

/// Nearest points of the box's edge and the triangle's side, where they are within both.
void cross_edges(const BoxAndTriangle& pair, const Candidate& best, const Vec3& centre, TriangleAxis& result) {
  Vec3 p;  // middle of the box's edge farthest against m
  for (const std::size_t other : {(best.box_axis + 1) % 3, (best.box_axis + 2) % 3})
    p += (dot(pair.axis[other], best.m) > 0 ? -pair.half[other] : pair.half[other]) * pair.axis[other];
  const Vec3 q = pair.corner[best.side], side = pair.corner[(best.side + 1) % 3] - q;
  const double length = norm(side);
  const Vec3 u = pair.axis[best.box_axis], v = (1.0 / length) * side, w = q - p;
  const double c = dot(u, v), along_u = dot(w, u), along_v = dot(w, v), sine2 = 1 - c * c;
  const double s = (along_u - c * along_v) / sine2, t = c * s - along_v;
  if (!(std::fabs(s) <= pair.half[best.box_axis] && t >= 0 && t <= length)) return;
  result.has_points = true;
  result.on_shape = centre + p + s * u;
  result.on_triangle = centre + q + t * v;
  result.part = static_cast<TrianglePart>(3 + best.side);
}

/// Which part of the triangle a point on it is, within rounding.
TrianglePart part_at(const SurfaceTriangle& triangle, const Vec3& p) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 side = triangle.corner[(k + 1) % 3] - triangle.corner[k];
    if (norm(p - triangle.corner[k]) <= kOnPart * norm(side)) return static_cast<TrianglePart>(k);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 side = triangle.corner[(k + 1) % 3] - triangle.corner[k];
    if (norm(cross(side, p - triangle.corner[k])) <= kOnPart * dot(side, side)) return static_cast<TrianglePart>(3 + k);
  }
  return TrianglePart::face;
}

}  // namespace

TriangleAxis axis_of_box(const Box& box, const Pose& pose, const SurfaceTriangle& triangle, double over_face,
                         double margin, double slop) {
  const Mat3 r = to_matrix(pose.orientation);
  const Vec3 c = pose.position;
  const BoxAndTriangle pair{
      {{{r.row0.x, r.row1.x, r.row2.x}, {r.row0.y, r.row1.y, r.row2.y}, {r.row0.z, r.row1.z, r.row2.z}}},
      {box.half.x, box.half.y, box.half.z},
      {triangle.corner[0] - c, triangle.corner[1] - c, triangle.corner[2] - c},
      triangle.normal};
  TriangleAxis result;
  result.apart = true;
  Candidate of_box, of_edges;
  for (const Vec3& n : pair.axis)
    if (!offer(pair, n, margin, of_box, {})) return result;
  for (std::size_t side = 0; side < 3; ++side) {
    const Vec3 e = pair.corner[(side + 1) % 3] - pair.corner[side];
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 n = cross(pair.axis[k], e);
      const double sine2 = dot(n, n);
      if (!(sine2 > kParallel * kParallel * dot(e, e))) continue;
      if (!offer(pair, (1.0 / std::sqrt(sine2)) * n, margin, of_edges, {0, {}, k, side})) return result;
    }
  }
  result.apart = false;
  const bool crossed = of_edges.separation > of_box.separation + slop;
  const Candidate& best = crossed ? of_edges : of_box;
  if (!(best.separation > over_face + slop)) {
    result.m = triangle.normal;
    result.separation = over_face;
    return result;
  }
  result.m = best.m;
  result.separation = best.separation;
  result.part = farthest_part(pair.corner, best.m);
  if (crossed) cross_edges(pair, best, c, result);
  return result;
}

TriangleAxis axis_of_convex(const Shape& shape, const Pose& pose, const SurfaceTriangle& triangle, double margin) {
  const ConvexDistance found = distance(shape, pose, triangle.triangle());
  TriangleAxis result;
  result.apart = !(found.distance <= margin);
  result.m = -found.normal;
  result.separation = found.distance;
  result.has_points = true;
  result.on_shape = found.on_a;
  result.on_triangle = found.on_b;
  result.part = part_at(triangle, found.on_b);
  return result;
}

}  // namespace cairn
