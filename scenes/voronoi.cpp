// SPDX-License-Identifier: MIT
#include "scenes/voronoi.h"

#include <voro++/voro++.hh>

#include "cairn/core/errors.h"

namespace cairn::scenes {

std::vector<VoronoiCell> voronoi_cells(const ConvexRegion& region, std::span<const Vec3> seeds, double gap) {
  std::vector<VoronoiCell> cells;
  for (const Vec3& seed : seeds) {
    // Cells are kept relative to their seed. plane(n, r) keeps n.x <= r / 2.
    const Vec3 low = region.box.lower - seed, high = region.box.upper - seed;
    voro::voronoicell cell;
    cell.init(low.x, high.x, low.y, high.y, low.z, high.z);
    const auto cut = [&](const Vec3& normal, double distance) {
      require(distance > 0 && cell.plane(normal.x, normal.y, normal.z, 2 * distance),
              "a Voronoi cell has no volume: seeds must lie inside the region, farther apart than the gap");
    };
    for (const WallPlane& wall : region.walls) cut(wall.normal, wall.offset - dot(wall.normal, seed));
    for (const Vec3& other : seeds) {
      if (&other == &seed) continue;
      const double distance = norm(other - seed);
      cut((1 / distance) * (other - seed), 0.5 * (distance - gap));
    }
    std::vector<double> corners;
    cell.vertices(seed.x, seed.y, seed.z, corners);
    VoronoiCell result;
    result.volume = cell.volume();
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
      result.corners.push_back({corners[i], corners[i + 1], corners[i + 2]});
    cells.push_back(std::move(result));
  }
  return cells;
}

}  // namespace cairn::scenes
