// SPDX-License-Identifier: MIT
// The velocity of a step without friction: closed forms, then an iterative solver as the oracle.
#include "cairn/measures/frictionless.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

constexpr double kGravity = 9.81;

/// Bodies of the given masses one on the other on fixed ground, `points` contacts each, all in one place.
ContactProblem tower(const std::vector<double>& masses, int points) {
  ContactProblem problem;
  problem.bodies.emplace_back();
  for (const double mass : masses) {
    ProblemBody body;
    body.inverse_mass = 1 / mass;
    body.inverse_inertia = SymMat3::diagonal(1 / mass, 1 / mass, 1 / mass);
    body.acceleration.linear = {0, 0, -kGravity};
    const auto above = static_cast<std::int32_t>(problem.bodies.size());
    problem.bodies.push_back(body);
    for (int k = 0; k < points; ++k) {
      ContactBlock contact;
      contact.body_a = above - 1, contact.body_b = above;
      problem.contacts.push_back(contact);
    }
  }
  return problem;
}

TEST(Frictionless, TowerRestsWhateverItsMasses) {
  for (const double top : {1e-6, 1.0, 1e6}) {
    const ContactProblem problem = tower({1, 2, top}, 3);
    const FrictionlessResult result = solve_frictionless(problem);
    EXPECT_TRUE(result.converged);
    const double fall = kGravity * problem.dt;
    for (const Velocity& u : result.velocity) EXPECT_LT(norm(u.linear), 1e-9 * fall) << top;
    double carried = 0;  // by the three points of the ground
    for (int k = 0; k < 3; ++k) carried += result.impulse[to_index(k)];
    EXPECT_NEAR(carried, (3 + top) * fall, 1e-9 * (3 + top) * fall);
  }
}

TEST(Frictionless, WhatSeparatesIsLeftAlone) {
  ContactProblem problem = tower({1, 1}, 1);
  problem.bodies[2].velocity.linear = {0.5, 0, 3};
  const FrictionlessResult result = solve_frictionless(problem);
  EXPECT_NEAR(result.velocity[1].linear.z, 0, 1e-9);
  EXPECT_NEAR(result.velocity[2].linear.z, 3 - kGravity * problem.dt, 1e-9);
  EXPECT_NEAR(result.velocity[2].linear.x, 0.5, 1e-12);
}

TEST(Frictionless, AgreesWithSweepsOnRandomClusters) {
  Random random(7);
  int compared = 0;
  for (int round = 0; round < 20; ++round) {
    const ContactProblem problem = random_cluster(random, {.bodies = 12, .pairs = 25}).problem;
    ContactSolution swept;
    SolveContext context;
    context.stop = {1e-13, 200000, 0};
    const SolveReport report = make_solver("anderson")->solve(problem, swept, context);
    if (report.reason != StopReason::converged) continue;  // more contacts than freedom: the oracle knows no answer
    const FrictionlessResult result = solve_frictionless(problem);
    EXPECT_LT(residual(problem, swept, &result.velocity).c8_kinetic_error, 1e-9) << round;
    EXPECT_GT(result.worst_slack, -1e-9) << round;
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

TEST(Frictionless, NothingThatMovesAndNothingThatTouches) {
  ContactProblem problem = tower({1}, 1);
  problem.contacts.clear();
  EXPECT_EQ(solve_frictionless(problem).velocity[1].linear.z, -kGravity * problem.dt);
  problem = tower({1}, 1);
  problem.bodies[1] = {};
  EXPECT_TRUE(solve_frictionless(problem).converged);
}

TEST(Frictionless, RefusesFrictionAndJoints) {
  ContactProblem problem = tower({1}, 1);
  problem.contacts[0].friction1 = problem.contacts[0].friction2 = 0.5;
  EXPECT_THROW(solve_frictionless(problem), InputError);
  Random random(1);
  EXPECT_THROW(solve_frictionless(random_cluster(random, {.joints = 1}).problem), InputError);
}

}  // namespace
}  // namespace cairn
