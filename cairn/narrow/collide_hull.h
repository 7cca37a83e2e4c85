// SPDX-License-Identifier: MIT
// Hull against hull: the axis of least overlap from the distance walk (gjk.h, epa.h), then, where a face of either
// hull lies across it, that face and the one it meets are cut to their common part.
//
// Asking the walk for the axis costs a few supports; trying all pairs of edges costs their product.
#pragma once

#include "cairn/geometry/hull.h"
#include "cairn/narrow/manifold.h"

namespace cairn {

/// A face is used where it separates almost as well as the best axis: within this times the smaller hull's least
/// width along its own axes. For the same reasons as kFacePreference of boxes.
inline constexpr double kHullFacePreference = 1e-3;

/// Points with separation at most `margin`, normal from a to b. Features: half-edge of the incident face above,
/// half-edge of the reference face below; all bits set where no face lies across the axis.
Manifold collide_hull_hull(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                           double margin);

}  // namespace cairn
