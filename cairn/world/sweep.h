// SPDX-License-Identifier: MIT
// Sweep: when two bodies that move and turn within a step first touch. For continuous collision.
//
// The distance along a normal n falls at most with the speed of the shape's middle along n, as seen from the other
// body, and with what turning brings its surface nearer. So steps of t (conservative advancement, Mirtich 1996),
//
//   d - target = (n . v + |w_a - w_b| r) t + c t^2 / 2,
//
// never pass the first time at which the distance d is `target`. v and w are the motion per step, r is the radius about
// the middle, and c bounds how fast v changes, since the other body turns.
#pragma once

#include <optional>

#include "cairn/geometry/shape.h"
#include "cairn/math/velocity.h"

namespace cairn {

/// A body within a step: from a pose by a displacement, evenly. Times are fractions of the step.
struct BodyPath {
  Pose start;        ///< of the centre of mass, at `begin`
  Velocity way;      ///< m, rad, per whole step
  double begin = 0;  ///< the path is valid from then on

  /// Where it is. After the end of the step it goes straight on and does not turn.
  Pose at(double time) const;
};

/// A shape on a body's path.
struct SweptShape {
  const Shape& shape;
  Pose local;       ///< from the centre of mass
  Vec3 middle;      ///< of its bounding ball, from the centre of mass, body axes
  double radius;    ///< of the ball
  double turns_by;  ///< m, the radius that turning moves; 0 for a ball about its middle
};

/// Which touches count.
struct SweepLimits {
  double from = 0, until = 1;  ///< times between which is looked
  double skin = 0;             ///< m, shapes that are nearer touch
  double depth = 0;            ///< m, shallower overlaps are the business of contacts
};

/// A touch.
struct Touch {
  double time = 1;
  Vec3 normal;          ///< unit, world, from a to b
  Vec3 point;           ///< world, on b
  double distance = 0;  ///< m, negative where they overlap
};

/// The first touch of `a` with `b` that contacts must not be left alone with; none if there is no such touch.
///
/// Shapes that are apart touch when they are within the skin, unless they then get no deeper than `depth` by the end of
/// the next step: a graze, as of the tiles of a floor on which `a` slides, is no touch. Shapes that are within the skin
/// already touch when they have come nearer by `depth`. Where they are deeper in each other than half of the half
/// thickness of `a`, only a point in the middle of `a` is kept from getting into `b`: contacts push the rest out.
std::optional<Touch> first_touch(const SweptShape& a, const BodyPath& path_a, const SweptShape& b,
                                 const BodyPath& path_b, const SweepLimits& limits);

/// How fast a shape's surface leaves its place by turning, rad: turning about the axis of a capsule, a cylinder or a
/// cone leaves it where it is. `orientation`: of the shape.
double effective_turn(const Shape& shape, const Quat& orientation, const Vec3& turn);

/// Half the smallest extent of a convex shape, or of the thinnest part of a compound.
double half_thickness(const Shape& shape);

}  // namespace cairn
