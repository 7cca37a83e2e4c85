// SPDX-License-Identifier: MIT
// Tests that other engines publish, with their numbers: SimBenchmark, Jolt, Drake, Chrono, Rapier.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cairn/core/index.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

/// SimBenchmark "rolling": a plate of 10 kg with 25 balls of 1 kg on it, pulled by 150 N over the ground; friction 0.4
/// below and 0.8 above. Balls roll: a_plate = (F - mu (M + n m) g) / (M + 2/7 n m) = 0.7385, a_ball = 2/7 of it. Mean
/// squared error of the velocities over 4 s with dt = 1 ms.
double rolling_error(const Vec3& direction) {
  WorldSettings settings = exact_settings();
  settings.tolerance = 1e-8;
  World world(settings);
  Material ground{.friction = 0.4, .friction_rule = CombineRule::minimum}, other = ground;
  other.friction = 0.8;
  add_ramp(world, 0, ground);
  const auto inertia = [](double m, double x, double y) {
    return SymMat3::diagonal(m / 12 * (y * y + 1), m / 12 * (x * x + 1), m / 12 * (x * x + y * y));
  };
  const BodyId plate = world.add_body({.pose = {{0, 0, 0.5}, {}}, .mass = MassProperties{10, {}, inertia(10, 20, 20)}},
                                      {{.shape = make_box({10, 10, 0.5}), .material = other}});
  std::vector<BodyId> balls;
  for (int i = 0; i < 25; ++i)
    balls.push_back(world.add_body({.pose = {{2.0 * (i % 5 - 2), 2.0 * (i / 5 - 2), 1.5}, {}},
                                    .mass = MassProperties{1, {}, SymMat3::diagonal(0.1, 0.1, 0.1)}},
                                   {{.shape = make_sphere(0.5), .material = other}}));
  const double plate_rate = (150 - 0.4 * 35 * kGravity) / (10 + 50.0 / 7), ball_rate = 2.0 / 7 * plate_rate, dt = 1e-3;
  double sum = 0;
  const int steps = 4000;
  for (int i = 1; i <= steps; ++i) {
    world.add_force(plate, 150 * direction);
    world.step(dt);
    const Vec3 p = world.view(plate).velocity.linear - i * dt * plate_rate * direction;
    sum += dot(p, p);
    for (const BodyId ball : balls) {
      const Vec3 b = world.view(ball).velocity.linear - i * dt * ball_rate * direction;
      sum += dot(b, b) / 25;
    }
  }
  return sum / steps;
}

TEST(SimBenchmark, Rolling) {
  // RaiSim 4.1e-7, Bullet 5.7e-9; engines with a friction pyramid fail on the diagonal with 3.1.
  expect_absolute("along y", rolling_error({0, 1, 0}), 0, 5.7e-9);
  expect_absolute("oblique", rolling_error({0.5, std::sqrt(0.75), 0}), 0, 5.7e-9);
}

TEST(SimBenchmark, BouncingKeepsItsEnergy) {
  // 7 x 7 balls of 10 kg, r 0.1, from 5 m, e 1, no friction, 20 s at 1 ms: the mean squared error of the energy.
  // RaiSim .0186, ODE 185, Bullet 7.5e4.
  WorldSettings settings;
  settings.integrator = Integrator::velocity_verlet;
  settings.stabilisation.bounce_speed = 0;
  settings.measure_residual = false;
  World world(settings);
  const Material elastic{.friction = 0, .restitution = 1};
  add_ramp(world, 0, elastic);
  const double mass = 10, radius = 0.1;
  for (int i = 0; i < 49; ++i)
    world.add_body({.pose = {{i % 7 * 1.0, i / 7 * 1.0, 5}, {}},
                    .mass = MassProperties{mass, {}, SymMat3::diagonal(0.04, 0.04, 0.04)}},
                   {{.shape = make_sphere(radius), .material = elastic}});
  const double energy = 49 * mass * kGravity * 5;
  double sum = 0;
  const int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step(1e-3);
    const double error = report.kinetic_energy + report.potential_energy - energy;
    sum += error * error / steps;
  }
  expect_absolute("mean squared error", sum, 0, 0.0186);
}

