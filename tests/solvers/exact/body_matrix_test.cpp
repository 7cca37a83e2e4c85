// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/body_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/solvers/exact/unit_law.h"

namespace cairn {
namespace {

/// A random matrix on the graph, diagonally heavy enough to need no exchange of blocks, and its dense twin.
struct Twin {
  std::vector<double> dense;
  std::size_t order = 0;
};

Twin fill(BodyMatrix& matrix, std::span<const Edge> edges, std::int32_t bodies, Random& random) {
  Twin twin{std::vector<double>(to_index(bodies * bodies) * 36), to_index(bodies) * 6};
  matrix.set_graph(edges, bodies);
  matrix.set_identity();
  for (std::size_t i = 0; i < twin.order; ++i) twin.dense[i * twin.order + i] = 1;
  const auto add = [&](std::int32_t block, std::int32_t row, std::int32_t col) {
    if (block < 0) return;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const double value = random.uniform(-1, 1) + (row == col && i == j ? 8 : 0);
        matrix.block(block)[i * 6 + j] += value;
        twin.dense[to_index(row * 6 + i) * twin.order + to_index(col * 6 + j)] += value;
      }
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const BodyMatrix::Place& place = matrix.place(e);
    add(place.aa, edges[e].a, edges[e].a), add(place.bb, edges[e].b, edges[e].b);
    add(place.ab, edges[e].a, edges[e].b), add(place.ba, edges[e].b, edges[e].a);
  }
  return twin;
}

TEST(BodyMatrix, SolvesAsADenseMatrixDoes) {
  Random random(7);
  BodyMatrix matrix;  // one for all: graphs come and go
  for (int trial = 0; trial < 60; ++trial) {
    const auto bodies = static_cast<std::int32_t>(1 + random.below(14));
    std::vector<Edge> edges;
    for (std::uint64_t e = random.below(40); e > 0; --e) {
      const auto body = [&] {
        return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bodies + 1))) - 1;
      };
      const Edge edge{body(), body()};
      if (edge.a != edge.b) edges.push_back(edge);
    }
    const Twin twin = fill(matrix, edges, bodies, random);
    std::vector<double> x(twin.order), b(twin.order, 0.0);
    for (double& value : x) value = random.uniform(-1, 1);
    for (std::size_t i = 0; i < twin.order; ++i)
      for (std::size_t j = 0; j < twin.order; ++j) b[i] += twin.dense[i * twin.order + j] * x[j];
    ASSERT_TRUE(matrix.factorise());
    matrix.solve(b);
    for (std::size_t i = 0; i < twin.order; ++i) ASSERT_NEAR(b[i], x[i], 1e-10) << trial;
  }
}

TEST(BodyMatrix, ExchangesRowsInsideAPivot) {
  BodyMatrix matrix;
  const std::vector<Edge> edges{{0, kNoVertex}};
  matrix.set_graph(edges, 1);
  std::fill_n(matrix.block(0), 36, 0.0);
  for (int i = 0; i < 6; ++i) matrix.block(0)[i * 6 + (i + 1) % 6] = i + 1;  // zero diagonal
  std::vector<double> x{1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(matrix.factorise());
  matrix.solve(x);
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(x[to_index((i + 1) % 6)], 1);
}

TEST(BodyMatrix, RefusesWhatIsSingularOrNotANumber) {
  BodyMatrix matrix;
  const std::vector<Edge> edges{{0, 1}};
  for (const double bad : {0.0, std::nan(""), HUGE_VAL}) {
    matrix.set_graph(edges, 2);
    matrix.set_identity();
    for (int j = 0; j < 6; ++j) matrix.block(0)[j] = j == 0 ? bad : 0.0;
    EXPECT_FALSE(matrix.factorise()) << bad;
  }
}

TEST(UnitLaw, SlopesAreDerivatives) {
  Random random(3);
  const double h = 1e-6;
  int slides = 0;
  for (int trial = 0; trial < 300; ++trial) {
    double tau[4], x[4], slope[16];
    for (double& value : tau) value = random.uniform(-1, 1);
    project_unit<4>(tau, x, slope);
    const double length = std::sqrt(tau[1] * tau[1] + tau[2] * tau[2] + tau[3] * tau[3]);
    if (std::fabs(tau[0]) < 1e-3 || std::fabs(length - tau[0]) < 1e-3) continue;  // a kink is near
    slides += tau[0] > 0 && length > tau[0] ? 1 : 0;
    for (int j = 0; j < 4; ++j) {
      double up[4], down[4], moved[4];
      std::copy(tau, tau + 4, moved);
      moved[j] = tau[j] + h, project_unit<4>(moved, up, nullptr);
      moved[j] = tau[j] - h, project_unit<4>(moved, down, nullptr);
      for (int i = 0; i < 4; ++i) EXPECT_NEAR(slope[i * 4 + j], (up[i] - down[i]) / (2 * h), 1e-5);
    }
  }
  EXPECT_GT(slides, 50);
}

TEST(UnitLaw, SmallSystemsAreSolvedWithPivots) {
  double matrix[9] = {0, 2, 1, 1, 0, 0, 0, 3, 0}, right[3] = {7, 1, 6};  // x = (1, 2, 3)
  ASSERT_TRUE(solve_small<3>(matrix, right, 1));
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(right[i], i + 1);
  double singular[4] = {1, 2, 2, 4}, other[2] = {1, 1};
  EXPECT_FALSE(solve_small<2>(singular, other, 1));
}

}  // namespace
}  // namespace cairn
