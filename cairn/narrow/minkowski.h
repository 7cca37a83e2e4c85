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

/// A point of A - B with the point of A that made it, both in the frame of A: bodies far from the world's origin lose
/// no digits, and only directions and points of B are turned.
struct MinkowskiPoint {
  Vec3 on_a;
  Vec3 difference;  ///< on_a minus the point of B
};

/// What is given to it must outlive it.
class MinkowskiDifference {
 public:
  /// Refuses (InputError) shapes without support.
  MinkowskiDifference(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);
  /// Against a triangle in the frame of the poses.
  MinkowskiDifference(const Shape& a, const Pose& pose_a, const Triangle& b);

  /// The point of core A - core B farthest along `direction` (in the frame of A), which need not be unit.
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
  std::array<Vec3, 3> corner_;  ///< of the triangle
  Mat3 turn_;                   ///< from the axes of B to those of A
  Vec3 offset_;
  double radius_a_ = 0, radius_b_ = 0, size_ = 0;
};

/// The point of a vertex, segment, triangle or tetrahedron that is nearest to the origin, and the fewest vertices that
/// hold it.
struct SimplexFoot {
  Vec3 nearest;
  std::array<double, 4> weight{};  ///< of each vertex in the nearest point; the sum is 1
  std::array<std::uint8_t, 4> vertex{};
  std::uint8_t size = 0;
  bool holds_origin = false;  ///< a tetrahedron with the origin inside
};

/// At most four points of A - B and their foot.
struct Simplex {
  std::array<MinkowskiPoint, 4> vertex;
  std::array<double, 4> weight{};
  int size = 0;
  Vec3 nearest;
  bool holds_origin = false;

  /// Drops the vertices that the foot, which is one of theirs, does not need.
  void keep(const SimplexFoot& foot);
  /// The point of A at the foot.
  Vec3 on_a() const;
};

/// Of the first `size` vertices.
SimplexFoot nearest_to_origin(const std::array<MinkowskiPoint, 4>& vertex, int size);

}  // namespace cairn
