// SPDX-License-Identifier: MIT
// The second half of the hull builder: triangles that lie in one plane become one polygon.
#pragma once

#include <optional>
#include <span>

#include "cairn/geometry/hull.h"
#include "cairn/geometry/hull_triangles.h"

namespace cairn {

/// Vertices, edges and faces of the polygons, or nothing when the polygons do not close at this tolerance (grid
/// units), which a larger one cures. `points` are the user's, `grid` the same points on the grid.
std::optional<HullData> merge_faces(std::span<const HullTriangle> triangles, std::span<const Vec3> points,
                                    std::span<const Vec3> grid, double tolerance);

}  // namespace cairn
