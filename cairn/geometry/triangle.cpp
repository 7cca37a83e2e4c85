// SPDX-License-Identifier: MIT
#include "cairn/geometry/triangle.h"

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Height over the longest edge, relative to that edge.
constexpr double kSliver = 1e-9;
/// See edge_kind.
constexpr double kFlatSlope = 1e-3;

double coordinate(const Vec3& p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

/// The point nearest to `p` on the edges: where the face's own region does not apply.
TrianglePoint closest_on_edges(const Vec3& p, const Triangle& t) {
  const std::array<Vec3, 3> v{t.a, t.b, t.c};
  TrianglePoint best;
  double best2 = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const Vec3 from = v[to_index(k)], edge = v[to_index((k + 1) % 3)] - from;
    const double along = dot(p - from, edge), length2 = dot(edge, edge);
    TrianglePoint candidate{from + (along / length2) * edge, static_cast<TrianglePart>(3 + k)};
    if (!(along > 0))
      candidate = {from, static_cast<TrianglePart>(k)};
    else if (along >= length2)
      candidate = {v[to_index((k + 1) % 3)], static_cast<TrianglePart>((k + 1) % 3)};
    const Vec3 off = p - candidate.point;
    if (const double d2 = dot(off, off); d2 < best2) {
      best = candidate;
      best2 = d2;
    }
  }
  return best;
}

}  // namespace

TrianglePoint closest_on_triangle(const Vec3& p, const Triangle& t) {
  const Vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
  const Vec3 n = area_vector(t);
  const double longest2 = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)}), n2 = dot(n, n);
  // The normal of a sliver is noise; its edges are as good as its face.
  if (!(n2 > kSliver * kSliver * longest2 * longest2)) return closest_on_edges(p, t);
  // Above the face when p is on the inner side of the three planes that stand on the edges; those heights are also the
  // weights of the opposite corners.
  const double c = dot(cross(ab, p - t.a), n), a = dot(cross(bc, p - t.b), n), b = dot(cross(ca, p - t.c), n);
  if (!(a > 0 && b > 0 && c > 0)) return closest_on_edges(p, t);
  const double sum = a + b + c;
  return {t.a + (b / sum) * ab - (c / sum) * ca, TrianglePart::face};
}

EdgeKind edge_kind(const Triangle& t, const Vec3& normal, int k, const Vec3& far) {
  const Vec3 from = k == 0 ? t.a : k == 1 ? t.b : t.c, to = k == 0 ? t.b : k == 1 ? t.c : t.a;
  const Vec3 third = k == 0 ? t.c : k == 1 ? t.a : t.b;
  const Vec3 edge = to - from, off = far - from, own = third - from;
  const double height = dot(normal, off);
  const Vec3 off_edge = off - (dot(off, edge) / dot(edge, edge)) * edge;
  // Folded back onto itself is no plane: the far corner must lie on the other side of the edge, too.
  const bool opens = dot(own - (dot(own, edge) / dot(edge, edge)) * edge, off_edge) < 0;
  if (opens && std::fabs(height) <= kFlatSlope * norm(off_edge)) return EdgeKind::flat;
  return height <= 0 ? EdgeKind::convex : EdgeKind::concave;
}

TriangleRay::TriangleRay(const Vec3& origin, const Vec3& direction) : origin_(origin) {
  const double x = std::fabs(direction.x), y = std::fabs(direction.y), z = std::fabs(direction.z);
  const int main = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  axis_ = {(main + 1) % 3, (main + 2) % 3, main};
  const double along = coordinate(direction, main);
  shear_x_ = coordinate(direction, axis_[0]) / along;
  shear_y_ = coordinate(direction, axis_[1]) / along;
  scale_z_ = 1 / along;
}

std::array<double, 3> TriangleRay::sheared(const Vec3& p) const {
  const Vec3 q = p - origin_;
  const double z = coordinate(q, axis_[2]);
  return {coordinate(q, axis_[0]) - shear_x_ * z, coordinate(q, axis_[1]) - shear_y_ * z, scale_z_ * z};
}

std::optional<double> TriangleRay::hit(const Triangle& t, double max_distance) const {
  const auto a = sheared(t.a), b = sheared(t.b), c = sheared(t.c);
  // Twice the signed areas seen along the ray; the hit is inside when none has the other sign.
  const double u = c[0] * b[1] - c[1] * b[0], v = a[0] * c[1] - a[1] * c[0], w = b[0] * a[1] - b[1] * a[0];
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return std::nullopt;
  const double sum = u + v + w;
  if (sum == 0) return std::nullopt;  // seen edge-on
  const double distance = (u * a[2] + v * b[2] + w * c[2]) / sum;
  if (!(distance >= 0 && distance <= max_distance)) return std::nullopt;
  return distance;
}

void VolumeIntegral::add(const Triangle& t) {
  const Vec3 a = t.a - reference_, b = t.b - reference_, c = t.c - reference_, s = a + b + c;
  const double d = dot(a, cross(b, c));
  determinant_ += d;
  first_ += d * s;
  // Over a tetrahedron with one corner at 0: int x x^T = det / 120 (a a^T + b b^T + c c^T + s s^T).
  const auto moment = [&](double ai, double aj, double bi, double bj, double ci, double cj) {
    return d * (ai * aj + bi * bj + ci * cj + (ai + bi + ci) * (aj + bj + cj));
  };
  second_.xx += moment(a.x, a.x, b.x, b.x, c.x, c.x);
  second_.yy += moment(a.y, a.y, b.y, b.y, c.y, c.y);
  second_.zz += moment(a.z, a.z, b.z, b.z, c.z, c.z);
  second_.xy += moment(a.x, a.y, b.x, b.y, c.x, c.y);
  second_.xz += moment(a.x, a.z, b.x, b.z, c.x, c.z);
  second_.yz += moment(a.y, a.z, b.y, b.z, c.y, c.z);
}

MassProperties VolumeIntegral::properties(double density) const {
  const double mass = density * volume(), s = density / 120;
  const Vec3 c = (1.0 / (4 * determinant_)) * first_;  // relative to the reference
  // Second moments about the centre, then I = trace(M) 1 - M.
  const double xx = s * second_.xx - mass * c.x * c.x, yy = s * second_.yy - mass * c.y * c.y;
  const double zz = s * second_.zz - mass * c.z * c.z;
  return {mass,
          reference_ + c,
          {yy + zz, zz + xx, xx + yy, mass * c.x * c.y - s * second_.xy, mass * c.x * c.z - s * second_.xz,
           mass * c.y * c.z - s * second_.yz}};
}

}  // namespace cairn
