// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/prox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/random.h"
#include "cairn/graph/colouring.h"
#include "cairn/problem/residual.h"
#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

Solved solve(const ContactProblem& problem, const ProxSettings& settings, StopSettings stop,
             ThreadPool* pool = nullptr) {
  return solved_by(ProxSolver(settings), problem, {.stop = stop, .pool = pool});
}

/// One sphere of mass 2 on the ground.
ContactProblem resting_sphere() {
  ContactProblem problem = scenes::ball_grid(1);
  problem.bodies[0].inverse_mass = 0.5;
  return problem;
}

TEST(Prox, TwoContactsWrittenByHand) {
  // A 3 kg bead between two walls that close in at 1 m/s from the left: it must move with the left wall.
  ContactProblem problem;
  problem.bodies.resize(3);
  problem.bodies[0].inverse_mass = 1.0 / 3.0;
  problem.bodies[1].velocity.linear = {1, 0, 0};  // left wall, kinematic
  problem.bodies[2].velocity.linear = {2, 0, 0};  // right wall, fleeing
  for (const int wall : {1, 2}) {
    ContactBlock c;
    c.body_a = wall;
    c.body_b = 0;
    const Frame frame = make_frame({wall == 1 ? 1.0 : -1.0, 0, 0});
    c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
    problem.contacts.push_back(c);
  }
  ContactSolution solution;
  SolveContext context;
  const SolveReport report = ProxSolver({}).solve(problem, solution, context);
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_DOUBLE_EQ(solution.velocity[0].linear.x, 1);
  EXPECT_DOUBLE_EQ(solution.contact_impulse[0][0], 3);
  EXPECT_EQ(solution.contact_impulse[1][0], 0);
}

TEST(Prox, SphereAtRestIsExactAfterOneSweep) {  // T4.6
  const ContactProblem problem = resting_sphere();
  const Solved one = solve(problem, {}, {0, 1, 0});
  EXPECT_DOUBLE_EQ(one.solution.contact_impulse[0][0], 2 * 9.81 * problem.dt);
  EXPECT_NEAR(one.solution.velocity[0].linear.z, 0, 1e-16);
}

TEST(Prox, TooLongStepsDivergeWithoutRollbackAndConvergeWithIt) {  // T4.6
  const ContactProblem problem = resting_sphere();
  ProxSettings settings;
  settings.relaxation = 2.5;
  EXPECT_GT(solve(problem, settings, {1e-10, 50, 0}).report.residual, 0.5);
  settings.rollback = true;
  settings.free_sweeps = 1;
  const Solved saved = solve(problem, settings, {1e-10, 200, 0});
  EXPECT_EQ(saved.report.reason, StopReason::converged);
  EXPECT_GE(saved.report.sweep.rollbacks, 1);
  EXPECT_LT(residual(problem, saved.solution).c7_consistency, 1e-12) << "w must be restored with lambda";  // T4.4
}

TEST(Prox, RestitutionLeavesWithTheRightSign) {  // erratum of Poulsen 2010 (2.71): v = -1, e = 0.5 gives +0.5
  ContactProblem problem = resting_sphere();
  problem.bodies[0].acceleration = {};
  problem.bodies[0].velocity.linear = {0, 0, -1};
  problem.contacts[0].restitution = 0.5;
  EXPECT_NEAR(solve(problem, {}, {1e-12, 100, 0}).solution.velocity[0].linear.z, 0.5, 1e-12);
}

TEST(Prox, SlidingSphereGetsCoulombFrictionAndRolls) {
  // Sliding at 1 m/s: friction impulse mu m g dt backwards, spin 5 mu g dt / (2 R).
  ContactProblem problem = resting_sphere();
  problem.bodies[0].inverse_inertia = SymMat3::diagonal(5, 5, 5);  // 2/5 m R^2 = 0.2
  problem.bodies[0].velocity.linear = {1, 0, 0};
  const Solved solved = solve(problem, {}, {1e-12, 100, 0});
  const double gained = 0.5 * 9.81 * problem.dt;
  EXPECT_NEAR(solved.solution.velocity[0].linear.x, 1 - gained, 1e-12);
  EXPECT_NEAR(solved.solution.velocity[0].angular.y, 2.5 * gained / 0.5, 1e-12);
}

