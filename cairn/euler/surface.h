// SPDX-License-Identifier: MIT
// The surface of a solid as triangles, for pictures: surface nets (Gibson 1998) on the distance phi0(X) at the nodes.
#pragma once

#include <array>
#include <vector>

#include "cairn/euler/solid.h"

namespace cairn {

/// Counter-clockwise seen from outside, each vertex once.
struct SolidSurface {
  std::vector<Vec3> vertices;  ///< m
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<double> speed;  ///< m/s, per vertex
};

/// One vertex in each cell that the surface crosses, in the middle of where it cuts the edges; one square across each
/// edge that it cuts.
SolidSurface find_surface(const GridSolid& solid);

}  // namespace cairn
