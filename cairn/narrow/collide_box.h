// SPDX-License-Identifier: MIT
// Box against box: fifteen separating axes (Gottschalk, Lin, Manocha 1996), then either one face clipped by the other
// or the nearest points of two edges; the distance walk of gjk.h for boxes that are near past a corner.
#pragma once

#include "cairn/geometry/box.h"
#include "cairn/narrow/manifold.h"

namespace cairn {

/// Edges win over faces, and other faces over the cached one, only by more than this times the smallest half-extent:
/// a face carries a resting box on four points, an edge on one, and the contact should not flicker between them.
inline constexpr double kFacePreference = 1e-3;

/// Which axis decided: 0..2 face of a, 3..5 face of b, 6 + 3 i + j edge i of a across edge j of b; -1 not known.
/// Kept by the caller from step to step: boxes that were apart along an axis mostly still are.
struct BoxAxis {
  std::int32_t index = -1;
};

/// Points with separation at most `margin`, normal from a to b, written over `out`. Reads and writes `cached`.
/// Features: two edges of the clipped polygon that meet in the point, each of the incident face or of the reference
/// face, below the two faces; or the two edges that cross.
void collide_box_box(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin, BoxAxis& cached,
                     Manifold& out);
Manifold collide_box_box(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin);

}  // namespace cairn
