// SPDX-License-Identifier: MIT
// Distance of two convex shapes from their farthest points alone (Gilbert, Johnson, Keerthi 1988): walk to the point
// of A - B nearest to the origin with simplices of at most four points. Where the shapes overlap, epa.h goes on.
#pragma once

#include "cairn/narrow/manifold.h"
#include "cairn/narrow/minkowski.h"

namespace cairn {

/// What the walk found of the cores.
struct GjkResult {
  Simplex simplex;  ///< holds the nearest point
  bool overlap = false;
  bool converged = false;  ///< false: stopped at the limit of iterations; the point is a point, perhaps not the nearest
  int iterations = 0;
};

GjkResult gjk(const MinkowskiDifference& difference);

/// Signed distance with where it is. All values are finite for finite poses.
struct ConvexDistance {
  double distance = 0;  ///< negative: how far the shapes must be moved along the normal to be apart
  Vec3 normal;          ///< unit, from a to b
  Vec3 on_a, on_b;      ///< in the world; on_b - on_a = distance * normal
  bool converged = false;
  int iterations = 0;  ///< of both parts
};

/// Only where has_support; other shapes are refused (InputError).
ConvexDistance distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

/// Against a triangle in the frame of the pose, which is a set without thickness: it has no front and back here.
ConvexDistance distance(const Shape& a, const Pose& pose_a, const Triangle& b);

/// One point of contact where the distance is at most `margin`, for pairs without a function of their own.
Manifold collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin);

}  // namespace cairn
