// SPDX-License-Identifier: MIT
#include "cairn/narrow/minkowski.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

double core_radius(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return capsule->radius;
  return 0;
}

Vec3 core_support(const Shape& shape, const Vec3& direction) {
  if (const auto* hull = std::get_if<ConvexHull>(&shape)) return support(*hull, direction);
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return {0, 0, direction.z < 0 ? -capsule->half_length : capsule->half_length};
  if (std::holds_alternative<Sphere>(shape)) return {};
  return support(shape, direction);
}

double diagonal(const Shape& shape) {
  const Aabb box = local_bounds(shape);
  return norm(box.upper - box.lower);
}

using Vertices = std::array<MinkowskiPoint, 4>;
using Index = std::uint8_t;

SimplexFoot vertex_only(const Vertices& s, Index i) {
  SimplexFoot foot;
  foot.nearest = s[i].difference;
  foot.weight[0] = 1;
  foot.vertex[0] = i;
  foot.size = 1;
  return foot;
}

/// t = -dot(a, b - a) / |b - a|^2, clamped to the ends.
SimplexFoot nearest_on_segment(const Vertices& s, Index i, Index j) {
  const Vec3 &a = s[i].difference, along = s[j].difference - a;
  const double t = -dot(a, along), length2 = dot(along, along);
  if (!(t > 0)) return vertex_only(s, i);
  if (!(t < length2)) return vertex_only(s, j);
  SimplexFoot foot;
  foot.nearest = a + (t / length2) * along;
  foot.weight = {1 - t / length2, t / length2};
  foot.vertex = {i, j};
  foot.size = 2;
  return foot;
}

bool nearer(const SimplexFoot& a, const SimplexFoot& b) {
  return dot(a.nearest, a.nearest) < dot(b.nearest, b.nearest);
}

void take_nearer(const SimplexFoot& foot, SimplexFoot& best) {
  if (best.size == 0 || nearer(foot, best)) best = foot;
}

/// Over the inside all three part areas, dot(n, cross(b, c)) and so on, are positive; else the foot is on an edge that
/// has the origin on its outer side.
SimplexFoot nearest_on_triangle(const Vertices& s, Index i, Index j, Index k) {
  const Vec3 &a = s[i].difference, &b = s[j].difference, &c = s[k].difference, n = cross(b - a, c - a);
  const double over_a = dot(n, cross(b, c)), over_b = dot(n, cross(c, a)), over_c = dot(n, cross(a, b));
  const double sum = over_a + over_b + over_c;
  SimplexFoot foot;
  if (over_a > 0 && over_b > 0 && over_c > 0 && sum > 0) {
    foot.nearest = (dot(n, a) / dot(n, n)) * n;  // exactly along the normal, unlike the weighted sum
    foot.weight = {over_a / sum, over_b / sum, over_c / sum};
    foot.vertex = {i, j, k};
    foot.size = 3;
    return foot;
  }
  if (!(over_c > 0)) take_nearer(nearest_on_segment(s, i, j), foot);
  if (!(over_a > 0)) take_nearer(nearest_on_segment(s, j, k), foot);
  if (!(over_b > 0)) take_nearer(nearest_on_segment(s, k, i), foot);
  return foot;
}

constexpr std::array<std::array<Index, 4>, 4> kFace{{{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}}};

/// In slivers the signs of heights are noise; then the weights do not lead to the origin.
bool leads_to_origin(const Vertices& s, const std::array<double, 4>& weight) {
  Vec3 sum;
  double scale2 = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    sum += weight[k] * s[k].difference;
    scale2 = std::max(scale2, dot(s[k].difference, s[k].difference));
  }
  return dot(sum, sum) <= 1e-16 * scale2;
}

/// The nearest of the faces whose bit is set.
SimplexFoot nearest_on_faces(const Vertices& s, unsigned faces) {
  SimplexFoot best;
  for (std::size_t f = 0; f < 4; ++f) {
    if ((faces >> f & 1) == 0) continue;
    const auto& [i, j, k, opposite] = kFace[f];
    take_nearer(nearest_on_triangle(s, i, j, k), best);
  }
  return best;
}

