// SPDX-License-Identifier: MIT
// Rolling bodies against closed forms: slopes, slip to roll, rolling resistance, the turntable.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

TEST(RollingSphere, RollsDownWithFiveSevenths) {
  // R 0.05 m, m 0.1 kg, 15 degrees, 1 s: a = 5/7 g sin, friction 2/7 m g sin. Drake's tolerance, 5.5e-4.
  const double radius = 0.05, dt = 1.0 / 240, angle = 15 * kDegree;
  World world(exact_settings());
  const Ramp ramp = add_ramp(world, angle, rough(0.3));
  const MassProperties mass{0.1, {}, SymMat3::diagonal(1e-4, 1e-4, 1e-4)};  // 2/5 m R^2
  const BodyId ball = world.add_body({.pose = {radius * ramp.up, {}}, .mass = mass},
                                     {{.shape = make_sphere(radius), .material = rough(0.3)}});
  run(world, 240, dt);
  const BodyView view = world.view(ball);
  expect_relative("speed", dot(view.velocity.linear, ramp.down), 1.81358, 5.5e-4);
  expect_relative("spin", view.velocity.angular.y, 36.2716, 5.5e-4);
  ASSERT_EQ(world.contacts().size(), 1u);
  const Vec3 force = (1 / dt) * world.contacts()[0].impulse;
  expect_relative("friction force", std::fabs(dot(force, ramp.down)), 0.072543, 5.5e-4);
}

TEST(RollingSphere, SlipsBelowTwoSeventhsOfTheTangent) {
  const double radius = 0.05, angle = 15 * kDegree, needed = 2.0 / 7 * std::tan(angle);
  for (const double factor : {0.95, 1.05}) {
    World world(exact_settings());
    const Ramp ramp = add_ramp(world, angle, rough(factor * needed));
    const BodyId ball = world.add_body({.pose = {radius * ramp.up, {}}},
                                       {{.shape = make_sphere(radius), .material = rough(factor * needed)}});
    run(world, 240, 1.0 / 240);
    const Velocity v = world.view(ball).velocity;
    const double slip = dot(v.linear, ramp.down) - radius * v.angular.y;
    // Slipping: a = g (sin - mu cos), R w' = 5/2 mu g cos.
    const double expected = factor < 1 ? kGravity * (std::sin(angle) - 3.5 * factor * needed * std::cos(angle)) : 0;
    EXPECT_NEAR(slip, expected, 1e-6) << factor;
  }
}

/// The speed after one second of a cylinder of radius 0.1 on a slope of 30 degrees.
double rolled_speed(double friction, const MassProperties& mass) {
  World world(exact_settings());
  const Ramp ramp = add_ramp(world, 30 * kDegree, rough(friction));
  const BodyId body = world.add_body({.pose = {0.1 * ramp.up, turn_about({1, 0, 0}, 90 * kDegree)}, .mass = mass},
                                     {{.shape = make_cylinder(0.1, 0.1), .material = rough(friction)}});
  run(world, 240, 1.0 / 240);
  return dot(world.view(body).velocity.linear, ramp.down);
}

TEST(RollingCylinder, RollsWithTwoThirds) {
  const MassProperties solid = mass_properties(make_cylinder(0.1, 0.1), 1000);
  expect_relative("acceleration", rolled_speed(0.25, solid), 3.27, 5e-3);
  // It needs tan / 3 = 0.19245; with less it slips: a = g (sin - mu cos).
  expect_relative("slipping", rolled_speed(0.15, solid), kGravity * (0.5 - 0.15 * std::cos(30 * kDegree)), 5e-3);
}

TEST(RollingHoop, RollsWithOneHalf) {
  // All mass at the radius: I = m R^2 about the axis, half of it across, plus a little width.
  const MassProperties hoop{1, {}, SymMat3::diagonal(0.0051, 0.0051, 0.01)};
  expect_relative("acceleration", rolled_speed(0.35, hoop), 2.4525, 5e-3);
}

