// SPDX-License-Identifier: MIT
// Depth of two overlapping convex shapes: a polytope inside A - B grows at the face nearest to the origin until that
// face is one of A - B itself (expanding polytope, van den Bergen 2001).
//
// Two differences to the usual form. Growth is by signed distance, so the first tetrahedron need not hold the origin:
// where the distance walk left none or only a sliver, four points spread over A - B do. And both bounds are kept:
//   lowest face of the polytope <= depth <= smallest support(n) seen over all face normals n.
#pragma once

#include "cairn/narrow/minkowski.h"

namespace cairn {

/// In the frame of MinkowskiDifference and of the cores.
struct EpaResult {
  Vec3 normal;       ///< unit, from a to b
  double depth = 0;  ///< support of A - B along the normal; slightly negative where the cores just do not touch
  Vec3 on_a;         ///< deepest point of A in B; that of B in A is depth * normal before it
  bool converged = false;
  int iterations = 0;
};

/// `touching` is where the distance walk ended: its tetrahedron is the first one, if it has one that is no sliver, and
/// its points serve where A - B is flat, of depth 0 across itself.
EpaResult epa(const MinkowskiDifference& difference, const Simplex& touching);

}  // namespace cairn
