// SPDX-License-Identifier: MIT
// ConstraintRows: rows of a Jacobian that touch a few unknowns of a diagonal mass each, as the cells of an Eulerian
// contact patch touch their nodes, and the symbolic banded products of them (Litven 2013, 5.2 and 6.2):
//
//   H = J M^-1 J^T,   H_ij = sum_k J_ik J_jk / M_k = 0 where rows i and j share no unknown
//   rho = max |i - j| over rows that share one                                          (5.23)
//
// Only what lies within the band is computed. With one row per cell the product is H^C, bandwidth rho; with two rows
// per cell, one per tangent, it is H^F. The thesis says at most 2 rho (proposition 5.2); two tangents of one cell and
// the last of a neighbour are 2 rho + 1 apart, which is the bound of G^F too (lemma 5.2), and what is found here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/qp/qp_matrix.h"

namespace cairn {

struct ConstraintRows {
  std::vector<std::int64_t> start{0};  ///< row i has the entries [start[i], start[i + 1])
  std::vector<std::int32_t> unknown;   ///< per entry, ascending within a row
  std::vector<double> value;           ///< per entry

  int count() const { return static_cast<int>(start.size()) - 1; }
  /// Entries of one more row, whose unknowns ascend.
  void add(std::span<const std::int32_t> unknowns, std::span<const double> values);
};

/// rho, from the pattern alone. InputError where unknowns do not ascend or lie outside of [0, unknowns).
int coupling_bandwidth(const ConstraintRows& rows, int unknowns);

/// J M^-1 J^T as a band, stored as table A.1 has it: b[i - j + j (rho + 1)]. Same bits for any pool.
BandedMatrix coupling_band(const ConstraintRows& rows, std::span<const double> inverse_mass,
                           ThreadPool* pool = nullptr);
/// The same numbers as a sparse matrix.
SparseQpMatrix coupling_sparse(const ConstraintRows& rows, std::span<const double> inverse_mass);

}  // namespace cairn
