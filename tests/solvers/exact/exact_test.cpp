// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/ball_lattices.h"
#include "scenes/mechanism_problems.h"
#include "scenes/scene.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

constexpr double kG = 10, kDt = 0.01;

/// A box of mass 2 with half sizes 1 x 1 x 0.5 on its four lower corners, gravity turned by `slope` about y.
ContactProblem box_on_slope(double slope, double friction, double speed = 0) {
  ContactProblem problem;
  problem.dt = kDt;
  problem.bodies.resize(2);
  ProblemBody& box = problem.bodies[1];
  box.inverse_mass = 0.5, box.inverse_inertia = {1.5 / 1.25, 1.5 / 1.25, 1.5 / 2.0, 0, 0, 0};
  box.velocity.linear = {speed, 0, 0};
  box.acceleration.linear = {kG * std::sin(slope), 0, -kG * std::cos(slope)};
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) {
      ContactBlock contact;
      contact.body_b = 1, contact.arm_b = {x, y, -0.5};
      contact.friction1 = contact.friction2 = friction;
      problem.contacts.push_back(contact);
    }
  return problem;
}

SolveReport solve(const ContactProblem& problem, ContactSolution& solution, const ExactSettings& settings = {}) {
  SolveContext context;
  context.stop.tolerance = 0, context.measure_end = true;
  return ExactSolver(settings).solve(problem, solution, context);
}

TEST(Exact, BoxOnASlopeSticksBelowTheAngleOfFriction) {
  const ContactProblem problem = box_on_slope(0.3, 0.35);  // tan 0.3 = 0.309
  ContactSolution solution;
  const SolveReport report = solve(problem, solution);
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_LE(report.residual, kExactResidual);
  EXPECT_LT(norm(solution.velocity[1].linear) + norm(solution.velocity[1].angular), 1e-9);
  double normal = 0, along = 0;
  for (const auto& impulse : solution.contact_impulse) normal += impulse[0], along += impulse[1];
  EXPECT_NEAR(normal, 2 * kG * std::cos(0.3) * kDt, 1e-9);
  EXPECT_NEAR(along, -2 * kG * std::sin(0.3) * kDt, 1e-9);
}

TEST(Exact, BoxOnASlopeSlidesAboveIt) {
  const double slope = 0.5, friction = 0.3;
  const ContactProblem problem = box_on_slope(slope, friction);
  ContactSolution solution;
  EXPECT_LE(solve(problem, solution).residual, kExactResidual);
  EXPECT_NEAR(solution.velocity[1].linear.x, kDt * kG * (std::sin(slope) - friction * std::cos(slope)), 1e-10);
  EXPECT_LT(norm(solution.velocity[1].angular), 1e-9);  // it does not tip: mu times half the height is within the base
}

TEST(Exact, BeadOnAWallAndAFloor) {
  // A ball pressed into a corner by gravity and a push: each wall takes its part, nothing moves; without the push it
  // leaves the wall.
  ContactProblem problem;
  problem.dt = kDt;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 1, problem.bodies[1].inverse_inertia = SymMat3::diagonal(2.5, 2.5, 2.5);
  problem.bodies[1].acceleration.linear = {-3, 0, -kG};
  for (const Vec3& normal : {Vec3{0, 0, 1}, Vec3{1, 0, 0}}) {
    ContactBlock contact;
    const Frame frame = make_frame(normal);
    contact.body_b = 1, contact.normal = normal, contact.tangent1 = frame.tangent1, contact.tangent2 = frame.tangent2;
    contact.arm_b = -1.0 * normal;
    problem.contacts.push_back(contact);
  }
  ContactSolution solution;
  EXPECT_LE(solve(problem, solution).residual, kExactResidual);
  EXPECT_NEAR(solution.contact_impulse[0][0], kG * kDt, 1e-11);
  EXPECT_NEAR(solution.contact_impulse[1][0], 3 * kDt, 1e-11);
  problem.bodies[1].acceleration.linear.x = 3;
  EXPECT_LE(solve(problem, solution).residual, kExactResidual);
  EXPECT_EQ(solution.contact_impulse[1][0], 0);
  EXPECT_NEAR(solution.velocity[1].linear.x, 3 * kDt, 1e-11);
}

