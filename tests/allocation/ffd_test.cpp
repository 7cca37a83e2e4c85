// SPDX-License-Identifier: MIT
// A warm solve by fast frictional dynamics allocates nothing, and does not remember the solves before it.
#include "cairn/solvers/ffd/ffd.h"

#include <gtest/gtest.h>

#include <vector>

#include "scenes/ball_lattices.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

/// The last has a body with more contacts than the stack has room for.
std::vector<ContactProblem> problems() {
  std::vector<ContactProblem> list{scenes::ball_grid(4), scenes::ball_pile(4), scenes::ball_grid(6)};
  list.back().bodies[0].inverse_mass = 0.01;
  list.back().bodies[0].inverse_inertia = SymMat3::diagonal(0.01, 0.01, 0.01);
  for (ContactBlock& c : list.back().contacts)
    if (&c - list.back().contacts.data() < 40) c.body_a = 0, c.body_b = c.body_b == 0 ? 1 : c.body_b;
  return list;
}

void solve(FfdSolver& solver, const ContactProblem& problem, ContactSolution& solution, ThreadPool* pool) {
  SolveContext context;
  context.pool = pool;
  context.details = false;
  solver.solve(problem, solution, context);
}

TEST(WarmFfd, AllocatesNothing) {
  const auto pool = make_pool(2);
  const std::vector<ContactProblem> list = problems();
  for (const FfdMode mode : {FfdMode::coulomb, FfdMode::pe}) {
    FfdSolver solver({.mode = mode, .sweeps = 2});
    std::vector<ContactSolution> solutions(list.size());
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i < list.size(); ++i) solve(solver, list[i], solutions[i], pool.get());
    const long before = allocation_count();
    for (std::size_t i = 0; i < list.size(); ++i) solve(solver, list[i], solutions[i], pool.get());
    EXPECT_EQ(allocation_count() - before, 0) << static_cast<int>(mode);
    EXPECT_GT(before, 0);
  }
}

TEST(WarmFfd, ForgetsTheSolvesBefore) {
  const std::vector<ContactProblem> list = problems();
  for (const FfdMode mode : {FfdMode::coulomb, FfdMode::pe}) {
    FfdSolver warm({.mode = mode, .sweeps = 2});
    for (int round = 0; round < 2; ++round)
      for (const ContactProblem& problem : list) {
        ContactSolution expected, got;
        FfdSolver fresh({.mode = mode, .sweeps = 2});
        solve(fresh, problem, expected, nullptr);
        solve(warm, problem, got, nullptr);
        ASSERT_EQ(got.contact_impulse, expected.contact_impulse);
        ASSERT_EQ(got.velocity, expected.velocity);
      }
  }
}

}  // namespace
}  // namespace cairn
