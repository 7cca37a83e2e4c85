// SPDX-License-Identifier: MIT
// In place of voronoi.cpp where voro++ was not found.
#include "cairn/core/errors.h"
#include "scenes/voronoi.h"

namespace cairn::scenes {

std::vector<VoronoiCell> voronoi_cells(const ConvexRegion&, std::span<const Vec3>, double) {
  fail_input(
      "this program was built without voro++, which cuts bodies into Voronoi cells: install the Debian package "
      "voro++-dev, delete the build folder and build again",
      ErrorKind::unsupported);
}

}  // namespace cairn::scenes
