// SPDX-License-Identifier: MIT
// Moving a shape along a straight line until it touches another: shape-cast queries, and bodies so fast that they would
// pass through others within a step.
//
// The distance along the motion is a convex function of the fraction, and its slope is minus the speed along the
// normal. Newton's step, fraction += distance / speed, therefore never passes the first touch (conservative
// advancement) and closes in quadratically, or by halves where the shapes only graze each other.
#pragma once

#include <optional>

#include "cairn/geometry/shape.h"

namespace cairn {

/// Distances up to this times the diagonal of the cast shape count as touching.
inline constexpr double kCastTolerance = 1e-7;

struct CastHit {
  double fraction = 0;  ///< of the translation, 0 to 1
  Vec3 normal;          ///< unit, in the world, from the cast shape to the other
  Vec3 point;           ///< in the world, on the other shape
};

/// The first touch of `a`, moved from pose_a by `translation`, with the resting `b`; none if they do not meet.
/// Overlapping shapes hit at fraction 0; shapes that touch within the tolerance only where they approach. `a` is convex
/// or a compound of convex shapes (else InputError), `b` anything; surfaces are hit from the front only, and inner
/// edges of plane and hollow parts answer with the normal of their face. When the steps run out, which needs a graze of
/// extreme shapes, the fraction reached is the answer: early, never late.
std::optional<CastHit> cast(const Shape& a, const Pose& pose_a, const Vec3& translation, const Shape& b,
                            const Pose& pose_b);

/// Whether the shapes have a point in common; surfaces have no inside. Half-spaces and surfaces against each other
/// never do.
bool overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

}  // namespace cairn
