// SPDX-License-Identifier: MIT
// BlockSparse: a square sparse matrix of small dense blocks, rows compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/index.h"

namespace cairn {

/// `rows` x `rows` blocks of `dim` x `dim` doubles. Columns within a row are ascending. Every row has its diagonal
/// block.
struct BlockSparse {
  int dim = 3;
  std::vector<std::int64_t> row_start;  ///< length rows + 1: blocks of row i are [row_start[i], row_start[i+1])
  std::vector<std::int32_t> column;     ///< per block
  std::vector<double> values;           ///< per block dim*dim, row major
  std::vector<std::int64_t> diagonal;   ///< derived: per row the index of its diagonal block

  std::int64_t rows() const { return static_cast<std::int64_t>(row_start.size()) - 1; }
  std::int64_t block_count() const { return static_cast<std::int64_t>(column.size()); }
  const double* block(std::int64_t index) const { return values.data() + index * dim * dim; }
  double* block(std::int64_t index) { return values.data() + index * dim * dim; }
  const double* diagonal_block(std::int64_t row) const { return block(diagonal[to_index(row)]); }

  friend bool operator==(const BlockSparse&, const BlockSparse&) = default;
};

/// Fills `diagonal` from the pattern. False when a row has no diagonal block or its columns do not ascend.
bool find_diagonal(BlockSparse& matrix);

/// y_k = sum_j A_kj x_j of one block row; x and y have dim entries per block.
template <int D>
inline void multiply_row(const BlockSparse& a, std::int64_t row, const double* x, double* y) {
  for (int i = 0; i < D; ++i) y[i] = 0;
  const auto begin = a.row_start[to_index(row)], end = a.row_start[to_index(row) + 1];
  const double* block = a.values.data() + begin * D * D;
  for (std::int64_t k = begin; k < end; ++k, block += D * D) {
    const double* xj = x + static_cast<std::int64_t>(a.column[to_index(k)]) * D;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) y[i] += block[i * D + j] * xj[j];
  }
}

/// y = A x + b, the whole vector.
void multiply_add(const BlockSparse& a, std::span<const double> x, std::span<const double> b, std::span<double> y);

}  // namespace cairn
