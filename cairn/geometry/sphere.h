// SPDX-License-Identifier: MIT
// Sphere: all points within `radius` of the origin.
#pragma once

#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Centre at the origin. Ray feature: 0.
struct Sphere {
  double radius = 0.5;
};

Sphere make_sphere(double radius);

Aabb bounds(const Sphere& shape, const Pose& pose);
Vec3 support(const Sphere& shape, const Vec3& direction);
MassProperties mass_properties(const Sphere& shape, double density);
std::optional<RayHit> ray(const Sphere& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const Sphere& shape, const Vec3& point);

}  // namespace cairn
