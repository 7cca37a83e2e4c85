// SPDX-License-Identifier: MIT
// Distance of two convex shapes from their farthest points alone (Gilbert, Johnson, Keerthi 1988): walk to the point
// of A - B nearest to the origin with simplices of at most four points. Where the shapes overlap, epa.h goes on.
//
// A walk may begin along the axis of an earlier one, and end as soon as the shapes are known to be farther apart than
// the caller asks about (the separating axis of van den Bergen 1999): most pairs that stay apart need one step.
#pragma once

#include <limits>

#include "cairn/narrow/manifold.h"
#include "cairn/narrow/minkowski.h"

namespace cairn {

/// Where a walk begins and when it may end.
struct GjkStart {
  Vec3 axis;  ///< about from A to B, in the frame of A; 0: from centre to centre
  double far = std::numeric_limits<double>::infinity();  ///< cores farther apart than this are apart, however far
};

/// What the walk found of the cores.
struct GjkResult {
  Simplex simplex;        ///< holds the nearest point
  bool apart = false;     ///< known to be farther apart than asked about; there is no nearest point then
  Vec3 axis;              ///< where apart: unit, from A to B
  double separation = 0;  ///< where apart: of the cores along the axis, never more than their distance
  bool overlap = false;
  bool converged = false;  ///< false: stopped at the limit of iterations; the point is a point, perhaps not the nearest
  int iterations = 0;
};

GjkResult gjk(const MinkowskiDifference& difference, const GjkStart& start = {});

/// Signed distance with where it is. All values are finite for finite poses.
struct ConvexDistance {
  double distance = 0;  ///< negative: how far the shapes must be moved along the normal to be apart
  Vec3 normal;          ///< unit, from a to b
  Vec3 on_a, on_b;      ///< in the world; on_b - on_a = distance * normal
  bool apart = false;   ///< beyond the margin: the distance is at least the one given, and there are no points
  bool converged = false;
  int iterations = 0;  ///< of both parts
};

/// Only where has_support; other shapes are refused (InputError).
ConvexDistance distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

/// Against a triangle in the frame of the pose, which is a set without thickness: it has no front and back here.
ConvexDistance distance(const Shape& a, const Pose& pose_a, const Triangle& b);

/// The same where only distances up to `margin` matter.
ConvexDistance distance_within(const Shape& a, const Pose& pose_a, const Triangle& b, double margin);

/// An axis that is kept for the next walk of the same pair: in the frame of a, 0 where there is none. Any other value
/// is as good for the result and costs some steps.
using WalkAxis = std::array<float, 3>;

/// One point of contact where the distance is at most `margin`, for pairs without a function of their own. Begins
/// along `axis` and leaves there what it found.
Manifold collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
                        WalkAxis& axis);
/// From centre to centre, and nothing is kept.
Manifold collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin);

}  // namespace cairn
