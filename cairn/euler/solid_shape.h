// SPDX-License-Identifier: MIT
// SolidShape: the undeformed shape of an elastic solid as a signed distance, negative inside.
#pragma once

#include <variant>

#include "cairn/geometry/box.h"
#include "cairn/geometry/capsule.h"
#include "cairn/geometry/cylinder.h"
#include "cairn/geometry/half_space.h"
#include "cairn/geometry/mesh.h"
#include "cairn/geometry/sphere.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// All points within `tube` of the circle of radius `ring` around the z axis.
struct Torus {
  double ring = 0.5;
  double tube = 0.2;
};

/// Throws InputError for sizes out of range and for a tube that is not thinner than its ring.
Torus make_torus(double ring, double tube);

/// Cheap to copy, because a mesh is shared. A shape that has an axis has it along z.
using SolidShape = std::variant<Sphere, Box, Cylinder, Capsule, Torus, TriangleMesh>;

/// Throws InputError for sizes out of range and for meshes that are not closed.
void check_solid_shape(const SolidShape& shape);

/// The distance in m from a point in the frame of the shape. It is exact, so it changes by at most one metre per metre.
double signed_distance(const SolidShape& shape, const Vec3& point);

Aabb bounds(const SolidShape& shape, const Pose& pose);

/// The undeformed volume in m^3.
double volume(const SolidShape& shape);

}  // namespace cairn
