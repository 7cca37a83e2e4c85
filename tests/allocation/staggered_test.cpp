// SPDX-License-Identifier: MIT
// Warm staggered solves of an unchanged graph allocate nothing.
#include <gtest/gtest.h>

#include "cairn/solvers/solver_table.h"
#include "scenes/ball_lattices.h"
#include "scenes/mechanism_problems.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

/// From no impulses each time, so that there is something to do.
void expect_no_allocation(const char* name, const ContactProblem& problem) {
  const auto solver = make_solver(name, {{"iterations", "8"}});
  ContactSolution solution;
  SolveContext context;
  context.details = false, context.stop.tolerance = 0, context.measure_end = true;
  long before = 0;
  SolveReport report;
  for (int solve = 0; solve < 4; ++solve) {
    solution.contact_impulse.assign(problem.contacts.size(), {});
    solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
    before = allocation_count();
    report = solver->solve(problem, solution, context);
  }
  EXPECT_EQ(allocation_count(), before) << name;
  EXPECT_GT(report.exact.turns, 0);
  EXPECT_LT(report.residual, 1);
}

TEST(WarmStaggered, ContactsAllocateNothing) {
  for (const char* name : {"staggered_schurpa", "staggered_direct"}) expect_no_allocation(name, scenes::ball_grid(2));
}

TEST(WarmStaggered, MechanismsAllocateNothing) {
  ContactProblem smooth = scenes::bridge(10, 3);
  expect_no_allocation("staggered_schurpa", smooth);
  for (ContactBlock& c : smooth.contacts) c.friction1 = c.friction2 = 0;
  expect_no_allocation("schurpa", smooth);
}

}  // namespace
}  // namespace cairn
