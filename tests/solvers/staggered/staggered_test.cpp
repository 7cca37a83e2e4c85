// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/ball_lattices.h"
#include "scenes/mechanism_problems.h"
#include "scenes/scene.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

constexpr double kGravity = 10, kStep = 0.01;

/// A box of one kilogram on a plane, touching it in a grid of points.
ContactProblem box_on_points(int side, double friction, const Velocity& velocity) {
  ContactProblem problem;
  problem.dt = kStep;
  problem.bodies.resize(2);
  ProblemBody& box = problem.bodies[1];
  box.inverse_mass = 1, box.inverse_inertia = {3 / 1.25, 3 / 1.25, 3 / 2.0, 0, 0, 0};
  box.velocity = velocity, box.acceleration.linear = {0, 0, -kGravity};
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      ContactBlock c;
      c.body_b = 1, c.arm_b = {-1 + 2.0 * i / (side - 1), -1 + 2.0 * j / (side - 1), -0.5};
      c.friction1 = c.friction2 = friction;
      problem.contacts.push_back(c);
    }
  return problem;
}

SolveReport solve(const char* name, const ContactProblem& problem, ContactSolution& solution, double tolerance = 1e-12,
                  const NamedSettings& settings = {}) {
  SolveContext context;
  context.stop = {tolerance, 1000, 0};
  return make_solver(name, settings)->solve(problem, solution, context);
}

/// More points than carry a box: their impulses share the weight evenly, and none is lost.
TEST(Staggered, ManyPointsCarryABox) {
  for (const int side : {2, 10})
    for (const char* name : {"schurpa", "staggered_schurpa", "staggered_direct"}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(side));
      ContactSolution solution;
      const SolveReport report = solve(name, box_on_points(side, 0, {}), solution);
      EXPECT_EQ(report.reason, StopReason::converged);
      double sum = 0;
      for (const auto& impulse : solution.contact_impulse) {
        EXPECT_GT(impulse[0], 0);
        sum += impulse[0];
      }
      EXPECT_NEAR(sum, kGravity * kStep, 1e-12);
      EXPECT_NEAR(solution.velocity[1].linear.z, 0, 1e-12);
    }
}

/// v' = v - mu g h along the direction of sliding, whatever that is to the tangents.
TEST(Staggered, ASlidingBoxLosesMuGH) {
  for (const double angle : {0.0, 0.3, 1.2, 2.5, -2.0}) {
    const Vec3 along{std::cos(angle), std::sin(angle), 0};
    // Without turning: the point of contact is below the centre, so no moment about it.
    ContactProblem problem = box_on_points(2, 0.2, {2 * along, {}});
    problem.bodies[1].inverse_inertia = {};
    ContactSolution solution;
    const SolveReport report = solve("staggered_schurpa", problem, solution);
    EXPECT_EQ(report.reason, StopReason::converged);
    const double speed = dot(solution.velocity[1].linear, along);
    EXPECT_NEAR(speed, 2 - 0.2 * kGravity * kStep, 1e-12) << angle;
    EXPECT_NEAR(norm(solution.velocity[1].linear - speed * along), 0, 1e-12) << angle;
  }
}

/// As the thesis has it, the diamond stays: friction is weaker than the disc between its corners.
TEST(Staggered, AFixedDiamondIsWeakerBetweenItsCorners) {
  ContactProblem problem = box_on_points(2, 0.2, {{2 * std::cos(0.3), 2 * std::sin(0.3), 0}, {}});
  problem.bodies[1].inverse_inertia = {};
  ContactSolution solution;
  const SolveReport report = solve("staggered_schurpa", problem, solution, 1e-12, {{"realign", "off"}, {"depth", "0"}});
  EXPECT_NE(report.reason, StopReason::converged);
  EXPECT_GT(report.residual, 1e-4);
  // All of it along the first tangent, which is the nearest corner.
  EXPECT_NEAR(solution.velocity[1].linear.x, 2 * std::cos(0.3) - 0.2 * kGravity * kStep, 1e-8);
  EXPECT_NEAR(solution.velocity[1].linear.y, 2 * std::sin(0.3), 1e-8);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes[0].find("did not end on 1 of 1"), std::string::npos);
}

