// SPDX-License-Identifier: MIT
// Shape: any of the shapes, and the five questions each of them answers. Every shape has its own files with the same
// parts; this one only brings them together. Frames: z is the axis of everything that has one.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "cairn/geometry/box.h"
#include "cairn/geometry/capsule.h"
#include "cairn/geometry/compound.h"
#include "cairn/geometry/cone.h"
#include "cairn/geometry/cylinder.h"
#include "cairn/geometry/half_space.h"
#include "cairn/geometry/height_field.h"
#include "cairn/geometry/hull.h"
#include "cairn/geometry/mesh.h"
#include "cairn/geometry/query.h"
#include "cairn/geometry/sphere.h"

namespace cairn {

/// Cheap to copy: large data are shared and immutable. Order as in snapshots: new shapes go to the end
/// (docs/extending.md).
using Shape =
    std::variant<Sphere, Box, Capsule, Cylinder, Cone, HalfSpace, ConvexHull, HeightField, TriangleMesh, Compound>;

/// A shape at a fixed pose in its compound.
struct CompoundChild {
  Shape shape;
  Pose pose;
};

/// Immutable after make_compound.
struct CompoundData {
  std::vector<CompoundChild> children;
};

/// Contacts name their children by 16 bits.
inline constexpr std::size_t kMostChildren = 65536;

Compound make_compound(std::vector<CompoundChild> children);

/// Refuses (InputError) what the make_* functions would: sizes out of range, directions that are not unit, shapes
/// without data. For shapes that were put together by hand.
void check_shape(const Shape& shape);

/// Convex and bounded: what `support` can be asked about.
bool has_support(const Shape& shape);

/// The smallest box of the world that holds the shape; for meshes, height fields and compounds a box that does.
Aabb bounds(const Shape& shape, const Pose& pose);

/// The same in the shape's own axes; for hulls it is kept.
Aabb local_bounds(const Shape& shape);

/// The point of a convex shape farthest along `direction`, which need not be unit. Only where has_support.
Vec3 support(const Shape& shape, const Vec3& direction);

/// Density in kg/m^3. InputError for shapes without volume.
MassProperties mass_properties(const Shape& shape, double density);

/// The first hit within `max_distance` (which may be infinite); `direction` must be unit.
std::optional<RayHit> ray(const Shape& shape, const Vec3& origin, const Vec3& direction, double max_distance);

ClosestPoint closest_point(const Shape& shape, const Vec3& point);

}  // namespace cairn