/// A disc that stands on a patch of radius 0.25 and spins about the vertical.
ContactProblem spinning_disc(double spin, double slide) {
  ContactProblem problem = resting_sphere();
  problem.bodies[0].inverse_inertia = SymMat3::diagonal(5, 5, 5);
  problem.bodies[0].velocity = {{slide, 0, 0}, {0, 0, spin}};
  problem.contacts[0].spin_radius = 0.25;
  problem.contacts[0].arm_b = {};  // no rolling: the patch is at the centre
  return problem;
}

TEST(Prox, SpinDecaysAtTheContensouRate) {  // T4.2
  const ContactProblem problem = spinning_disc(50, 0);
  const Solved solved = solve(problem, {}, {1e-12, 1000, 0});
  const double normal = 2 * 9.81 * problem.dt, torque = 2.0 / 3.0 * 0.5 * normal * 0.25;
  EXPECT_NEAR(solved.solution.contact_impulse[0][0], normal, 1e-12);
  EXPECT_NEAR(solved.solution.velocity[0].angular.z, 50 - 5 * torque, 1e-9);
  // Fast spin takes the lateral friction away; slow spin leaves it all.
  const Solved fast = solve(spinning_disc(500, 0.3), {}, {1e-12, 2000, 0});
  const Solved slow = solve(spinning_disc(0, 0.3), {}, {1e-12, 2000, 0});
  EXPECT_LT(std::fabs(fast.solution.contact_impulse[0][1]), 0.05 * 0.5 * normal);
  EXPECT_NEAR(std::hypot(slow.solution.contact_impulse[0][1], slow.solution.contact_impulse[0][2]), 0.5 * normal, 1e-9);
}

TEST(Prox, AnisotropicFrictionPullsAlongItsAxes) {
  // Sliding diagonally over a surface that is rough along x only: friction acts along x only.
  ContactProblem problem = resting_sphere();
  problem.bodies[0].inverse_inertia = {};
  problem.bodies[0].velocity.linear = {1, 1, 0};
  const Frame frame = make_frame_along({0, 0, 1}, {1, 0, 0});
  problem.contacts[0].tangent1 = frame.tangent1;
  problem.contacts[0].tangent2 = frame.tangent2;
  problem.contacts[0].friction1 = 0.5;
  problem.contacts[0].friction2 = 0;
  const Solved solved = solve(problem, {}, {1e-12, 1000, 0});
  EXPECT_NEAR(solved.solution.velocity[0].linear.x, 1 - 0.5 * 9.81 * problem.dt, 1e-9);
  EXPECT_NEAR(solved.solution.velocity[0].linear.y, 1, 1e-12);
}

TEST(Prox, FrictionModelsDifferAtTheCornerOfTheBox) {
  ContactProblem problem = resting_sphere();
  problem.bodies[0].inverse_inertia = {};
  problem.bodies[0].velocity.linear = {1, 1, 0};
  const auto friction = [&](FrictionModel model) {
    ProxSettings settings;
    settings.friction = model;
    const Solved solved = solve(problem, settings, {0, 500, 0});
    return std::hypot(solved.solution.contact_impulse[0][1], solved.solution.contact_impulse[0][2]) /
           solved.solution.contact_impulse[0][0];
  };
  EXPECT_NEAR(friction(FrictionModel::disc), 0.5, 1e-9);
  EXPECT_NEAR(friction(FrictionModel::ellipse), 0.5, 1e-9);
  EXPECT_NEAR(friction(FrictionModel::box), 0.5 * std::sqrt(2), 1e-9);
  EXPECT_NEAR(friction(FrictionModel::cone), 0.5, 1e-9);
}

/// A jumble with every kind of coupling: a grid with random arms and velocities.
ContactProblem jumble() {
  ContactProblem problem = scenes::ball_grid(4);
  Random random(11);
  for (ContactBlock& c : problem.contacts) {
    c.arm_a = c.arm_a + Vec3{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)};
    c.friction1 = c.friction2 = random.uniform(0, 1);
  }
  for (ProblemBody& body : problem.bodies)
    if (body.is_dynamic()) body.velocity.linear = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  return problem;
}

