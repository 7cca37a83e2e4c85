// SPDX-License-Identifier: MIT
// Classical active-set methods: one variable changes at a time, and the Cholesky factor of H_FF is updated (Litven
// 2013, 2.3 and (2.11)). For comparison; dense, and sequential by nature.
//
//   primal  stays within the bounds; goes towards the solution of the set until a bound is met, or frees the variable
//           whose multiplier is the most wrong (Nocedal, Wright 1999)
//   dual    stays optimal for the bounds it knows; adds the most violated one, dropping those whose multiplier would
//           change its sign on the way (Goldfarb, Idnani 1983)
#pragma once

#include <vector>

#include "cairn/core/index.h"
#include "cairn/qp/bounded_qp.h"

namespace cairn {

/// L L^T = H with rows and columns of bound variables replaced by those of the unit matrix.
class UpdatedCholesky {
 public:
  /// All free. False: not positive definite.
  bool factor(const DenseMatrix& h);
  /// Row and column i leave: a rank-one update of what is behind them.
  void bind(int i);
  /// Row and column i come back: a rank-one downdate. False: not positive definite to round-off.
  bool free(int i);
  /// x <- H_FF^-1 x on the free rows; bound rows are left as they are.
  void solve(std::vector<double>& x) const;
  bool is_free(int i) const { return free_[to_index(i)] != 0; }

 private:
  double& at(int i, int j) { return l_[to_index(i) * n_ + to_index(j)]; }
  double at(int i, int j) const { return l_[to_index(i) * n_ + to_index(j)]; }
  bool rotate(int from, std::vector<double>& w, double sign);

  const DenseMatrix* h_ = nullptr;
  std::size_t n_ = 0;
  std::vector<double> l_;  ///< by rows
  std::vector<std::uint8_t> free_;
};

/// Both validate the problem, whose matrix must be a DenseMatrix (InputError). They start from nothing.
QpReport solve_primal_active_set(const BoundedQp& qp, QpSolution& solution, const QpContext& context);
QpReport solve_dual_active_set(const BoundedQp& qp, QpSolution& solution, const QpContext& context);

}  // namespace cairn
