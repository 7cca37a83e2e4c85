// SPDX-License-Identifier: MIT
// Sweep: when two bodies that move and turn within a step first touch. For continuous collision.
//
// The distance along a normal n falls at most with the speed of the shape's middle along n, as seen from the other
// body, and with what turning brings its surface nearer. Steps of
//
//   t <- t + (d - target) / (n . v + c (1 - t) + |w_a - w_b| r)       (conservative advancement, Mirtich 1996)
//
// therefore never pass the first t at which d is `target`: d is the signed distance, v and w the motion per step, r the
// radius about the middle, and c bounds by how much v changes along the way. Seen from the world instead, the speed is
// n . (v_a - v_b) + |w_a| R_a + |w_b| R_b with the radii about the centres of mass; the smaller of the two is taken.
#pragma once

#include <optional>

#include "cairn/geometry/shape.h"
#include "cairn/math/velocity.h"

namespace cairn {

/// A body within a step: from its pose by a displacement, evenly.
struct BodyPath {
  Pose start;    ///< of the centre of mass
  Velocity way;  ///< m, rad

  /// At a fraction of the step. Beyond its end the body goes straight on.
  Pose at(double fraction) const;
};

/// A shape on a body's path.
struct SweptShape {
  const Shape& shape;
  Pose local;       ///< from the centre of mass
  Vec3 middle;      ///< of its bounding ball, from the centre of mass, body axes
  double radius;    ///< of the ball
  double turns_by;  ///< m, the radius that turning moves; 0 for a ball about its middle
};

/// How near is too near. A body that was stopped is looked at again with less of both, so that it stands.
struct SweepLimits {
  double skin = 0;   ///< m
  double share = 1;  ///< of the limits, 0 to 1
  double until = 1;  ///< fraction of the step: later touches do not matter
};

/// The fraction of the step at which `a` must stop in front of `b`; none if it may go on.
///
/// It stops `skin` before the touch if it would else get in deeper than a twentieth of its half thickness by the end of
/// the next step. A graze, as of the tiles of a floor on which it slides, is no reason to stop. Where the shapes touch
/// at the beginning, `a` may go on to that depth. Where they are deeper in each other, only the middle of `a` is kept
/// from passing: contacts push the rest out.
std::optional<double> first_touch(const SweptShape& a, const BodyPath& path_a, const SweptShape& b,
                                  const BodyPath& path_b, const SweepLimits& limits);

/// Half the smallest extent of a convex shape, or of the thinnest part of a compound.
double half_thickness(const Shape& shape);

}  // namespace cairn
