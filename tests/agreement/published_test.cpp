// SPDX-License-Identifier: MIT
// The prox solvers on the published problems, against what an independent implementation reached there.
#include <gtest/gtest.h>

#include "cairn/problem/residual.h"
#include "cairn/solvers/solver_table.h"
#include "tests/published_set.h"

namespace cairn {
namespace {

/// The natural map of the literature, by which the other implementation stopped, after so many sweeps.
double natural_map_after(const DelassusProblem& problem, int sweeps, const NamedSettings& settings) {
  DelassusSolution solution;
  SolveContext context;
  context.stop = {0, sweeps, 0};
  make_solver("gauss_seidel", settings)->solve(problem, solution, context);
  return residual(problem, solution.impulse).natural_map;
}

TEST(Published, GaussSeidelNeedsNoMoreSweepsThanTheIndependentOne) {
  const std::vector<PublishedProblem> published = published_problems();
  if (published.empty()) GTEST_SKIP() << "no FCLIB problems in " << published_folder() << "; set CAIRN_FCLIB";
  constexpr int kMost = 1200;  // the few that need more are left to the program
  const std::array<double, 4> tolerances{1e-3, 1e-4, 1e-6, 1e-8};
  int compared = 0;
  for (const PublishedProblem& each : published) {
    const DelassusProblem problem = assembled(read_published(each.name));
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
      const int theirs = each.nsgs_sweeps[i];
      if (theirs < 0 || theirs > kMost) continue;
      EXPECT_LE(natural_map_after(problem, theirs, {}), tolerances[i]) << each.name << " after " << theirs << " sweeps";
      ++compared;
    }
  }
  EXPECT_GT(compared, 120);
}

TEST(Published, NesterovHalvesTheSweepsOfMostProblemsThatNeedMany) {
  const std::vector<PublishedProblem> published = published_problems();
  if (published.empty()) GTEST_SKIP() << "no FCLIB problems in " << published_folder() << "; set CAIRN_FCLIB";
  int needing = 0, halved = 0;
  for (const PublishedProblem& each : published) {
    const int theirs = each.nsgs_sweeps[1];
    if (theirs >= 0 && theirs < 20) continue;
    ++needing;
    const int most = theirs < 0 ? 1000 : std::min(theirs / 2, 1000);
    halved += natural_map_after(assembled(read_published(each.name)), most, {{"acceleration", "nesterov"}}) <= 1e-4;
  }
  EXPECT_EQ(needing, 20);
  EXPECT_GE(halved, 12);
}

TEST(Published, SolversAgreeOnFullRankProblems) {
  // W of sphere problems is regular enough that impulses can be compared.
  const std::vector<PublishedProblem> published = published_problems();
  if (published.empty()) GTEST_SKIP() << "no FCLIB problems in " << published_folder() << "; set CAIRN_FCLIB";
  for (const char* name : {"NESpheres_10_1", "Rover1039", "Confeti-ex13-4contact-Fc3D-SBM"}) {
    const DelassusProblem problem = assembled(read_published(name));
    DelassusSolution expected, got;
    SolveContext context;
    context.stop = {1e-12, 20000, 0};
    make_solver("reference")->solve(problem, expected, context);
    for (const char* solver : {"gauss_seidel", "jacobi"}) {
      got = {};
      make_solver(solver)->solve(problem, got, context);
      EXPECT_LT(residual(problem, got.impulse, expected.impulse).c8_kinetic_error, 1e-6) << name << ' ' << solver;
    }
  }
}

}  // namespace
}  // namespace cairn