TEST(Exact, SmoothWedgePushesItsNeighbourAside) {
  // A block of mass 1 slides down on a smooth wedge of 45 degrees and mass 1 on a smooth floor, both locked against
  // turning. Along the floor they part with the same momentum; v_z = -v_rel by the slope.
  ContactProblem problem;
  problem.dt = kDt;
  problem.bodies.resize(3);
  for (std::size_t i : {1u, 2u}) {
    problem.bodies[i].inverse_mass = 1;
    problem.bodies[i].acceleration.linear = {0, 0, -kG};
  }
  const double r = std::sqrt(0.5);
  ContactBlock floor, slope;
  floor.body_b = 1;
  slope.body_a = 1, slope.body_b = 2, slope.normal = {r, 0, r}, slope.tangent1 = {r, 0, -r}, slope.tangent2 = {0, 1, 0};
  problem.contacts = {floor, slope};
  ContactSolution solution;
  EXPECT_LE(solve(problem, solution).residual, kExactResidual);
  // Equal masses: the block accelerates by g/3 sideways and by 2g/3 down, the wedge by g/3 the other way.
  EXPECT_NEAR(solution.velocity[2].linear.x, kDt * kG / 3, 1e-11);
  EXPECT_NEAR(solution.velocity[2].linear.z, -2 * kDt * kG / 3, 1e-11);
  EXPECT_NEAR(solution.velocity[1].linear.x, -kDt * kG / 3, 1e-11);
}

TEST(Exact, RedundantContactsStayNearTheWarmStart) {
  // Four corners carry a box in many ways; all weight on one diagonal is one, and the solver leaves it there.
  const ContactProblem problem = box_on_slope(0, 0.5);
  const double weight = 2 * kG * kDt;
  ContactSolution solution;
  solution.contact_impulse.assign(4, {});
  solution.contact_impulse[0][0] = solution.contact_impulse[3][0] = 0.5 * weight;
  const SolveReport report = solve(problem, solution);
  EXPECT_EQ(report.exact.worst.stage, ExactStage::start);
  EXPECT_EQ(report.exact.newton_steps, 0);
  EXPECT_EQ(solution.contact_impulse[1][0], 0);
  // Cold, the least change from nothing: all four alike.
  ContactSolution cold;
  EXPECT_LE(solve(problem, cold).residual, kExactResidual);
  for (const auto& impulse : cold.contact_impulse) EXPECT_NEAR(impulse[0], 0.25 * weight, 1e-9);
}

TEST(Exact, HundredfoldContactsAreStillExact) {
  // The same four corners a hundred times over.
  ContactProblem problem = box_on_slope(0.2, 0.5);
  for (int copy = 1; copy < 100; ++copy)
    for (std::size_t k = 0; k < 4; ++k) problem.contacts.push_back(problem.contacts[k]);
  ContactSolution solution;
  EXPECT_LE(solve(problem, solution).residual, kExactResidual);
  EXPECT_LT(norm(solution.velocity[1].linear), 1e-8);
}

TEST(Exact, AgreesWithReferenceOnRandomClusters) {
  int stages = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const ContactProblem problem =
        random_cluster(random, {.bodies = 10, .pairs = 9, .friction = seed % 2 == 0 ? 0.0 : 0.4}).problem;
    ContactSolution exact, reference;
    SolveContext context;
    context.stop = {1e-12, 20000, 0};
    make_solver("reference")->solve(problem, reference, context);
    const SolveReport report = solve(problem, exact, {.tolerance = 1e-12});
    stages += report.exact.islands > 0 ? 1 : 0;
    EXPECT_LE(report.residual, kExactResidual) << seed;
    // Velocities are unique without friction, and with it where no more contacts act than carry the bodies.
    if (seed % 2 == 0) {
      EXPECT_LT(residual(problem, exact, &reference.velocity).c8_kinetic_error, 1e-8) << seed;
    }
  }
  EXPECT_GT(stages, 30);
}

TEST(Exact, JointsAgreeWithTheDirectSolver) {
  for (const double disorder : {0.0, 0.05}) {
    ContactProblem problem = scenes::bridge(12, 5);
    problem.joint_rows[3].lower = -0.01, problem.joint_rows[3].upper = 0.01;
    problem.joint_rows[7].compliance = 1e-4 * (1 + disorder), problem.joint_rows[7].damping = 3;
    ContactSolution exact, direct;
    SolveContext context;
    context.stop = {1e-13, 100000, 0};
    make_solver("ldl_pgs")->solve(problem, direct, context);
    const SolveReport report = solve(problem, exact, {.tolerance = 1e-12});
    EXPECT_LE(report.residual, kExactResidual);
    EXPECT_LT(residual(problem, exact, &direct.velocity).c8_kinetic_error, 1e-7);
    EXPECT_LE(std::fabs(exact.joint_impulse[3]), 0.01 + 1e-15);
  }
}

