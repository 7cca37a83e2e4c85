// SPDX-License-Identifier: MIT
#include "cairn/math/angle.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

TEST(Angle, IsTheArcTangentAllTheWayRound) {
  for (int k = -2000; k <= 2000; ++k) {
    const double angle = 0.5 * kTurn * k / 2000.0, scale = 1e-3 + 1e-2 * (k + 2000);
    const double y = scale * std::sin(angle), x = scale * std::cos(angle);
    EXPECT_NEAR(angle_of(y, x), std::atan2(y, x), 1e-15) << angle;
  }
  EXPECT_EQ(angle_of(0, 0), 0);
  EXPECT_EQ(angle_of(0, 2), 0);
  EXPECT_DOUBLE_EQ(angle_of(3, 0), 0.25 * kTurn);
  EXPECT_DOUBLE_EQ(angle_of(-3, 0), -0.25 * kTurn);
  EXPECT_DOUBLE_EQ(angle_of(0, -1), 0.5 * kTurn);
}

TEST(Angle, TwistLeavesTheSwingAside) {
  const Quat twist = from_axis({1, 0, 0}, std::sin(0.4), std::cos(0.4));
  const Quat swing = from_axis({0, 0.6, 0.8}, std::sin(0.7), std::cos(0.7));
  EXPECT_NEAR(twist_angle(swing * twist), 0.8, 1e-15);
  const Quat q = swing * twist, same{-q.w, -q.x, -q.y, -q.z};
  EXPECT_NEAR(twist_angle(same), 0.8, 1e-15);
}

TEST(Angle, TurnsCountOn) {
  EXPECT_DOUBLE_EQ(unwrapped(0.1, 2 * kTurn), 2 * kTurn + 0.1);
  EXPECT_DOUBLE_EQ(unwrapped(3, -3), 3 - kTurn);
  EXPECT_EQ(unwrapped(0.3, 0), 0.3);
}

}  // namespace
}  // namespace cairn
