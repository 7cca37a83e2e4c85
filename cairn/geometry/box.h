// SPDX-License-Identifier: MIT
// Box: |x| <= half.x, |y| <= half.y, |z| <= half.z.
#pragma once

#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Centre at the origin, faces across the axes. Ray feature: face 0..5 = -x, +x, -y, +y, -z, +z.
struct Box {
  Vec3 half{0.5, 0.5, 0.5};  ///< half of the edge lengths
};

/// From half of the edge lengths.
Box make_box(const Vec3& half);

Aabb bounds(const Box& shape, const Pose& pose);
Vec3 support(const Box& shape, const Vec3& direction);
MassProperties mass_properties(const Box& shape, double density);
std::optional<RayHit> ray(const Box& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const Box& shape, const Vec3& point);

}  // namespace cairn
