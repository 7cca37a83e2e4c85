// SPDX-License-Identifier: MIT
// Wild problems: masses, speeds and arms of any size, paradoxes, redundancy. Every solver must come back with finite
// velocities and an honest reason, whatever it reached.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/random.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {
namespace {

/// A number of either sign whose size is spread evenly over powers of ten.
double spread(Random& random, double low, double high) {
  return std::pow(10.0, random.uniform(low, high)) * (random.uniform() < 0.5 ? -1 : 1);
}

Vec3 spread_vector(Random& random, double low, double high) {
  const double x = spread(random, low, high), y = spread(random, low, high), z = spread(random, low, high);
  return {x, y, z};
}

/// `decades` says how far apart masses and speeds are.
ContactProblem wild_problem(Random& random, double decades) {
  ContactProblem problem;
  problem.bodies.resize(2 + random.below(6));
  for (ProblemBody& body : problem.bodies) {
    if (random.uniform() < 0.8) {
      body.inverse_mass = std::fabs(spread(random, -decades / 4, decades / 4));
      const double k = std::fabs(spread(random, -decades / 4, decades / 4));
      body.inverse_inertia = SymMat3::diagonal(k, k * random.uniform(0.5, 1), k);
    }
    body.velocity.linear = spread_vector(random, -decades, decades);
    body.acceleration.linear = {0, 0, -9.81};
  }
  problem.contacts.resize(random.below(12));
  for (ContactBlock& c : problem.contacts) {
    const auto count = static_cast<std::int32_t>(problem.bodies.size());
    c.body_a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(count)));
    c.body_b = (c.body_a + 1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(count - 1)))) % count;
    const Frame frame = make_frame(normalised({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.01, 1)}));
    c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
    c.arm_a = spread_vector(random, -3, 1), c.arm_b = spread_vector(random, -3, 1);
    c.gap = spread(random, -6, 0);
    c.friction1 = random.uniform() < 0.2 ? 0 : random.uniform(0, 2);
    c.friction2 = random.uniform() < 0.7 ? c.friction1 : random.uniform(0, 2);
    c.spin_radius = random.uniform() < 0.2 ? random.uniform() : 0;
    c.restitution = random.uniform();
  }
  return problem;
}

class WildProblems : public testing::TestWithParam<double> {};

TEST_P(WildProblems, EndFiniteAndHonest) {
  Random random(99);
  const std::pair<const char*, NamedSettings> solvers[] = {
      {"gauss_seidel", {}},
      {"gauss_seidel", {{"acceleration", "nesterov"}}},
      {"gauss_seidel", {{"acceleration", "anderson"}}},
      {"jacobi", {}},
      {"jacobi", {{"acceleration", "nncg"}}},
      {"gauss_seidel", {{"schedule", "split"}, {"max_colours", "1"}}},
      {"pgs_staggered", {}},
      {"mass_splitting", {}},
      {"block_mass_splitting", {}},
      {"block_mass_splitting", {{"acceleration", "nesterov"}}},
      {"jacobi_line_search", {}},
      {"exact", {{"reference", "off"}}},
      {"ffd", {{"sweeps", "3"}}},
      {"ffd", {{"mode", "pe"}}},
      {"reference", {}}};
  int converged = 0;
  for (int i = 0; i < 200; ++i) {
    const ContactProblem problem = wild_problem(random, GetParam());
    for (const auto& [name, settings] : solvers) {
      ContactSolution solution;
      SolveContext context;
      context.stop = {1e-8, 200, 0};
      const SolveReport report = make_solver(name, settings)->solve(problem, solution, context);
      for (const Velocity& v : solution.velocity)
        ASSERT_TRUE(is_finite(v.linear) && is_finite(v.angular)) << i << ' ' << name;
      const double measured = residual(problem, solution).residual;
      ASSERT_TRUE(report.reason != StopReason::converged || measured <= 1.01e-8) << i << ' ' << name << ' ' << measured;
      converged += report.reason == StopReason::converged ? 1 : 0;
    }
  }
  EXPECT_GT(converged, 300) << "most of these can be solved";
}

TEST(WildWarmStarts, LeaveNoPush) {
  // Two joints that contradicted each other pushed with 1e12 N s; one is gone, and the other comes down to what it
  // holds.
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 0.3;
  problem.bodies[1].inverse_inertia = SymMat3::diagonal(0.7, 0.7, 0.7);
  problem.bodies[1].acceleration.linear = {0, 0, -9.81};
  JointRow row;
  row.linear_a = {0, 0, -1}, row.linear_b = {0, 0, 1};
  row.angular_b = {0.3, 0.1, 0};
  problem.joint_rows = {row};
  problem.joints = {{0, 1, 0, 1}};
  for (const SolverInfo& info : solver_table()) {
    if (!info.joints || info.name == "soft_step") continue;  // soft_step sweeps in float
    for (const double given : {1e12, -3.3e13}) {
      ContactSolution solution;
      solution.joint_impulse = {given};
      SolveContext context;
      context.stop = {0, 20, 0};
      make_solver(info.name)->solve(problem, solution, context);
      const Measures measures = residual(problem, solution);
      EXPECT_LT(measures.c7_consistency * measures.v_ref, 1e-9) << info.name << " from " << given << " N s";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Decades, WildProblems, testing::Values(2.0, 9.0, 29.0));

}  // namespace
}  // namespace cairn