/// Inside when no face has the origin on the other side than the fourth vertex; else on the nearest such face. A flat
/// tetrahedron has no inside.
SimplexFoot nearest_on_tetrahedron(const Vertices& s) {
  SimplexFoot inside;
  unsigned outside = 0;
  double sum = 0;
  for (std::size_t f = 0; f < 4; ++f) {
    const auto& [i, j, k, opposite] = kFace[f];
    const Vec3 &a = s[i].difference, d = s[opposite].difference - a;
    const Vec3 n = cross(s[j].difference - a, s[k].difference - a);
    const double height = dot(n, d), origin = -dot(n, a);
    inside.weight[opposite] = std::fabs(origin);
    sum += inside.weight[opposite];
    const bool flat = !(height * height > 1e-28 * dot(n, n) * dot(d, d));
    if (flat || !(origin * height >= 0)) outside |= 1u << f;
  }
  if (outside != 0) return nearest_on_faces(s, outside);
  // Each vertex weighs as the volume between the origin and the face opposite to it.
  for (double& weight : inside.weight) weight = sum > 0 ? weight / sum : 0.25;
  if (!leads_to_origin(s, inside.weight)) return nearest_on_faces(s, 0xf);
  inside.vertex = {0, 1, 2, 3};
  inside.size = 4;
  inside.holds_origin = true;
  return inside;
}

}  // namespace

MinkowskiDifference::MinkowskiDifference(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b)
    : a_(a),
      b_(&b),
      turn_(to_matrix(conjugate(pose_a.orientation) * pose_b.orientation)),
      offset_(transform_back(pose_a, pose_b.position)),
      radius_a_(core_radius(a)),
      radius_b_(core_radius(b)) {
  require(has_support(a) && has_support(b), "only convex, bounded shapes have a distance; use their parts");
  size_ = diagonal(a) + diagonal(b);
}

MinkowskiDifference::MinkowskiDifference(const Shape& a, const Pose& pose_a, const Triangle& b)
    : a_(a),
      corner_{transform_back(pose_a, b.a), transform_back(pose_a, b.b), transform_back(pose_a, b.c)},
      offset_((1.0 / 3) * (corner_[0] + corner_[1] + corner_[2])),
      radius_a_(core_radius(a)) {
  require(has_support(a), "only convex, bounded shapes have a distance; use their parts");
  size_ = diagonal(a) + std::max({norm(b.b - b.a), norm(b.c - b.b), norm(b.a - b.c)});
}

MinkowskiPoint MinkowskiDifference::support(const Vec3& direction) const {
  const Vec3 p = core_support(a_, direction);
  if (b_ == nullptr) {
    const double d0 = dot(corner_[0], direction), d1 = dot(corner_[1], direction), d2 = dot(corner_[2], direction);
    const Vec3& q = d0 <= d1 && d0 <= d2 ? corner_[0] : d1 <= d2 ? corner_[1] : corner_[2];
    return {p, p - q};
  }
  const Vec3 q = offset_ + turn_ * core_support(*b_, multiply_transposed(turn_, -direction));
  return {p, p - q};
}

void Simplex::keep(const SimplexFoot& foot) {
  // Indices ascend or turn round; the vertices are few, so that a copy is the simplest way to reorder them.
  Vertices kept;
  for (std::size_t k = 0; k < foot.size; ++k) kept[k] = vertex[foot.vertex[k]];
  for (std::size_t k = 0; k < foot.size; ++k) vertex[k] = kept[k];
  weight = foot.weight;
  size = foot.size;
  nearest = foot.nearest;
  holds_origin = foot.holds_origin;
}

Vec3 Simplex::on_a() const {
  Vec3 sum;
  for (std::size_t k = 0; k < to_index(size); ++k) sum += weight[k] * vertex[k].on_a;
  return sum;
}

SimplexFoot nearest_to_origin(const std::array<MinkowskiPoint, 4>& vertex, int size) {
  switch (size) {
    case 1: return vertex_only(vertex, 0);
    case 2: return nearest_on_segment(vertex, 0, 1);
    case 3: return nearest_on_triangle(vertex, 0, 1, 2);
    default: return nearest_on_tetrahedron(vertex);
  }
}

}  // namespace cairn
