// SPDX-License-Identifier: MIT
#include "cairn/problem/delassus.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

TEST(Delassus, BlockCountsOfTheBallGrids) {  // Poulsen 2010 table 3.2; static-aware counts derived from it
  struct Row {
    int n;
    std::int64_t aware, ground;
  };
  for (const Row row : {Row{8, 13696, 17728}, Row{24, 426624, 757824}, Row{40, 2029440, 4587840}}) {
    const BlockCounts counts = count_blocks(scenes::ball_grid(row.n));
    EXPECT_EQ(counts.static_aware, row.aware);
    EXPECT_EQ(counts.ground_as_body, row.ground);
  }
  const BlockCounts pile = count_blocks(scenes::ball_pile(40));
  EXPECT_NEAR(static_cast<double>(pile.static_aware), 7415, 741);
}

TEST(Delassus, EqualsTheMatrixFreeOperator) {
  ContactProblem problem = scenes::ball_grid(3);
  Random random(3);
  for (ContactBlock& c : problem.contacts) {  // general arms and spin, so that every coupling is exercised
    c.arm_a = c.arm_a + Vec3{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0};
    c.spin_radius = 0.2;
  }
  const DelassusProblem w = to_delassus(problem);
  ASSERT_EQ(w.dim(), 4);
  EXPECT_NO_THROW(validate(w));
  ContactSolution solution;
  solution.contact_impulse.resize(problem.contacts.size());
  std::vector<double> lambda;
  for (auto& impulse : solution.contact_impulse)
    for (double& value : impulse) lambda.push_back(value = random.uniform(-1, 1));
  const std::vector<Velocity> u = velocities_from_impulses(problem, solution);
  std::vector<double> y(lambda.size());
  multiply_add(w.w, lambda, w.q, y);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    const auto expected = contact_velocity(c, u[to_index(c.body_a)], u[to_index(c.body_b)]);
    for (std::size_t i = 0; i < 4; ++i) ASSERT_NEAR(y[4 * k + i], expected[i], 1e-12);
  }
}

TEST(Delassus, SameBitsForAnyPool) {
  const ContactProblem problem = scenes::ball_grid(12);
  const DelassusProblem serial = to_delassus(problem);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(to_delassus(problem, make_pool(threads).get()), serial);
}

TEST(Delassus, StaticPairsAndJointsAreHandled) {
  ContactProblem problem;
  problem.bodies.resize(2);  // both static
  problem.contacts.resize(1);
  problem.contacts[0].body_b = 1;
  const DelassusProblem w = to_delassus(problem);
  EXPECT_EQ(w.w.block_count(), 1);
  EXPECT_EQ(w.w.values[0], 0);
  problem.joints.push_back({0, 1, 0, 1});
  problem.joint_rows.emplace_back();
  EXPECT_THROW(to_delassus(problem), InputError);
}

}  // namespace
}  // namespace cairn
