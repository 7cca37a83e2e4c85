// SPDX-License-Identifier: MIT
// BandCholesky: H = L L^T of a symmetric positive definite matrix of bandwidth rho, in square tiles, on threads.
//
//   L_jj = chol(H_jj),  D_j = L_jj^-1,  L_ij = H_ij D_j^T,  H_ik <- H_ik - L_ij L_kj^T      i, k within the band of j
//   Y_i = D_i (B_i - sum L_ij Y_j),   X_i = D_i^T (Y_i - sum L_ji^T X_j)
//
// The inverses of the diagonal tiles turn substitution into products (J. A. Litven, A Parallel Active-Set Method for
// Solving Frictional Contact Problems, 2013, algorithm 5.3, with its transposes in the back substitution). Tiles are
// smaller than the band, where the thesis takes blocks of at least the band: less is inverted, and threads share a
// column of tiles. The diagonal tile of the next column is factored beside the updates of this one.
//
// Same bits for any number of threads and any instruction set: products of tiles are fused on every one, by `fma` of
// the C library where there is no instruction for it. A dense matrix is one whose bandwidth is its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/aligned.h"
#include "cairn/core/parallel.h"

namespace cairn {

/// Who has the matrix: writes the entries (c, c), (c + 1, c), ... of column c, as many as `out` has.
class BandColumns {
 public:
  virtual ~BandColumns() = default;
  virtual void column(int c, std::span<double> out) const = 0;
};

class BandCholesky {
 public:
  /// False where a pivot is not above round-off of its diagonal entry: not positive definite. Keeps its memory.
  bool factor(int size, int bandwidth, const BandColumns& columns, ThreadPool* pool);

  /// X <- H^-1 X for `count` right-hand sides, one after the other of size() numbers each.
  void solve(std::span<double> x, int count, ThreadPool* pool);

  int size() const { return size_; }
  /// Of the last factor: the smallest pivot over its diagonal entry.
  double pivot_ratio() const { return pivot_ratio_; }

 private:
  double* tile(int row, int column);
  int last_row(int column) const;  ///< of the tiles of a column
  int skip(int row, int column) const { return (row - column) * side_ - bandwidth_; }
  void load(const BandColumns& columns, ThreadPool* pool);
  bool factor_diagonal(int k);
  void finish_column(int k, ThreadPool* pool);
  void update(int i, int j, int k);
  bool update_all(int k, ThreadPool* pool);
  void forward(int panels, ThreadPool* pool);
  void backward(int panels, ThreadPool* pool);
  void apply_diagonal(int k, int panels, bool transposed);
  double* panel(int p, int k);

  int size_ = 0, bandwidth_ = 0;
  int side_ = 0, tiles_ = 0, reach_ = 0;  ///< rows of a tile, tiles along the diagonal, tiles below it
  double pivot_ratio_ = 0;
  AlignedVector<double> values_;   ///< per column of tiles: reach_ + 1 of them
  AlignedVector<double> inverse_;  ///< per tile on the diagonal: D_j
  AlignedVector<double> scratch_;  ///< reach_ + 1 tiles
  AlignedVector<double> rhs_;      ///< per eight right-hand sides: rows of eight
  std::vector<double> diagonal_;   ///< of H, to judge pivots
  std::vector<double> entries_;    ///< per column of tiles: one column of H
};

}  // namespace cairn
