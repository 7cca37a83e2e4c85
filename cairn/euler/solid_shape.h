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

/// Refuses sizes out of range and a tube that is not thinner than its ring.
Torus make_torus(double ring, double tube);

/// Cheap to copy: a mesh is shared. Frames: z is the axis of everything that has one.
using SolidShape = std::variant<Sphere, Box, Cylinder, Capsule, Torus, TriangleMesh>;

/// Refuses (InputError) sizes out of range and meshes that are open.
void check_solid_shape(const SolidShape& shape);

/// m, in the frame of the shape; exact, so that it changes by at most one metre per metre.
double signed_distance(const SolidShape& shape, const Vec3& point);

Aabb bounds(const SolidShape& shape, const Pose& pose);

/// Undeformed, m^3.
double volume(const SolidShape& shape);

}  // namespace cairn
