// SPDX-License-Identifier: MIT
// Views of all bodies (World::arrays), and kinematic bodies that go where they are told (World::move_to).
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/world/world.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60;

BodyId add_ball(World& world, const Vec3& p) {
  return world.add_body({.pose = {p, {}}}, {{.shape = make_sphere(0.5)}});
}

TEST(Arrays, FollowTheWorldWithoutCopies) {
  World world;
  const BodyId ball = add_ball(world, {1, 2, 3});
  const BodyArrays arrays = world.arrays();
  ASSERT_EQ(arrays.pose.size(), 1u);
  for (int i = 0; i < 10; ++i) {
    world.step(kStep);
    EXPECT_EQ(arrays.pose[ball.index].position, world.view(ball).centre);
    EXPECT_EQ(arrays.velocity[ball.index], world.view(ball).velocity);
  }
  EXPECT_EQ(arrays.pose.data(), world.arrays().pose.data());
}

TEST(Arrays, StayReadableWhenBodiesAreAdded) {
  World world;
  const BodyId ball = add_ball(world, {0, 0, 7});
  const BodyArrays before = world.arrays();
  for (int i = 0; i < 1000; ++i) add_ball(world, {3.0 * i, 5, 0});
  world.step(kStep);
  EXPECT_NE(before.pose.data(), world.arrays().pose.data());
  EXPECT_EQ(before.pose[0].position, (Vec3{0, 0, 7}));
  EXPECT_LT(world.arrays().pose[ball.index].position.z, 7);
}

TEST(Arrays, OutliveRestoreAndWorld) {
  BodyArrays arrays, restored;
  {
    World world;
    add_ball(world, {0, 0, 7});
    const std::string snapshot = world.save();
    arrays = world.arrays();
    world.step(kStep);
    const double lower = arrays.pose[0].position.z;
    ASSERT_FALSE(world.restore(snapshot));
    restored = world.arrays();
    EXPECT_EQ(arrays.pose[0].position.z, lower);
  }
  EXPECT_LT(arrays.pose[0].position.z, 7);
  EXPECT_EQ(restored.pose[0].position.z, 7);
  EXPECT_TRUE(World().arrays().pose.empty());
}

TEST(MoveTo, ArrivesAfterOneStep) {
  World world;
  const BodyId lift = world.add_body({.kind = BodyKind::kinematic, .pose = {{1, 0, 0}, {}}},
                                     {{.shape = make_box({1, 1, 0.1}), .pose = {{0.5, 0, 0}, {}}}});
  const Pose target{{1, 2, 0.25}, {std::cos(0.4), 0, 0, std::sin(0.4)}};
  world.move_to(lift, target, kStep);
  world.step(kStep);
  const Pose pose = world.view(lift).pose;
  EXPECT_LT(norm(pose.position - target.position), 1e-12);
  EXPECT_NEAR(pose.orientation.w, target.orientation.w, 1e-12);
  EXPECT_NEAR(pose.orientation.z, target.orientation.z, 1e-12);
}

TEST(MoveTo, CarriesWhatStandsOnIt) {
  World world;
  const BodyId lift = world.add_body({.kind = BodyKind::kinematic}, {{.shape = make_box({1, 1, 0.5})}});
  const BodyId box = world.add_body({.pose = {{0, 0, 0.75}, {}}}, {{.shape = make_box({0.25, 0.25, 0.25})}});
  for (int i = 1; i <= 60; ++i) {
    world.move_to(lift, {{0, 0, 0.01 * i}, {}}, kStep);
    world.step(kStep);
  }
  EXPECT_NEAR(world.view(lift).pose.position.z, 0.6, 1e-12);
  EXPECT_NEAR(world.view(box).pose.position.z, 1.35, 0.01);
}

TEST(MoveTo, RefusesWhatItCannotDo) {
  World world;
  const BodyId ball = add_ball(world, {});
  EXPECT_NE(refusal([&] { world.move_to(ball, {}, kStep); }).find("kinematic"), std::string::npos);
  world.set_kind(ball, BodyKind::kinematic);
  EXPECT_NE(refusal([&] { world.move_to(ball, {}, 0); }).find("dt"), std::string::npos);
  EXPECT_NE(refusal([&] { world.move_to(ball, {{1e7, 0, 0}, {}}, kStep); }), "");
  EXPECT_EQ(world.view(ball).velocity, Velocity{});
}

}  // namespace
}  // namespace cairn