/// From the answer of the step before, both QPs are factored once whatever the number of turns (SCHURPA-SP).
TEST(Staggered, OneFactorisationEachFromAWarmStart) {
  ContactProblem problem = box_on_points(3, 0.5, {{0.05, 0.02, 0}, {0, 0, 0.1}});
  ContactSolution solution;
  EXPECT_EQ(solve("staggered_schurpa", problem, solution, 1e-9).reason, StopReason::converged);
  problem.bodies[1].acceleration.linear.x += 1;
  ContactSolution other = solution;
  const SolveReport warm = solve("staggered_schurpa", problem, solution, 1e-9);
  const SolveReport direct = solve("staggered_direct", problem, other, 1e-9);
  EXPECT_EQ(warm.reason, StopReason::converged);
  EXPECT_GE(warm.iterations, 2);
  EXPECT_EQ(warm.factorisations, 2);
  EXPECT_GT(direct.factorisations, warm.factorisations);
  EXPECT_NEAR(norm(solution.velocity[1].linear - other.velocity[1].linear), 0, 1e-9);
}

/// Joints without friction are one QP: the oracle is the direct solver of joints.
TEST(Staggered, MechanismsOnTheGroundAgreeWithLdl) {
  scenes::MechanismBuilder builder(0.05);
  const std::int32_t ground = builder.add_ground();
  std::int32_t last = ground;
  for (int k = 0; k < 6; ++k) {
    const std::int32_t link = builder.add_body({1.0 + k, 0, 1});
    builder.join(last, link, 3, {0.5 + k, 0, 1}, {0, 1, 0});
    if (k >= 3) builder.touch(ground, link, {1.0 + k, 0, 0.5}, {0, 0, 1});
    last = link;
  }
  ContactProblem problem = builder.take();
  for (ContactBlock& c : problem.contacts) c.friction1 = c.friction2 = 0;
  ContactSolution mine, theirs;
  const SolveReport report = solve("schurpa", problem, mine, 1e-13);
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_TRUE(report.notes.empty());
  SolveContext context;
  context.stop = {1e-13, 100000, 0};
  make_solver("ldl_pgs")->solve(problem, theirs, context);
  const Measures measures = residual(problem, mine, &theirs.velocity);
  EXPECT_LT(measures.c8_kinetic_error, 1e-10);
  EXPECT_LT(measures.c3_joint_velocity, 1e-11);
}

TEST(Staggered, WhatItCannotTakeGoesToTheFallbackAndTheReportSaysSo) {
  const auto note = [](const char* name, const ContactProblem& problem, const NamedSettings& settings = {}) {
    ContactSolution solution;
    NamedSettings all{{"iterations", "1000"}};
    all.insert(all.end(), settings.begin(), settings.end());
    const SolveReport report = solve(name, problem, solution, 1e-8, all);
    EXPECT_EQ(report.reason, StopReason::converged);
    return report.notes.empty() ? std::string() : report.notes[0];
  };
  ContactProblem rough = scenes::ball_grid(2), spinning = rough;
  spinning.contacts[0].spin_radius = 0.1;
  EXPECT_EQ(note("staggered_schurpa", rough), "");
  EXPECT_NE(note("staggered_schurpa", spinning).find("1 of 1 islands by ldl_pgs"), std::string::npos);
  EXPECT_NE(note("schurpa", rough).find("friction"), std::string::npos);
  EXPECT_NE(
      note("staggered_schurpa", rough, {{"max_contacts", "5"}, {"fallback", "nncg"}}).find("by nncg: more than 5"),
      std::string::npos);
  DelassusSolution flat;
  SolveContext context;
  const SolveReport assembled = make_solver("schurpa")->solve(to_delassus(rough), flat, context);
  ASSERT_FALSE(assembled.notes.empty());
  EXPECT_NE(assembled.notes.back().find("solved by ldl_pgs"), std::string::npos);
  EXPECT_NE(refusal([] {
              make_solver("staggered_schurpa", {{"facets", "6"}});
            }).find("multiple of 4"),
            std::string::npos);
}