TEST(Exact, RedundantLoopsOfHingesAreHeld) {
  const ContactProblem problem = scenes::track_ring(20);  // three rows too many
  ContactSolution solution;
  const SolveReport report = solve(problem, solution);
  EXPECT_LE(report.residual, kExactResidual);
  for (const double impulse : solution.joint_impulse) EXPECT_LT(std::fabs(impulse), 1e3);
}

TEST(Exact, SpinAnisotropyRestitutionAndLockedAxes) {
  ContactProblem problem = scenes::ball_grid(3);
  Random random(5);
  for (ProblemBody& body : problem.bodies)
    if (body.is_dynamic()) {
      body.velocity = {random_vector(random, 1), random_vector(random, 5)};
      if (random.uniform() < 0.2) body.inverse_inertia = SymMat3::diagonal(body.inverse_inertia.xx, 0, 0);
    }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    problem.contacts[k].spin_radius = k % 3 == 0 ? 0.1 : 0.0;
    problem.contacts[k].restitution = 0.3;
    if (k % 2 == 0) problem.contacts[k].friction2 = k % 4 == 0 ? 0.0 : 0.2;
  }
  ContactSolution solution;
  const SolveReport report = solve(problem, solution);
  EXPECT_LE(report.residual, kExactResidual);
  EXPECT_LT(residual(problem, solution).c7_consistency, 1e-12);
}

TEST(Exact, IslandsGetTheBitsThatTheyGetAlone) {
  Random random(11);
  const ContactProblem one = random_cluster(random, {.bodies = 8, .pairs = 10, .friction = 0.3}).problem;
  const ContactProblem two = random_cluster(random, {.bodies = 6, .pairs = 7, .friction = 0.5, .joints = 2}).problem;
  ContactProblem both = one;
  const auto shift = static_cast<std::int32_t>(one.bodies.size()),
             rows = static_cast<std::int32_t>(one.joint_rows.size());
  both.bodies.insert(both.bodies.end(), two.bodies.begin(), two.bodies.end());
  for (ContactBlock c : two.contacts) c.body_a += shift, c.body_b += shift, both.contacts.push_back(c);
  for (JointBlock j : two.joints) j.body_a += shift, j.body_b += shift, j.first_row += rows, both.joints.push_back(j);
  both.joint_rows.insert(both.joint_rows.end(), two.joint_rows.begin(), two.joint_rows.end());
  ContactSolution a, b, ab;
  solve(one, a), solve(two, b);
  ThreadPool pool(3);
  SolveContext context;
  context.pool = &pool, context.stop.tolerance = 0;
  ExactSolver solver;
  for (int again = 0; again < 2; ++again) {  // what the solver kept of the first solve changes nothing
    ab = {};
    const SolveReport report = solver.solve(both, ab, context);
    EXPECT_EQ(report.exact.parts.size(), to_index(report.exact.islands));
    a.velocity.insert(a.velocity.end(), b.velocity.begin(), b.velocity.end());
    a.velocity.resize(ab.velocity.size());
    EXPECT_EQ(ab.velocity, a.velocity);
    EXPECT_EQ(std::vector<double>(ab.joint_impulse.begin() + rows, ab.joint_impulse.end()), b.joint_impulse);
  }
}

TEST(Exact, LargeIslandsGoToTheNamedSolverAndTheReportSaysSo) {
  const ContactProblem problem = scenes::ball_grid(3);
  ContactSolution solution;
  SolveContext context;
  context.stop = {1e-6, 5000, 0};
  const SolveReport report =
      ExactSolver({.iterations = 0, .max_contacts = 5, .large = "gauss_seidel"}).solve(problem, solution, context);
  EXPECT_EQ(report.exact.ended[to_index(ExactStage::iterative)], report.exact.islands);
  EXPECT_EQ(report.exact.newton_steps, 0);
  EXPECT_GT(report.exact.sweeps, 0);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes[0].find("gauss_seidel"), std::string::npos);
  EXPECT_LE(residual(problem, solution).residual, 1e-6);
}

