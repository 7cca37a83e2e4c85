// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/contact_path.h"

#include <gtest/gtest.h>

#include "cairn/problem/residual.h"
#include "cairn/solvers/reference/contact_interior.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

/// A grid of balls pushed sideways: rank-deficient, some contacts stick, some slide, some open.
DelassusProblem pushed_balls() {
  ContactProblem problem = scenes::ball_grid(3);
  for (std::size_t b = 0; b + 1 < problem.bodies.size(); ++b)
    problem.bodies[b].velocity.linear = {b % 2 == 0 ? 0.4 : -0.1, b % 3 == 0 ? 0.2 : 0.0, 0};
  return to_delassus(problem);
}

TEST(ContactPath, BothFollowersEndAtASolution) {
  const DelassusProblem problem = pushed_balls();
  const UnitConeProblem cone = to_unit_cone(problem);
  SolveContext context;
  context.stop = {2e-6, 5000, 0};  // about where the smallest smoothing of a path leads
  const auto follow = [&](auto& path) {
    SolveReport report;
    SolveMonitor monitor(problem, cone, context, report);
    EXPECT_TRUE(path.start(monitor));
    while (path.step(monitor)) {
    }
    EXPECT_EQ(report.reason, StopReason::converged) << report.residual;
    EXPECT_LE(monitor.best_residual(), 2e-6);
    EXPECT_LE(residual(problem, monitor.best_impulse()).natural_map, 1e-6);
    EXPECT_LT(path.relative_m(), 1e-4);
    EXPECT_EQ(path.folds(), 0);
  };
  InteriorPath interior(cone, {});
  follow(interior);
  ContactPath path(cone, {});
  follow(path);
}

TEST(ContactPath, GoesOnWhereTheOtherFollowerStopped) {
  const DelassusProblem problem = pushed_balls();
  const UnitConeProblem cone = to_unit_cone(problem);
  SolveContext context;
  context.stop = {1e-6, 5000, 0};
  SolveReport report;
  SolveMonitor monitor(problem, cone, context, report);
  InteriorPath interior(cone, {});
  ASSERT_TRUE(interior.start(monitor));
  while (interior.relative_m() > 1e-2) ASSERT_TRUE(interior.step(monitor));
  ContactPath path(cone, {});
  ASSERT_TRUE(path.resume(interior.difference(), interior.m(), monitor));
  EXPECT_DOUBLE_EQ(path.relative_m(), interior.relative_m());
  for (std::size_t i = 0; i < path.x().size(); ++i)  // two points near the same point of the path
    EXPECT_NEAR(path.x()[i], interior.x()[i], interior.m());
  while (path.step(monitor)) {
  }
  EXPECT_EQ(report.reason, StopReason::converged);
}

}  // namespace
}  // namespace cairn