/// The report says what `exact` says: per island how near, by what.
TEST(Staggered, TheReportHasTheProof) {
  ContactSolution solution;
  SolveContext context;
  context.stop.tolerance = 0;
  const SolveReport report =
      make_solver("staggered_schurpa")->solve(box_on_points(3, 0.5, {{0.05, 0.02, 0}, {0, 0, 0.1}}), solution, context);
  EXPECT_TRUE(report.exact.is_given);
  ASSERT_EQ(report.exact.islands, 1);
  EXPECT_EQ(report.exact.exact, 1);
  EXPECT_EQ(report.exact.ended[to_index(ExactStage::staggered)], 1);
  ASSERT_EQ(report.exact.parts.size(), 1u);
  EXPECT_LE(report.exact.parts[0].residual, kExactResidual);
  EXPECT_EQ(report.exact.parts[0].turns, report.iterations);
  EXPECT_GE(report.exact.parts[0].active_sets, 2 * report.iterations);
  // From its own answer there is nothing to do.
  const SolveReport again =
      make_solver("staggered_schurpa")->solve(box_on_points(3, 0.5, {{0.05, 0.02, 0}, {0, 0, 0.1}}), solution, context);
  EXPECT_EQ(again.exact.ended[to_index(ExactStage::start)], 1);
  EXPECT_EQ(again.iterations, 0);
}

/// Maximal dissipation on a polygon that stays: a box that slides between the middle of a side and its corner is
/// stopped by that corner. What is missing along its motion goes to zero with the side. The iterate that is kept is the
/// best by the disc, so eps is still seen.
TEST(Staggered, FinerPolygonsComeNearTheDisc) {
  for (const int facets : {4, 8, 12, 16, 32}) {
    const double middle = std::numbers::pi / facets, angle = 1.5 * middle;
    const Vec3 along{std::cos(angle), std::sin(angle), 0};
    ContactProblem problem = box_on_points(2, 0.2, {20 * along, {}});
    problem.bodies[1].inverse_inertia = {};
    ContactSolution solution;
    const SolveReport report = solve("staggered_schurpa", problem, solution, 1e-14,
                                     {{"realign", "off"}, {"depth", "0"}, {"facets", std::to_string(facets)}});
    EXPECT_NE(report.reason, StopReason::converged);  // it is no disc
    const Vec3 lost = (1 / (0.2 * kGravity * kStep)) * (20 * along - solution.velocity[1].linear);
    EXPECT_NEAR(lost.x, std::cos(2 * middle), 2e-6) << facets;
    EXPECT_NEAR(lost.y, std::sin(2 * middle), 2e-6) << facets;
    EXPECT_NEAR(dot(lost, along), std::cos(0.5 * middle), 2e-6) << facets;
  }
}

/// Sixteen facets on redundant points that turn and slide: the programs are singular but for eps, and active sets may
/// go round. Whatever happens ends, is no worse than the start, and the report tells it.
TEST(Staggered, PolygonsOnRedundantPointsEndAndTheReportSaysHow) {
  for (const int facets : {4, 8, 16}) {
    ContactSolution solution;
    const SolveReport report = solve("staggered_schurpa", box_on_points(6, 0.5, {{0.3, 0.1, 0}, {0, 0, 2}}), solution,
                                     1e-12, {{"facets", std::to_string(facets)}});
    ASSERT_EQ(report.exact.parts.size(), 1u);
    const ExactIslandReport& island = report.exact.parts[0];
    EXPECT_LE(island.residual, facets == 4 ? 1e-9 : 0.1) << facets;
    if (facets > 4) {
      EXPECT_NE(island.reason, StopReason::converged);
      ASSERT_FALSE(report.notes.empty());
      EXPECT_NE(report.notes[0].find("did not end on 1 of 1"), std::string::npos);
    }
    bool is_told = false;
    for (const std::string& note : report.notes) is_told = is_told || note.find("quadratic programs") != note.npos;
    EXPECT_EQ(is_told, island.unfinished > 0) << facets;
  }
}

/// W and q instead of bodies give the same answer, in three dimensions and in two.
TEST(Staggered, AssembledProblemsAgreeWithBodies) {
  const ContactProblem problem = scenes::ball_grid(2);
  ContactSolution with_bodies;
  EXPECT_EQ(solve("staggered_schurpa", problem, with_bodies).reason, StopReason::converged);
  SolveContext context;
  context.stop = {1e-12, 1000, 0};
  for (const char* name : {"staggered_schurpa", "staggered_direct"}) {
    DelassusSolution flat;
    const SolveReport report = make_solver(name)->solve(to_delassus(problem), flat, context);
    EXPECT_EQ(report.reason, StopReason::converged) << name;
    EXPECT_EQ(report.exact.exact, 1);
    ContactSolution back;
    scatter_impulses(problem, flat, back);
    const auto velocity = velocities_from_impulses(problem, back);
    for (std::size_t i = 0; i < velocity.size(); ++i)
      EXPECT_NEAR(norm(velocity[i].linear - with_bodies.velocity[i].linear), 0, 1e-11) << name;
  }
  // One point in a plane: y = W r + q, slides: r_t = -mu r_n, and r_n carries.
  DelassusProblem flat;
  flat.w = {.dim = 2, .row_start = {0, 1}, .column = {0}, .values = {2, 0, 0, 2}, .diagonal = {0}};
  flat.q = {-1, 3}, flat.friction = {{0.5, 0, 0}};
  DelassusSolution answer;
  EXPECT_EQ(make_solver("staggered_schurpa")->solve(flat, answer, context).reason, StopReason::converged);
  EXPECT_NEAR(answer.impulse[0], 0.5, 1e-12);
  EXPECT_NEAR(answer.impulse[1], -0.25, 1e-12);
  EXPECT_NEAR(answer.velocity[1], 2.5, 1e-12);
}

