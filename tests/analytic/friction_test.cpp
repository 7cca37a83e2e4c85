// SPDX-License-Identifier: MIT
// Sliding, sticking and drilling friction against closed forms. g = 9.81, tolerances of the sources.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr Vec3 kBlock{0.5, 0.4, 0.2};  ///< half edges

BodyId add_block(World& world, const Ramp& ramp, const Material& material, double speed = 0) {
  return world.add_body({.pose = {kBlock.z * ramp.up, ramp.turn}, .velocity = {speed * ramp.down, {}}},
                        {{.shape = make_box(kBlock), .material = material}});
}

TEST(BlockOnIncline, SticksExactlyWhenTheTangentIsBelowTheCoefficient) {
  for (const double degrees : {5.0, 15.0, 30.0, 40.0})
    for (const double factor : {0.99, 1.01}) {
      const double angle = degrees * kDegree, mu = factor * std::tan(angle);
      World world(exact_settings());
      const Ramp ramp = add_ramp(world, angle, rough(mu));
      const BodyId block = add_block(world, ramp, rough(mu));
      run(world, 240, 1.0 / 240);
      const double speed = dot(world.view(block).velocity.linear, ramp.down);
      // Sliding: a = g (sin - mu cos) = 0.01 g sin.
      const double sliding = 0.01 * kGravity * std::sin(angle);
      if (factor > 1)
        EXPECT_LT(std::fabs(speed), 1e-6) << degrees << " degrees";
      else
        expect_relative("speed after 1 s", speed, sliding, 5e-3);
    }
}

TEST(BlockOnIncline, SlidesWithTheAccelerationOfCoulomb) {
  World world(exact_settings());
  const Ramp ramp = add_ramp(world, 30 * kDegree, rough(0.3));
  const BodyId block = add_block(world, ramp, rough(0.3));
  run(world, 240, 1.0 / 240);
  expect_relative("acceleration", dot(world.view(block).velocity.linear, ramp.down), 2.35629, 5e-3);
}

TEST(StoppingBlock, StopsWhereAndWhenItShould) {
  World world(exact_settings());
  const Ramp flat = add_ramp(world, 0, rough(0.5));
  const BodyId block = add_block(world, flat, rough(0.5), 5);
  const double dt = 1.0 / 500;
  double stopped = 0;
  for (int i = 1; i <= 600; ++i) {
    world.step(dt);
    if (stopped == 0 && norm(world.view(block).velocity.linear) < 1e-9) stopped = i * dt;
  }
  expect_relative("distance", world.view(block).pose.position.x, 2.54842, 5e-3);
  expect_relative("stops after", stopped, 1.01937, 5e-3);
}

TEST(FrictionIsotropy, IsTheSameInTwelveDirections) {
  for (int k = 0; k < 12; ++k) {
    const double angle = k * 30 * kDegree, c = std::cos(angle), s = std::sin(angle);
    World world(exact_settings());
    add_ramp(world, 0, rough(0.5));
    const BodyId block = world.add_body({.pose = {{0, 0, kBlock.z}, {}}, .velocity = {{5 * c, 5 * s, 0}, {}}},
                                        {{.shape = make_box(kBlock), .material = rough(0.5)}});
    run(world, 120, 1.0 / 240);
    const BodyView view = world.view(block);
    // v = v0 - mu g t and x = v0 t - mu g t^2 / 2, along the push; nothing across it.
    expect_absolute("speed", view.velocity.linear.x * c + view.velocity.linear.y * s, 5 - 0.5 * kGravity * 0.5, 2e-2);
    expect_absolute("across", view.velocity.linear.y * c - view.velocity.linear.x * s, 0, 2e-2);
    expect_absolute("way", view.pose.position.x * c + view.pose.position.y * s, 2.5 - 0.25 * kGravity * 0.25, 1e-2);
  }
}

TEST(StaticFriction, HoldsWhatKineticFrictionLetsSlide) {
  const double angle = std::atan(0.4);
  const Material material{.friction = 0.3, .static_friction = 0.5};
  World world(exact_settings());
  const Ramp ramp = add_ramp(world, angle, material);
  const BodyId resting = add_block(world, ramp, material);
  const BodyId moving =
      world.add_body({.pose = {kBlock.z * ramp.up + Vec3{0, 3, 0}, ramp.turn}, .velocity = {ramp.down, {}}},
                     {{.shape = make_box(kBlock), .material = material}});
  run(world, 240, 1.0 / 240);
  EXPECT_LT(norm(world.view(resting).velocity.linear), 1e-6);
  const double sliding = kGravity * (std::sin(angle) - 0.3 * std::cos(angle));
  expect_relative("speed", dot(world.view(moving).velocity.linear, ramp.down), 1 + sliding, 5e-3);
}