TEST(Prox, ThreeOperatorsGiveTheSameIterates) {  // T4.3
  const ContactProblem problem = jumble();
  for (const SweepOrder order : {SweepOrder::gauss_seidel, SweepOrder::jacobi}) {
    for (const ScheduleKind schedule : {ScheduleKind::sequential, ScheduleKind::greedy}) {
      ProxSettings settings;
      settings.order = order;
      settings.schedule = schedule;
      settings.r_factor = RFactor::diagonal;
      settings.relaxation = order == SweepOrder::jacobi ? 0.2 : 1.0;
      settings.local = LocalSolve::prox;
      settings.op = ContactOperator::factorised;
      const ContactSolution expected = solve(problem, settings, {0, 25, 0}).solution;
      for (const ContactOperator op : {ContactOperator::a, ContactOperator::t}) {
        settings.op = op;
        const ContactSolution got = solve(problem, settings, {0, 25, 0}).solution;
        double worst = 0, scale = 0;
        for (std::size_t k = 0; k < problem.contacts.size(); ++k)
          for (std::size_t i = 0; i < 3; ++i) {
            worst = std::max(worst, std::fabs(got.contact_impulse[k][i] - expected.contact_impulse[k][i]));
            scale = std::max(scale, std::fabs(expected.contact_impulse[k][i]));
          }
        EXPECT_LT(worst, 1e-12 * scale);
      }
    }
  }
}

TEST(Prox, ColouredSweepsEqualThePermutedSerialOnes) {  // T4.5, bit for bit
  const ContactProblem problem = jumble();
  ProxSettings settings;
  settings.schedule = ScheduleKind::greedy;
  const Solved coloured = solve(problem, settings, {0, 20, 0});
  std::vector<Edge> edges;
  const auto ground = static_cast<std::int32_t>(problem.bodies.size() - 1);
  for (const ContactBlock& c : problem.contacts) edges.push_back({c.body_a == ground ? kNoVertex : c.body_a, c.body_b});
  const Colouring colouring = colour_edges_greedy(edges, ground);
  std::vector<std::size_t> order(problem.contacts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return colouring.colour[a] < colouring.colour[b]; });
  ContactProblem permuted = problem;
  for (std::size_t i = 0; i < order.size(); ++i) permuted.contacts[i] = problem.contacts[order[i]];
  settings.schedule = ScheduleKind::sequential;
  const Solved serial = solve(permuted, settings, {0, 20, 0});
  for (std::size_t i = 0; i < order.size(); ++i)
    ASSERT_EQ(serial.solution.contact_impulse[i], coloured.solution.contact_impulse[order[i]]);
  EXPECT_EQ(coloured.report.sweep.colour_sizes, colouring.sizes);
}

TEST(Prox, GlobalRFactorsConvergeToTheSameVelocities) {
  const ContactProblem problem = scenes::ball_grid(3);
  const Solved expected = solve(problem, {}, {1e-12, 5000, 0});
  for (const SweepOrder order : {SweepOrder::gauss_seidel, SweepOrder::jacobi}) {
    ProxSettings settings;
    settings.order = order;
    settings.r_factor = RFactor::global;
    const Solved solved = solve(problem, settings, {1e-12, 50000, 0});
    EXPECT_EQ(solved.report.reason, StopReason::converged);
    EXPECT_LT(residual(problem, solved.solution, &expected.solution.velocity).c8_kinetic_error, 1e-8);
  }
}

TEST(Prox, EveryAccelerationReachesTheSameAnswerInFewerSweeps) {
  const ContactProblem problem = scenes::pyramid(6);
  const Solved plain = solve(problem, {}, {1e-8, 20000, 0});
  ASSERT_EQ(plain.report.reason, StopReason::converged);
  for (const Acceleration acceleration : {Acceleration::nesterov, Acceleration::anderson, Acceleration::nncg}) {
    ProxSettings settings;
    settings.acceleration = acceleration;
    const Solved solved = solve(problem, settings, {1e-8, 20000, 0});
    EXPECT_EQ(solved.report.reason, StopReason::converged);
    EXPECT_LT(2 * solved.report.iterations, plain.report.iterations) << static_cast<int>(acceleration);
    EXPECT_LT(residual(problem, solved.solution).c7_consistency, 1e-12);
  }
}

