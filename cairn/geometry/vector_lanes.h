// SPDX-License-Identifier: MIT
// VectorLanes: many vectors by coordinates, asked which of them lies farthest along a direction or what box holds them.
// Corners and normals of hulls are asked that several times for every pair of shapes.
#pragma once

#include <span>
#include <vector>

#include "cairn/math/aabb.h"
#include "cairn/math/quat.h"

namespace cairn {

/// Immutable after `assign`.
class VectorLanes {
 public:
  void assign(std::span<const Vec3> vectors);

  /// The index of the largest dot(v, direction), the lowest among equals; 0 where the direction is not a number.
  std::size_t farthest(const Vec3& direction) const;

  /// The box of all vectors, turned by `rotation`.
  Aabb bounds(const Mat3& rotation) const;

 private:
  static constexpr std::size_t kLanes = 4;

  /// Blocks of four x, four y, four z. The last vector stands in for missing ones: it never is the lowest of equals.
  std::vector<double> block_;
};

}  // namespace cairn
