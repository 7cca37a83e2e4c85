// SPDX-License-Identifier: MIT
// Gauss-Seidel with the schedule split, and friction staggered: the hybrid of colours and mass splitting.
#include <gtest/gtest.h>

#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/prox/prox.h"
#include "cairn/solvers/prox/schedule.h"
#include "scenes/box_stacks.h"
#include "tests/solvers/random_cluster.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

Solved solve(const ContactProblem& problem, const ProxSettings& settings, StopSettings stop, ThreadPool* pool = nullptr,
             const std::vector<std::int32_t>& colour = {}) {
  return solved_by(ProxSolver(settings), problem, {.stop = stop, .pool = pool, .colour = colour});
}

ProxSettings split_schedule(int merge_below, int max_colours) {
  ProxSettings settings;
  settings.schedule = ScheduleKind::split;
  settings.merge_below = merge_below;
  settings.max_colours = max_colours;
  return settings;
}

TEST(SplitSchedule, HasTheFixedPointOfTheSequentialSweep) {
  Random random(3201);
  ProxSettings sequential;
  sequential.schedule = ScheduleKind::sequential;
  sequential.acceleration = Acceleration::nesterov;
  for (int i = 0; i < 4; ++i) {
    ClusterShape shape;
    shape.bodies = 12, shape.pairs = 16, shape.joints = i % 2;
    const ContactProblem problem = random_cluster(random, shape).problem;
    const Solved expected = solve(problem, sequential, {0, 30000, 0});
    for (const auto& [below, most] : {std::pair{8, 64}, {0, 2}, {1000000, 64}}) {
      ProxSettings settings = split_schedule(below, most);
      const Solved plain = solve(problem, settings, {0, 30000, 0});
      EXPECT_GT(plain.report.sweep.unsafe_contacts, 0);
      EXPECT_LT(residual(problem, plain.solution, &expected.solution.velocity).c8_kinetic_error, 1e-8);
      EXPECT_LT(residual(problem, plain.solution).c7_consistency, 1e-12);
    }
  }
}

TEST(SplitSchedule, ConvergesWhereUnguardedJacobiDoesNot) {
  // 400 points on one body: Gauss-Seidel would take 400 colours. Jacobi-wise all push with the whole mass at once.
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 1;
  problem.bodies[1].inverse_inertia = SymMat3::diagonal(6, 6, 6);
  problem.bodies[1].acceleration.linear = {0, 0, -9.81};
  for (int i = 0; i < 400; ++i) {
    ContactBlock c;
    c.body_a = 0, c.body_b = 1;
    c.arm_b = {0.05 * (i % 20) - 0.475, 0.05 * (i / 20) - 0.475, -0.5};
    c.friction1 = c.friction2 = 0.5;
    problem.contacts.push_back(c);
  }
  ProxSettings settings;
  settings.schedule = ScheduleKind::relaxed;
  EXPECT_NE(solve(problem, settings, {1e-8, 2000, 0}).report.reason, StopReason::converged);
  const Solved split = solve(problem, split_schedule(64, 64), {1e-8, 2000, 0});
  EXPECT_EQ(split.report.reason, StopReason::converged);
  EXPECT_EQ(split.report.sweep.unsafe_contacts, 400);
  EXPECT_NEAR(split.solution.velocity[1].linear.z, 0, 1e-7);
}

TEST(SplitSchedule, TakesContactsWithoutAColourWhenThereAreMoreThanAFew) {
  const ContactProblem problem = scenes::pyramid(12);  // contacts of a pair follow each other, four of them
  ASSERT_GT(problem.contacts.size(), 400u);
  std::vector<std::int32_t> few(problem.contacts.size(), -1), many = few;
  const Solved all = solve(problem, {}, {0, 20, 0}, nullptr, many);
  EXPECT_EQ(all.report.sweep.unsafe_contacts, static_cast<std::int64_t>(problem.contacts.size()));
  ProxSettings greedy;
  greedy.schedule = ScheduleKind::greedy;
  EXPECT_EQ(solve(problem, greedy, {0, 20, 0}, nullptr, many).report.sweep.unsafe_contacts, 0) << "one by one";
  ProxSettings accelerated;
  accelerated.acceleration = Acceleration::nesterov;
  const Solved solved = solve(problem, accelerated, {1e-8, 20000, 0}, nullptr, many);
  EXPECT_EQ(solved.report.reason, StopReason::converged);

  const std::vector<Edge> edges(kFewLeftOver + 1, Edge{0, 1});
  ScheduleScratch scratch;
  Schedule schedule;
  for (const std::int64_t count : {kFewLeftOver, kFewLeftOver + 1}) {
    const std::vector<std::int32_t> none(to_index(count), -1);
    schedule_by_colour({none, std::span(edges).first(none.size())}, {0, 64, true}, nullptr, scratch, schedule);
    ASSERT_EQ(schedule.stages.size(), 1u);
    EXPECT_EQ(schedule.stages[0].kind, count > kFewLeftOver ? StageKind::split : StageKind::serial);
  }
}

