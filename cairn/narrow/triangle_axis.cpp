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

std::array<double, 3> components(const Vec3& v) { return {v.x, v.y, v.z}; }

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

BoxTriangle::BoxTriangle(const Box& box, const Vec3& position, const Mat3& rotation, const SurfaceTriangle& triangle)
    : half_(components(box.half)),
      up_(multiply_transposed(rotation, triangle.normal)),
      position_(position),
      rotation_(rotation),
      triangle_(triangle) {
  for (std::size_t k = 0; k < 3; ++k)
    corner_[k] = components(multiply_transposed(rotation, triangle.corner[k] - position));
}

bool BoxTriangle::is_beside(double margin) const {
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = corner_[0][i], y = corner_[1][i], z = corner_[2][i], reach = half_[i] + margin;
    if (std::min({x, y, z}) > reach || std::max({x, y, z}) < -reach) return true;
  }
  return false;
}

void BoxTriangle::offer_faces(Candidate& best) const {
  const std::array<double, 3> up = components(up_);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = corner_[0][i], y = corner_[1][i], z = corner_[2][i];
    const double above = -half_[i] - std::max({x, y, z}), below = std::min({x, y, z}) - half_[i];
    const Vec3 n{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    if (up[i] >= -kBehind && above > best.separation) best = {above, n, i, 0};
    if (up[i] <= kBehind && below > best.separation) best = {below, -n, i, 0};
  }
}

/// Axis i of the box across side e: n_i = 0, n_j = -e_l, n_l = e_j with i, j, l cyclic. Both ends of the side project
/// to the same number. False when one of the nine separates by more than the margin.
bool BoxTriangle::offer_edges(double margin, Candidate& best) const {
  const std::array<double, 3> up = components(up_);
  for (std::size_t side = 0; side < 3; ++side) {
    const auto &p = corner_[side], &q = corner_[(side + 1) % 3], &third = corner_[(side + 2) % 3];
    const std::array<double, 3> e{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double shortest2 = kParallel * kParallel * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, l = (i + 2) % 3;
      const double length2 = e[j] * e[j] + e[l] * e[l];
      if (!(length2 > shortest2)) continue;
      const double s = 1 / std::sqrt(length2), nj = -s * e[l], nl = s * e[j];
      const double reach = half_[j] * std::fabs(nj) + half_[l] * std::fabs(nl);
      const double at_side = nj * p[j] + nl * p[l], at_third = nj * third[j] + nl * third[l];
      const double above = -reach - std::max(at_side, at_third), below = std::min(at_side, at_third) - reach;
      if (above > margin || below > margin) return false;
      const double front = nj * up[j] + nl * up[l];
      const bool forward = front >= -kBehind && above > best.separation;
      const bool backward = front <= kBehind && below > std::max(best.separation, forward ? above : below - 1);
      if (!forward && !backward) continue;
      std::array<double, 3> n{};
      n[j] = backward ? -nj : nj;
      n[l] = backward ? -nl : nl;
      best = {backward ? below : above, {n[0], n[1], n[2]}, i, side};
    }
  }
  return true;
}

/// Nearest points of the box's edge and the triangle's side, where they are within both: of p + s u and q + t v with
/// w = q - p and c = dot(u, v), s = (dot(w, u) - c dot(w, v)) / (1 - c^2), t = c s - dot(w, v).
void BoxTriangle::cross_edges(const Candidate& best, TriangleAxis& result) const {
  const std::array<double, 3> m = components(best.m);
  std::array<double, 3> middle{}, along{};  // of the box's edge farthest against m
  for (const std::size_t other : {(best.box_axis + 1) % 3, (best.box_axis + 2) % 3})
    middle[other] = m[other] > 0 ? -half_[other] : half_[other];
  along[best.box_axis] = 1;
  const auto &from = corner_[best.side], &to = corner_[(best.side + 1) % 3];
  const Vec3 p{middle[0], middle[1], middle[2]}, u{along[0], along[1], along[2]}, q{from[0], from[1], from[2]};
  const Vec3 side = Vec3{to[0], to[1], to[2]} - q, w = q - p;
  const double length = norm(side);
  const Vec3 v = (1.0 / length) * side;
  const double c = dot(u, v), along_u = dot(w, u), along_v = dot(w, v);
  const double s = (along_u - c * along_v) / (1 - c * c), t = c * s - along_v;
  if (!(std::fabs(s) <= half_[best.box_axis] && t >= 0 && t <= length)) return;
  // The axis may owe its separation to the third corner, which then is nearer than the side.
  if (!(std::fabs(dot(best.m, p - q) - best.separation) <= kOnPart * length)) return;
  result.has_points = true;
  result.on_shape = position_ + rotation_ * (p + s * u);
  result.on_triangle = position_ + rotation_ * (q + t * v);
  result.part = static_cast<TrianglePart>(3 + best.side);
}

TriangleAxis BoxTriangle::axis(double over_face, double margin, double slop) const {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  Candidate of_box{kNever, {}, 0, 0}, of_edges{kNever, {}, 0, 0};
  TriangleAxis result;
  result.apart = is_beside(margin) || !offer_edges(margin, of_edges);
  if (result.apart) return result;
  offer_faces(of_box);
  const bool crossed = of_edges.separation > of_box.separation + slop;
  const Candidate& best = crossed ? of_edges : of_box;
  if (!(best.separation > over_face + slop)) {
    result.m = triangle_.normal;
    result.separation = over_face;
    return result;
  }
  result.m = rotation_ * best.m;
  result.separation = best.separation;
  result.part = farthest_part(triangle_.corner, result.m);
  if (crossed) cross_edges(best, result);
  return result;
}

TriangleAxis axis_of_convex(const Shape& shape, const Pose& pose, const SurfaceTriangle& triangle, double margin) {
  const ConvexDistance found = distance_within(shape, pose, triangle.triangle(), margin);
  TriangleAxis result;
  result.apart = found.apart || !(found.distance <= margin);
  if (result.apart) return result;
  result.m = -found.normal;
  result.separation = found.distance;
  result.has_points = true;
  result.on_shape = found.on_a;
  result.on_triangle = found.on_b;
  result.part = part_at(triangle, found.on_b);
  return result;
}

}  // namespace cairn