TEST(SlipToRoll, EndsAtFiveSeventhsOfTheSpeed) {
  const double radius = 0.1, dt = 1.0 / 500;
  for (const double spin : {0.0, 40.0}) {
    World world(exact_settings());
    add_ramp(world, 0, rough(0.2));
    const BodyId ball = world.add_body({.pose = {{0, 0, radius}, {}}, .velocity = {{10, 0, 0}, {0, spin, 0}}},
                                       {{.shape = make_sphere(radius), .material = rough(0.2)}});
    const double start = 0.5 * world.view(ball).mass * 100;
    double rolls = 0, path = 0, energy = 0;
    for (int i = 1; i <= 800; ++i) {
      world.step(dt);
      const BodyView view = world.view(ball);
      if (rolls == 0 && std::fabs(view.velocity.linear.x - radius * view.velocity.angular.y) < 1e-6)
        rolls = i * dt, path = view.pose.position.x, energy = world.last_report().kinetic_energy;
    }
    expect_relative("end speed", world.view(ball).velocity.linear.x, 5.0 / 7 * 10 + 2.0 / 7 * radius * spin, 5e-3);
    if (spin != 0) continue;
    expect_relative("stops after", rolls, 1.45624, 5e-3);
    expect_relative("path", path, 12.48206, 5e-3);
    expect_relative("energy lost", (start - energy) / start, 2.0 / 7, 5e-3);
  }
}

TEST(RollingResistance, StopsABallAsItsLeverSays) {
  // Torque rho N on a rolling ball: v' = -5/7 rho g / R, until it stands and stays.
  const double radius = 0.1, rho = 0.002, speed = 1, dt = 1.0 / 500;
  const double braking = 5.0 / 7 * rho * kGravity / radius;
  for (const bool warm : {true, false}) {
    WorldSettings settings = exact_settings();
    settings.warm_start = warm;
    World world(settings);
    Material material = rough(0.5);
    material.rolling_radius = rho;
    add_ramp(world, 0, material);
    const BodyId ball =
        world.add_body({.pose = {{0, 0, radius}, {}}, .velocity = {{speed, 0, 0}, {0, speed / radius, 0}}},
                       {{.shape = make_sphere(radius), .material = material}});
    run(world, 500, dt);
    expect_relative("speed after 1 s", world.view(ball).velocity.linear.x, speed - braking, 5e-3);
    run(world, 4000, dt);
    expect_relative("path", world.view(ball).pose.position.x, 0.5 * speed * speed / braking, 5e-3);
    EXPECT_LT(norm(world.view(ball).velocity.linear), 1e-6);
  }
}

TEST(Turntable, MakesABallCircleAtTwoSeventhsOfItsRate) {
  const double radius = 0.1, rate = 3, dt = 1.0 / 500, time = 2;
  World world(exact_settings());
  world.add_body({.kind = BodyKind::kinematic, .velocity = {{}, {0, 0, rate}}},
                 {{.shape = make_half_space({0, 0, 1}, 0), .material = rough(1)}});
  // Rolling: v + w x (-R z) = Omega x r.
  const Vec3 r{0.3, -0.2, radius}, v{0.5, 0.1, 0};
  const Vec3 w{(rate * r.x - v.y) / radius, (v.x + rate * r.y) / radius, 0};
  const BodyId ball =
      world.add_body({.pose = {r, {}}, .velocity = {v, w}}, {{.shape = make_sphere(radius), .material = rough(1)}});
  run(world, static_cast<int>(time / dt), dt);
  const Vec3 u = world.view(ball).velocity.linear;
  const double angle = std::atan2(v.x * u.y - v.y * u.x, v.x * u.x + v.y * u.y);
  expect_relative("angle", angle, 2.0 / 7 * rate * time, 5e-3);
  expect_relative("speed", norm(u), norm(v), 5e-3);
  // The radius of the circle is v / (2/7 Omega): where it stands after that time.
  const double turn = 2.0 / 7 * rate * time, k = 2.0 / 7 * rate;
  const double x = r.x + (v.x * std::sin(turn) - v.y * (1 - std::cos(turn))) / k;
  const double y = r.y + (v.x * (1 - std::cos(turn)) + v.y * std::sin(turn)) / k;
  expect_absolute("x", world.view(ball).pose.position.x, x, 5e-3 * norm(v) / k);
  expect_absolute("y", world.view(ball).pose.position.y, y, 5e-3 * norm(v) / k);
}

}  // namespace
}  // namespace cairn
