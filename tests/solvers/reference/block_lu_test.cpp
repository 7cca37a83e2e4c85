// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/block_lu.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "cairn/core/random.h"

namespace cairn {
namespace {

/// A ring of blocks: each row has its own and its two neighbours, unsymmetric, dominated by the diagonal.
BlockSparse ring(Random& random, std::int32_t rows) {
  BlockSparse a;
  a.row_start.assign(1, 0);
  for (std::int32_t i = 0; i < rows; ++i) {
    std::vector<std::int32_t> columns{(i + rows - 1) % rows, i, (i + 1) % rows};
    std::sort(columns.begin(), columns.end());
    a.column.insert(a.column.end(), columns.begin(), columns.end());
    a.row_start.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  a.values.resize(a.column.size() * 9);
  for (double& value : a.values) value = random.uniform(-1, 1);
  EXPECT_TRUE(find_diagonal(a));
  for (const std::int64_t k : a.diagonal)
    for (int i = 0; i < 3; ++i) a.block(k)[4 * i] += 10;
  return a;
}

TEST(BlockLu, ComesBackFromAProduct) {
  Random random(31);
  for (const BlockLu::Pattern pattern : {BlockLu::Pattern::fixed, BlockLu::Pattern::drop_zeros}) {
    BlockLu lu(pattern);
    for (int round = 0; round < 5; ++round) {  // the later ones use the order of the first
      BlockSparse a = ring(random, 20);
      std::vector<double> wanted(60), zero(60, 0.0), rhs(60), x(60);
      for (double& value : wanted) value = random.uniform(-1, 1);
      multiply_add(a, wanted, zero, rhs);
      ASSERT_TRUE(lu.factorise(a));
      ASSERT_TRUE(lu.solve(rhs, x));
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], wanted[i], 1e-14) << "entry " << i;
      ASSERT_TRUE(lu.solve(rhs, rhs)) << "in place";
      EXPECT_EQ(rhs, x);
    }
  }
}

TEST(BlockLu, KnowsTheSignOfTheDeterminant) {
  BlockSparse a;
  a.row_start = {0, 1}, a.column = {0}, a.values = {0, 1, 0, 1, 0, 0, 0, 0, 2};  // two rows exchanged: -2
  ASSERT_TRUE(find_diagonal(a));
  BlockLu lu(BlockLu::Pattern::fixed);
  ASSERT_TRUE(lu.factorise(a));
  EXPECT_EQ(lu.determinant_sign(), -1);
  a.values = {1, 0, 0, 0, 1, 0, 0, 0, 2};
  ASSERT_TRUE(lu.factorise(a));
  EXPECT_EQ(lu.determinant_sign(), 1);
}

TEST(BlockLu, SingularAndNotFiniteMatricesAreTold) {
  BlockSparse a;
  a.row_start = {0, 1}, a.column = {0}, a.values = {1, 2, 3, 2, 4, 6, 0, 0, 1};
  ASSERT_TRUE(find_diagonal(a));
  EXPECT_FALSE(BlockLu(BlockLu::Pattern::fixed).factorise(a));
  a.values = {1, 0, 0, 0, std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, 1};
  EXPECT_FALSE(BlockLu(BlockLu::Pattern::fixed).factorise(a));
}

}  // namespace
}  // namespace cairn