TEST(Exact, LimitsEndItWithTheBestIterateAndTheReason) {
  const ContactProblem problem = box_on_slope(0.5, 0.3, 1.0);
  std::atomic<bool> stop{true};
  ContactSolution solution;
  SolveContext context;
  context.stop.tolerance = 0, context.interrupt = &stop, context.measure_end = true;
  const SolveReport interrupted = ExactSolver().solve(problem, solution, context);
  EXPECT_EQ(interrupted.reason, StopReason::interrupted);
  EXPECT_LE(interrupted.residual, 1);  // of no impulses at all
  EXPECT_EQ(interrupted.exact.newton_steps, 0);

  context.interrupt = nullptr, context.stop.time_limit = 1e-9;
  solution = {};
  EXPECT_EQ(ExactSolver().solve(problem, solution, context).reason, StopReason::time_limit);

  context.stop.time_limit = 0;
  solution = {};
  const SolveReport few = ExactSolver({.iterations = 1, .tolerance = 1e-14}).solve(problem, solution, context);
  EXPECT_EQ(few.exact.newton_steps, 1);
  EXPECT_LE(few.iterations, 1);
}

TEST(Exact, AWarmStartWorseThanNothingIsLeftAside) {
  const ContactProblem problem = box_on_slope(0.3, 0.35);
  ContactSolution solution;
  solution.contact_impulse.assign(4, {1e12, -1e12, 3e11, 0});
  EXPECT_LE(solve(problem, solution).residual, kExactResidual);
  EXPECT_LT(norm(solution.velocity[1].linear), 1e-9);
}

TEST(Exact, BadInputIsRefused) {
  ContactProblem problem = box_on_slope(0.3, 0.35);
  ContactSolution solution;
  solution.contact_impulse.resize(3);
  EXPECT_THROW(solve(problem, solution), InputError);
  solution = {};
  problem.contacts[1].gap = std::nan("");
  EXPECT_THROW(solve(problem, solution), InputError);
  EXPECT_THROW(ExactSolver({.first_eps = 1e-8, .last_eps = 1e-2}), InputError);
  EXPECT_THROW(make_solver("exact", {{"large", "reference"}}), InputError);
  EXPECT_THROW(make_solver("exact", {{"eps", "0"}}), InputError);
}

TEST(Exact, AssembledProblemsAreSolvedToo) {
  Random random(4);
  const ContactProblem problem = random_cluster(random, {.bodies = 8, .pairs = 12, .friction = 0.3}).problem;
  const DelassusProblem assembled = to_delassus(problem);
  ContactSolution with_bodies;
  solve(problem, with_bodies, {.tolerance = 1e-12});
  DelassusSolution without;
  SolveContext context;
  context.stop = {1e-12, 1000, 0};
  const SolveReport report = ExactSolver().solve(assembled, without, context);
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_EQ(report.exact.islands, 1);
  EXPECT_LE(residual(assembled, without.impulse).residual, 1e-12);
}

/// Where it is asked for, staggered projections come first, and the report says which one ended.
TEST(Exact, StaggeredProjectionsMayComeFirst) {
  const ContactProblem problem = box_on_slope(0.3, 0.35);
  ContactSolution solution;
  const SolveReport first = solve(problem, solution, {.staggered_contacts = 4});
  EXPECT_EQ(first.exact.ended[to_index(ExactStage::staggered)], 1);
  EXPECT_GT(first.exact.turns, 0);
  EXPECT_EQ(first.exact.newton_steps, 0);
  EXPECT_LE(first.residual, kExactResidual);
  ContactSolution other;
  const SolveReport small = solve(problem, other, {.staggered_contacts = 3});  // the island is larger
  EXPECT_EQ(small.exact.turns, 0);
  EXPECT_EQ(small.exact.ended[to_index(ExactStage::staggered)], 0);
  EXPECT_NEAR(norm(solution.velocity[1].linear - other.velocity[1].linear), 0, 1e-9);
  DelassusSolution flat;
  SolveContext context;
  context.stop.tolerance = 0;
  const SolveReport assembled = ExactSolver({.staggered_contacts = 4}).solve(to_delassus(problem), flat, context);
  EXPECT_EQ(assembled.exact.ended[to_index(ExactStage::staggered)], 1);
}

TEST(Exact, APyramidStandsExactlyStepByStep) {
  auto scene =
      scenes::make_scene("pyramid_4", {}, [](WorldSettings& s) { choose_solver(s, "exact", {}); }).value_or_throw();
  for (int step = 0; step < 30; ++step) {
    const StepReport& report = scene.world.step(scene.dt);
    EXPECT_LE(report.solve.residual, kExactResidual) << step;
    EXPECT_EQ(report.solve.exact.exact, report.solve.exact.islands);
  }
}

}  // namespace
}  // namespace cairn