TEST(SplitSchedule, MergesSmallAndLateColoursInTheOrderGiven) {
  const std::vector<std::int32_t> colour{0, 1, 2, 0, 3, 2, 0, -1, 1, 2};
  std::vector<Edge> edges;
  for (std::int32_t i = 0; i < 10; ++i) edges.push_back({2 * i, 2 * i + 1});
  ScheduleScratch scratch;
  Schedule schedule;
  schedule_by_colour({colour, edges}, {3, 64, true}, nullptr, scratch, schedule);
  EXPECT_EQ(schedule.order, (std::vector<std::int32_t>{0, 3, 6, 2, 5, 9, 1, 4, 7, 8}));
  EXPECT_EQ(schedule.colour_sizes, (std::vector<std::int64_t>{3, 3}));
  schedule_by_colour({colour, edges}, {0, 1, true}, nullptr, scratch, schedule);
  EXPECT_EQ(schedule.order, (std::vector<std::int32_t>{0, 3, 6, 1, 2, 4, 5, 7, 8, 9}));
  // Coloured by the schedule itself: edges at one vertex take a colour each.
  const std::vector<Edge> star{{0, 1}, {0, 2}, {3, 4}, {0, 5}, {6, 7}};
  const Schedule own = make_schedule(split_schedule(2, 64), star, 8);
  EXPECT_EQ(own.order, (std::vector<std::int32_t>{0, 2, 4, 1, 3}));
  ASSERT_EQ(own.stages.size(), 2u);
  EXPECT_EQ(own.stages[1].kind, StageKind::split);
  EXPECT_EQ(own.unsafe_contacts, 2);
}

TEST(SplitSchedule, HasTheSameBitsForAnyNumberOfThreads) {
  Random random(3202);
  ClusterShape shape;
  shape.bodies = 300, shape.pairs = 2000, shape.friction = 0.5, shape.joints = 5;
  const ContactProblem problem = random_cluster(random, shape).problem;
  const auto two = make_pool(2), three = make_pool(3);
  for (const FrictionOrder order : {FrictionOrder::block, FrictionOrder::staggered}) {
    ProxSettings settings = split_schedule(64, 8);
    settings.friction_order = order;
    const Solved expected = solve(problem, settings, {0, 30, 0});
    EXPECT_GT(expected.report.sweep.unsafe_contacts, 1000);
    for (ThreadPool* pool : {two.get(), three.get()}) {
      const Solved got = solve(problem, settings, {0, 30, 0}, pool);
      EXPECT_EQ(got.solution.contact_impulse, expected.solution.contact_impulse);
      EXPECT_EQ(got.solution.velocity, expected.solution.velocity);
    }
  }
}

TEST(SplitSchedule, NeedsBodies) {
  const DelassusProblem assembled = to_delassus(scenes::pyramid(2));
  DelassusSolution solution;
  SolveContext context;
  EXPECT_THROW(ProxSolver(split_schedule(64, 64)).solve(assembled, solution, context), InputError);
  ProxSettings staggered;
  staggered.friction_order = FrictionOrder::staggered;
  EXPECT_THROW(ProxSolver(staggered).solve(assembled, solution, context), InputError);
}

TEST(StaggeredFriction, SolvesToTheSameLaw) {
  const ContactProblem problem = scenes::pyramid(5);
  for (const ScheduleKind schedule : {ScheduleKind::sequential, ScheduleKind::greedy, ScheduleKind::split}) {
    ProxSettings settings = split_schedule(64, 4);
    settings.schedule = schedule;
    settings.friction_order = FrictionOrder::staggered;
    const Solved solved = solve(problem, settings, {1e-9, 100000, 0});
    EXPECT_EQ(solved.report.reason, StopReason::converged);
    EXPECT_LT(residual(problem, solved.solution).c7_consistency, 1e-12);
  }
  ProxSettings cone;
  cone.friction_order = FrictionOrder::staggered;
  cone.friction = FrictionModel::cone;
  ContactSolution solution;
  SolveContext context;
  EXPECT_THROW(ProxSolver(cone).solve(problem, solution, context), InputError);
}

}  // namespace
}  // namespace cairn
