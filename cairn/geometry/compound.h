// SPDX-License-Identifier: MIT
// Compound: several shapes at fixed poses that move as one. Its children are shapes, so CompoundChild and make_compound
// are declared in shape.h, after Shape.
#pragma once

#include <memory>
#include <optional>

#include "cairn/geometry/query.h"
#include "cairn/math/aabb.h"

namespace cairn {

struct CompoundData;

/// Ray feature: the child. Children may overlap; they are not compounds themselves.
struct Compound {
  std::shared_ptr<const CompoundData> data;
};

Aabb bounds(const Compound& shape, const Pose& pose);
/// The sum over the children: where they overlap the mass counts twice.
MassProperties mass_properties(const Compound& shape, double density);
std::optional<RayHit> ray(const Compound& shape, const Vec3& origin, const Vec3& direction, double max_distance);
/// Of the child with the lowest distance: exact outside; inside overlapping children it may be nearer than the surface
/// of the union.
ClosestPoint closest_point(const Compound& shape, const Vec3& point);

}  // namespace cairn
