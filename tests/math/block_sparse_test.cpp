// SPDX-License-Identifier: MIT
#include "cairn/math/block_sparse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/random.h"

namespace cairn {
namespace {

/// Random blocks: the diagonal, and every other one with a chance of one in three.
BlockSparse random_blocks(Random& random, int dim, std::int32_t rows) {
  BlockSparse a;
  a.dim = dim;
  a.row_start.assign(1, 0);
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < rows; ++j)
      if (i == j || random.below(3) == 0) a.column.push_back(j);
    a.row_start.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  a.values.resize(a.column.size() * to_index(dim * dim));
  for (double& value : a.values) value = random.uniform(-1, 1);
  return a;
}

TEST(BlockSparse, ProductsAreThoseOfTheDenseMatrix) {
  Random random(1);
  for (const int dim : {2, 3, 4}) {
    SCOPED_TRACE("blocks of " + std::to_string(dim));
    BlockSparse a = random_blocks(random, dim, 12);
    ASSERT_TRUE(find_diagonal(a));
    const std::size_t n = to_index(12 * dim), d = to_index(dim);
    std::vector<double> dense(n * n, 0.0), x(n), b(n), y(n);
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(to_index(a.column[to_index(a.diagonal[i])]), i);
      for (auto k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
        for (std::size_t r = 0; r < d; ++r)
          for (std::size_t c = 0; c < d; ++c)
            dense[(i * d + r) * n + to_index(a.column[to_index(k)]) * d + c] = a.block(k)[r * d + c];
    }
    for (double& value : x) value = random.uniform(-1, 1);
    for (double& value : b) value = random.uniform(-1, 1);
    multiply_add(a, x, b, y);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = b[i];
      for (std::size_t j = 0; j < n; ++j) sum += dense[i * n + j] * x[j];
      EXPECT_NEAR(y[i], sum, 1e-14) << "entry " << i;
    }
  }
}

TEST(BlockSparse, RowsWithoutDiagonalOrOutOfOrderAreTold) {
  BlockSparse none;
  none.row_start = {0, 1, 2}, none.column = {0, 0}, none.values.assign(18, 1.0);
  EXPECT_FALSE(find_diagonal(none));
  BlockSparse mixed;
  mixed.row_start = {0, 2, 3}, mixed.column = {1, 0, 1}, mixed.values.assign(27, 1.0);
  EXPECT_FALSE(find_diagonal(mixed));
  mixed.column = {0, 1, 1};
  EXPECT_TRUE(find_diagonal(mixed));
}

}  // namespace
}  // namespace cairn
