// SPDX-License-Identifier: MIT
// Contact rows are constraints on the velocities of nodes where two solids, or a solid and an obstacle, nearly touch.
//
// In a cell where both sides have a map, a and b are the distances to their surfaces, phi0(X)/|grad phi0(X)|. The
// contact surface Gamma is the zero set of a - b in the cell. Its unit normal n = -grad(a - b)/|grad(a - b)| points
// from B to A, and its gap is g = a + b. The row of a surface gives A's nodes the weights int N dGamma over the area,
// and B's nodes the negatives (Litven 2013, (4.12)). So S v is the mean velocity of A relative to B:
//
//   n . S v + gap/h >= 0 where there is a gap,   n . S v + rate gap/h >= 0 where there is overlap
//
// Cells that stand one behind the other along the axis nearest to n share one row. With a row for each cell the rows
// are nearly dependent, and the active sets cycle. Nodes without mass hand their weights to the nodes that carry them
// (S <- S P, see agglomerate.cpp).
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "cairn/euler/obstacle.h"
#include "cairn/problem/delassus.h"

namespace cairn {

/// Identifies a row by the column of cells that it stands for, so that the next step finds its impulse again.
struct RowKey {
  std::int32_t a = 0, b = 0;  ///< solids, a < b; for an obstacle b = -1 - its number
  std::int32_t axis = 0;      ///< 2 * the dominant axis of the normal, + 1 where that points down it
  std::int32_t u = 0, v = 0;  ///< indices of the cells across the axis
  std::int32_t part = 0;      ///< 0, 1, ... where the column has several surfaces

  friend constexpr auto operator<=>(const RowKey&, const RowKey&) = default;
};

struct ContactRow {
  RowKey key;
  Frame frame;      ///< the normal points from B to A, the first tangent along the sliding velocity
  Vec3 velocity;    ///< m/s, S v* less the velocity of the obstacle
  Vec3 point;       ///< m, middle of the surface
  double area = 0;  ///< m^2
  double gap = 0;   ///< m, mean; negative: overlap
  double friction = 0;
  std::int32_t body = -1;           ///< body of the rigid problem that pushes back; -1: none
  Vec3 arm;                         ///< m, from the centre of that body to the point
  std::size_t first = 0, last = 0;  ///< its entries
};

struct RowEntry {
  std::int32_t solid = 0, node = 0;
  double weight = 0;

  friend constexpr auto operator<=>(const RowEntry&, const RowEntry&) = default;
};

struct ContactRows {
  std::vector<ContactRow> rows;   ///< sorted by key
  std::vector<RowEntry> entries;  ///< weights of dynamic nodes; within a row sorted by solid and node
};

/// Finds all rows as the solids stand now. Velocities are `next` of the solids. Solids that are not active take no
/// part. Obstacles must be sorted by number.
ContactRows find_contact_rows(std::span<const GridSolid> solids, std::span<const Obstacle> obstacles, ThreadPool* pool);

/// Assembles W = K_cd [frame_c . frame_d] with K = S M^-1 S^T, and q = frame . S v* + bias. `rate` is the part of an
/// overlap that a step removes.
DelassusProblem assemble_rows(const ContactRows& rows, std::span<const GridSolid> solids, double h, double rate,
                              ThreadPool* pool);

/// Writes v* + M^-1 S^T impulse into `next` of the solids. Returns the error in the total momentum of solids and bodies
/// that move, relative to the impulses. It should be round-off.
double apply_impulses(const ContactRows& rows, std::span<const double> impulse, std::span<GridSolid> solids);

}  // namespace cairn
