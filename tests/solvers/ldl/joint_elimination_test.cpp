// SPDX-License-Identifier: MIT
// Contacts on mechanisms with the joints eliminated: a rigid column by hand, and the converged sweeps as the oracle.
#include "cairn/solvers/ldl/joint_elimination.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/problem/residual.h"
#include "cairn/solvers/ldl/ldl_pgs.h"
#include "scenes/mechanism_problems.h"

namespace cairn {
namespace {

/// Bodies of 1 kg glued above one another, the top one of `load` kg, the lowest on the ground.
ContactProblem column(int bodies, double load) {
  scenes::MechanismBuilder build(0);
  const std::int32_t ground = build.add_ground();
  std::int32_t below = -1;
  for (int k = 0; k < bodies; ++k) {
    const std::int32_t body = build.add_body({0, 0, k + 0.5}, k + 1 == bodies ? load : 1.0);
    if (k > 0) build.join(below, body, 6, {0, 0, static_cast<double>(k)}, {0, 0, 1});
    if (k == 0) build.touch(ground, body, {0, 0, 0}, {0, 0, 1});
    below = body;
  }
  return build.take();
}

/// A chain of hinges between two posts; it sags onto the ground in some places.
ContactProblem chain_on_ground(int contacts, std::uint64_t seed) {
  scenes::MechanismBuilder build(0.1, seed);
  const std::int32_t ground = build.add_ground();
  std::int32_t previous = ground;
  for (int k = 0; k < 12; ++k) {
    const std::int32_t link = build.add_body({k + 0.5, 0, 0.5}, k == 6 ? 50.0 : 1.0);
    build.join(previous, link, k % 3 == 2 ? 3 : 5, {static_cast<double>(k), 0, 0.5}, {0, 1, 0});
    if (k % 3 == 1 && k / 3 < contacts) build.touch(ground, link, {k + 0.4, 0.1, 0}, {0, 0, 1});
    previous = link;
  }
  return build.take();
}

struct Solved {
  ContactSolution solution;
  SolveReport report;
  double residual = 0;
};

Solved solve(const ContactProblem& problem, int eliminate, double tolerance, int sweeps) {
  LdlPgsSettings settings;
  settings.eliminate = eliminate;
  LdlPgsSolver solver(settings);
  SolveContext context;
  context.stop = {tolerance, sweeps, 0};
  Solved result;
  result.report = solver.solve(problem, result.solution, context);
  result.residual = residual(problem, result.solution).residual;
  return result;
}

TEST(JointElimination, AContactBearsAColumnAtOnce) {
  const ContactProblem problem = column(20, 1000);
  const double weight = (19 + 1000) * 9.81 * problem.dt;
  const Solved s = solve(problem, 5, 0, 1);
  EXPECT_EQ(s.report.joints.eliminated, 1);
  EXPECT_NEAR(s.solution.contact_impulse[0][0], weight, 1e-6 * weight);
  EXPECT_NEAR(s.solution.velocity[20].linear.z, 0, 1e-9);
  EXPECT_LT(solve(problem, 0, 0, 1).solution.contact_impulse[0][0], 0.1 * weight);  // knows the lowest body alone
}

TEST(JointElimination, AgreesWithSweepsThatConverged) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const int contacts : {1, 2, 4}) {
      const ContactProblem problem = chain_on_ground(contacts, seed);
      const Solved s = solve(problem, 5, 0, 1), exact = solve(problem, 0, 1e-12, 200000);
      EXPECT_EQ(s.report.joints.eliminated, 1);
      ASSERT_LT(exact.residual, 1e-11);
      EXPECT_LT(s.residual, 1e-10) << contacts << " contacts, seed " << seed;
      EXPECT_GT(exact.report.iterations, 20);
      for (std::size_t i = 0; i < problem.bodies.size(); ++i)
        EXPECT_LT(norm(s.solution.velocity[i].linear - exact.solution.velocity[i].linear), 1e-8);
    }
}

TEST(JointElimination, LeavesAloneWhatIsNotForIt) {
  EXPECT_EQ(solve(chain_on_ground(3, 1), 2, 0, 1).report.joints.eliminated, 0);  // too many contacts
  ContactProblem bounded = chain_on_ground(2, 1), spinning = bounded, oval = bounded, without = bounded;
  bounded.joint_rows[7].upper = 0.1;
  spinning.contacts[1].spin_radius = 0.01;
  oval.contacts[0].friction2 = 0.1;
  without.contacts.clear();
  for (const ContactProblem* problem : {&bounded, &spinning, &oval, &without})
    EXPECT_EQ(solve(*problem, 5, 0, 1).report.joints.eliminated, 0);
}

/// A body that is fixed to the ground and overlaps it: no impulse can part them, and none may be sought by dividing by
/// the round-off that is left of the contact's mobility.
TEST(JointElimination, AContactThatJointsHoldIsNotPushedWithoutBound) {
  for (const double disorder : {0.0, 0.1, 0.3})
    for (const int links : {1, 3}) {
      scenes::MechanismBuilder build(disorder);
      const std::int32_t ground = build.add_ground();
      std::int32_t last = ground;
      for (int k = 0; k < links; ++k) {
        const std::int32_t body = build.add_body({k + 0.7, 0.3, 0.5});
        build.join(last, body, 6, {k + 0.2, 0.1, 0.5}, {0, 1, 0});
        last = body;
      }
      build.touch(ground, last, {links + 0.1, 0.2, 0}, {0, 0, 1});
      ContactProblem problem = build.take();
      problem.contacts[0].gap = -0.05;
      problem.stabilisation.contact_rate = 0.2;
      const Solved s = solve(problem, 5, 0, 10);
      EXPECT_EQ(s.report.joints.eliminated, 0);
      EXPECT_LT(s.solution.contact_impulse[0][0], 100) << "1 kg, pushed at 0.6 m/s in ten sweeps";
      for (const double impulse : s.solution.joint_impulse) EXPECT_LT(std::fabs(impulse), 1000);
    }
}

}  // namespace
}  // namespace cairn
