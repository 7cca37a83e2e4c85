// SPDX-License-Identifier: MIT
// A warm solve allocates nothing, and does not remember the solves before it.
#include "cairn/solvers/prox/prox.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/graph/colouring.h"
#include "tests/allocation/counter.h"
#include "tests/allocation/falling_problems.h"

namespace cairn {
namespace {

/// Greedy, as the solver itself would.
std::vector<std::int32_t> colours_of(const ContactProblem& problem) {
  std::vector<Edge> edges;
  const auto vertex = [&](std::int32_t b) { return problem.bodies[to_index(b)].is_dynamic() ? b : kNoVertex; };
  for (const ContactBlock& c : problem.contacts) edges.push_back({vertex(c.body_a), vertex(c.body_b)});
  return colour_edges_greedy(edges, static_cast<std::int32_t>(problem.bodies.size())).colour;
}

struct Case {
  ProxSettings settings;
  bool colours_given = false;
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
  Case sequential, measured, split, staggered;
  sequential.settings.schedule = ScheduleKind::sequential;
  measured.measure_end = true;
  split.settings.schedule = ScheduleKind::split;
  staggered.settings.friction_order = FrictionOrder::staggered;
  list.push_back(sequential);
  list.push_back(split);
  list.push_back(staggered);
  list.push_back(measured);
  Case coloured;
  coloured.colours_given = true;
  list.push_back(coloured);
  coloured.settings.schedule = ScheduleKind::split;
  list.push_back(coloured);
  return list;
}

struct ColouredProblem {
  ContactProblem problem;
  std::vector<std::int32_t> colours;
};

SolveReport solve(ProxSolver& solver, const Case& each, const ColouredProblem& given, ContactSolution& solution,
                  ThreadPool* pool) {
  SolveContext context;
  if (each.colours_given) context.contact_colour = given.colours;
  context.pool = pool;
  context.stop = {each.tolerance, 25, 0};
  context.details = false;
  context.measure_end = each.measure_end;
  return solver.solve(given.problem, solution, context);
}

TEST(WarmSolve, AllocatesNothing) {
#ifndef NDEBUG
  GTEST_SKIP() << "debug builds check invariants, which allocates";
#endif
  const auto pool = make_pool(2);
  std::vector<ColouredProblem> list;
  for (const ContactProblem& problem : falling_problems()) list.push_back({problem, colours_of(problem)});
  for (const Case& each : cases()) {
    ProxSolver solver(each.settings);
    std::vector<ContactSolution> solutions(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) solve(solver, each, list[i], solutions[i], pool.get());
    const long before = allocation_count();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const SolveReport report = solve(solver, each, list[i], solutions[i], pool.get());
      EXPECT_EQ(allocation_count() - before, 0)
          << "problem " << i << ", order " << static_cast<int>(each.settings.order) << ", acceleration "
          << static_cast<int>(each.settings.acceleration) << ", tolerance " << each.tolerance;
      EXPECT_EQ(report.residual >= 0, each.tolerance > 0 || each.measure_end);
    }
  }
}

TEST(WarmSolve, ForgetsTheSolvesBefore) {
  const auto pool = make_pool(2);
  const std::vector<ContactProblem> list = falling_problems();
  for (const Case& each : cases()) {
    ProxSolver warm(each.settings);
    for (int round = 0; round < 2; ++round) {
      for (const ContactProblem& problem : list) {
        ContactSolution expected, got;
        ProxSolver fresh(each.settings);
        const ColouredProblem given{problem, colours_of(problem)};
        const SolveReport a = solve(fresh, each, given, expected, pool.get());
        const SolveReport b = solve(warm, each, given, got, pool.get());
        ASSERT_EQ(got.contact_impulse, expected.contact_impulse);
        ASSERT_EQ(got.joint_impulse, expected.joint_impulse);
        ASSERT_EQ(got.velocity, expected.velocity);
        ASSERT_EQ(b.residual, a.residual);
        ASSERT_EQ(b.iterations, a.iterations);
        ASSERT_EQ(b.sweep.restarts, a.sweep.restarts);
        ASSERT_EQ(b.sweep.rollbacks, a.sweep.rollbacks);
        ASSERT_EQ(b.bytes_per_contact, a.bytes_per_contact);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
