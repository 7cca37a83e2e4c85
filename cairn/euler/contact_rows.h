// SPDX-License-Identifier: MIT
// Contact rows: where two solids, or a solid and an obstacle, are about to touch, as constraints on the velocities of
// nodes.
//
// In a cell where both have a map, a and b are the distances to their surfaces, phi0(X)/|grad phi0(X)|. The contact
// surface Gamma is the zero set of a - b in the cell, with unit normal n = -grad(a - b)/|grad(a - b)| from B to A and
// gap g = a + b. The row of a surface gives A's nodes the weights int N dGamma and B's nodes their negatives (Litven
// 2013, (4.12)), over the area, so that S v is the mean velocity of A against B across it:
//
//   n . S v + gap/h >= 0 where there is a gap,   n . S v + rate gap/h >= 0 where there is overlap
//
// Cells one behind the other along the axis nearest to n share one row: with a row for each, rows are nearly dependent
// and active sets go round in circles. Nodes without mass hand their weights to those that carry them (S <- S P).
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "cairn/euler/obstacle.h"
#include "cairn/problem/delassus.h"

namespace cairn {

/// Which row: found again in the next step by the column of cells it stands for.
struct RowKey {
  std::int32_t a = 0, b = 0;  ///< solids, a < b; or an obstacle: b = -1 - its number
  std::int32_t axis = 0;      ///< 2 * the dominant axis of the normal, + 1 where that points down it
  std::int32_t u = 0, v = 0;  ///< indices of the cells across the axis
  std::int32_t part = 0;      ///< 0, 1, ... where the column has several surfaces

  friend constexpr auto operator<=>(const RowKey&, const RowKey&) = default;
};

struct ContactRow {
  RowKey key;
  Frame frame;      ///< n from B to A; the first tangent along the sliding velocity
  Vec3 velocity;    ///< S v* - that of the obstacle, m/s
  Vec3 point;       ///< m, middle of the surface
  double area = 0;  ///< m^2
  double gap = 0;   ///< m, mean; negative: overlap
  double friction = 0;
  std::int32_t body = -1;           ///< of the rigid problem that pushes back; -1: none
  Vec3 arm;                         ///< m, from the centre of that body to the point
  std::size_t first = 0, last = 0;  ///< its entries
};

struct RowEntry {
  std::int32_t solid = 0, node = 0;
  double weight = 0;

  friend constexpr auto operator<=>(const RowEntry&, const RowEntry&) = default;
};

struct ContactRows {
  std::vector<ContactRow> rows;   ///< ascend by key
  std::vector<RowEntry> entries;  ///< of dynamic nodes; a row's ascend by solid and node
};

/// All rows of this moment; velocities are `next` of the solids. Solids that are not active take no part. Obstacles
/// ascend by number.
ContactRows find_contact_rows(std::span<const GridSolid> solids, std::span<const Obstacle> obstacles, ThreadPool* pool);

/// W = K_cd [frame_c . frame_d], K = S M^-1 S^T, and q = frame . S v* + bias, `rate` of an overlap per step.
DelassusProblem assemble_rows(const ContactRows& rows, std::span<const GridSolid> solids, double h, double rate,
                              ThreadPool* pool);

/// v* + M^-1 S^T impulse into `next` of the solids. Returns the momentum that this made from nothing between solids and
/// bodies that move, as a share of the impulses: round-off.
double apply_impulses(const ContactRows& rows, std::span<const double> impulse, std::span<GridSolid> solids);

}  // namespace cairn
