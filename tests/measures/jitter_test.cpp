// SPDX-License-Identifier: MIT
#include "cairn/measures/jitter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60, kGravity = 9.81;

World weightless() {
  WorldSettings settings;
  settings.gravity = {};
  return World(settings);
}

BodyId add_ball(World& world, const Vec3& at, double radius = 0.5) {
  return world.add_body({.pose = {at, {}}}, {{.shape = make_sphere(radius)}});
}

TEST(JitterMeter, ABodyThatGoesToAndFroHasTheJitterWorkedOutByHand) {
  // Speeds +v, -v, +v, ...: every second difference of the position is 2 v h, and v_ref = g h.
  World world = weightless();
  const BodyId ball = add_ball(world, {0, 0, 1});
  constexpr double kSpeed = 0.3;
  JitterMeter meter;
  meter.begin(world, kStep, 121);
  for (int i = 0; i < 121; ++i) {
    world.set_velocity(ball, {{i % 2 == 0 ? kSpeed : -kSpeed, 0, 0}, {}});
    world.step(kStep);
    meter.add(world);
  }
  const JitterMeasures m = meter.result();
  const double ratio = kSpeed / (kGravity * kStep);
  EXPECT_EQ(m.steps, 121);
  EXPECT_EQ(m.bodies, 1);
  EXPECT_NEAR(m.jitter, ratio * ratio, 1e-12);
  EXPECT_NEAR(m.jitter_max, ratio * ratio, 1e-12);
  EXPECT_NEAR(m.jitter_99, ratio * ratio, 1e-12);
  EXPECT_NEAR(m.visible, 2 * ratio, 1e-12);
  EXPECT_NEAR(m.creep, kSpeed * kStep / 1.0, 1e-12);  // an odd number of steps: one of them is left, over 1 m
}

TEST(JitterMeter, WhatDoesNotMoveHasNone) {
  World world = weightless();
  add_ball(world, {0, 0, 1});
  JitterMeter meter;
  meter.begin(world, kStep, 10);
  EXPECT_EQ(meter.result().jitter, 0);
  EXPECT_EQ(meter.result().jitter_99, 0);
  for (int i = 0; i < 10; ++i) world.step(kStep), meter.add(world);
  const JitterMeasures m = meter.result();
  EXPECT_EQ(m.jitter, 0);
  EXPECT_EQ(m.visible, 0);
  EXPECT_EQ(m.creep, 0);
}

TEST(JitterMeter, ABoxOnTheGroundIsStill) {
  WorldSettings settings;
  settings.solver = "gauss_seidel";
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 0; i < 60; ++i) world.step(kStep);
  JitterMeter meter;
  meter.begin(world, kStep, 120);
  for (int i = 0; i < 120; ++i) world.step(kStep), meter.add(world);
  EXPECT_LT(meter.result().jitter_max, 1e-20);
  EXPECT_LT(meter.result().visible, 1e-10);
  EXPECT_LT(meter.result().creep, 1e-10);
}

TEST(JitterMeter, APairInFreeFallHasTheSquaresOfTheSteps) {
  // After k steps v = k g h, so J1 of the step is k^2 whatever the masses; the second difference is g h^2, so J2 = 1.
  WorldSettings settings;
  settings.solver = "gauss_seidel";
  World world(settings);
  add_ball(world, {0, 0, 1000});
  add_ball(world, {5, 0, 1000}, 0.1);  // the smaller falls farther for its size
  constexpr int kSteps = 200;
  JitterMeter meter;
  meter.begin(world, kStep, kSteps);
  for (int i = 0; i < kSteps; ++i) world.step(kStep), meter.add(world);
  const JitterMeasures m = meter.result();
  EXPECT_NEAR(m.jitter, (kSteps + 1) * (2 * kSteps + 1) / 6.0, 1e-7);
  EXPECT_NEAR(m.jitter_max, kSteps * kSteps, 1e-6);
  EXPECT_NEAR(m.jitter_99, 198 * 198, 1e-6);  // of 200 steps two are above
  EXPECT_NEAR(m.visible, 1, 1e-9);
  EXPECT_NEAR(m.creep, kSteps * (kSteps + 1) / 2 * kGravity * kStep * kStep / 0.2, 1e-7);
}

TEST(JitterMeter, TurningCounts) {
  // A ball of radius r: w I w / (m v_ref^2) = 2/5 (w r / v_ref)^2.
  World world = weightless();
  const BodyId ball = add_ball(world, {0, 0, 1});
  world.set_velocity(ball, {{}, {0, 0, 2}});
  JitterMeter meter;
  meter.begin(world, kStep, 3);
  for (int i = 0; i < 3; ++i) world.step(kStep), meter.add(world);
  const double ratio = 2 * 0.5 / (kGravity * kStep);
  EXPECT_NEAR(meter.result().jitter, 0.4 * ratio * ratio, 1e-10);
  EXPECT_EQ(meter.result().visible, 0);
}

TEST(JitterMeter, BodiesThatAreGoneNoLongerCount) {
  World world = weightless();
  add_ball(world, {0, 0, 1});
  const BodyId removed = add_ball(world, {3, 0, 1}), left = add_ball(world, {6, 0, 1});
  world.set_velocity(removed, {{0, 0, 1}, {}});
  world.set_velocity(left, {{0, 0, 1}, {}});
  JitterMeter meter;
  meter.begin(world, kStep, 4);
  world.step(kStep), meter.add(world);
  EXPECT_NEAR(meter.result().creep, kStep, 1e-12);
  world.remove_body(removed);
  meter.leave_out(left);
  meter.leave_out(BodyId{});
  world.step(kStep), meter.add(world);
  const JitterMeasures m = meter.result();
  EXPECT_EQ(m.bodies, 1);
  EXPECT_EQ(m.creep, 0);
  EXPECT_NEAR(m.jitter, 0.5 * m.jitter_max, 1e-12);  // nothing in the second step
}

TEST(JitterMeter, RefusesStepsWithoutLength) {
  const World world;
  JitterMeter meter;
  EXPECT_THROW(meter.begin(world, 0, 10), InputError);
  EXPECT_THROW(meter.begin(world, std::nan(""), 10), InputError);
  EXPECT_THROW(meter.begin(world, kStep, -1), InputError);
}

TEST(BodySize, IsTheLongestSide) {
  World world = weightless();
  const BodyId pair = world.add_body({}, {{.shape = make_sphere(0.5), .pose = {{2, 0, 0}, {}}},
                                          {.shape = make_box({0.1, 0.2, 0.3}), .pose = {{-1, 0, 0}, {}}}});
  EXPECT_NEAR(body_size(world, pair), 2.5 + 1.1, 1e-12);
  MassProperties ball;
  ball.mass = 3;
  ball.inertia.xx = ball.inertia.yy = ball.inertia.zz = 0.4 * 3 * 0.25;  // of radius 0.5
  EXPECT_NEAR(body_size(world, world.add_body({.mass = ball})), 1, 1e-12);
}

}  // namespace
}  // namespace cairn
