// SPDX-License-Identifier: MIT
#include "cairn/math/friction_set.h"

#include <gtest/gtest.h>

#include "cairn/core/random.h"

namespace cairn {
namespace {

TEST(FrictionSet, DiscKeepsInsideAndScalesOutside) {
  double s = 0.3, t = -0.4;
  project_disc(0.5, s, t);
  EXPECT_EQ(s, 0.3);
  EXPECT_EQ(t, -0.4);
  s = 3, t = -4;
  project_disc(0.5, s, t);
  EXPECT_DOUBLE_EQ(s, 0.3);
  EXPECT_DOUBLE_EQ(t, -0.4);
  project_disc(0.0, s, t);
  EXPECT_EQ(s, 0);
  EXPECT_EQ(t, 0);
}

TEST(FrictionSet, ConeHasThreeRegions) {
  double n = 2, s = 0.5, t = 0;
  project_cone(0.5, n, s, t);
  EXPECT_EQ(n, 2);  // inside
  n = -2, s = 1, t = 0;
  project_cone(0.5, n, s, t);
  EXPECT_EQ(n, 0);  // polar cone
  EXPECT_EQ(s, 0);
  n = -1, s = 0, t = 0;
  project_cone(0.0, n, s, t);
  EXPECT_EQ(n, 0) << "without friction the cone is a half-line";
  n = 0, s = 1, t = 0;
  project_cone(0.5, n, s, t);  // nearest point of the line (1, mu): n = mu / (1 + mu^2)
  EXPECT_DOUBLE_EQ(n, 0.4);
  EXPECT_DOUBLE_EQ(s, 0.2);
}

/// The nearest boundary point of an ellipse by a dense search over the angle, refined three times: slow and obvious.
double nearest_distance(double a, double b, double z0, double z1) {
  double low = 0, high = 2 * 3.14159265358979323846, best = 1e300, at = 0;
  for (int level = 0; level < 12; ++level) {
    for (int i = 0; i <= 400; ++i) {
      const double angle = low + (high - low) * i / 400;
      const double d = std::hypot(a * std::cos(angle) - z0, b * std::sin(angle) - z1);
      if (d < best) best = d, at = angle;
    }
    const double width = (high - low) / 100;
    low = at - width, high = at + width;
  }
  return best;
}

TEST(FrictionSet, EllipseAgreesWithBruteForce) {  // T4.1
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const double a = std::pow(10, random.uniform(-3, 0)), b = std::pow(10, random.uniform(-3, 0));
    const double z0 = random.uniform(-2, 2), z1 = random.uniform(-2, 2);
    std::array<double, 2> x{z0, z1};
    project_ellipsoid<2>({a, b}, x);
    const double level = x[0] * x[0] / (a * a) + x[1] * x[1] / (b * b);
    ASSERT_LE(level, 1 + 1e-9);
    if (z0 * z0 / (a * a) + z1 * z1 / (b * b) <= 1) {
      ASSERT_EQ(x[0], z0);
      ASSERT_EQ(x[1], z1);
    } else {
      ASSERT_NEAR(std::hypot(x[0] - z0, x[1] - z1), nearest_distance(a, b, z0, z1), 1e-9) << a << ' ' << b;
    }
  }
}

TEST(FrictionSet, EllipsoidMeetsItsOptimalityConditions) {  // T4.1, 1e5 cases, axis ratios up to 1e6
  Random random(8);
  for (int i = 0; i < 100000; ++i) {
    std::array<double, 3> a, z;
    for (int k = 0; k < 3; ++k) {
      a[k] = std::pow(10, random.uniform(-3, 3));
      z[k] = random.uniform(-1, 1) * std::pow(10, random.uniform(-3, 3));
    }
    std::array<double, 3> x = z;
    project_ellipsoid<3>(a, x);
    double level = 0;
    for (int k = 0; k < 3; ++k) level += x[k] * x[k] / (a[k] * a[k]);
    ASSERT_LE(level, 1 + 1e-9);
    if (x == z) continue;
    ASSERT_NEAR(level, 1, 1e-9);
    // z - x is T times the outward normal x / a^2 with one T >= 0. Take T from the axis that moved most (the others
    // lose it in cancellation) and check every coordinate.
    int most = 0;
    for (int k = 1; k < 3; ++k)
      if (std::fabs((z[k] - x[k]) * x[most]) > std::fabs((z[most] - x[most]) * x[k])) most = k;
    const double multiplier = (z[most] - x[most]) * a[most] * a[most] / x[most];
    ASSERT_GT(multiplier, 0);
    for (int k = 0; k < 3; ++k)
      ASSERT_NEAR(x[k], a[k] * a[k] * z[k] / (a[k] * a[k] + multiplier), 1e-9 * std::fabs(z[k])) << i;
  }
}

TEST(FrictionSet, EllipseWithEqualAxesIsTheDisc) {
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    double s = random.uniform(-2, 2), t = random.uniform(-2, 2);
    std::array<double, 2> x{s, t};
    project_disc(0.7, s, t);
    project_ellipsoid<2>({0.7, 0.7}, x);
    ASSERT_NEAR(x[0], s, 1e-14);
    ASSERT_NEAR(x[1], t, 1e-14);
  }
}

TEST(FrictionSet, FlatAxesAndTheBox) {
  std::array<double, 3> x{1, 2, 3};
  project_ellipsoid<3>({0, 0.5, 0}, x);
  EXPECT_EQ(x[0], 0);
  EXPECT_DOUBLE_EQ(x[1], 0.5);
  EXPECT_EQ(x[2], 0);
  std::array<double, 2> corner{5, -5};
  project_box<2>({1, 2}, corner);
  EXPECT_EQ(corner[0], 1);
  EXPECT_EQ(corner[1], -2);  // beyond the ellipse: the box model is a choice, not the law
}

TEST(FrictionSet, ContactProjectionUsesTheNewNormalImpulse) {
  double z[3] = {-1, 5, 0};
  project_contact<3>(FrictionSet::disc, {0.5, 0.5, 0}, z);
  EXPECT_EQ(z[0], 0);
  EXPECT_EQ(z[1], 0);
  double spinning[4] = {3, 100, 0, 0};
  project_contact<4>(FrictionSet::ellipse, {0.5, 0.5, 0.5 * kSpinBound}, spinning);
  EXPECT_NEAR(spinning[1], 1.5, 1e-12);
  double fast[4] = {3, 0.5, 0, 1000};  // fast spin eats the lateral friction (Contensou)
  project_contact<4>(FrictionSet::ellipse, {0.5, 0.5, 0.5 * kSpinBound}, fast);
  EXPECT_LT(fast[1], 0.01);
  EXPECT_NEAR(fast[3], 1.0, 1e-3);
}

}  // namespace
}  // namespace cairn
