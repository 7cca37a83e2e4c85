// SPDX-License-Identifier: MIT
// Prox with colours from outside (SolveContext::contact_colour), and the measure at the end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/graph/colouring.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/prox/prox.h"
#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

Edge edge_of(const ContactProblem& problem, const ContactBlock& c) {
  const auto vertex = [&](std::int32_t b) { return problem.bodies[to_index(b)].is_dynamic() ? b : kNoVertex; };
  return {vertex(c.body_a), vertex(c.body_b)};
}

/// Greedy over pairs of bodies; the contacts of a pair, which follow each other, share its colour.
std::vector<std::int32_t> colours_of_pairs(const ContactProblem& problem) {
  std::vector<Edge> pairs;
  std::vector<std::size_t> pair_of;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    const bool same = k > 0 && c.body_a == problem.contacts[k - 1].body_a && c.body_b == problem.contacts[k - 1].body_b;
    if (!same) pairs.push_back(edge_of(problem, c));
    pair_of.push_back(pairs.size() - 1);
  }
  const Colouring colouring = colour_edges_greedy(pairs, static_cast<std::int32_t>(problem.bodies.size()));
  std::vector<std::int32_t> colour;
  for (const std::size_t pair : pair_of) colour.push_back(colouring.colour[pair]);
  return colour;
}

Solved solve(const ContactProblem& problem, const std::vector<std::int32_t>& colour, StopSettings stop,
             ThreadPool* pool = nullptr, const ProxSettings& settings = {}) {
  return solved_by(ProxSolver(settings), problem, {.stop = stop, .pool = pool, .colour = colour});
}

TEST(ProxColours, GivenColoursLeadToTheFixedPointOfTheSequentialSweep) {
  const ContactProblem problem = scenes::pyramid(5);
  std::vector<std::int32_t> colour = colours_of_pairs(problem);
  ProxSettings settings;
  settings.schedule = ScheduleKind::sequential;
  settings.acceleration = Acceleration::nesterov;
  const Solved expected = solve(problem, {}, {1e-11, 50000, 0}, nullptr, settings);
  ASSERT_EQ(expected.report.reason, StopReason::converged);
  settings.schedule = ScheduleKind::automatic;
  for (int round = 0; round < 2; ++round) {
    const Solved solved = solve(problem, colour, {1e-11, 50000, 0}, nullptr, settings);
    EXPECT_EQ(solved.report.reason, StopReason::converged);
    EXPECT_LT(residual(problem, solved.solution, &expected.solution.velocity).c8_kinetic_error, 1e-7);
    EXPECT_EQ(solved.report.sweep.colours, static_cast<int>(solved.report.sweep.colour_sizes.size()));
    EXPECT_GT(solved.report.sweep.colours, 1);
    // In the second round the last colour, and one in the middle, could not be coloured.
    for (std::int32_t& c : colour)
      if (c == solved.report.sweep.colours - 1 || c == 1) c = -1;
  }
}

TEST(ProxColours, ColoursOfSingleContactsGiveTheBitsOfTheSolversOwn) {
  // 24^3 balls: colours of some thousand contacts, hence several chunks each. The visits are the same, one by one.
  const ContactProblem problem = scenes::ball_grid(24);
  const Solved own = solve(problem, {}, {0, 5, 0}), given = solve(problem, colours_of_pairs(problem), {0, 5, 0});
  EXPECT_EQ(given.solution.contact_impulse, own.solution.contact_impulse);
  EXPECT_EQ(given.solution.velocity, own.solution.velocity);
  EXPECT_EQ(given.report.sweep.colour_sizes, own.report.sweep.colour_sizes);
}

TEST(ProxColours, HaveTheSameBitsForAnyNumberOfThreads) {
  ContactProblem problem = scenes::pyramid(40);  // some thousand contacts, four to a pair
  std::vector<std::int32_t> colour = colours_of_pairs(problem);
  for (std::size_t k = 0; k < colour.size(); ++k)
    if (problem.contacts[k].body_a % 17 == 3) colour[k] = -1;
  const Solved expected = solve(problem, colour, {1e-12, 12, 0});
  for (const int threads : {2, 3, 8}) {
    const auto pool = make_pool(threads);
    const Solved solved = solve(problem, colour, {1e-12, 12, 0}, pool.get());
    EXPECT_EQ(solved.solution.contact_impulse, expected.solution.contact_impulse) << threads;
    EXPECT_EQ(solved.solution.velocity, expected.solution.velocity) << threads;
    EXPECT_EQ(solved.report.residual, expected.report.residual) << threads;
  }
}

TEST(ProxColours, AreRefusedWhenTheyDoNotFitTheProblem) {
  const ContactProblem problem = scenes::ball_grid(4);
  std::vector<std::int32_t> colour = colours_of_pairs(problem);
  colour.pop_back();
  EXPECT_THROW(solve(problem, colour, {}), InputError);
  for (const std::int32_t bad : {-2, kMostGivenColours}) {
    colour = colours_of_pairs(problem);
    colour[7] = bad;
    EXPECT_THROW(solve(problem, colour, {}), InputError) << bad;
  }
}

TEST(ProxColours, OtherOrdersAndSchedulesDoNotReadThem) {
  const ContactProblem problem = scenes::ball_grid(4);
  const std::vector<std::int32_t> nonsense(problem.contacts.size(), 0);
  ProxSettings settings;
  settings.schedule = ScheduleKind::sequential;
  EXPECT_EQ(solve(problem, nonsense, {0, 5, 0}, nullptr, settings).solution.contact_impulse,
            solve(problem, {}, {0, 5, 0}, nullptr, settings).solution.contact_impulse);
}

TEST(ProxReport, TheEndIsMeasuredOnlyWhenAskedFor) {
  const ContactProblem problem = scenes::pyramid(6);
  const auto pool = make_pool(2);
  for (const bool asked : {false, true}) {
    SolveContext context;
    context.stop = {0, 30, 0};
    context.measure_end = asked;
    context.details = false;
    context.pool = pool.get();
    ContactSolution solution;
    const SolveReport report = ProxSolver({}).solve(problem, solution, context);
    EXPECT_EQ(report.iterations, 30);
    EXPECT_TRUE(report.sweep.colour_sizes.empty());
    EXPECT_GT(report.sweep.colours, 1);
    const double expected = residual(problem, solution).residual;
    if (asked)
      EXPECT_NEAR(report.residual, expected, 1e-12 * expected);
    else
      EXPECT_EQ(report.residual, -1);
  }
}

TEST(ProxReport, TheResidualIsThatOfTheAnswerEvenAfterARollback) {
  // Steps that are far too long: every sweep is undone, also the last one before the limit.
  ContactProblem problem = scenes::ball_grid(1);
  ProxSettings settings;
  settings.relaxation = 2.5, settings.rollback = true, settings.free_sweeps = 1, settings.nu = 0.99;
  for (const int sweeps : {2, 3, 4, 5}) {
    const Solved solved = solve(problem, {}, {1e-12, sweeps, 0}, nullptr, settings);
    const double expected = residual(problem, solved.solution).residual;
    EXPECT_NEAR(solved.report.residual, expected, 1e-12 * expected) << sweeps;
  }
}

}  // namespace
}  // namespace cairn
