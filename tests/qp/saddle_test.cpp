// SPDX-License-Identifier: MIT
#include "cairn/qp/saddle.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cairn/core/index.h"
#include "cairn/core/random.h"

namespace cairn {
namespace {

constexpr int kSize = 30;

/// B^T B + 1 and a right-hand side, with bounds at -1 and 1.
struct RandomSaddle {
  DenseMatrix h;
  BoundedQp qp;
  explicit RandomSaddle(Random& random) {
    std::vector<double> b(kSize * kSize), values(kSize * kSize);
    for (double& value : b) value = random.uniform(-1, 1);
    for (std::size_t i = 0; i < kSize; ++i)
      for (std::size_t j = 0; j < kSize; ++j)
        for (std::size_t k = 0; k < kSize; ++k)
          values[i * kSize + j] += b[k * kSize + i] * b[k * kSize + j] + (i == j ? 1.0 / kSize : 0.0);
    h = DenseMatrix(kSize, values);
    qp = {&h, std::vector<double>(kSize), std::vector<double>(kSize, -1.0), std::vector<double>(kSize, 1.0)};
    for (double& value : qp.c) value = random.uniform(-1, 1);
  }
};

/// Bound variables at their bounds, and (H x - c) = 0 in the rows of the others, -lambda in theirs.
void expect_solves(const BoundedQp& qp, const std::vector<BoundState>& state, const QpSolution& solution) {
  std::vector<double> product(kSize);
  qp.h->multiply(solution.x, product, nullptr);
  for (std::size_t i = 0; i < kSize; ++i) {
    if (state[i] == BoundState::free) {
      EXPECT_NEAR(product[i], qp.c[i], 1e-12) << "row " << i;
      EXPECT_NEAR(solution.multiplier[i], 0, 1e-12) << "row " << i;
    } else {
      EXPECT_EQ(solution.x[i], bound_of(qp, i, state[i])) << "variable " << i;
      EXPECT_NEAR(solution.multiplier[i], qp.c[i] - product[i], 1e-12) << "row " << i;
    }
  }
}

TEST(Saddle, BothSolveEveryActiveSetOnTheirWay) {
  // Sets that differ by a few variables each: the bordered system must give what the factor of each set gives.
  Random random(12);
  RandomSaddle saddle(random);
  const std::unique_ptr<SaddleSolver> direct = make_direct_saddle();
  const std::unique_ptr<SaddleSolver> schur = make_schur_saddle({.refactor_share = 100});
  QpReport of_direct, of_schur;
  std::vector<BoundState> state(kSize, BoundState::free);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE("set " + std::to_string(round));
    for (std::uint64_t k = random.below(4); k > 0; --k)
      state[random.below(kSize)] = static_cast<BoundState>(random.below(3));
    QpSolution a, b;
    a.state = b.state = state;
    ASSERT_TRUE(direct->solve(saddle.qp, state, a, of_direct, nullptr));
    ASSERT_TRUE(schur->solve(saddle.qp, state, b, of_schur, nullptr));
    expect_solves(saddle.qp, state, a);
    expect_solves(saddle.qp, state, b);
  }
  EXPECT_LT(of_schur.factorisations, of_direct.factorisations);
}

TEST(Saddle, AMatrixThatIsNotPositiveDefiniteIsTold) {
  const DenseMatrix h(2, {1, 2, 2, 1});
  const BoundedQp qp{&h, {1, 1}, {0, 0}, {1, 1}};
  const std::vector<BoundState> state(2, BoundState::free);
  QpReport report;
  QpSolution solution;
  EXPECT_FALSE(make_direct_saddle()->solve(qp, state, solution, report, nullptr));
  EXPECT_FALSE(make_schur_saddle({})->solve(qp, state, solution, report, nullptr));
}

}  // namespace
}  // namespace cairn
