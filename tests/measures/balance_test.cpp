// SPDX-License-Identifier: MIT
#include "cairn/measures/balance.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60, kGravity = 9.81;

WorldSettings weightless() {
  WorldSettings settings;
  settings.gravity = {};
  return settings;
}

/// One solve per step, in double: balances hold to round-off.
WorldSettings one_solve() {
  WorldSettings settings;
  settings.solver = "gauss_seidel";
  return settings;
}

BalanceMeasures measure(World& world, int steps) {
  BalanceMeter meter;
  meter.begin(world);
  for (int i = 0; i < steps; ++i) world.step(kStep), meter.add(world);
  return meter.result();
}

void add_ground(World& world) { world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}}); }

TEST(BalanceMeter, AFallingBallLosesWhatTheIntegratorTakes) {
  // Symplectic Euler: E' - E = -m g^2 h^2 / 2 in every step; E_ref = m g (size), for one body at rest.
  World world(one_solve());
  world.add_body({.pose = {{3, 4, 500}, {}}}, {{.shape = make_sphere(0.5)}});
  const BalanceMeasures m = measure(world, 100);
  EXPECT_EQ(m.steps, 100);
  EXPECT_NEAR(m.energy_left_over, -100 * 0.5 * kGravity * kStep * kStep / 1.0, 1e-9);
  EXPECT_EQ(m.energy_gain, 0);
  EXPECT_EQ(m.dissipated, 0);
  EXPECT_LT(m.momentum, 1e-10);
  EXPECT_LT(m.angular_momentum, 1e-10);
}

TEST(BalanceMeter, CollidingBoxesKeepTheirMomentum) {
  WorldSettings settings = weightless();
  settings.solver = "gauss_seidel";
  World world(settings);
  const Shape box = make_box({0.5, 0.4, 0.3});
  world.add_body({.pose = {{-1, 0, 0}, {}}, .velocity = {{2, 0, 0}, {}}}, {{.shape = box}});
  world.add_body({.pose = {{1, 0.3, 0.2}, {}}, .velocity = {{-2, 0, 0}, {0, 0, 1}}}, {{.shape = box}});
  const BalanceMeasures m = measure(world, 60);
  EXPECT_GT(m.dissipated, 100);  // they met
  EXPECT_LT(m.momentum, 1e-10);
  // Contact impulses act on the inertia of the beginning of the step: an error of the order of the turn in a step.
  EXPECT_LT(m.angular_momentum, 0.05);
  EXPECT_EQ(m.energy_gain, 0);
}

TEST(BalanceMeter, ImpulsesOfTheGroundComeFromOutside) {
  World world(one_solve());
  add_ground(world);
  for (int i = 0; i < 5; ++i)
    world.add_body({.pose = {{0.1 * i, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  const BalanceMeasures m = measure(world, 120);
  EXPECT_LT(m.momentum, 1e-9);
  EXPECT_LT(m.angular_momentum, 1e-6);
  EXPECT_LT(m.energy_gain, 1e-3);
}

TEST(BalanceMeter, ASlidingBlockGivesAllItsEnergyToFriction) {
  World world;
  add_ground(world);
  const BodyId block = world.add_body({.pose = {{0, 0, 0.1}, {}}}, {{.shape = make_box({0.3, 0.2, 0.1})}});
  world.set_velocity(block, {{2, 0, 0}, {}});
  const double energy = 0.5 * world.view(block).mass * 4;
  const BalanceMeasures m = measure(world, 120);
  EXPECT_LT(norm(world.view(block).velocity.linear), 1e-6);
  EXPECT_NEAR(m.dissipated, energy, 1e-3 * energy);
  EXPECT_LT(std::fabs(m.energy_left_over), 1e-3);
}

/// Sub-steps in float: impulses of all of them together are what bodies gained, to the digits that a float has.
TEST(BalanceMeter, SubStepsKeepTheBalanceToo) {
  World world;
  add_ground(world);
  for (int i = 0; i < 5; ++i)
    world.add_body({.pose = {{0.1 * i, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  const BalanceMeasures m = measure(world, 120);
  EXPECT_LT(m.momentum, 1e-3);
  EXPECT_LT(m.angular_momentum, 1e-3);
}

TEST(BalanceMeter, LockedAxesHoldFromOutside) {
  World world(one_solve());
  world.add_body({.pose = {{0, 0, 3}, {}}, .locked_axes = kLockAll}, {{.shape = make_sphere(0.5)}});
  EXPECT_LT(measure(world, 30).momentum, 1e-9);
}

TEST(BalanceMeter, WhatNobodyBookedShows) {
  World world(weightless());
  const BodyId ball = world.add_body({}, {{.shape = make_sphere(0.5)}});
  const double mass = world.view(ball).mass;
  BalanceMeter meter;
  meter.begin(world);
  world.add_impulse(ball, {mass * 0.5, 0, 0});  // 0.5 m/s behind the meter's back
  world.step(kStep);
  meter.add(world);
  EXPECT_NEAR(meter.result().momentum, 0.5 / (kGravity * kStep), 1e-9);
  EXPECT_NEAR(meter.result().energy_gain, 0.5 * 0.25 / (kGravity * 1.0), 1e-9);  // E_ref = m g (1 m)
}

}  // namespace
}  // namespace cairn
