// SPDX-License-Identifier: MIT
#include "cairn/qp/sparse_ldl.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cairn/core/index.h"

namespace cairn {
namespace {

/// The second difference of a path, 2 on the diagonal and -1 beside it: (H^-1)_ij = (i + 1)(n - j) / (n + 1), i <= j.
SparseQpMatrix path(int size) {
  std::vector<MatrixEntry> entries;
  for (int i = 0; i < size; ++i) {
    entries.push_back({i, i, 2});
    if (i > 0) entries.push_back({i, i - 1, -1}), entries.push_back({i - 1, i, -1});
  }
  return {size, entries, SparseMethod::ldl};
}

TEST(SparseLdl, InvertsASecondDifference) {
  constexpr int kLength = 25;
  const SparseQpMatrix h = path(kLength);
  const std::unique_ptr<QpFactor> factor = make_sparse_ldl(h);
  std::vector<std::int32_t> all(kLength);
  std::iota(all.begin(), all.end(), 0);
  ASSERT_TRUE(factor->factor(all, nullptr));
  std::vector<double> x(2 * kLength, 0.0);  // two right-hand sides: e_3 and e_10
  x[3] = 1, x[kLength + 10] = 1;
  factor->solve(x, 2, nullptr);
  const auto inverse = [](int i, int j) { return (std::min(i, j) + 1.0) * (kLength - std::max(i, j)) / (kLength + 1); };
  for (int i = 0; i < kLength; ++i) {
    EXPECT_NEAR(x[to_index(i)], inverse(i, 3), 1e-13) << "row " << i;
    EXPECT_NEAR(x[to_index(kLength + i)], inverse(i, 10), 1e-13) << "row " << i;
  }
}

TEST(SparseLdl, FactorsWhatIsFreeAlone) {
  // Without the middle row the path falls into two of two rows each, whose inverse is [2 1; 1 2] / 3.
  const SparseQpMatrix h = path(5);
  const std::unique_ptr<QpFactor> factor = make_sparse_ldl(h);
  ASSERT_TRUE(factor->factor(std::vector<std::int32_t>{0, 1, 3, 4}, nullptr));
  std::vector<double> x{3, 0, 0, 3};
  factor->solve(x, 1, nullptr);
  const double wanted[] = {2, 1, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], wanted[i], 1e-14) << "row " << i;
}

TEST(SparseLdl, NegativeDirectionsAreTold) {
  const SparseQpMatrix h(2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 1}}, SparseMethod::ldl);
  EXPECT_FALSE(make_sparse_ldl(h)->factor(std::vector<std::int32_t>{0, 1}, nullptr));
}

}  // namespace
}  // namespace cairn
