// SPDX-License-Identifier: MIT
// Warm exact solves of an unchanged graph allocate nothing.
#include <gtest/gtest.h>

#include "cairn/solvers/exact/exact.h"
#include "scenes/ball_lattices.h"
#include "scenes/mechanism_problems.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

/// From no impulses each time, so that Newton has something to do.
void expect_no_allocation(const ContactProblem& problem) {
  ExactSolver solver;
  ContactSolution solution;
  SolveContext context;
  context.details = false, context.stop.tolerance = 0, context.measure_end = true;
  long before = 0;
  SolveReport report;
  for (int solve = 0; solve < 3; ++solve) {
    solution.contact_impulse.assign(problem.contacts.size(), {});
    solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
    before = allocation_count();
    report = solver.solve(problem, solution, context);
  }
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(report.exact.newton_steps, 0);
  EXPECT_LE(report.residual, kExactResidual);
}

TEST(WarmExact, ContactsAllocateNothing) { expect_no_allocation(scenes::ball_grid(3)); }

TEST(WarmExact, MechanismsAllocateNothing) { expect_no_allocation(scenes::bridge(30, 10)); }

}  // namespace
}  // namespace cairn
