// SPDX-License-Identifier: MIT
#include "cairn/solvers/solver_table.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

std::string message(std::string_view solver, const NamedSettings& settings) {
  try {
    make_solver(solver, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SolverTable, EveryDefaultIsAcceptedByItsOwnSetting) {
  for (const SolverInfo& solver : solver_table()) {
    EXPECT_FALSE(solver.summary.empty());
    for (const SettingInfo& setting : solver.settings) {
      EXPECT_FALSE(setting.help.empty()) << setting.name;
      EXPECT_EQ(message(solver.name, {{setting.name, setting.value}}), "") << solver.name << ' ' << setting.name;
    }
  }
}

TEST(SolverTable, BadNamesAndValuesAreRefusedWithTheCure) {
  EXPECT_NE(message("gaus_seidel", {}).find("'gauss_seidel'"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"relaxtion", "1"}}).find("'relaxation'"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"relaxation", "3"}}).find("[0.01, 1.99]"), std::string::npos);
  for (const char* bad : {"", "nan", "inf", "1e999", "1.0x", " 1", "0x1"})
    EXPECT_NE(message("jacobi", {{"relaxation", bad}}), "") << bad;
  EXPECT_NE(message("jacobi", {{"operator", "B"}}).find("factorised"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"rollback", "yes"}}).find("on or off"), std::string::npos);
  EXPECT_NE(message("jacobi", {{"parts", "99999999999999999999"}}), "");
}

TEST(SolverTable, IterationsAndToleranceGoBeforeTheCallersLimits) {
  const ContactProblem problem = scenes::ball_grid(8);
  const DelassusProblem assembled = to_delassus(problem);
  for (const SolverInfo& solver : solver_table()) {
    if (solver.name == "soft_step") continue;  // counts per sub-step, never stops by the residual
    if (solver.name == "ffd") continue;        // its work is fixed by its own settings
    const auto run = [&](const NamedSettings& settings, StopSettings stop) {
      ContactSolution solution;
      DelassusSolution flat;
      SolveContext context;
      context.stop = stop;
      const SolveReport report = make_solver(solver.name, settings)->solve(problem, solution, context);
      if (solver.assembled)
        EXPECT_EQ(make_solver(solver.name, settings)->solve(assembled, flat, context).reason, report.reason);
      else
        EXPECT_THROW(make_solver(solver.name, settings)->solve(assembled, flat, context), InputError);
      return report;
    };
    const SolveReport few = run({{"iterations", "7"}, {"tolerance", "0"}}, {1e-1, 3, 0});
    EXPECT_EQ(few.iterations, 7) << solver.name;
    EXPECT_EQ(few.reason, StopReason::max_iterations) << solver.name;
    EXPECT_EQ(run({{"iterations", "0"}, {"tolerance", "-1"}}, {0, 3, 0}).iterations, 3) << solver.name;
    EXPECT_EQ(run({{"tolerance", "0.5"}}, {0, 500, 0}).reason, StopReason::converged) << solver.name;
    EXPECT_NE(message(solver.name, {{"iterations", "-1"}}), "") << solver.name;
    EXPECT_NE(message(solver.name, {{"tolerance", "nan"}}), "") << solver.name;
  }
}

TEST(SolverTable, NamedMethodsAreTheCompositionsTheyClaimToBe) {
  const ContactProblem problem = scenes::ball_grid(6);
  const auto impulses = [&](const char* name, const NamedSettings& settings) {
    ContactSolution solution;
    SolveContext context;
    context.stop = {0, 9, 0};
    make_solver(name, settings)->solve(problem, solution, context);
    return solution.contact_impulse;
  };
  EXPECT_EQ(impulses("pgs", {}), impulses("gauss_seidel", {{"schedule", "greedy"}, {"local", "prox"}}));
  EXPECT_EQ(impulses("pgs_staggered", {}),
            impulses("gauss_seidel", {{"schedule", "greedy"}, {"friction_order", "staggered"}}));
  for (const char* name : {"nesterov", "anderson", "nncg"}) {
    EXPECT_EQ(impulses(name, {}), impulses("gauss_seidel", {{"acceleration", name}}));
    EXPECT_NE(impulses(name, {}), impulses("gauss_seidel", {})) << name;
  }
}

}  // namespace
}  // namespace cairn