TEST(Prox, WarmStartFromTheSolutionStopsAtOnce) {
  const ContactProblem problem = scenes::ball_grid(4);
  Solved first = solve(problem, {}, {1e-9, 5000, 0});
  ASSERT_GT(first.report.iterations, 10);
  SolveContext context;
  context.stop.tolerance = 1e-8;
  EXPECT_EQ(ProxSolver({}).solve(problem, first.solution, context).iterations, 1);
  first.solution.contact_impulse.resize(3);
  EXPECT_THROW(ProxSolver({}).solve(problem, first.solution, context), InputError);
}

TEST(Prox, StopsForTheReasonItGives) {
  const ContactProblem problem = scenes::ball_grid(8);
  EXPECT_EQ(solve(problem, {}, {1e-9, 3, 0}).report.reason, StopReason::max_iterations);
  EXPECT_EQ(solve(problem, {}, {0, 3, 0}).report.iterations, 3);
  EXPECT_EQ(solve(problem, {}, {1e-9, 1000000, 1e-9}).report.reason, StopReason::time_limit);
  EXPECT_EQ(solve(problem, {}, {1e-3, 5000, 0}).report.reason, StopReason::converged);
  std::atomic<bool> stop{true};
  ContactSolution solution;
  SolveContext context;
  context.interrupt = &stop;
  EXPECT_EQ(ProxSolver({}).solve(problem, solution, context).reason, StopReason::interrupted);
  ProxSettings wild;
  wild.relaxation = 1e200;
  const Solved broken = solve(problem, wild, {1e-9, 100, 0});
  EXPECT_EQ(broken.report.reason, StopReason::diverged);
  for (const Velocity& v : broken.solution.velocity)
    ASSERT_TRUE(is_finite(v.linear)) << "the last good state is returned";
}

TEST(Prox, JointRowsHoldTheirBodies) {
  // A 1 kg bob hung by a distance row from the world: impulse m g dt, no motion. And a motor with a force limit.
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].inverse_mass = 1;
  problem.bodies[0].acceleration.linear = {0, 0, -10};
  problem.dt = 0.01;
  problem.joints = {{1, 0, 0, 1}};
  JointRow row;
  row.linear_a = {0, 0, -1}, row.linear_b = {0, 0, 1};
  problem.joint_rows = {row};
  Solved held = solve(problem, {}, {1e-12, 100, 0});
  EXPECT_DOUBLE_EQ(held.solution.joint_impulse[0], 0.1);
  EXPECT_NEAR(held.solution.velocity[0].linear.z, 0, 1e-16);
  problem.joint_rows[0].upper = 0.04;  // too weak: falls with what is left
  held = solve(problem, {}, {1e-12, 100, 0});
  EXPECT_DOUBLE_EQ(held.solution.joint_impulse[0], 0.04);
  EXPECT_DOUBLE_EQ(held.solution.velocity[0].linear.z, -0.06);
  EXPECT_LT(residual(problem, held.solution).c3_joint_velocity, 1e-12);
  problem.joint_rows[0].upper = 1e9;
  problem.joint_rows[0].compliance = 1e-4;  // G = 1: y + lambda = 0 -> lambda = 0.05
  held = solve(problem, {}, {1e-12, 1000, 0});
  EXPECT_NEAR(held.solution.joint_impulse[0], 0.05, 1e-12);
}

TEST(Prox, UnsupportedCombinationsAreRefusedWithTheCure) {
  const ContactProblem problem = scenes::ball_grid(2);
  ProxSettings settings;
  settings.local = LocalSolve::exact;
  EXPECT_THROW(solve(problem, settings, {}), InputError);
  settings.op = ContactOperator::t;
  EXPECT_THROW(solve(problem, settings, {}), InputError);
  ProxSettings factorised;
  factorised.op = ContactOperator::factorised;
  DelassusSolution flat;
  SolveContext context;
  EXPECT_THROW(ProxSolver(factorised).solve(to_delassus(problem), flat, context), InputError);
}

TEST(Prox, EmptyAndImmovableProblemsAreSolved) {
  ContactProblem nothing;
  EXPECT_EQ(solve(nothing, {}, {}).report.iterations, 1);
  ContactProblem fixed;
  fixed.bodies.resize(2);
  fixed.contacts.resize(1);
  fixed.contacts[0].body_b = 1;
  const Solved solved = solve(fixed, {}, {});
  EXPECT_EQ(solved.solution.contact_impulse[0][0], 0);
}

}  // namespace
}  // namespace cairn
