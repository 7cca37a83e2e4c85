// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/impacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/world/small_world.h"

namespace cairn {
namespace {

Material bouncing(double restitution, double friction = 0) {
  Material material;
  material.restitution = restitution, material.friction = friction;
  return material;
}

/// Two balls of 2 kg and radius 0.5 on the x axis, `gap` apart, with speeds along it. Nothing pulls.
SmallWorld two_balls(double restitution, double gap, double speed_a, double speed_b) {
  SmallWorld world;
  world.settings.gravity = {};
  world.settings.margin = 0.2;
  world.add(make_sphere(0.5), {{0, 0, 0}, {}}, bouncing(restitution));
  world.add(make_sphere(0.5), {{1 + gap, 0, 0}, {}}, bouncing(restitution));
  world.bodies.velocity[0].linear.x = speed_a, world.bodies.velocity[1].linear.x = speed_b;
  world.detect();
  world.assemble();
  return world;
}

void bounce(SmallWorld& world) { apply_impacts(world.source(), world.dt, nullptr, world.assembly); }

double speed(const SmallWorld& world, std::size_t body) {
  return world.assembly.problem.bodies[body].velocity.linear.x;
}

/// Twice the kinetic energy of the bodies that move.
double energy(const SmallWorld& world) {
  double sum = 0;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Velocity& v = world.assembly.problem.bodies[i].velocity;
    const Vec3 w = rotate_back(world.bodies.pose[i].orientation, v.angular);
    sum += world.bodies.mass[i].mass * dot(v.linear, v.linear) + dot(w, world.bodies.mass[i].inertia * w);
  }
  return sum;
}

TEST(Impacts, TwoBallsFollowNewtonsLaw) {
  // Equal masses: u_a' = (u_a + u_b - e (u_a - u_b)) / 2, and the other way round; the impulse is m (1 + e) / 2 times
  // the speed of approach.
  for (const double e : {0.25, 0.6, 1.0}) {
    SCOPED_TRACE(e);
    SmallWorld world = two_balls(e, 0.01, 2, -1);
    bounce(world);
    EXPECT_NEAR(speed(world, 0), (1 - 3 * e) / 2, 1e-12);
    EXPECT_NEAR(speed(world, 1), (1 + 3 * e) / 2, 1e-12);
    ASSERT_EQ(world.assembly.impacts.impacts.size(), 1u);
    EXPECT_NEAR(world.assembly.impacts.impacts[0].impulse, 2 * (1 + e) / 2 * 3, 1e-11);
    EXPECT_EQ(world.assembly.impacts.impacts[0].impulse, world.assembly.impacts.impacts[0].largest);
  }
}

TEST(Impacts, WhatDoesNotCloseInTimeOrMeetsSlowlyIsLeftAlone) {
  SmallWorld far = two_balls(0.5, 0.1, 2, -1);  // 3 m/s close 0.05 m in a step
  bounce(far);
  EXPECT_EQ(speed(far, 0), 2);
  EXPECT_TRUE(far.assembly.impacts.impacts.empty());
  apply_impacts(far.source(), 2.1 * far.dt, nullptr, far.assembly);
  EXPECT_NEAR(speed(far, 0), -0.25, 1e-12) << "0.105 m in that time";

  SmallWorld slow = two_balls(0.5, 0.01, 2, -1);
  slow.assembly.problem.stabilisation.bounce_speed = 3.5;
  bounce(slow);
  EXPECT_EQ(speed(slow, 0), 2);
}

TEST(Impacts, ARowOfBallsPassesTheShockOn) {
  // With gaps between them the balls meet one after the other, each meeting in a round of its own: the last one leaves.
  SmallWorld world;
  world.settings.gravity = {};
  world.settings.margin = 0.2;
  for (int i = 0; i < 4; ++i) world.add(make_sphere(0.5), {{1.001 * i, 0, 0}, {}}, bouncing(1));
  world.bodies.velocity[0].linear.x = 6;
  world.detect();
  world.assemble();
  bounce(world);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(speed(world, i), 0, 1e-11) << "ball " << i;
  EXPECT_NEAR(speed(world, 3), 6, 1e-11);
  EXPECT_EQ(world.assembly.impacts.impacts.size(), 3u);
}

TEST(Impacts, BodiesThatJointsHoldBounceInTheSolve) {
  SmallWorld world = two_balls(1, 0.01, 2, -1);
  world.assembly.problem.joints.push_back({1, 2, 0, 0});  // to the fixed frame
  bounce(world);
  EXPECT_EQ(speed(world, 0), 2);
  EXPECT_EQ(speed(world, 1), -1);
}

TEST(Impacts, NeverAddEnergyAndKeepItWithoutLoss) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("heap " + std::to_string(seed));
    SmallWorld world = random_heap(seed);
    world.bodies.velocity[1] = {};  // a plate that moves would give energy
    world.assemble();
    const double before = energy(world);
    bounce(world);
    EXPECT_LE(energy(world), before * (1 + 1e-12));
    EXPECT_FALSE(world.assembly.impacts.impacts.empty()) << "nothing bounced: the heap tests nothing";
  }
  SmallWorld world = two_balls(1, 0.01, 2, -1);
  const double before = energy(world);
  bounce(world);
  EXPECT_NEAR(energy(world), before, 1e-12 * before);
}

TEST(RenewAccelerations, AreThoseOfAWorldThatHasBouncedAlready) {
  SmallWorld world;
  world.settings.margin = 0.2;
  world.add(make_half_space({0, 0, 1}, 0), {}, bouncing(0.8), kLive);
  const Quat tilted = normalised(Quat{1, 0.3, 0.2, 0});
  for (const double x : {0.0, 5.0})
    world.add(make_box({0.5, 0.3, 0.2}), {{x, 0, x == 0 ? 0.45 : 3}, tilted}, bouncing(0.8));
  for (const std::size_t i : {1u, 2u}) world.bodies.velocity[i] = {{0, 0, -4}, {3, 2, 1}};
  world.detect();
  world.assemble();
  const std::vector<ProblemBody> before = world.assembly.problem.bodies;
  bounce(world);
  renew_accelerations(world.bodies, world.settings.gravity, world.assembly);
  const std::vector<ProblemBody> after = world.assembly.problem.bodies;
  ASSERT_FALSE(after[1].velocity == before[1].velocity) << "the first box must bounce";
  EXPECT_EQ(after[2], before[2]) << "the second is far from the floor";

  SmallWorld bounced = world;
  bounced.bodies.velocity[1] = after[1].velocity;
  bounced.assemble();
  EXPECT_EQ(after[1].acceleration, bounced.assembly.problem.bodies[1].acceleration);
  EXPECT_FALSE(after[1].acceleration == before[1].acceleration) << "free turning depends on the velocity";
}

}  // namespace
}  // namespace cairn
