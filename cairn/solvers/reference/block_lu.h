// SPDX-License-Identifier: MIT
// BlockLu: sparse LU factorisation of an unsymmetric block matrix (Eigen's SparseLU with column ordering behind a
// door), with one step of iterative refinement in the solve. Internal to the Newton-type solvers.
#pragma once

#include <memory>
#include <span>

#include "cairn/math/block_sparse.h"

namespace cairn {

class BlockLu {
 public:
  enum class Pattern {
    fixed,       ///< every factorisation has the pattern of the first: it is ordered once, zeros are kept
    drop_zeros,  ///< zeros are left out and each matrix is ordered anew: right when whole rows vanish
  };

  explicit BlockLu(Pattern pattern);
  ~BlockLu();
  BlockLu(const BlockLu&) = delete;
  BlockLu& operator=(const BlockLu&) = delete;

  /// False when the matrix is singular to working precision or not finite.
  bool factorise(const BlockSparse& matrix);

  /// x = matrix^-1 rhs; false when the result is not finite. rhs and x may be the same.
  bool solve(std::span<const double> rhs, std::span<double> x) const;

  /// +1 or -1, after a successful factorisation.
  int determinant_sign() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace cairn
