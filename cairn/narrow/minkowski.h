// SPDX-License-Identifier: MIT
// The difference of two convex shapes, A - B = {p - q : p in A, q in B}, known by its farthest points. The shapes
// overlap exactly where it holds the origin, and its surface is as far from the origin as they are apart, or deep.
//
// Spheres and capsules take part as a point or a segment, the core, with a radius that is added afterwards: their
// contacts stay exact, and most of them never overlap in the core.
#pragma once

#include <array>

#include "cairn/geometry/shape.h"

namespace cairn {

/// A point of A - B with the two points that made it. Positions are in world axes from the origin of A's pose, so that
/// bodies far from the world's origin lose no digits.
struct MinkowskiPoint {
  Vec3 on_a, on_b;
  Vec3 difference;  ///< derived: on_a - on_b
};

/// What is given to it must outlive it.
class MinkowskiDifference {
 public:
  /// Refuses (InputError) shapes without support.
  MinkowskiDifference(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);
  /// Against a triangle in the frame of the poses.
  MinkowskiDifference(const Shape& a, const Pose& pose_a, const Triangle& b);

  /// The point of core A - core B farthest along `direction`, which need not be unit.
  MinkowskiPoint support(const Vec3& direction) const;

  const Vec3& between_centres() const {
    return offset_;
  }  ///< from the origin of A's pose to that of B's, or to a triangle's middle
  double radius_a() const { return radius_a_; }
  double radius_b() const { return radius_b_; }
  double size() const { return size_; }  ///< of both shapes together: the scale of all tolerances

 private:
  const Shape& a_;
  const Shape* b_ = nullptr;    ///< else the triangle
  std::array<Vec3, 3> corner_;  ///< of the triangle, from A's origin
  Quat q_a_, q_b_;
  Vec3 offset_;
  double radius_a_ = 0, radius_b_ = 0, size_ = 0;
};

/// The nearest point to the origin of a vertex, segment, triangle or tetrahedron of A - B, and the fewest vertices
/// that hold it.
struct Simplex {
  std::array<MinkowskiPoint, 4> vertex;
  std::array<double, 4> weight{};  ///< of each vertex in the nearest point; the sum is 1
  int size = 0;
  Vec3 nearest;               ///< the point nearest to the origin
  bool holds_origin = false;  ///< a tetrahedron with the origin inside

  Vec3 on_a() const;
  Vec3 on_b() const;
};

/// Drops the vertices that the nearest point does not need and fills in weights and nearest point.
Simplex nearest_to_origin(const Simplex& simplex);

}  // namespace cairn
