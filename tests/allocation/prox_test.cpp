// SPDX-License-Identifier: MIT
// A warm solve allocates nothing, and does not remember the solves before it.
#include "cairn/solvers/prox.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

/// Problems of falling size, some with spin, joints or a hub, so that every array is refilled with less.
std::vector<ContactProblem> problems() {
  std::vector<ContactProblem> list{scenes::ball_grid(16), scenes::pyramid(12), scenes::ball_grid(6)};
  for (std::size_t i = 1; i < 5; ++i) {
    JointRow row;
    row.linear_a = {0, 0, -1}, row.linear_b = {0, 0, 1};
    list[0].joints.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 7),
                              static_cast<std::int32_t>(list[0].joint_rows.size()), 1});
    list[0].joint_rows.push_back(row);
  }
  ContactProblem spinning = list[0];
  for (ContactBlock& c : spinning.contacts) c.spin_radius = 0.1;
  list.insert(list.begin() + 1, spinning);
  return list;
}

struct Case {
  ProxSettings settings;
  double tolerance = 0;
  bool measure_end = false;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const SweepOrder order : {SweepOrder::gauss_seidel, SweepOrder::jacobi})
    for (const Acceleration acceleration :
         {Acceleration::none, Acceleration::nesterov, Acceleration::anderson, Acceleration::nncg})
      for (const double tolerance : {0.0, 1e-4}) {
        Case each;
        each.settings.order = order;
        each.settings.acceleration = acceleration;
        each.tolerance = tolerance;
        list.push_back(each);
      }
  Case sequential, measured;
  sequential.settings.schedule = ScheduleKind::sequential;
  measured.measure_end = true;
  list.push_back(sequential);
  list.push_back(measured);
  return list;
}

SolveReport solve(ProxSolver& solver, const Case& each, const ContactProblem& problem, ThreadPool* pool,
                  ContactSolution& solution) {
  SolveContext context;
  context.pool = pool;
  context.stop = {each.tolerance, 25, 0};
  context.details = false;
  context.measure_end = each.measure_end;
  return solver.solve(problem, solution, context);
}

TEST(WarmSolve, AllocatesNothing) {
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds check invariants, which allocates";
#endif
  const auto pool = make_pool(2);
  const std::vector<ContactProblem> list = problems();
  for (const Case& each : cases()) {
    ProxSolver solver(each.settings);
    std::vector<ContactSolution> solutions(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) solve(solver, each, list[i], pool.get(), solutions[i]);
    const long before = allocation_count();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const SolveReport report = solve(solver, each, list[i], pool.get(), solutions[i]);
      EXPECT_EQ(allocation_count() - before, 0)
          << "problem " << i << ", order " << static_cast<int>(each.settings.order) << ", acceleration "
          << static_cast<int>(each.settings.acceleration) << ", tolerance " << each.tolerance;
      EXPECT_EQ(report.residual >= 0, each.tolerance > 0 || each.measure_end);
    }
  }
}

TEST(WarmSolve, ForgetsTheSolvesBefore) {
  const auto pool = make_pool(2);
  const std::vector<ContactProblem> list = problems();
  for (const Case& each : cases()) {
    ProxSolver warm(each.settings);
    for (int round = 0; round < 2; ++round) {
      for (const ContactProblem& problem : list) {
        ContactSolution expected, got;
        ProxSolver fresh(each.settings);
        const SolveReport a = solve(fresh, each, problem, pool.get(), expected);
        const SolveReport b = solve(warm, each, problem, pool.get(), got);
        ASSERT_EQ(got.contact_impulse, expected.contact_impulse);
        ASSERT_EQ(got.joint_impulse, expected.joint_impulse);
        ASSERT_EQ(got.velocity, expected.velocity);
        ASSERT_EQ(b.residual, a.residual);
        ASSERT_EQ(b.iterations, a.iterations);
        ASSERT_EQ(b.restarts, a.restarts);
        ASSERT_EQ(b.rollbacks, a.rollbacks);
        ASSERT_EQ(b.bytes_per_contact, a.bytes_per_contact);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