/// The first contact program of a house of cards knows of no friction: with all normals free its active sets do not
/// end. From a strong regularisation on they do, and the house begins to stand.
TEST(Staggered, AHouseOfCardsBeginsFromNothing) {
  const NamedSettings settings{{"max_contacts", "500"}, {"iterations", "10"}};
  auto scene = scenes::make_scene("card_house_40", {}, [&](WorldSettings& s) {
                 choose_solver(s, "staggered_schurpa", settings);
               }).value_or_throw();
  const StepReport& report = scene.world.step(scene.dt);
  ASSERT_GT(report.solve.exact.islands, 0);
  EXPECT_EQ(report.solve.exact.unfinished, 0);
  EXPECT_LT(report.solve.exact.worst.residual, 0.2);
}

TEST(Staggered, LimitsReturnTheBestIterateTheStartIncluded) {
  const ContactProblem problem = box_on_points(3, 0.5, {{0.05, 0.02, 0}, {0, 0, 3}});
  ContactSolution exact;
  solve("staggered_schurpa", problem, exact);
  std::atomic<bool> stop{true};
  SolveContext context;
  context.stop = {1e-16, 1000, 0};
  context.interrupt = &stop;
  ContactSolution solution = exact;
  const double before = residual(problem, exact).residual;
  const SolveReport report = make_solver("staggered_schurpa")->solve(problem, solution, context);
  EXPECT_EQ(report.reason, StopReason::interrupted);
  EXPECT_LE(report.residual, before * (1 + 1e-9) + 1e-15);
  stop = false;
  context.stop.time_limit = 1e-12;
  EXPECT_EQ(make_solver("staggered_schurpa")->solve(problem, solution, context).reason, StopReason::time_limit);
}

/// Several boxes, each an island, and one that is left to the fallback.
ContactProblem many_boxes() {
  ContactProblem all;
  all.dt = kStep;
  for (int k = 0; k < 7; ++k) {
    const ContactProblem one = box_on_points(2 + k % 3, 0.3, {{0.1 * k, 0.05, 0}, {0, 0, 0.2 * k}});
    const auto shift = static_cast<std::int32_t>(all.bodies.size());
    all.bodies.insert(all.bodies.end(), one.bodies.begin(), one.bodies.end());
    for (ContactBlock c : one.contacts) c.body_a += shift, c.body_b += shift, all.contacts.push_back(c);
  }
  all.contacts[0].spin_radius = 0.1;
  return all;
}

/// Islands side by side; what a slot solved before changes nothing.
TEST(Staggered, IslandsHaveTheSameBitsForAnyThreadsAndAgain) {
  const ContactProblem problem = many_boxes();
  ContactSolution first;
  for (const int threads : {1, 2, 3}) {
    const auto pool = make_pool(threads);
    const auto solver = make_solver("staggered_schurpa");
    SolveContext context;
    context.pool = pool.get(), context.stop.tolerance = 0;
    ContactSolution other;
    solver->solve(scenes::ball_grid(2), other, context);
    for (int again = 0; again < 2; ++again) {
      ContactSolution solution;
      const SolveReport report = solver->solve(problem, solution, context);
      EXPECT_EQ(report.exact.islands, 7);
      EXPECT_EQ(report.exact.ended[to_index(ExactStage::iterative)], 1);
      if (first.contact_impulse.empty()) first = solution;
      EXPECT_EQ(solution.contact_impulse, first.contact_impulse) << threads;
      EXPECT_EQ(solution.velocity, first.velocity) << threads;
    }
  }
}

