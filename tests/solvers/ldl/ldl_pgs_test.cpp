// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_pgs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/index.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/prox/prox.h"
#include "scenes/mechanism_problems.h"

namespace cairn {
namespace {

struct Solved {
  ContactSolution solution;
  SolveReport report;
  Measures measures;
};

Solved solve(const ContactProblem& problem, Solver& solver, StopSettings stop, ThreadPool* pool = nullptr) {
  Solved result;
  SolveContext context;
  context.stop = stop;
  context.pool = pool;
  result.report = solver.solve(problem, result.solution, context);
  result.measures = residual(problem, result.solution);
  return result;
}

Solved solve(const ContactProblem& problem, const LdlPgsSettings& settings, StopSettings stop,
             ThreadPool* pool = nullptr) {
  LdlPgsSolver solver(settings);
  return solve(problem, solver, stop, pool);
}

/// Links of 1 kg one below the other on ball joints, the last of `load` kg, from rest.
ContactProblem plumb_chain(int links, double load) {
  scenes::MechanismBuilder build(0);
  std::int32_t previous = build.add_ground();
  for (int k = 0; k < links; ++k) {
    const std::int32_t next = build.add_body({0, 0, -k - 0.5}, k + 1 == links ? load : 1.0);
    build.join(previous, next, 3, {0, 0, static_cast<double>(-k)}, {0, 0, 1});
    previous = next;
  }
  return build.take();
}

/// One body of 2 kg that falls at 9.81 m/s^2, with one vertical row to the ground: y = v_z - target.
ContactProblem one_row(double lower, double upper, double target) {
  scenes::MechanismBuilder build(0);
  const std::int32_t ground = build.add_ground();
  build.join(ground, build.add_body({0, 0, 0}, 2), 1, {0, 0, 0}, {0, 0, 1});
  ContactProblem problem = build.take();
  problem.joint_rows[0].lower = lower, problem.joint_rows[0].upper = upper;
  problem.joint_rows[0].target_velocity = target;
  return problem;
}

TEST(LdlPgs, AChainCarriesItsLoadAfterOneSweep) {
  const int links = 20;
  const double load = 1000;
  const ContactProblem problem = plumb_chain(links, load);
  for (const LdlCoupling coupling : {LdlCoupling::block, LdlCoupling::last}) {
    LdlPgsSettings settings;
    settings.coupling = coupling;
    const Solved s = solve(problem, settings, {0, 1, 0});
    for (int k = 0; k < links; ++k) {
      const double below = links - 1 - k + load;  // kg
      EXPECT_NEAR(s.solution.joint_impulse[to_index(3 * k)], below * 9.81 * problem.dt, 1e-5 * load);
      EXPECT_NEAR(s.solution.velocity[to_index(k + 1)].linear.z, 0, 1e-6);
    }
    EXPECT_LT(s.measures.c7_consistency, 1e-9);
    EXPECT_EQ(s.report.joints.mechanisms, 1);
    EXPECT_EQ(s.report.joints.programs_built, 1);
  }
}

TEST(LdlPgs, BlockSweepsReachTheSolutionOfGaussSeidel) {
  const ContactProblem problem = scenes::bridge(9, 2);
  const Solved s = solve(problem, LdlPgsSettings{}, {1e-10, 10000, 0});
  EXPECT_EQ(s.report.reason, StopReason::converged);
  ProxSolver gauss_seidel({});
  const Solved slow = solve(problem, gauss_seidel, {1e-10, 200000, 0});
  ASSERT_EQ(slow.report.reason, StopReason::converged);
  EXPECT_LT(20 * s.report.iterations, slow.report.iterations);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    EXPECT_LT(norm(s.solution.velocity[i].linear - slow.solution.velocity[i].linear), 1e-6);
    EXPECT_LT(norm(s.solution.velocity[i].angular - slow.solution.velocity[i].angular), 1e-6);
  }
  EXPECT_LT(s.measures.c7_consistency, 1e-9);
}

TEST(LdlPgs, JointsHoldAfterFewSweeps) {
  const ContactProblem problem = scenes::bridge(30, 100);
  for (const LdlCoupling coupling : {LdlCoupling::block, LdlCoupling::last}) {
    LdlPgsSettings settings;
    settings.coupling = coupling;
    const Solved s = solve(problem, settings, {0, 5, 0});
    EXPECT_LT(s.measures.c3_joint_velocity, 1e-6);
    EXPECT_LT(s.measures.c7_consistency, 1e-9);
    EXPECT_EQ(s.report.iterations, 5);
  }
  ProxSolver gauss_seidel({});
  EXPECT_GT(solve(problem, gauss_seidel, {0, 5, 0}).measures.c3_joint_velocity, 1e-2);
}

TEST(LdlPgs, FormsAndOrdersAgree) {
  ContactProblem problem = scenes::wheeled_vehicle(scenes::vehicle_rows(), 0.1);
  const Solved first = solve(problem, LdlPgsSettings{}, {1e-12, 10, 0});
  EXPECT_EQ(first.report.reason, StopReason::converged);
  for (const LdlHubs hubs : {LdlHubs::plain, LdlHubs::shatter})
    for (const LdlOrdering ordering : {LdlOrdering::minimum_fill, LdlOrdering::minimum_degree}) {
      LdlPgsSettings settings;
      settings.hubs = hubs;
      settings.ordering = ordering;
      const Solved other = solve(problem, settings, {1e-12, 10, 0});
      for (std::size_t k = 0; k < problem.joint_rows.size(); ++k)
        EXPECT_NEAR(other.solution.joint_impulse[k], first.solution.joint_impulse[k], 1e-9);
    }
}

TEST(LdlPgs, LimitsHoldOrLetGo) {
  const double inf = std::numeric_limits<double>::infinity();
  const double weight = 2 * 9.81 / 60;  // impulse that stops the fall of one step
  const auto impulse = [&](double lower, double upper, double target) {
    const Solved s = solve(one_row(lower, upper, target), LdlPgsSettings{}, {1e-12, 50, 0});
    EXPECT_EQ(s.report.reason, StopReason::converged);
    EXPECT_LT(s.measures.c7_consistency, 1e-9);
    return s.solution.joint_impulse[0];
  };
  EXPECT_NEAR(impulse(0, inf, 0), weight, 1e-9);       // a floor
  EXPECT_NEAR(impulse(-inf, 0, 0), 0, 1e-9);           // a ceiling
  EXPECT_NEAR(impulse(-10, 10, 3), weight + 6, 1e-9);  // a motor up to 3 m/s
  EXPECT_NEAR(impulse(-1, 1, 3), 1, 1e-9);             // too weak
  EXPECT_NEAR(impulse(-1, 1, -3), -1, 1e-9);           // too weak downwards
}

TEST(LdlPgs, LimitsWithinAMechanismAreSolvedAndDoNotChangeTheProgram) {
  ContactProblem problem = scenes::hanging_chain(8, 20, 0.1);
  for (std::size_t k = 0; k < problem.joint_rows.size(); k += 4) problem.joint_rows[k].lower = 0;
  for (std::size_t k = 2; k < problem.joint_rows.size(); k += 5) problem.joint_rows[k].upper = 0.01;
  LdlPgsSolver solver({});
  const Solved s = solve(problem, solver, {1e-9, 20000, 0});
  EXPECT_EQ(s.report.reason, StopReason::converged);
  EXPECT_LE(s.report.joints.active_changes, 4);
  EXPECT_EQ(s.report.joints.programs_built, 1);
  ProxSolver gauss_seidel({});
  const Solved slow = solve(problem, gauss_seidel, {1e-9, 200000, 0});
  ASSERT_EQ(slow.report.reason, StopReason::converged);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    EXPECT_LT(norm(s.solution.velocity[i].linear - slow.solution.velocity[i].linear), 1e-5);
  for (JointRow& row : problem.joint_rows)
    if (row.lower == 0) row.target_velocity = 1;  // the other way: limits flip
  EXPECT_EQ(solve(problem, solver, {1e-9, 20000, 0}).report.joints.programs_built, 0);
}

TEST(LdlPgs, RedundantLoopsAreReported) {
  const Solved s = solve(scenes::four_bar(), LdlPgsSettings{}, {1e-9, 10, 0});
  EXPECT_EQ(s.report.reason, StopReason::converged);
  EXPECT_EQ(s.report.joints.redundant_rows, 3);
  ASSERT_EQ(s.report.notes.size(), 1U);
}

TEST(LdlPgs, SameBitsForAnyNumberOfThreads) {
  const ContactProblem problem = scenes::bridge(60, 10);
  const Solved one = solve(problem, LdlPgsSettings{}, {0, 10, 0});
  const auto pool = make_pool(4);
  const Solved four = solve(problem, LdlPgsSettings{}, {0, 10, 0}, pool.get());
  EXPECT_EQ(one.solution.joint_impulse, four.solution.joint_impulse);
  EXPECT_EQ(one.solution.contact_impulse, four.solution.contact_impulse);
}

TEST(LdlPgs, HugeNumbersEndWithAReason) {
  ContactProblem problem = scenes::bridge(5, 1);
  problem.bodies[2].velocity.linear = {1e30, -1e30, 1e30};
  problem.joint_rows[3].angular_b = {1e30, 1e30, 0};
  problem.joint_rows[3].compliance = 1e30;
  const Solved s = solve(problem, LdlPgsSettings{}, {1e-9, 100, 0});
  EXPECT_LE(s.report.iterations, 100);
}

}  // namespace
}  // namespace cairn
