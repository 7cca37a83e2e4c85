// SPDX-License-Identifier: MIT
// Warm solves with joints allocate nothing.
#include <gtest/gtest.h>

#include <vector>

#include "cairn/solvers/ldl/ldl_joints.h"
#include "cairn/solvers/ldl/ldl_pgs.h"
#include "scenes/mechanism_problems.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

TEST(WarmLdl, PrepareAndSolveAllocateNothing) {
  const ContactProblem problem = scenes::ragdolls(11, 0.05);
  LdlJoints joints({});
  std::vector<double> rhs(problem.joint_rows.size(), 1.0), impulse(rhs.size());
  joints.prepare(problem, {}, nullptr);
  joints.solve_joints(rhs, impulse, 1, nullptr);
  const long before = allocation_count();
  joints.prepare(problem, {}, nullptr);
  joints.solve_joints(rhs, impulse, 1, nullptr);
  EXPECT_EQ(allocation_count(), before);
}

TEST(WarmLdl, SolverAllocatesNothing) {
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds check invariants, which allocates";
#endif
  ContactProblem problem = scenes::bridge(30, 10);
  problem.joint_rows[3].lower = -0.1, problem.joint_rows[3].upper = 0.1;
  LdlPgsSolver solver({});
  ContactSolution solution;
  SolveContext context;
  context.details = false;
  context.stop = {0, 6, 0};
  for (int warm = 0; warm < 2; ++warm) solver.solve(problem, solution, context);
  const long before = allocation_count();
  solver.solve(problem, solution, context);
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace cairn