/// A stop reaches every island: each keeps its best iterate, none is worse than its start, and the reason is told.
TEST(Staggered, AStopReachesEveryIsland) {
  ContactProblem problem = many_boxes();
  problem.contacts[0].spin_radius = 0;
  std::atomic<bool> stop{true};
  for (const bool by_clock : {false, true}) {
    ContactSolution solution;
    SolveContext context;
    context.stop = {0, 1000, by_clock ? 1e-9 : 0.0};
    if (!by_clock) context.interrupt = &stop;
    const SolveReport report = make_solver("staggered_schurpa")->solve(problem, solution, context);
    EXPECT_EQ(report.reason, by_clock ? StopReason::time_limit : StopReason::interrupted);
    ASSERT_EQ(report.exact.parts.size(), 7u);
    for (const ExactIslandReport& part : report.exact.parts) {
      EXPECT_LE(part.residual, 1);
      EXPECT_LE(part.turns, 1);
    }
    EXPECT_LE(residual(problem, solution).residual, 1 + 1e-12);
    ASSERT_FALSE(report.notes.empty());
    EXPECT_NE(report.notes[0].find("did not end on"), std::string::npos);
  }
}

TEST(Staggered, SameBitsForAnyThreads) {
  const ContactProblem problem = scenes::ball_grid(3);
  ContactSolution first;
  for (const int threads : {1, 2, 3}) {
    const auto pool = make_pool(threads);
    ContactSolution solution;
    SolveContext context;
    context.pool = pool.get(), context.stop = {0, 4, 0};
    make_solver("staggered_schurpa")->solve(problem, solution, context);
    if (threads == 1) first = solution;
    EXPECT_EQ(solution.contact_impulse, first.contact_impulse) << threads;
  }
}

/// Q^T H Q with none, one and two of a pair's facets active against dense elimination, after turns (the thesis'
/// F0_solve).
TEST(RotatedMatrix, ActiveFacetsAgreeWithADenseSolve) {
  constexpr int kPairs = 3, kSize = 8;
  Random random(4);
  std::vector<double> b(kSize * kSize), values(kSize * kSize, 0.0);
  for (double& value : b) value = random.uniform(-1, 1);
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j)
      for (std::size_t k = 0; k < kSize; ++k)
        values[i * kSize + j] += b[k * kSize + i] * b[k * kSize + j] + (i == j ? 0.1 : 0.0);
  const DenseMatrix h(kSize, values);
  RotatedMatrix turned(h, kPairs);
  BoundedQp qp{&turned, std::vector<double>(kSize, 1.0), std::vector<double>(kSize, -0.1),
               std::vector<double>(kSize, 0.2)};
  SchurSaddle saddle{SchurSettings{.refactor_share = 1e9}};
  QpReport report;
  std::vector<BoundState> state(kSize, BoundState::free);
  for (int round = 0; round < 40; ++round) {
    const int pair = static_cast<int>(random.below(kPairs));
    const double angle = random.uniform(-3, 3), ax = turned.axis_x(pair), ay = turned.axis_y(pair);
    turned.set_axis(pair, std::cos(angle), std::sin(angle));
    saddle.turn(2 * pair, ax * std::cos(angle) + ay * std::sin(angle), ax * std::sin(angle) - ay * std::cos(angle));
    BoundState& flipped = state[random.below(kSize)];
    flipped = flipped == BoundState::free ? (round % 2 == 0 ? BoundState::lower : BoundState::upper) : BoundState::free;
    std::vector<double> entries(kSize * kSize);
    for (int i = 0; i < kSize; ++i)
      for (int j = 0; j < kSize; ++j) entries[to_index(i * kSize + j)] = turned.entry(i, j);
    const DenseMatrix dense(kSize, entries);
    BoundedQp same = qp;
    same.h = &dense;
    QpSolution mine, theirs;
    QpReport other;
    ASSERT_TRUE(saddle.solve(qp, state, mine, report, nullptr));
    ASSERT_TRUE(make_direct_saddle()->solve(same, state, theirs, other, nullptr));
    for (std::size_t i = 0; i < kSize; ++i) {
      ASSERT_NEAR(mine.x[i], theirs.x[i], 1e-10) << round;
      ASSERT_NEAR(mine.multiplier[i], theirs.multiplier[i], 1e-10) << round;
    }
  }
  EXPECT_EQ(report.factorisations, 1);
}

}  // namespace
}  // namespace cairn