TEST(Jolt, AngularFrictionOfABoxOnFourCorners) {
  // Each corner carries m g / 4 at sqrt(2) a from the axis: w' = -sqrt(2) mu m g a / (2/3 m a^2).
  const double a = 1, mu = 0.5;
  World world(exact_settings());
  add_ramp(world, 0, rough(mu));
  const BodyId box = world.add_body({.pose = {{0, 0, a}, {}}, .velocity = {{}, {0, 0, 10}}},
                                    {{.shape = make_box({a, a, a}), .material = rough(mu)}});
  run(world, 60, 1.0 / 60 / 2);
  expect_absolute("spin", world.view(box).velocity.angular.z, 10 - 1.5 * std::sqrt(2.0) * mu * kGravity / a * 0.5,
                  5e-3);
}

TEST(Drake, BoxHeldByFriction) {
  // 1 kg, pulled by 5 N, g = 10, mu 0.9: contact force (-5, 0, 10), slip below 1e-4 m/s.
  WorldSettings settings = exact_settings();
  settings.gravity = {0, 0, -10};
  World world(settings);
  add_ramp(world, 0, rough(0.9));
  const double dt = 1e-3;
  const BodyId box =
      world.add_body({.pose = {{0, 0, 0.5}, {}}, .mass = MassProperties{1, {}, SymMat3::diagonal(0.1, 0.1, 0.1)}},
                     {{.shape = make_box({0.5, 0.5, 0.5}), .material = rough(0.9)}});
  for (int i = 0; i < 200; ++i) {
    world.add_force(box, {5, 0, 0});
    world.step(dt);
  }
  Vec3 force;
  for (const ContactView& c : world.contacts()) force += (1 / dt) * c.impulse;
  expect_absolute("friction", force.x, -5, 1e-3);
  expect_absolute("across", force.y, 0, 1e-3);
  expect_absolute("weight", force.z, 10, 1e-3);
  EXPECT_LT(norm(world.view(box).velocity.linear), 1e-4);
}

TEST(Chrono, FiveSpheresStayOnTheirAxis) {
  World world;
  add_ramp(world, 0, rough(0.5));
  std::vector<BodyId> balls;
  for (int i = 0; i < 5; ++i)
    balls.push_back(
        world.add_body({.pose = {{0, 0, 0.5 + i}, {}}}, {{.shape = make_sphere(0.5), .material = rough(0.5)}}));
  run(world, 200, 1e-2);
  for (const BodyId ball : balls)
    expect_absolute("off axis", std::hypot(world.view(ball).centre.x, world.view(ball).centre.y), 0, 1e-6);
  EXPECT_NEAR(world.view(balls[4]).centre.z, 4.5, 5 * 3e-3);
}

TEST(Rapier, AStackStandsFarFromTheOrigin) {
  for (const double offset : {1e4, 1e6}) {
    World world;
    world.add_body({.kind = BodyKind::fixed, .pose = {{offset, offset, offset - 0.5}, {}}},
                   {{.shape = make_box({5, 5, 0.5})}});
    std::vector<BodyId> boxes;
    for (int i = 0; i < 5; ++i)
      boxes.push_back(
          world.add_body({.pose = {{offset, offset, offset + 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}}));
    run(world, 300, 1.0 / 60);
    for (int i = 0; i < 5; ++i) {
      const Vec3 p = world.view(boxes[to_index(i)]).centre;
      EXPECT_LT(norm(p - Vec3{offset, offset, offset + 0.5 + i}), 0.01) << "offset " << offset << ", box " << i;
    }
  }
}

}  // namespace
}  // namespace cairn
