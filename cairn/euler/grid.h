// SPDX-License-Identifier: MIT
// The grid that all elastic solids of a world share. Its cells are cubes between nodes, and it is fixed in space.
#pragma once

#include <compare>
#include <cstdint>

#include "cairn/math/vec3.h"

namespace cairn {

/// Index of a node, of a cell (by its lower corner) or of a block.
struct GridIndex {
  std::int32_t x = 0, y = 0, z = 0;

  friend constexpr auto operator<=>(const GridIndex&, const GridIndex&) = default;
};
constexpr GridIndex operator+(const GridIndex& a, const GridIndex& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

struct Grid {
  Vec3 origin{};          ///< m, of node (0, 0, 0)
  double spacing = 0.05;  ///< m, edge of a cell
  GridIndex cells{24, 24, 24};

  friend constexpr bool operator==(const Grid&, const Grid&) = default;

  constexpr Vec3 position(const GridIndex& i) const {
    return origin + spacing * Vec3{static_cast<double>(i.x), static_cast<double>(i.y), static_cast<double>(i.z)};
  }
  constexpr double cell_volume() const { return spacing * spacing * spacing; }
};

/// Throws InputError for a spacing that is no length, for fewer cells than a solid needs, and for too many.
void check_grid(const Grid& grid);

/// Solids stay this many nodes away from the sides of the grid, because their fields reach farther than their surface.
inline constexpr int kGridMargin = 5;

}  // namespace cairn
