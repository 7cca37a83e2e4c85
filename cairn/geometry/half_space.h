// SPDX-License-Identifier: MIT
// Half-space: everything below a plane; floors and walls that cannot be tunnelled through.
#pragma once

#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Solid where dot(normal, p) <= offset. Ray feature: 0.
struct HalfSpace {
  Vec3 normal{0, 0, 1};  ///< unit, out of the solid
  double offset = 0;     ///< distance of the plane from the origin along the normal
};

/// The normal may have any length but zero; the offset is measured along its direction.
HalfSpace make_half_space(const Vec3& normal, double offset);

/// Reaches to infinity, except on the side of the plane when the plane lies across an axis of the world.
Aabb bounds(const HalfSpace& shape, const Pose& pose);
/// Refused: a half-space has no finite mass.
MassProperties mass_properties(const HalfSpace& shape, double density);
std::optional<RayHit> ray(const HalfSpace& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const HalfSpace& shape, const Vec3& point);

}  // namespace cairn
