// SPDX-License-Identifier: MIT
// collide: where any two shapes touch. One table over the pairs of shapes. A pair with a closed form has a function of
// its own in collide_*.h. Two convex shapes without one take collide_faces (GJK, EPA and clipping). All other pairs
// have no contacts. So a new convex shape must be listed in collide.cpp (kConvex) and needs a function against the
// half-space, or it touches nothing: docs/extending.md.
#pragma once

#include <vector>

#include "cairn/geometry/shape.h"
#include "cairn/narrow/gjk.h"
#include "cairn/narrow/manifold.h"

namespace cairn {

/// What a pair of shapes remembers of its last meeting so that the next one is cheaper; {} for a new pair. Results
/// never depend on it by more than the documented face preference.
struct CollideMemory {
  std::int32_t axis = -1;  ///< BoxAxis of box pairs; not used by others
  WalkAxis walk{};         ///< of pairs that ask the distance walk; not used by others
};

/// One flat contact of two shapes. Simple convex pairs make at most one; meshes, height fields and compounds several.
struct PartManifold {
  Manifold manifold;
  std::uint64_t part = 0;  ///< which child or triangle of a and b met, equal from step to step; 0 for simple pairs
};

/// Reusable output; never shrinks, so a warm call allocates nothing.
using PartManifolds = std::vector<PartManifold>;

/// Appends to `out` the contacts of a and b with separation at most `margin`, normals from a to b, parts ascending: the
/// child of a in the upper 16 bits, the child of b in the next 16, the part of a surface (collide_surface.h) in the
/// lower 32. Pairs that both belong on static bodies (half-space, mesh or height field against each other) give
/// nothing.
void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
             CollideMemory& memory, PartManifolds& out);

}  // namespace cairn
