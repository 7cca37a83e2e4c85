// SPDX-License-Identifier: MIT
// Balls against all bounded convex shapes, and capsules against each other: contacts with a closed form.
//
// Every function answers with the points whose separation is at most `margin` (0 for touching only, more for contacts
// that may close within the step), the normal from the first shape to the second.
#pragma once

#include "cairn/geometry/box.h"
#include "cairn/geometry/capsule.h"
#include "cairn/geometry/cone.h"
#include "cairn/geometry/cylinder.h"
#include "cairn/geometry/hull.h"
#include "cairn/geometry/sphere.h"
#include "cairn/narrow/manifold.h"

namespace cairn {

/// Coincident centres push apart along the world's z.
Manifold collide_sphere_sphere(const Sphere& a, const Pose& pose_a, const Sphere& b, const Pose& pose_b, double margin);

/// A centre inside the other shape is pushed out through the nearest part of its surface.
Manifold collide_sphere_capsule(const Sphere& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b,
                                double margin);
Manifold collide_sphere_box(const Sphere& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin);
Manifold collide_sphere_cylinder(const Sphere& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b,
                                 double margin);
Manifold collide_sphere_cone(const Sphere& a, const Pose& pose_a, const Cone& b, const Pose& pose_b, double margin);
Manifold collide_sphere_hull(const Sphere& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b,
                             double margin);

/// One point; two at the ends of the common stretch where the axes are parallel within a milliradian (features 0, 1).
/// Axes that intersect push apart across both of them.
Manifold collide_capsule_capsule(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b,
                                 double margin);

}  // namespace cairn
