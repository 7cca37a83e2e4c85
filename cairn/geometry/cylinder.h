// SPDX-License-Identifier: MIT
// Cylinder: x^2 + y^2 <= radius^2, |z| <= half_height.
#pragma once

#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Axis z, centre at the origin. Ray feature: 0 side, 1 lower disc, 2 upper disc.
struct Cylinder {
  double radius = 0.5;
  double half_height = 0.5;
};

Cylinder make_cylinder(double radius, double half_height);

Aabb bounds(const Cylinder& shape, const Pose& pose);
Vec3 support(const Cylinder& shape, const Vec3& direction);
MassProperties mass_properties(const Cylinder& shape, double density);
std::optional<RayHit> ray(const Cylinder& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const Cylinder& shape, const Vec3& point);

}  // namespace cairn