TEST(AnisotropicFriction, BrakesAlongAndAcrossTheGrainDifferently) {
  // The grain of the floor runs along the diagonal; the block counts as a factor of one.
  const Material floor{
      .friction = 0.2, .friction_across = 0.6, .grain = {1, 1, 0}, .friction_rule = CombineRule::multiply};
  for (const bool across : {false, true}) {
    World world(exact_settings());
    add_ramp(world, 0, floor);
    const double h = std::sqrt(0.5);
    const Vec3 along = across ? Vec3{-h, h, 0} : Vec3{h, h, 0};
    const BodyId block = world.add_body({.pose = {{0, 0, kBlock.z}, {}}, .velocity = {5 * along, {}}},
                                        {{.shape = make_box(kBlock), .material = rough(1)}});
    run(world, 120, 1.0 / 240);
    const double mu = across ? 0.6 : 0.2;
    const Vec3 v = world.view(block).velocity.linear;
    expect_relative("speed", dot(v, along), 5 - mu * kGravity * 0.5, 5e-3);
    EXPECT_LT(norm(v - dot(v, along) * along), 1e-6);
  }
}

TEST(CylinderInGroove, IsBrakedByBothWalls) {
  // Two walls at 45 degrees: torque sqrt2 mu W R / (1 + mu^2), normal forces (1 -+ mu) / (1 + mu^2) W / sqrt2.
  const double mu = 0.3, radius = 0.1, dt = 1e-3;
  WorldSettings settings = exact_settings();
  settings.stabilisation.contact_rate = 0;
  World world(settings);
  for (const double side : {1.0, -1.0})
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({side, 0, 1}, 0), .material = rough(mu)}});
  const BodyId body = world.add_body(
      {.pose = {{0, 0, radius * std::sqrt(2.0)}, turn_about({1, 0, 0}, 90 * kDegree)}, .velocity = {{}, {0, 50, 0}}},
      {{.shape = make_cylinder(radius, 0.2), .material = rough(mu)}});
  run(world, 5, dt);
  const double before = world.view(body).velocity.angular.y;
  run(world, 50, dt);
  const BodyView view = world.view(body);
  const double weight = view.mass * kGravity, inertia = 0.5 * view.mass * radius * radius;
  const double torque = (before - view.velocity.angular.y) * inertia / (50 * dt);
  expect_relative("torque", torque, std::sqrt(2.0) * mu * weight * radius / (1 + mu * mu), 5e-3);
  double normal[2] = {};
  for (const ContactView& c : world.contacts()) normal[c.normal.x > 0 ? 0 : 1] += dot(c.impulse, c.normal) / dt;
  const double high = std::max(normal[0], normal[1]), low = std::min(normal[0], normal[1]);
  expect_relative("larger normal force", high, (1 + mu) / (1 + mu * mu) * weight / std::sqrt(2.0), 5e-3);
  expect_relative("smaller normal force", low, (1 - mu) / (1 + mu * mu) * weight / std::sqrt(2.0), 5e-3);
}

/// A body that slides and drills on one point with a patch of radius 0.1: what the Contensou ellipsoid says.
///
/// Greatest dissipation over (s / mu N)^2 + (spin / (2/3 mu N))^2 <= 1 gives, with y = 2/3 R w and I = m R^2 / 2,
/// v' = -mu g v / D, y' = -8/9 mu g y / D, D = sqrt(v^2 + y^2); hence y = y0 (v / v0)^(8/9), and the time to stop and
/// the way are integrals over q = v / v0. A disc of uniform pressure (0.45542 s and 0.21658 m for v = 1, w = 10) needs
/// the pressure over a patch, which no single contact with an ellipsoid has.
struct Stop {
  double time = 0, way = 0;
};

Stop ellipsoid_stop(double v0, double w0, double mu, double radius) {
  const double y0 = 2.0 / 3.0 * radius * w0;
  const int n = 200000;
  Stop stop;
  for (int i = 0; i < n; ++i) {
    const double q = (i + 0.5) / n;
    const double d = std::sqrt(v0 * v0 + y0 * y0 * std::pow(q, -2.0 / 9.0));  // D / q
    stop.time += d / (mu * kGravity) / n;
    stop.way += d * v0 * q / (mu * kGravity) / n;
  }
  return stop;
}

TEST(SpinningSlidingDisc, FollowsTheContensouEllipsoid) {
  const double mu = 0.3, radius = 0.1, dt = 1e-4;
  const double cases[3][2] = {{1, 10}, {1, 2}, {0.2, 20}};
  for (const auto& [v0, w0] : cases) {
    World world(exact_settings());
    Material material = rough(mu);
    material.spin_radius = radius;
    add_ramp(world, 0, material);
    // A ball that cannot roll stands for a disc with one point of contact.
    const MassProperties mass{1, {}, SymMat3::diagonal(0.0025, 0.0025, 0.005)};
    const BodyId body = world.add_body({.pose = {{0, 0, 0.05}, {}},
                                        .velocity = {{v0, 0, 0}, {0, 0, w0}},
                                        .mass = mass,
                                        .locked_axes = kLockTurnX | kLockTurnY},
                                       {{.shape = make_sphere(0.05), .material = material}});
    double stopped = 0;
    for (int i = 1; i <= 7000; ++i) {
      world.step(dt);
      if (stopped == 0 && norm(world.view(body).velocity.linear) < 1e-4) stopped = i * dt;
    }
    const Stop expected = ellipsoid_stop(v0, w0, mu, radius);
    expect_relative("stops after", stopped, expected.time, 1e-2);
    expect_relative("way", world.view(body).pose.position.x, expected.way, 1e-2);
    EXPECT_LT(std::fabs(world.view(body).velocity.angular.z), 1e-6);
  }
}

}  // namespace
}  // namespace cairn
