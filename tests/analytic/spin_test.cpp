// SPDX-License-Identifier: MIT
// Spinning bodies against closed forms: the steady top, the body that flips, Euler's disc.
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/geometry/hull_builder.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

/// A top of 1 kg whose centre is 0.1 m above its tip, I1 0.0175 about the tip, I3 0.005, spinning with 200 rad/s at 30
/// degrees, started in steady precession; returns the rate by which it precesses during `time`.
double precession(double rate, double time, double dt) {
  World world(exact_settings());
  add_ramp(world, 0, rough(100));
  const double tilt = 30 * kDegree, spin = 200, lever = 0.1;
  const Vec3 corners[] = {{0, 0, 0}, {0.02, 0, 0.15}, {0, 0.02, 0.15}, {-0.02, 0, 0.15}, {0, -0.02, 0.15}};
  // About the centre of mass: I1 - m l^2.
  const MassProperties mass{1, {0, 0, lever}, SymMat3::diagonal(0.0075, 0.0075, 0.005)};
  const Vec3 axis{std::sin(tilt), 0, std::cos(tilt)};
  const Vec3 w = Vec3{0, 0, rate} + (spin - rate * std::cos(tilt)) * axis;
  const BodyId top =
      world.add_body({.pose = {{}, turn_about({0, 1, 0}, tilt)}, .velocity = {cross(w, lever * axis), w}, .mass = mass},
                     {{.shape = make_hull(corners), .material = rough(100)}});
  double angle = 0, last = 0;
  for (int i = 0; i < static_cast<int>(time / dt); ++i) {
    world.step(dt);
    const Vec3 e = rotate(world.view(top).pose.orientation, {0, 0, 1});
    const double now = std::atan2(e.y, e.x);
    angle += std::remainder(now - last, 2 * kPi);
    last = now;
    // Steady: the tilt stays.
    EXPECT_NEAR(std::acos(e.z), tilt, 1 * kDegree);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_LT(norm(world.view(top).pose.position), 1e-3) << "the tip has wandered";
  return angle / time;
}

TEST(SteadyTop, PrecessesAtBothRatesOfTheQuadratic) {
  // I1 cos Om^2 - I3 w3 Om + m g l = 0.
  expect_relative("slow", precession(0.996036, 1, 1e-4), 0.996036, 1e-2);
  expect_relative("fast", precession(64.98685, 0.2, 2e-5), 64.98685, 1e-2);
}

TEST(Dzhanibekov, FlipsWithThePeriodOfTheEllipticFunctions) {
  WorldSettings settings;
  settings.gravity = {};
  World world(settings);
  const BodyId body =
      world.add_body({.velocity = {{}, {0.01, 5, 0}}, .mass = MassProperties{1, {}, SymMat3::diagonal(1, 2, 3)}});
  const double dt = 1.0 / 500;
  double crossing[3] = {}, last = 5;
  int count = 0;
  for (int i = 1; i <= 7000; ++i) {
    world.step(dt);
    const BodyView view = world.view(body);
    const Vec3 w = rotate_back(view.pose.orientation, view.velocity.angular);
    if (last * w.y < 0 && count < 3) crossing[count++] = (i - w.y / (w.y - last)) * dt;
    last = w.y;
    // 2 T = w.I w = 50.0001 and |L| = 10.000005: kept by the midpoint rule for any dt.
    EXPECT_NEAR(0.5 * dot(w, view.inertia * w), 25.00005, 1e-7);
    EXPECT_NEAR(norm(view.inertia * w), 10.000005, 1e-7);
  }
  ASSERT_EQ(count, 3);
  expect_relative("first", crossing[0], 2.633028, 1e-2);
  expect_relative("half period", crossing[1] - crossing[0], 5.266055, 1e-2);
  expect_relative("half period again", crossing[2] - crossing[1], 5.266055, 1e-2);
}

TEST(EulersDisc, RollsOnItsRimAtTheRateOfItsTilt) {
  // Thin, radius a: Om^2 sin(alpha) = 4 g / a; the centre rests and the disc turns about the diameter to its lowest
  // point with Om sin(alpha). a 0.0375, alpha 0.1: 102.379 rad/s.
  const double a = 0.0375, alpha = 0.1, rate = 102.379, dt = 2e-5;
  WorldSettings settings = exact_settings();
  settings.margin = 1e-3;
  World world(settings);
  add_ramp(world, 0, rough(10));
  const double thin = 1e-5;  // half of the thickness
  // Leaning towards +x: the lowest point of the rim is there.
  const Vec3 low{std::cos(alpha), 0, -std::sin(alpha)};
  const double height = a * std::sin(alpha) + thin * std::cos(alpha);
  const MassProperties mass{0.1, {}, SymMat3::diagonal(0.1 * a * a / 4, 0.1 * a * a / 4, 0.1 * a * a / 2)};
  const BodyId disc = world.add_body({.pose = {{0, 0, height}, turn_about({0, 1, 0}, alpha)},
                                      .velocity = {{}, rate * std::sin(alpha) * low},
                                      .mass = mass},
                                     {{.shape = make_cylinder(a, thin), .material = rough(10)}});
  double angle = 0, last = 0;
  const int steps = 3000;
  for (int i = 0; i < steps; ++i) {
    world.step(dt);
    const Vec3 axis = rotate(world.view(disc).pose.orientation, {0, 0, 1});
    const double now = std::atan2(axis.y, axis.x);
    angle += std::remainder(now - last, 2 * kPi);
    last = now;
  }
  expect_relative("rate", std::fabs(angle) / (steps * dt), rate, 1e-2);
  const StepReport& report = world.last_report();
  expect_relative("energy", report.kinetic_energy + report.potential_energy, 1.5 * 0.1 * kGravity * a * std::sin(alpha),
                  1e-2);
}

}  // namespace
}  // namespace cairn
