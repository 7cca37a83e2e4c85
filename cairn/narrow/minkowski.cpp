// SPDX-License-Identifier: MIT
#include "cairn/narrow/minkowski.h"

#include <algorithm>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

double core_radius(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return capsule->radius;
  return 0;
}

Vec3 core_support(const Shape& shape, const Vec3& direction) {
  if (std::holds_alternative<Sphere>(shape)) return {};
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return {0, 0, direction.z < 0 ? -capsule->half_length : capsule->half_length};
  return support(shape, direction);
}

double diagonal(const Shape& shape) {
  const Aabb box = bounds(shape, Pose{});
  return norm(box.upper - box.lower);
}

Simplex vertex_only(const MinkowskiPoint& p) {
  Simplex result;
  result.vertex[0] = p;
  result.weight[0] = 1;
  result.size = 1;
  result.nearest = p.difference;
  return result;
}

/// t = -dot(a, b - a) / |b - a|^2, clamped to the ends.
Simplex nearest_on_segment(const MinkowskiPoint& p, const MinkowskiPoint& q) {
  const Vec3 a = p.difference, along = q.difference - a;
  const double t = -dot(a, along), length2 = dot(along, along);
  if (!(t > 0)) return vertex_only(p);
  if (!(t < length2)) return vertex_only(q);
  Simplex result;
  result.vertex = {p, q};
  result.weight = {1 - t / length2, t / length2};
  result.size = 2;
  result.nearest = a + (t / length2) * along;
  return result;
}

bool nearer(const Simplex& a, const Simplex& b) { return dot(a.nearest, a.nearest) < dot(b.nearest, b.nearest); }

/// Over the inside all three part areas, dot(n, cross(b, c)) and so on, are positive; else an edge is nearest.
Simplex nearest_on_triangle(const MinkowskiPoint& p, const MinkowskiPoint& q, const MinkowskiPoint& r) {
  const Vec3 a = p.difference, b = q.difference, c = r.difference, n = cross(b - a, c - a);
  const double over_a = dot(n, cross(b, c)), over_b = dot(n, cross(c, a)), over_c = dot(n, cross(a, b));
  const double sum = over_a + over_b + over_c;
  if (over_a > 0 && over_b > 0 && over_c > 0 && sum > 0) {
    Simplex result;
    result.vertex = {p, q, r};
    result.weight = {over_a / sum, over_b / sum, over_c / sum};
    result.size = 3;
    result.nearest = (dot(n, a) / dot(n, n)) * n;  // exactly along the normal, unlike the weighted sum
    return result;
  }
  Simplex best = nearest_on_segment(p, q);
  if (const Simplex other = nearest_on_segment(q, r); nearer(other, best)) best = other;
  if (const Simplex other = nearest_on_segment(r, p); nearer(other, best)) best = other;
  return best;
}

constexpr std::array<std::array<std::size_t, 4>, 4> kFace{{{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}}};

/// In slivers the signs of heights are noise; then the weights do not lead to the origin.
bool leads_to_origin(const Simplex& s) {
  Vec3 sum;
  double scale = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    sum += s.weight[k] * s.vertex[k].difference;
    scale = std::max(scale, norm(s.vertex[k].difference));
  }
  return norm(sum) <= 1e-8 * scale;
}

/// The nearest of the faces whose bit is set.
Simplex nearest_on_faces(const Simplex& s, unsigned faces) {
  Simplex best;
  bool found = false;
  for (std::size_t f = 0; f < 4; ++f) {
    if ((faces >> f & 1) == 0) continue;
    const auto& [i, j, k, opposite] = kFace[f];
    const Simplex face = nearest_on_triangle(s.vertex[i], s.vertex[j], s.vertex[k]);
    if (!found || nearer(face, best)) best = face;
    found = true;
  }
  return best;
}

/// Inside when no face has the origin on the other side than the fourth vertex; else on the nearest such face. A flat
/// tetrahedron has no inside.
Simplex nearest_on_tetrahedron(const Simplex& s) {
  Simplex inside = s;
  unsigned outside = 0;
  double sum = 0;
  for (std::size_t f = 0; f < 4; ++f) {
    const auto& [i, j, k, opposite] = kFace[f];
    const Vec3 a = s.vertex[i].difference, d = s.vertex[opposite].difference - a;
    const Vec3 n = cross(s.vertex[j].difference - a, s.vertex[k].difference - a);
    const double height = dot(n, d), origin = -dot(n, a);
    inside.weight[opposite] = std::fabs(origin);
    sum += inside.weight[opposite];
    const bool flat = !(std::fabs(height) > 1e-14 * norm(n) * norm(d));
    if (flat || !(origin * height >= 0)) outside |= 1u << f;
  }
  if (outside != 0) return nearest_on_faces(s, outside);
  // Each vertex weighs as the volume between the origin and the face opposite to it.
  for (double& weight : inside.weight) weight = sum > 0 ? weight / sum : 0.25;
  if (!leads_to_origin(inside)) return nearest_on_faces(s, 0xf);
  inside.nearest = {};
  inside.holds_origin = true;
  return inside;
}

}  // namespace

MinkowskiDifference::MinkowskiDifference(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b)
    : a_(a),
      b_(&b),
      q_a_(pose_a.orientation),
      q_b_(pose_b.orientation),
      offset_(pose_b.position - pose_a.position),
      radius_a_(core_radius(a)),
      radius_b_(core_radius(b)) {
  require(has_support(a) && has_support(b), "only convex, bounded shapes have a distance; use their parts");
  size_ = diagonal(a) + diagonal(b);
}

MinkowskiDifference::MinkowskiDifference(const Shape& a, const Pose& pose_a, const Triangle& b)
    : a_(a),
      corner_{b.a - pose_a.position, b.b - pose_a.position, b.c - pose_a.position},
      q_a_(pose_a.orientation),
      offset_((1.0 / 3) * (corner_[0] + corner_[1] + corner_[2])),
      radius_a_(core_radius(a)) {
  require(has_support(a), "only convex, bounded shapes have a distance; use their parts");
  size_ = diagonal(a) + std::max({norm(b.b - b.a), norm(b.c - b.b), norm(b.a - b.c)});
}

MinkowskiPoint MinkowskiDifference::support(const Vec3& direction) const {
  const Vec3 p = rotate(q_a_, core_support(a_, rotate_back(q_a_, direction)));
  if (b_ == nullptr) {
    const double d0 = dot(corner_[0], direction), d1 = dot(corner_[1], direction), d2 = dot(corner_[2], direction);
    const Vec3 q = d0 <= d1 && d0 <= d2 ? corner_[0] : d1 <= d2 ? corner_[1] : corner_[2];
    return {p, q, p - q};
  }
  const Vec3 q = offset_ + rotate(q_b_, core_support(*b_, rotate_back(q_b_, -direction)));
  return {p, q, p - q};
}

Vec3 Simplex::on_a() const {
  Vec3 sum;
  for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k) sum += weight[k] * vertex[k].on_a;
  return sum;
}

Vec3 Simplex::on_b() const {
  Vec3 sum;
  for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k) sum += weight[k] * vertex[k].on_b;
  return sum;
}

Simplex nearest_to_origin(const Simplex& s) {
  switch (s.size) {
    case 1: return vertex_only(s.vertex[0]);
    case 2: return nearest_on_segment(s.vertex[0], s.vertex[1]);
    case 3: return nearest_on_triangle(s.vertex[0], s.vertex[1], s.vertex[2]);
    default: return nearest_on_tetrahedron(s);
  }
}

}  // namespace cairn
