// SPDX-License-Identifier: MIT
// Capsule: all points within `radius` of the segment from (0, 0, -half_length) to (0, 0, half_length).
#pragma once

#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Axis z, centre at the origin. Ray feature: 0 side, 1 lower cap, 2 upper cap.
struct Capsule {
  double radius = 0.5;
  double half_length = 0.5;  ///< of the segment between the centres of the caps; the whole is 2 (half_length + radius)
};

Capsule make_capsule(double radius, double half_length);

Aabb bounds(const Capsule& shape, const Pose& pose);
Vec3 support(const Capsule& shape, const Vec3& direction);
MassProperties mass_properties(const Capsule& shape, double density);
std::optional<RayHit> ray(const Capsule& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const Capsule& shape, const Vec3& point);

}  // namespace cairn
