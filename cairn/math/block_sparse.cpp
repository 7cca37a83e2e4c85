// SPDX-License-Identifier: MIT
#include "cairn/math/block_sparse.h"

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

bool find_diagonal(BlockSparse& matrix) {
  const std::int64_t rows = matrix.rows();
  matrix.diagonal.assign(to_index(rows), -1);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto begin = matrix.row_start[to_index(row)];
    const auto end = matrix.row_start[to_index(row) + 1];
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int32_t column = matrix.column[to_index(k)];
      if (k > begin && column <= matrix.column[to_index(k) - 1]) return false;
      if (column == row) matrix.diagonal[to_index(row)] = k;
    }
    if (matrix.diagonal[to_index(row)] < 0) return false;
  }
  return true;
}

namespace {

template <int D>
void multiply_add_dim(const BlockSparse& a, std::span<const double> x, std::span<const double> b, std::span<double> y) {
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    double sum[D];
    multiply_row<D>(a, row, x.data(), sum);
    for (int i = 0; i < D; ++i) y[to_index(row * D + i)] = sum[i] + b[to_index(row * D + i)];
  }
}

}  // namespace

void multiply_add(const BlockSparse& a, std::span<const double> x, std::span<const double> b, std::span<double> y) {
  switch (a.dim) {
    case 2: return multiply_add_dim<2>(a, x, b, y);
    case 3: return multiply_add_dim<3>(a, x, b, y);
    case 4: return multiply_add_dim<4>(a, x, b, y);
    default: fail_input("block dimension must be 2, 3 or 4");
  }
}

}  // namespace cairn
