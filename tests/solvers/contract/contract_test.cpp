// SPDX-License-Identifier: MIT
#include "cairn/solvers/contract/contract.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "cairn/world/world.h"
#include "scenes/box_stacks.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

constexpr double kWanted = 1e-6;
constexpr int kBoxes = 5;

/// A stack whose top has `ratio` times the mass of the others: hard for anything that goes contact by contact.
ContactProblem heavy_on_light(double ratio = 1000, int boxes = kBoxes) {
  ContactProblem problem = scenes::box_stack(boxes);
  ProblemBody& top = problem.bodies[to_index(boxes - 1)];
  top.inverse_mass /= ratio, top.inverse_inertia = (1 / ratio) * top.inverse_inertia;
  return problem;
}

void append(ContactProblem& problem, const ContactProblem& more) {
  const auto first = static_cast<std::int32_t>(problem.bodies.size());
  problem.bodies.insert(problem.bodies.end(), more.bodies.begin(), more.bodies.end());
  for (ContactBlock c : more.contacts) {
    c.body_a += first, c.body_b += first;
    problem.contacts.push_back(c);
  }
}

/// The hard stack, and boxes without weight that are at rest: any solver finds them.
ContactProblem hard_and_easy() {
  ContactProblem problem = heavy_on_light(), easy = scenes::box_stack(1);
  easy.bodies[0].acceleration = {};
  append(problem, easy);
  append(problem, easy);
  return problem;
}

bool same_bits(const Velocity& a, const Velocity& b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

Solved solve(const ContactProblem& problem, const NamedSettings& settings, ThreadPool* pool = nullptr) {
  return solved_by(std::move(*make_solver("soft_step", settings)), problem, {.pool = pool, .measure_end = true});
}

TEST(Contract, TheIslandThatMissesIsSolvedAndTheOthersKeepTheirBits) {
  const ContactProblem problem = hard_and_easy();
  const Solved plain = solve(problem, {});
  const Solved held = solve(problem, {{"max_residual", "1e-6"}, {"stronger", "reference"}});
  const ContractReport& c = held.report.contract;
  EXPECT_GT(plain.report.residual, 1e-3) << "the stack must be too hard for soft_step alone";
  EXPECT_EQ(plain.report.contract.islands, 0);
  EXPECT_EQ(c.islands, 3);
  EXPECT_EQ(c.missed, 1);
  EXPECT_EQ(c.solved_again, 1);
  EXPECT_EQ(c.still_missed, 0);
  EXPECT_LE(c.worst, kWanted);
  EXPECT_FALSE(c.timed);
  EXPECT_FALSE(c.timed_out);
  EXPECT_EQ(held.report.reason, StopReason::converged);

  // Judged from outside: the stack alone, with the impulses that were returned.
  const ContactProblem stack = heavy_on_light();
  ContactSolution its = held.solution;
  its.velocity.resize(stack.bodies.size()), its.contact_impulse.resize(stack.contacts.size());
  EXPECT_LE(residual(stack, its).residual, kWanted);
  EXPECT_LE(residual(stack, its).c7_consistency, 1e-9);

  for (std::size_t i = stack.bodies.size(); i < problem.bodies.size(); ++i) {
    EXPECT_TRUE(same_bits(plain.solution.velocity[i], held.solution.velocity[i])) << i;
    EXPECT_TRUE(same_bits(plain.solution.displacement[i], held.solution.displacement[i])) << i;
  }
  for (std::size_t k = stack.contacts.size(); k < problem.contacts.size(); ++k) {
    EXPECT_EQ(plain.solution.contact_impulse[k], held.solution.contact_impulse[k]) << k;
    EXPECT_EQ(plain.solution.contact_carry[k], held.solution.contact_carry[k]) << k;
  }
}

/// At rest every contact of the stack carries what is above: (k light + heavy) g dt over four points.
TEST(Contract, AHeavyTopIsCarried) {
  const Solved held = solve(heavy_on_light(), {{"max_residual", "1e-9"}, {"stronger", "reference"}});
  const double light = 1000, g_dt = 9.81 / 60;
  for (int box = 0; box < kBoxes; ++box) {
    double carried = 0;
    for (int k = 0; k < 4; ++k) carried += held.solution.contact_impulse[to_index(4 * box + k)][0];
    const double expected = (light * (kBoxes - 1 - box) + 1000 * light) * g_dt;
    EXPECT_NEAR(carried, expected, 1e-5 * expected) << box;
  }
  for (const Velocity& v : held.solution.velocity) EXPECT_NEAR(norm(v.linear), 0, 1e-5);
}

/// The stronger solver that is used unless another is named takes two boxes of 1 : 100.
TEST(Contract, TheDefaultTakesAMilderCase) {
  const ContactProblem problem = heavy_on_light(100, 2);
  EXPECT_GT(solve(problem, {}).report.residual, 1e-3);
  const Solved held = solve(problem, {{"max_residual", "1e-6"}});
  EXPECT_EQ(held.report.contract.missed, 1);
  EXPECT_EQ(held.report.contract.still_missed, 0);
  EXPECT_LE(held.report.residual, kWanted);
}

TEST(Contract, WhoMeetsItIsLeftAlone) {
  const ContactProblem problem = hard_and_easy();
  const Solved plain = solve(problem, {}), held = solve(problem, {{"max_residual", "1e6"}});
  EXPECT_EQ(held.report.contract.missed, 0);
  EXPECT_EQ(held.report.contract.solved_again, 0);
  EXPECT_EQ(held.report.reason, StopReason::converged);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    EXPECT_TRUE(same_bits(plain.solution.velocity[i], held.solution.velocity[i])) << i;
}

TEST(Contract, SameBitsForAnyNumberOfThreads) {
  const ContactProblem problem = hard_and_easy();
  const Solved one = solve(problem, {{"max_residual", "1e-6"}});
  const std::unique_ptr<ThreadPool> pool = make_pool(3);
  const Solved three = solve(problem, {{"max_residual", "1e-6"}}, pool.get());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    EXPECT_TRUE(same_bits(one.solution.velocity[i], three.solution.velocity[i])) << i;
  EXPECT_EQ(one.solution.contact_impulse, three.solution.contact_impulse);
}

/// No clock is needed to know that a nanosecond is over: nothing is solved again, and the report says so.
TEST(Contract, WithoutTimeNothingIsSolvedAgain) {
  const ContactProblem problem = hard_and_easy();
  const Solved plain = solve(problem, {}), held = solve(problem, {{"max_residual", "1e-6"}, {"max_ms", "1e-6"}});
  const ContractReport& c = held.report.contract;
  EXPECT_EQ(c.missed, 1);
  EXPECT_EQ(c.solved_again, 0);
  EXPECT_EQ(c.still_missed, 1);
  EXPECT_TRUE(c.timed);
  EXPECT_TRUE(c.timed_out);
  EXPECT_GT(c.worst, kWanted);
  EXPECT_EQ(held.report.reason, StopReason::time_limit);
  ASSERT_EQ(held.report.notes.size(), 1u);
  EXPECT_NE(held.report.notes[0].find("depends"), std::string::npos);
  EXPECT_EQ(plain.solution.contact_impulse, held.solution.contact_impulse);
}

/// A solver that makes everything worse: what was there stays.
class Spoiler : public Solver {
 public:
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext&) override {
    solution.velocity.assign(problem.bodies.size(), {{NAN, NAN, NAN}, {}});
    solution.displacement = solution.velocity;
    for (auto& impulse : solution.contact_impulse) impulse = {NAN, NAN, NAN, NAN};
    SolveReport report;
    report.residual = NAN;
    return report;
  }
  SolveReport solve(const DelassusProblem&, DelassusSolution&, SolveContext&) override { return {}; }
};

