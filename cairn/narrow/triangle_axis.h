// SPDX-License-Identifier: MIT
// Along which direction a convex shape and a triangle of a surface overlap least, pushing the shape to the front.
#pragma once

#include "cairn/geometry/shape.h"
#include "cairn/narrow/surface.h"

namespace cairn {

/// In the frame of the surface. Written by BoxTriangle and axis_of_convex.
struct TriangleAxis {
  bool apart = false;                      ///< farther apart than the margin; nothing else is filled in
  Vec3 m;                                  ///< unit, from the triangle to the shape
  double separation = 0;                   ///< along m
  TrianglePart part = TrianglePart::face;  ///< of the triangle, farthest along m
  bool has_points = false;                 ///< the two points are known
  Vec3 on_shape, on_triangle;
};

/// A box and a triangle by their thirteen separating axes: 3 faces of the box, the triangle, 9 pairs of edges. All is
/// done in the frame of the box, where most of the numbers are zero.
class BoxTriangle {
 public:
  /// `rotation` is that of the pose, as a matrix.
  BoxTriangle(const Box& box, const Vec3& position, const Mat3& rotation, const SurfaceTriangle& triangle);

  /// Farther apart than the margin along an axis of the box: most triangles that only their boxes brought here are.
  bool is_beside(double margin) const;

  /// Along which they overlap least, to the front. The triangle's own normal, with the separation `over_face`, is
  /// beaten only by more than `slop`, faces of the box by edges only so, too.
  TriangleAxis axis(double over_face, double margin, double slop) const;

 private:
  struct Candidate {
    double separation;
    Vec3 m;
    std::size_t box_axis, side;  ///< of crossed edges
  };

  void offer_faces(Candidate& best) const;
  bool offer_edges(double margin, Candidate& best) const;
  void cross_edges(const Candidate& best, TriangleAxis& result) const;

  std::array<double, 3> half_;
  std::array<std::array<double, 3>, 3> corner_;  ///< of the triangle, in the frame of the box
  Vec3 up_;                                      ///< its normal, likewise
  Vec3 position_;
  const Mat3& rotation_;
  const SurfaceTriangle& triangle_;
};

/// By the distance walk, for any bounded convex shape. It may push to the back.
TriangleAxis axis_of_convex(const Shape& shape, const Pose& pose, const SurfaceTriangle& triangle, double margin);

}  // namespace cairn
