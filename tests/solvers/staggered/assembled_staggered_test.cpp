// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/assembled_staggered.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/errors.h"

namespace cairn {
namespace {

/// Contacts that do not touch each other: W is a number times the identity.
DelassusProblem lone_contacts(double w, double friction, const std::vector<double>& q) {
  DelassusProblem problem;
  problem.w.row_start = {0};
  for (std::size_t i = 0; i < q.size() / 3; ++i) {
    problem.w.column.push_back(static_cast<std::int32_t>(i));
    problem.w.row_start.push_back(static_cast<std::int64_t>(i) + 1);
    for (int k = 0; k < 9; ++k) problem.w.values.push_back(k % 4 == 0 ? w : 0);
    problem.friction.push_back({friction, friction, 0});
  }
  find_diagonal(problem.w);
  problem.q = q;
  return problem;
}

/// One that leaves, one that sticks, one that slides along the first tangent, one that slides across: the diamond.
TEST(AssembledStaggered, LoneContactsByHand) {
  const DelassusProblem problem = lone_contacts(2, 0.5, {0.1, 1, 0, /**/ -1, 0.3, 0.1, /**/ -1, 3, 0, /**/ -1, 3, 3});
  const double expected[] = {0, 0, 0, 0.5, -0.15, -0.05, 0.5, -0.25, 0, 0.5, -0.125, -0.125};
  for (const bool schur : {true, false}) {
    DelassusSolution solution;
    const AssembledStaggeredReport report =
        AssembledStaggered({.schur = schur, .tolerance = 1e-10}).solve(problem, solution, nullptr);
    EXPECT_TRUE(report.settled);
    EXPECT_EQ(report.contact.unfinished + report.friction.unfinished, 0);
    ASSERT_EQ(solution.impulse.size(), 12U);
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(solution.impulse[i], expected[i], 1e-9);
      EXPECT_NEAR(solution.velocity[i], 2 * solution.impulse[i] + problem.q[i], 1e-12);
    }
  }
}

TEST(AssembledStaggered, NothingToDo) {
  DelassusSolution solution;
  const AssembledStaggeredReport report = AssembledStaggered({}).solve(lone_contacts(1, 0, {}), solution, nullptr);
  EXPECT_TRUE(report.settled);
  EXPECT_EQ(report.iterations, 0);
}

/// Without friction there is one QP, and it is not asked twice.
TEST(AssembledStaggered, WithoutFrictionOneTurn) {
  DelassusSolution solution;
  const AssembledStaggeredReport report =
      AssembledStaggered({}).solve(lone_contacts(4, 0, {-1, 1, 0, 2, 0, 0}), solution, nullptr);
  EXPECT_EQ(report.iterations, 1);
  EXPECT_EQ(report.friction.solves, 0);
  EXPECT_NEAR(solution.impulse[0], 0.25, 1e-6);
  EXPECT_EQ(solution.impulse[3], 0);
}

TEST(AssembledStaggered, OtherFrictionIsRefused) {
  DelassusProblem problem = lone_contacts(1, 0.5, {-1, 0, 0});
  problem.friction[0].t = 0.2;
  DelassusSolution solution;
  EXPECT_THROW(AssembledStaggered({}).solve(problem, solution, nullptr), InputError);
}

}  // namespace
}  // namespace cairn
