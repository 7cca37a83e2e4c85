// SPDX-License-Identifier: MIT
// Triangles: the parts that hulls, meshes and height fields share. Nearest point, ray, how a surface bends across an
// edge, and the volume integral that turns a closed surface into mass, centre and inertia.
#pragma once

#include <array>
#include <optional>

#include "cairn/geometry/query.h"

namespace cairn {

struct Triangle {
  Vec3 a, b, c;
};

/// (b - a) x (c - a): along the outward normal, of length twice the area.
constexpr Vec3 area_vector(const Triangle& t) { return cross(t.b - t.a, t.c - t.a); }

/// Which part of a triangle a point is on. Edge k goes from vertex k to vertex (k + 1) % 3.
enum class TrianglePart : std::uint8_t { vertex0, vertex1, vertex2, edge0, edge1, edge2, face };

struct TrianglePoint {
  Vec3 point;
  TrianglePart part = TrianglePart::face;
};

/// The point of the triangle nearest to `p`. Triangles without area are treated as their longest edge.
TrianglePoint closest_on_triangle(const Vec3& p, const Triangle& t);

/// How a surface continues across an edge, seen from the side of the normals.
enum class EdgeKind : std::uint8_t {
  convex,    ///< a ridge: can touch other bodies by itself
  flat,      ///< the surface goes straight on
  concave,   ///< a valley: cannot touch before the faces do
  boundary,  ///< no neighbour, or more than one
};

/// How the surface bends from the triangle `t` with unit normal `normal` across its edge k to a neighbour whose third
/// corner is `far`. An edge counts as flat when that corner is nearer to the plane than 1e-3 of its distance from the
/// edge: a bend of 0.06 degrees, more than rounding leaves and less than a body notices.
EdgeKind edge_kind(const Triangle& t, const Vec3& normal, int k, const Vec3& far);

/// A ray prepared for many triangles: axes permuted so that z is its main direction, then sheared onto z. Two
/// triangles that share an edge evaluate that edge with the same numbers, so that no ray slips between them (Woop,
/// Benthin, Wald 2013, "Watertight ray/triangle intersection").
class TriangleRay {
 public:
  TriangleRay(const Vec3& origin, const Vec3& direction);

  /// Distance along the ray to the triangle, from either side; nothing behind the origin or beyond `max_distance`.
  std::optional<double> hit(const Triangle& t, double max_distance) const;

 private:
  std::array<double, 3> sheared(const Vec3& p) const;

  Vec3 origin_;
  std::array<int, 3> axis_{};  ///< coordinate that plays x, y, z
  double shear_x_ = 0, shear_y_ = 0, scale_z_ = 1;
};

/// Sums tetrahedra between a reference point and the triangles of a closed surface (divergence theorem).
class VolumeIntegral {
 public:
  /// A reference near the surface keeps the sums free of cancellation.
  explicit VolumeIntegral(const Vec3& reference) : reference_(reference) {}

  void add(const Triangle& t);
  double volume() const { return determinant_ / 6; }
  MassProperties properties(double density) const;

 private:
  Vec3 reference_;
  double determinant_ = 0;  ///< sum of det(a, b, c): six times the volume
  Vec3 first_;              ///< 24 times the first moment
  SymMat3 second_;          ///< 120 times the second moments of x x^T
};

}  // namespace cairn
