// SPDX-License-Identifier: MIT
#include "apps/commands/siconos_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/problem/residual.h"
#include "scenes/ball_lattices.h"

namespace cairn::cli {
namespace {

TEST(SiconosPeer, ABallOnTheGround) {
  if (!siconos_available()) GTEST_SKIP() << "python3-siconos is not installed";
  const ContactProblem ball = scenes::ball_grid(1);
  const DelassusProblem problem = to_delassus(ball);
  const auto results = run_siconos(problem, 1e-10, 1000, 60);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 4u);
  const double weight = 9.81 * ball.dt / ball.bodies[0].inverse_mass;  // lambda_n = m g dt
  for (const SiconosResult& result : *results) {
    EXPECT_EQ(result.status, SiconosStatus::solved) << result.name << ": " << result.detail;
    ASSERT_EQ(result.impulse.size(), 3u);
    EXPECT_NEAR(result.impulse[0], weight, 1e-7 * weight) << result.name;
    EXPECT_NEAR(result.impulse[1], 0, 1e-7 * weight) << result.name;
    EXPECT_LT(residual(problem, result.impulse).residual, 1e-7) << result.name;
    EXPECT_GT(result.iterations, 0) << result.name;
  }
}

double norm(const std::vector<double>& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

TEST(SiconosPeer, CoupledContactsKeepTheirOrder) {
  if (!siconos_available()) GTEST_SKIP() << "python3-siconos is not installed";
  const DelassusProblem problem = to_delassus(scenes::ball_grid(3));
  const auto results = run_siconos(problem, 1e-8, 5000, 60);
  ASSERT_TRUE(results) << results.error().message;
  for (const SiconosResult& result : *results) {
    ASSERT_EQ(result.status, SiconosStatus::solved) << result.name << ": " << result.detail;
    // Siconos divides the same natural map by max(|q|, |r|, |u|) where we divide by |q|.
    std::vector<double> velocity(problem.q.size());
    multiply_add(problem.w, result.impulse, problem.q, velocity);
    const double q = norm(problem.q), scale = std::max({q, norm(result.impulse), norm(velocity)});
    EXPECT_LE(natural_map(problem, result.impulse, velocity) * q / scale, 1e-8) << result.name;
  }
}

TEST(SiconosPeer, AHangIsATimeout) {
  if (!siconos_available()) GTEST_SKIP() << "python3-siconos is not installed";
  // Hundreds of sweeps over 2,800 contacts are needed for the first digits: far more than the limit allows.
  const auto results = run_siconos(to_delassus(scenes::ball_grid(10)), 1e-300, 1000000000, 0.02);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ((*results)[0].status, SiconosStatus::timeout) << (*results)[0].detail;
  EXPECT_TRUE((*results)[0].impulse.empty());
}

TEST(SiconosPeer, RefusesWhatSiconosCannotExpress) {
  DelassusProblem problem = to_delassus(scenes::ball_grid(1));
  problem.friction[0].t = 0.25;
  const auto refused = run_siconos(problem, 1e-8, 100, 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_NE(refused.error().message.find("contact 0"), std::string::npos);
}

}  // namespace
}  // namespace cairn::cli
