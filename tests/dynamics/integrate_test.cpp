// SPDX-License-Identifier: MIT
#include "cairn/dynamics/integrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cairn/math/mat3.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

/// A body that turns freely keeps its energy w . L / 2 and the size of L, in body axes, whatever the step.
TEST(TurnFreely, KeepsEnergyAndAngularMomentum) {
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    const SymMat3 inertia = SymMat3::diagonal(random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2));
    const Vec3 w = random_point(random, 20);
    const double dt = random.uniform(1e-3, 0.1);
    SCOPED_TRACE("case " + std::to_string(k) + ", dt " + std::to_string(dt));
    const Vec3 after = turn_freely(inertia, inverse(inertia), w, dt);
    const double energy = dot(w, inertia * w);
    EXPECT_NEAR(dot(after, inertia * after), energy, 1e-12 * energy);
    EXPECT_NEAR(norm(inertia * after), norm(inertia * w), 1e-12 * norm(inertia * w));
  }
}

/// Beyond what the parts of a step can follow, the energy at least stays.
TEST(TurnFreely, NeverGainsEnergyHoweverFast) {
  const SymMat3 inertia = SymMat3::diagonal(1, 2, 2.7);
  for (double speed = 1e3; speed < 1e8; speed *= 10) {
    Vec3 w = speed * Vec3{0.3, 0.5, 0.8};
    const double energy = dot(w, inertia * w);
    for (int k = 0; k < 200; ++k) w = turn_freely(inertia, inverse(inertia), w, 1.0 / 60);
    EXPECT_NEAR(dot(w, inertia * w), energy, 1e-6 * energy) << speed;
  }
}

/// Euler's equations of a symmetric top: w precesses about the axis at (I3 - I1) / I1 w3. The midpoint rule errs by
/// dt^2, so halving the step divides the error by four.
TEST(TurnFreely, PrecessesAsASymmetricTop) {
  const SymMat3 inertia = SymMat3::diagonal(1, 1, 2);
  const Vec3 start{0.5, 0, 3};
  const double rate = (2.0 - 1.0) / 1.0 * start.z;
  const auto error = [&](int steps) {
    Vec3 w = start;
    for (int k = 0; k < steps; ++k) w = turn_freely(inertia, inverse(inertia), w, 0.4 / steps);
    return norm(w - Vec3{0.5 * std::cos(0.4 * rate), 0.5 * std::sin(0.4 * rate), 3});
  };
  EXPECT_LT(error(100), 1e-4);
  EXPECT_NEAR(error(50) / error(100), 4, 0.1);
}

TEST(TurnFreely, APrincipalAxisStays) {
  const Vec3 w{0, 7, 0};
  EXPECT_EQ(turn_freely(SymMat3::diagonal(1, 2, 3), inverse(SymMat3::diagonal(1, 2, 3)), w, 0.1), w);
}

/// Rodrigues: v cos a + (k x v) sin a + k (k . v)(1 - cos a).
TEST(Turned, IsTheRotationOfTheAngle) {
  Random random(4);
  for (int k = 0; k < 200; ++k) {
    const Vec3 axis = random_direction(random), v = random_point(random);
    const double angle = random.uniform(0, 4 * std::numbers::pi);
    SCOPED_TRACE("case " + std::to_string(k) + ", angle " + std::to_string(angle));
    const Vec3 expected =
        std::cos(angle) * v + std::sin(angle) * cross(axis, v) + ((1 - std::cos(angle)) * dot(axis, v)) * axis;
    const Quat q = turned({}, angle * axis);
    EXPECT_LT(norm(rotate(q, v) - expected), 1e-12);
  }
}

TEST(Moved, TurnsInWorldAxesAboutTheCentre) {
  const Pose pose{{1, 2, 3}, from_axis({0, 0, 1}, std::sqrt(0.5), std::sqrt(0.5))};  // x -> y
  const Pose after = moved(pose, {{0.5, 0, 0}, {std::numbers::pi / 2, 0, 0}});       // y -> z
  EXPECT_EQ(after.position, (Vec3{1.5, 2, 3}));
  EXPECT_LT(norm(rotate(after.orientation, Vec3{1, 0, 0}) - Vec3{0, 0, 1}), 1e-12);
}

}  // namespace
}  // namespace cairn
