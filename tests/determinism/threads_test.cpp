// SPDX-License-Identifier: MIT
// Same bits for any number of threads: every schedule, every operator, every acceleration.
#include <gtest/gtest.h>

#include <string>

#include "cairn/core/hash.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/ball_lattices.h"
#include "scenes/box_stacks.h"

namespace cairn {
namespace {

std::string hash_of_solve(const ContactProblem& problem, const std::string& solver, const NamedSettings& settings,
                          int threads) {
  const auto pool = make_pool(threads);
  ContactSolution solution;
  SolveContext context;
  context.pool = pool.get();
  context.stop = {0, 12, 0};
  make_solver(solver, settings)->solve(problem, solution, context);
  StateHasher hasher;
  for (const auto& impulse : solution.contact_impulse) hasher.add(std::span<const double>(impulse));
  for (const Velocity& v : solution.velocity) {
    hasher.add(v.linear.x), hasher.add(v.linear.y), hasher.add(v.linear.z);
    hasher.add(v.angular.x), hasher.add(v.angular.y), hasher.add(v.angular.z);
  }
  return hasher.finish().to_string();
}

void expect_same_bits(const ContactProblem& problem, const std::string& solver, const NamedSettings& settings) {
  const std::string expected = hash_of_solve(problem, solver, settings, 1);
  for (const int threads : {2, 3, 8})
    EXPECT_EQ(hash_of_solve(problem, solver, settings, threads), expected)
        << solver << " with " << threads << " threads";
}

class EverySchedule : public testing::TestWithParam<const char*> {};

TEST_P(EverySchedule, HasTheSameBits) {
  const ContactProblem problem = scenes::ball_grid(12);
  for (const char* op : {"factorised", "A", "T"})
    expect_same_bits(problem, "gauss_seidel", {{"schedule", GetParam()}, {"operator", op}, {"merge_below", "700"}});
}

INSTANTIATE_TEST_SUITE_P(Determinism, EverySchedule,
                         testing::Values("sequential", "greedy", "balanced", "relaxed", "naive", "partitions"));

TEST(Determinism, MassSplittingHasTheSameBits) {
  const ContactProblem problem = scenes::ball_grid(12);
  expect_same_bits(problem, "gauss_seidel", {{"schedule", "split"}, {"merge_below", "700"}});
  for (const char* solver : {"mass_splitting", "block_mass_splitting", "jacobi_line_search", "pgs_staggered"})
    expect_same_bits(problem, solver, {{"acceleration", "nesterov"}});
}

TEST(Determinism, JacobiAndAccelerationsHaveTheSameBits) {
  const ContactProblem problem = scenes::pyramid(20);
  for (const char* op : {"factorised", "A", "T"}) expect_same_bits(problem, "jacobi", {{"operator", op}});
  for (const char* acceleration : {"nesterov", "anderson", "nncg"}) {
    expect_same_bits(problem, "jacobi", {{"acceleration", acceleration}});
    expect_same_bits(problem, "gauss_seidel", {{"acceleration", acceleration}, {"schedule", "greedy"}});
  }
  expect_same_bits(problem, "jacobi", {{"r_factor", "global"}});
}

}  // namespace
}  // namespace cairn
