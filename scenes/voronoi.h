// SPDX-License-Identifier: MIT
// Voronoi cells of a few hundred points in a convex region, by voro++. The only door to that library; a build without
// it has voronoi_missing.cpp in place of voronoi.cpp.
#pragma once

#include <span>
#include <vector>

#include "cairn/math/aabb.h"
#include "cairn/math/vec3.h"

namespace cairn::scenes {

/// n.x <= offset, n unit and pointing out.
struct WallPlane {
  Vec3 normal;
  double offset = 0;
};

/// A convex region: what of a box lies inside all walls.
struct ConvexRegion {
  Aabb box;
  std::vector<WallPlane> walls;
};

struct VoronoiCell {
  std::vector<Vec3> corners;  ///< world
  double volume = 0;          ///< m^3
};

/// For every seed the points of the region that are nearer to it than to any other, less `gap` / 2 from each neighbour.
/// The seeds lie inside the region. Every pair of seeds is looked at. InputError where this build has no voro++.
std::vector<VoronoiCell> voronoi_cells(const ConvexRegion& region, std::span<const Vec3> seeds, double gap);

}  // namespace cairn::scenes
