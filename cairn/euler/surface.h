// SPDX-License-Identifier: MIT
// The surface of a solid as triangles, for pictures: surface nets (Gibson 1998) on the distance phi0(X) at the nodes.
#pragma once

#include <array>
#include <vector>

#include "cairn/euler/solid.h"

namespace cairn {

/// Triangles are counter-clockwise seen from outside, and share their vertices.
struct SolidSurface {
  std::vector<Vec3> vertices;  ///< m
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<double> speed;  ///< m/s, per vertex
};

/// Each cell that the surface crosses has one vertex, at the mean of the points where it cuts the edges. Each edge that
/// it cuts has one square across it.
SolidSurface find_surface(const GridSolid& solid);

}  // namespace cairn
