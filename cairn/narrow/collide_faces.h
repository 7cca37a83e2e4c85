// SPDX-License-Identifier: MIT
// Any two bounded convex shapes by the faces, discs and side lines that meet: the axis of least overlap from the
// distance walk (gjk.h, epa.h), then, where a face of either shape lies across it, that face and what it meets are cut
// to their common part; where two side lines lie along each other, the ends of their common stretch.
//
// Asking the walk for the axis costs a few supports; trying all pairs of edges costs their product.
#pragma once

#include "cairn/geometry/shape.h"
#include "cairn/narrow/gjk.h"
#include "cairn/narrow/manifold.h"

namespace cairn {

/// A face is used where it separates almost as well as the best axis: within this times the smaller shape's least
/// width along its own axes. For the same reasons as kFacePreference of boxes.
inline constexpr double kAnyFacePreference = 1e-3;

/// Points with separation at most `margin`, normal from a to b. Features: what of the incident shape above, what of
/// the reference below (contact_feature.h), bit 15 where b is the reference; all bits set for the single point of
/// shapes that meet in none of these ways. Both must have support. `axis` is that of
/// collide_convex.
Manifold collide_faces(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
                       WalkAxis& axis);
Manifold collide_faces(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin);

/// The least width along the shape's own axes.
double least_width(const Shape& shape);

}  // namespace cairn
