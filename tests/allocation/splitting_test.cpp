// SPDX-License-Identifier: MIT
// A warm solve by mass splitting allocates nothing, and does not remember the solves before it.
#include "cairn/solvers/splitting/splitting.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/allocation/counter.h"
#include "tests/allocation/falling_problems.h"

namespace cairn {
namespace {

std::vector<SplittingSettings> cases() {
  std::vector<SplittingSettings> list(7);
  list[0].method = SplittingMethod::rows;
  list[1].method = SplittingMethod::rows;
  list[1].friction_order = FrictionOrder::staggered;
  list[1].update = VelocityUpdate::averaging;
  list[2].update = VelocityUpdate::averaging;
  list[3].acceleration = Acceleration::nesterov;
  list[3].update = VelocityUpdate::full_mass;
  list[4].cluster = 5;
  list[4].friction_order = FrictionOrder::staggered;
  list[5].method = SplittingMethod::line_search;
  list[6].method = SplittingMethod::line_search;
  list[6].acceleration = Acceleration::anderson;
  return list;
}

SolveReport solve(SplittingSolver& solver, const ContactProblem& problem, ContactSolution& solution, ThreadPool* pool) {
  SolveContext context;
  context.pool = pool;
  context.stop = {1e-4, 12, 0};
  context.details = false;
  return solver.solve(problem, solution, context);
}

TEST(WarmSplitting, AllocatesNothing) {
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds check invariants, which allocates";
#endif
  const auto pool = make_pool(2);
  const std::vector<ContactProblem> list = falling_problems();
  for (const SplittingSettings& settings : cases()) {
    SplittingSolver solver(settings);
    std::vector<ContactSolution> solutions(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) solve(solver, list[i], solutions[i], pool.get());
    const long before = allocation_count();
    for (std::size_t i = 0; i < list.size(); ++i) solve(solver, list[i], solutions[i], pool.get());
    EXPECT_EQ(allocation_count() - before, 0)
        << "method " << static_cast<int>(settings.method) << ", cluster " << settings.cluster;
    EXPECT_GT(before, 0);
  }
}

TEST(WarmSplitting, ForgetsTheSolvesBefore) {
  const std::vector<ContactProblem> list = falling_problems();
  for (const SplittingSettings& settings : cases()) {
    SplittingSolver warm(settings);
    for (int round = 0; round < 2; ++round) {
      for (const ContactProblem& problem : list) {
        ContactSolution expected, got;
        SplittingSolver fresh(settings);
        const SolveReport a = solve(fresh, problem, expected, nullptr);
        const SolveReport b = solve(warm, problem, got, nullptr);
        ASSERT_EQ(got.contact_impulse, expected.contact_impulse);
        ASSERT_EQ(got.joint_impulse, expected.joint_impulse);
        ASSERT_EQ(got.velocity, expected.velocity);
        ASSERT_EQ(b.residual, a.residual);
        ASSERT_EQ(b.bytes_per_contact, a.bytes_per_contact);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
