// SPDX-License-Identifier: MIT
// The nearest point of a polyhedron in six dimensions, by the dual active set of Goldfarb and Idnani 1983 with the unit
// matrix as its Hessian:
//
//   minimise 1/2 |z - z0|^2   subject to   r_i . z >= b_i,      z = z0 + sum lambda_i r_i,  lambda >= 0
//
// At most six rows are active at once, so the factor F F^T = A A^T of the active rows has a fixed size and nothing is
// allocated. Rows have ranks. Hard ones must hold. A row that contradicts rows of higher ranks is given up. Where rows
// of one rank contradict each other and are not hard, none of them is right, and all give way by as much as they push:
//
//   r_i . z + |r_i|^2 lambda_i >= b_i      for all rows that are not hard, by Gauss and Seidel
//
// Between two rows that point nearly against each other lies a narrow wedge whose nearest point may be very far away.
// So the rows also give way where z is further from the point that the hard rows ask for than kStretch times the
// largest distance from there to another row.
#pragma once

#include <cstddef>
#include <span>

#include "cairn/solvers/ffd/body_metric.h"

namespace cairn {

/// A cube that lands on four corners asks for 2, two balls whose normals make 150 degrees ask for 4.
inline constexpr double kStretch = 4;

/// row . z >= bound, in the metric of a body. Not initialised: there are arrays of them on the stack.
struct BodyRow {
  Six row;
  double bound;
  double size2;       ///< row . row; 0: not looked at
  double multiplier;  ///< lambda, on return
  double spare;       ///< scratch
  bool is_given_up;   ///< on return: contradicts rows of a higher rank
};

/// Rows are sorted by rank: [0, hard) must hold, [hard, firm) come next, then all others.
struct RowRanks {
  std::size_t hard = 0, firm = 0;
};

/// Moves z to the nearest point. False: the hard rows contradict each other; z and the multipliers then mean nothing.
bool move_into(std::span<BodyRow> rows, const RowRanks& ranks, Six& z);

}  // namespace cairn
