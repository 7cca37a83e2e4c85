// SPDX-License-Identifier: MIT
// Bounding balls: the second bounds of shapes, beside their boxes. They turn with a body without changing, and those
// of diagonal neighbours in a packing are apart where the boxes overlap. An infinite radius says nothing.
#pragma once

#include <limits>

#include "cairn/math/vec3.h"

namespace cairn {

struct BoundingBall {
  Vec3 centre;
  double radius = std::numeric_limits<double>::infinity();
  friend constexpr bool operator==(const BoundingBall&, const BoundingBall&) = default;
};

/// Touching counts as overlapping: |c_a - c_b|^2 <= (r_a + r_b)^2.
constexpr bool overlap(const BoundingBall& a, const BoundingBall& b) {
  const Vec3 d = a.centre - b.centre;
  const double r = a.radius + b.radius;
  return dot(d, d) <= r * r;
}

}  // namespace cairn
