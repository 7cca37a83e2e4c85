// SPDX-License-Identifier: MIT
// Cone: a circular base and an apex above its centre.
#pragma once

#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Axis z with the apex up. The origin is the centre of mass: base at z = -height / 4, apex at z = 3 height / 4.
/// Ray feature: 0 side, 1 base.
struct Cone {
  double radius = 0.5;  ///< of the base
  double height = 1;
};

constexpr double base_z(const Cone& cone) { return -0.25 * cone.height; }
constexpr double apex_z(const Cone& cone) { return 0.75 * cone.height; }

Cone make_cone(double radius, double height);

Aabb bounds(const Cone& shape, const Pose& pose);
Vec3 support(const Cone& shape, const Vec3& direction);
MassProperties mass_properties(const Cone& shape, double density);
std::optional<RayHit> ray(const Cone& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const Cone& shape, const Vec3& point);

}  // namespace cairn
