// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/contact_blocks.h"

#include <gtest/gtest.h>

#include "tests/world/small_world.h"

namespace cairn {
namespace {

/// A ball of radius 0.5 over a floor, `gap` above it, both of one material.
SmallWorld ball_on_floor(const Material& material, double gap, const Velocity& velocity = {}) {
  SmallWorld world;
  world.add(make_half_space({0, 0, 1}, 0), {}, material, kLive);
  world.add(make_sphere(0.5), {{1, 2, 0.5 + gap}, {}}, material);
  world.bodies.velocity[1] = velocity;
  world.settings.margin = 0.2;
  world.detect();
  world.assemble();
  return world;
}

ContactBlock only_contact(const SmallWorld& world) {
  const Slab& slab = world.cache.slabs()[0];
  ContactBlock block;
  fill_contact(world.settings, world.assembly, manifold_context(world.source(), slab.manifolds[0]), slab.points[0],
               block);
  return block;
}

TEST(ContactBlocks, ABallOnTheFloorHasTheArmOfItsRadius) {
  const SmallWorld world = ball_on_floor({}, -0.01);
  const ContactBlock block = only_contact(world);
  const bool floor_is_a = block.body_a == 0;
  const Vec3& arm = floor_is_a ? block.arm_b : block.arm_a;
  EXPECT_NEAR(norm(arm - Vec3{0, 0, -0.495}), 0, 1e-12) << "midway between the surfaces";
  EXPECT_NEAR(block.gap, -0.01, 1e-8);
  EXPECT_NEAR(std::fabs(block.normal.z), 1, 1e-15);
  EXPECT_DOUBLE_EQ(block.friction1, 0.5);
  EXPECT_DOUBLE_EQ(block.restitution, 0);
}

TEST(ContactBlocks, WhatHardlySlipsHasTheStaticCoefficient) {
  Material sticky;
  sticky.friction = 0.3, sticky.static_friction = 0.7;
  const auto friction_at = [&](double speed) {
    return only_contact(ball_on_floor(sticky, 0, {{speed, 0, 0}, {}})).friction1;
  };
  const double slip = WorldSettings{}.slip_speed;
  EXPECT_DOUBLE_EQ(friction_at(0), 0.7);
  EXPECT_DOUBLE_EQ(friction_at(0.9 * slip), 0.7);
  EXPECT_DOUBLE_EQ(friction_at(1.1 * slip), 0.3);
}

/// What bounces has done so before the solve (impacts.h): the solve sees a contact without restitution.
TEST(ContactBlocks, ABounceIsNoBusinessOfTheSolve) {
  Material rubber;
  rubber.restitution = 0.8;
  const ContactBlock block = only_contact(ball_on_floor(rubber, 0.01, {{0, 0, -3}, {}}));
  EXPECT_EQ(block.restitution, 0);
  EXPECT_NEAR(block.gap, 0.01, 1e-8);
}

/// Bodies of joints bounce in the solve. u' = -e u + dt a is what Newton's law says of the impact at the beginning of
/// the step, so that of the velocity at its end the part e' = e - dt a / u comes back.
TEST(ContactBlocks, ABounceOfAJointedBodyLeavesTheFallOfTheStepToGravity) {
  Material rubber;
  rubber.restitution = 0.8;
  constexpr double kSpeed = 3;
  SmallWorld world = ball_on_floor(rubber, 0.01, {{0, 0, -kSpeed}, {}});
  world.assembly.impacts.joined.assign(world.assembly.problem.bodies.size(), 1);
  const ContactBlock block = only_contact(world);
  EXPECT_NEAR(block.restitution, 0.8 - 9.81 * world.dt / kSpeed, 1e-12);
  EXPECT_EQ(block.gap, 0) << "it bounces within the step";
  SmallWorld far = ball_on_floor(rubber, 0.15, {{0, 0, -kSpeed}, {}});
  far.assembly.impacts.joined.assign(far.assembly.problem.bodies.size(), 1);
  EXPECT_GT(only_contact(far).gap, 0.1) << "it does not get there";
}

TEST(ContactBlocks, ASlowApproachDoesNotBounce) {
  Material rubber;
  rubber.restitution = 0.8;
  const SmallWorld world = ball_on_floor(rubber, 0.001, {{0, 0, -0.1}, {}});
  EXPECT_NEAR(only_contact(world).gap, 0.001, 1e-8) << "slower than bounce_speed: the gap stays";
}

/// Impulses are kept in the frame of the cache; where a material has a grain, a problem has them in that of the grain.
TEST(ContactBlocks, ImpulsesGoToTheFrameOfTheGrainAndBack) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SmallWorld world = random_heap(seed);
    ASSERT_TRUE(world.materials.any_grain());
    int with_grain = 0;
    for (const Slab& slab : world.cache.slabs())
      for (const ContactManifold& m : slab.manifolds) {
        const ManifoldContext context = manifold_context(world.source(), m);
        with_grain += context.turned ? 1 : 0;
        const ContactPoint& before = slab.points[to_index(m.first_point)];
        const std::array<double, 4> impulse = warm_impulse(context, before, 1.0);
        EXPECT_NEAR(std::hypot(impulse[1], impulse[2]),
                    std::hypot(double{before.tangent_impulse[0]}, double{before.tangent_impulse[1]}), 1e-12);
        ContactPoint after;
        keep_impulse(world.source(), m, context.block, impulse, after);
        EXPECT_EQ(after.normal_impulse, before.normal_impulse);
        for (int k = 0; k < 2; ++k) EXPECT_NEAR(after.tangent_impulse[k], before.tangent_impulse[k], 1e-6);
      }
    EXPECT_GT(with_grain, 0);
  }
}

}  // namespace
}  // namespace cairn
