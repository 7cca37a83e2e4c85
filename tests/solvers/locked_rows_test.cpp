// SPDX-License-Identifier: MIT
// Joint rows about axes that a body is locked against: they move nothing but by rounding, and get no impulse.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {
namespace {

/// Row k of the joint turns body 1 against body 0 about `axis`.
JointRow turning_row(const Vec3& axis, double target) {
  JointRow row;
  row.angular_a = -axis, row.angular_b = axis;
  row.target_velocity = target;
  return row;
}

/// A body that turns about x alone and is to follow one that turns about all axes: two of the three rows see x by the
/// rounding of their axes only. `rest` is that rounding.
ContactProblem locked_problem(double rest) {
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 0.01;
  problem.bodies[1].inverse_inertia = SymMat3::diagonal(0.02, 0, 0);
  problem.bodies[1].acceleration.linear = {0, 0, -9.81};
  problem.joint_rows = {turning_row({rest, 0.6, 0.8}, 2), turning_row({-rest, 0.8, -0.6}, -1),
                        turning_row({1, 0, 0}, 0.5)};
  problem.joint_rows[1].lower = 0;  // a stop
  problem.joints = {{0, 1, 0, 3}};
  return problem;
}

TEST(LockedRows, MoveBodiesByMoreThanRoundingOrNot) {
  const ContactProblem problem = locked_problem(1e-17);
  const auto moves = [&](const JointRow& row) { return moves_bodies(problem.bodies[0], problem.bodies[1], row); };
  EXPECT_FALSE(moves(problem.joint_rows[0]));
  EXPECT_FALSE(moves(problem.joint_rows[1]));
  EXPECT_TRUE(moves(problem.joint_rows[2]));
  EXPECT_TRUE(moves(turning_row({1e-6, 0.6, 0.8}, 0)));
  JointRow along = problem.joint_rows[0];
  along.linear_b = {0, 0, 1};
  EXPECT_TRUE(moves(along));
  ProblemBody rod;  // a hundred thousand times easier to turn about one axis than about the others
  rod.inverse_inertia = SymMat3::diagonal(1e5, 1, 1);
  EXPECT_TRUE(moves_bodies(problem.bodies[0], rod, turning_row({0, 1, 0}, 0)));
}

TEST(LockedRows, GetNoImpulse) {
  // Warm starts with the impulses before, while the rounding changes as it does from step to step.
  for (const SolverInfo& info : solver_table()) {
    if (!info.joints) continue;
    const auto solver = make_solver(info.name);
    ContactSolution solution;
    for (int step = 0; step < 20; ++step) {
      const ContactProblem problem = locked_problem((step % 3 - 1.3) * 1e-17);
      SolveContext context;
      context.stop = {0, 50, 0};
      solver->solve(problem, solution, context);
      EXPECT_EQ(solution.joint_impulse[0], 0) << info.name << ", step " << step;
      EXPECT_EQ(solution.joint_impulse[1], 0) << info.name << ", step " << step;
      EXPECT_NEAR(solution.joint_impulse[2], 0.5 / 0.02, 1e-3) << info.name << ", step " << step;
      EXPECT_NEAR(solution.velocity[1].angular.x, 0.5, 1e-4) << info.name << ", step " << step;
      const Measures measures = residual(problem, solution);
      EXPECT_LT(measures.c7_consistency * measures.v_ref, 1e-4) << info.name << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace cairn
