// SPDX-License-Identifier: MIT
// Along which direction a convex shape and a triangle of a surface overlap least, pushing the shape to the front.
#pragma once

#include "cairn/geometry/shape.h"
#include "cairn/narrow/surface.h"

namespace cairn {

/// In the frame of the surface. Written by axis_of_box and axis_of_convex.
struct TriangleAxis {
  bool apart = false;                      ///< farther apart than the margin; nothing else is filled in
  Vec3 m;                                  ///< unit, from the triangle to the shape
  double separation = 0;                   ///< along m
  TrianglePart part = TrianglePart::face;  ///< of the triangle, farthest along m
  bool has_points = false;                 ///< the two points are known
  Vec3 on_shape, on_triangle;
};

/// Thirteen separating axes (3 faces of the box, the triangle, 9 pairs of edges). The triangle's own normal, along
/// which the separation is `over_face`, is beaten only by more than `slop`, faces of the box by edges only so, too.
TriangleAxis axis_of_box(const Box& box, const Pose& pose, const SurfaceTriangle& triangle, double over_face,
                         double margin, double slop);

/// By the distance walk, for any bounded convex shape. It may push to the back.
TriangleAxis axis_of_convex(const Shape& shape, const Pose& pose, const SurfaceTriangle& triangle, double margin);

}  // namespace cairn
