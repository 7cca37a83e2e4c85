// SPDX-License-Identifier: MIT
// Bounded convex shapes against meshes and height fields, triangle by triangle.
//
// Triangles are one-sided: they push to the side of their normal. A shape that reaches below a face by no more than it
// is far from a ridge is pushed out through that face; else the direction of least overlap decides, and counts only
// where it lies between the normals of the faces that meet in the edge or corner it comes from. So inner edges of flat
// and hollow parts never push sideways. Contacts with equal normals become one manifold.
#pragma once

#include "cairn/narrow/collide.h"

namespace cairn {

/// Appends the contacts of the convex shape a with the surface b. Part: twice the lowest triangle of the plane pieces
/// that carry the manifold, or an odd number where a ridge does. A shape whose centre is behind all that it touches is
/// still pushed out to the front as long as a part of it is there.
void collide_mesh(const Shape& a, const Pose& pose_a, const TriangleMesh& b, const Pose& pose_b, double margin,
                  PartManifolds& out);
void collide_height_field(const Shape& a, const Pose& pose_a, const HeightField& b, const Pose& pose_b, double margin,
                          PartManifolds& out);

}  // namespace cairn
