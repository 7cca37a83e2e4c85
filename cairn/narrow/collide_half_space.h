// SPDX-License-Identifier: MIT
// Bounded shapes against a half-space: the plane's normal is the contact's, and the points are the corners (or the
// feet of the balls at the ends) that are at most `margin` above the plane.
#pragma once

#include "cairn/geometry/box.h"
#include "cairn/geometry/capsule.h"
#include "cairn/geometry/cone.h"
#include "cairn/geometry/cylinder.h"
#include "cairn/geometry/half_space.h"
#include "cairn/geometry/hull.h"
#include "cairn/geometry/sphere.h"
#include "cairn/narrow/manifold.h"

namespace cairn {

Manifold collide_sphere_half_space(const Sphere& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                   double margin);
/// Feature: 0 lower end, 1 upper end.
Manifold collide_capsule_half_space(const Capsule& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                    double margin);
/// Feature: the corner, bit 0 set where x is positive, bit 1 y, bit 2 z.
Manifold collide_box_half_space(const Box& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                double margin);
/// On a disc: four points of the rim, fixed in the body, and the deepest one where the disc is tilted; lying: the ends
/// of the side line. Feature: the corner of contact_feature.h.
Manifold collide_cylinder_half_space(const Cylinder& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                     double margin);
Manifold collide_cone_half_space(const Cone& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                 double margin);
/// Feature: the vertex.
Manifold collide_hull_half_space(const ConvexHull& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                                 double margin);

}  // namespace cairn