TEST(Contract, AWorseAnswerIsNotTaken) {
  const ContactProblem problem = hard_and_easy();
  const Solved plain = solve(problem, {});
  ContractSolver solver({kWanted, 0}, make_solver("soft_step"), std::make_unique<Spoiler>());
  ContactSolution solution;
  SolveContext context;
  const SolveReport report = solver.solve(problem, solution, context);
  EXPECT_EQ(report.contract.solved_again, 1);
  EXPECT_EQ(report.contract.still_missed, 1);
  EXPECT_EQ(report.reason, StopReason::max_iterations);
  EXPECT_EQ(plain.solution.contact_impulse, solution.contact_impulse);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    EXPECT_TRUE(same_bits(plain.solution.velocity[i], solution.velocity[i])) << i;
}

TEST(Contract, BadSettingsAreRefused) {
  EXPECT_THROW(make_solver("soft_step", {{"max_ms", "5"}}), InputError);
  EXPECT_THROW(make_solver("soft_step", {{"max_residual", "-1"}}), InputError);
  EXPECT_THROW(make_solver("soft_step", {{"max_residual", "1"}, {"stronger", "soft_step"}}), InputError);
}

/// In a world: a heavy ball on a light one; the step's report has what the contract did.
TEST(Contract, AWorldReportsIt) {
  WorldSettings settings;
  settings.solver = "soft_step";
  settings.solver_settings = {{"max_residual", "1e-6"}};
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (const double x : {0.0, 10.0}) {
    world.add_body({.pose = {{x, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
    world.add_body({.pose = {{x, 0, 1.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5}), .density = 1e5}});
  }
  const StepReport& report = world.step(1.0 / 60);
  EXPECT_EQ(report.solve.contract.islands, 2);
  EXPECT_EQ(report.solve.contract.missed, 2);
  EXPECT_EQ(report.solve.contract.still_missed, 0);
  EXPECT_LE(report.solve.residual, kWanted);
}

}  // namespace
}  // namespace cairn
