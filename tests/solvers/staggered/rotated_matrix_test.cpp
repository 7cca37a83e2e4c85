// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/rotated_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cairn/core/random.h"

namespace cairn {
namespace {

constexpr int kPairs = 4, kRows = 2 * kPairs + 1;  // and one variable that is never turned

/// A matrix with turned pairs, and Q^T H Q as a dense product.
struct Turned {
  DenseMatrix h;
  std::vector<double> dense = std::vector<double>(kRows * kRows, 0.0);
  std::vector<double> angle;

  explicit Turned(Random& random) {
    std::vector<double> b(kRows * kRows), values(kRows * kRows, 0.0);
    for (double& value : b) value = random.uniform(-1, 1);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kRows; ++j)
        for (std::size_t k = 0; k < kRows; ++k)
          values[i * kRows + j] += b[k * kRows + i] * b[k * kRows + j] + (i == j ? 0.2 : 0.0);
    h = DenseMatrix(kRows, values);
    for (int k = 0; k < kPairs; ++k) angle.push_back(random.uniform(-3, 3));
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kRows; ++j)
        for (int k = 0; k < kRows; ++k)
          for (int l = 0; l < kRows; ++l) dense[to_index(i * kRows + j)] += q(k, i) * h.at(k, l) * q(l, j);
  }
  /// Entry of Q: the columns of a pair are its axis and that turned by a right angle.
  double q(int row, int column) const {
    if (row / 2 != column / 2) return 0;
    if (column == 2 * kPairs) return row == column ? 1 : 0;
    const double c = std::cos(angle[to_index(column / 2)]), s = std::sin(angle[to_index(column / 2)]);
    return column % 2 == 0 ? (row % 2 == 0 ? c : s) : (row % 2 == 0 ? -s : c);
  }
  void turn(RotatedMatrix& matrix) const {
    for (int k = 0; k < kPairs; ++k) matrix.set_axis(k, std::cos(angle[to_index(k)]), std::sin(angle[to_index(k)]));
  }
};

TEST(RotatedMatrix, EntriesRowsAndProductsAreThoseOfTheDenseOne) {
  Random random(91);
  const Turned turned(random);
  RotatedMatrix matrix(turned.h, kPairs);
  turned.turn(matrix);
  std::vector<double> x(kRows), y(kRows);
  for (double& value : x) value = random.uniform(-1, 1);
  matrix.multiply(x, y, nullptr);
  for (int i = 0; i < kRows; ++i) {
    double sum = 0;
    std::vector<double> row(kRows, 0.0);
    matrix.add_row(i, 2, row);
    for (int j = 0; j < kRows; ++j) {
      const double wanted = turned.dense[to_index(i * kRows + j)];
      EXPECT_NEAR(matrix.entry(i, j), wanted, 1e-13) << i << ", " << j;
      EXPECT_NEAR(row[to_index(j)], 2 * wanted, 1e-13) << i << ", " << j;
      sum += wanted * x[to_index(j)];
    }
    EXPECT_NEAR(y[to_index(i)], sum, 1e-13);
    EXPECT_NEAR(matrix.row_dot(i, x), sum, 1e-13);
    EXPECT_NEAR(matrix.diagonal(i), turned.dense[to_index(i * kRows + i)], 1e-13);
  }
}

TEST(RotatedMatrix, AFactorOfWholePairsHoldsAfterTurning) {
  Random random(92);
  const Turned turned(random);
  RotatedMatrix matrix(turned.h, kPairs);
  std::vector<std::uint8_t> is_free(kRows, 0);
  is_free[0] = is_free[5] = is_free[8] = 1;
  matrix.complete_free(is_free);
  EXPECT_EQ(is_free, (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 0, 0, 1})) << "pairs are free together";
  const std::vector<std::int32_t> free{0, 1, 4, 5, 8};
  const auto factor = matrix.make_factor();
  ASSERT_TRUE(factor->factor(free, nullptr));
  turned.turn(matrix);  // after the factorisation
  std::vector<double> wanted(free.size()), x(free.size(), 0.0);
  for (double& value : wanted) value = random.uniform(-1, 1);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t j = 0; j < free.size(); ++j) x[i] += turned.dense[to_index(free[i] * kRows + free[j])] * wanted[j];
  factor->solve(x, 1, nullptr);
  for (std::size_t i = 0; i < free.size(); ++i) EXPECT_NEAR(x[i], wanted[i], 1e-12) << "variable " << free[i];
}

TEST(RotatedMatrix, TurningBackAndForthChangesNothing) {
  Random random(93);
  const Turned turned(random);
  RotatedMatrix matrix(turned.h, kPairs);
  turned.turn(matrix);
  std::vector<double> x(kRows);
  for (double& value : x) value = random.uniform(-1, 1);
  const std::vector<double> before = x;
  matrix.to_fixed(x);
  EXPECT_EQ(x.back(), before.back());
  matrix.to_turned(x);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(x[i], before[i], 1e-15);
}

}  // namespace
}  // namespace cairn
