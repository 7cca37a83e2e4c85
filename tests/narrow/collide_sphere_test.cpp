// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_sphere.h"

#include <gtest/gtest.h>

#include "cairn/narrow/collide_half_space.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

TEST(Manifold, KeepsTheDeepestAndTheWidestFour) {
  // A 3 x 3 grid; the middle of one side is deepest. The two far corners and one near corner complete it.
  ManifoldBuilder builder({0, 0, 1});
  std::uint32_t feature = 0;
  for (const double y : {-1.0, 0.0, 1.0})
    for (const double x : {-1.0, 0.0, 1.0})
      builder.add({{x, y, 0}, {x, y, -0.1}, x == 0 && y == -1 ? -0.2 : -0.1, feature++});
  const Manifold m = builder.build();
  ASSERT_EQ(m.count, 4);
  EXPECT_EQ(m.point[0].feature, 1u);
  EXPECT_EQ(m.point[1].feature, 6u);
  EXPECT_EQ(m.point[2].feature, 8u);
  EXPECT_TRUE(m.point[3].feature == 0u || m.point[3].feature == 2u);
  EXPECT_EQ(deepest(m, 0), -0.2);
}

TEST(Manifold, NothingIsChosenTwiceAndManyPassThroughTheBuffer) {
  ManifoldBuilder line({0, 0, 1});
  for (std::uint32_t k = 0; k < 8; ++k) line.add({{1.0 * k, 0, 0}, {1.0 * k, 0, 0}, 0, k});
  const Manifold m = line.build();
  ASSERT_EQ(m.count, 4);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t l = 0; l < k; ++l) EXPECT_NE(m.point[k].feature, m.point[l].feature);
  Random random(1);
  ManifoldBuilder builder({0, 0, 1});
  double lowest = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 p = random_point(random);
    lowest = std::min(lowest, p.z);
    builder.add({p, p, p.z, 0});
  }
  EXPECT_EQ(builder.build().point[0].separation, lowest);
}

TEST(CollideSphere, SpheresKnownDepthAndMargin) {
  const Sphere a = make_sphere(1), b = make_sphere(2);
  const Manifold m = collide_sphere_sphere(a, at(1, 0, 0), b, at(1, 2.5, 0), 0);
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, {0, 1, 0}, 1e-15);
  expect_near(m.point[0].on_a, {1, 1, 0}, 1e-15);
  expect_near(m.point[0].on_b, {1, 0.5, 0}, 1e-15);
  EXPECT_NEAR(m.point[0].separation, -0.5, 1e-15);
  EXPECT_EQ(collide_sphere_sphere(a, at(0, 0, 0), b, at(3.25, 0, 0), 0.2).count, 0);
  EXPECT_EQ(collide_sphere_sphere(a, at(0, 0, 0), b, at(3.25, 0, 0), 0.25).count, 1);
  const Manifold same = collide_sphere_sphere(a, at(1, 2, 3), b, at(1, 2, 3), 0);
  expect_sound(same, 0);
  EXPECT_EQ(same.point[0].separation, -3);
}

TEST(CollideSphere, BoxFromOutsideAndInside) {
  const Sphere ball = make_sphere(0.5);
  const Box box = make_box({1, 2, 3});
  const Manifold top = collide_sphere_box(ball, at(0, 0, 3.25), box, at(0, 0, 0), 0);
  ASSERT_EQ(top.count, 1);
  expect_near(top.normal, {0, 0, -1}, 1e-15);
  EXPECT_NEAR(top.point[0].separation, -0.25, 1e-15);
  expect_near(top.point[0].on_a, {0, 0, 2.75}, 1e-15);
  expect_near(top.point[0].on_b, {0, 0, 3}, 1e-15);
  const Manifold inside = collide_sphere_box(ball, at(0.75, 0, 0), box, at(0, 0, 0), 0);
  ASSERT_EQ(inside.count, 1);
  expect_near(inside.normal, {-1, 0, 0}, 1e-15);
  EXPECT_NEAR(inside.point[0].separation, -0.75, 1e-15);
}

TEST(CollideSphere, HullAgreesWithBoxAndCapsuleWithItsBalls) {
  Random random(2);
  for (int k = 0; k < 300; ++k) {
    const Vec3 half{random.uniform(0.5, 1), random.uniform(0.5, 1), random.uniform(0.5, 1)};
    const Box box = make_box(half);
    const ConvexHull hull = make_hull(box_corners(half));
    const Sphere ball = make_sphere(random.uniform(0.2, 1));
    const Pose pose = random_pose(random), ball_pose{pose.position + random_point(random, 2), {}};
    const Manifold with_box = collide_sphere_box(ball, ball_pose, box, pose, 0.1);
    const Manifold with_hull = collide_sphere_hull(ball, ball_pose, hull, pose, 0.1);
    expect_sound(with_box, 0.1);
    ASSERT_EQ(with_box.count, with_hull.count);
    EXPECT_NEAR(deepest(with_box, 1), deepest(with_hull, 1), 1e-9);
    // A capsule is nearest to a ball where one of the balls along its axis is.
    const Capsule capsule = make_capsule(0.3, 0.8);
    const Manifold m = collide_sphere_capsule(ball, ball_pose, capsule, pose, 10);
    expect_sound(m, 10);
    double nearest = 100;
    for (int step = 0; step <= 400; ++step) {
      const Pose on_axis{transform(pose, {0, 0, 0.8 * (step / 200.0 - 1)}), {}};
      nearest = std::min(nearest, deepest(collide_sphere_sphere(ball, ball_pose, make_sphere(0.3), on_axis, 10), 100));
    }
    EXPECT_NEAR(deepest(m, 100), nearest, 4e-3);
    EXPECT_LE(deepest(m, 100), nearest + 1e-12);
  }
}

TEST(CollideCapsule, CrossedParallelAndEndToEnd) {
  const Capsule a = make_capsule(0.5, 1), b = make_capsule(0.25, 2);
  const Quat along_x = from_axis({0, 1, 0}, kHalfRoot, kHalfRoot);
  const Manifold crossed = collide_capsule_capsule(a, at(0, 0, 0), b, {{0, 0.7, 0.5}, along_x}, 0);
  ASSERT_EQ(crossed.count, 1);
  expect_near(crossed.normal, {0, 1, 0}, 1e-12);
  EXPECT_NEAR(crossed.point[0].separation, -0.05, 1e-12);
  expect_near(crossed.point[0].on_a, {0, 0.5, 0.5}, 1e-12);
  // Parallel: the common stretch is z from 0 to 1.
  const Manifold parallel = collide_capsule_capsule(a, at(0, 0, 0), b, at(0.7, 0, 2), 0);
  ASSERT_EQ(parallel.count, 2);
  expect_near(parallel.normal, {1, 0, 0}, 1e-12);
  expect_near(parallel.point[0].on_a, {0.5, 0, 0}, 1e-12);
  expect_near(parallel.point[1].on_b, {0.45, 0, 1}, 1e-12);
  EXPECT_NEAR(parallel.point[0].separation, -0.05, 1e-12);
  const Manifold ends = collide_capsule_capsule(a, at(0, 0, 0), b, at(0, 0, 3.7), 0);
  ASSERT_EQ(ends.count, 1);
  expect_near(ends.normal, {0, 0, 1}, 1e-12);
  EXPECT_NEAR(ends.point[0].separation, -0.05, 1e-12);
}

TEST(CollideCapsule, SwappedMirrorsAndAgreesWithMarching) {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    const Capsule a = make_capsule(random.uniform(0.1, 0.5), random.uniform(0.2, 1.5));
    const Capsule b = make_capsule(random.uniform(0.1, 0.5), random.uniform(0.2, 1.5));
    const Pose pose_a = random_pose(random), pose_b = random_pose(random);
    const Manifold m = collide_capsule_capsule(a, pose_a, b, pose_b, 100);
    expect_sound(m, 100);
    expect_mirrored(m, collide_capsule_capsule(b, pose_b, a, pose_a, 100), 1e-9);
    double nearest = 100;
    for (int step = 0; step <= 1000; ++step) {
      const Vec3 p = transform(pose_a, {0, 0, a.half_length * (step / 500.0 - 1)});
      nearest = std::min(nearest, closest_point(b, transform_back(pose_b, p)).distance - a.radius);
    }
    EXPECT_LE(m.point[0].separation, nearest + 1e-12);
    EXPECT_NEAR(m.point[0].separation, nearest, 2e-3);
  }
}

TEST(CollideCapsule, IntersectingAxesHaveANormal) {
  const Capsule a = make_capsule(0.5, 1);
  const Quat along_x = from_axis({0, 1, 0}, kHalfRoot, kHalfRoot);
  const Manifold same = collide_capsule_capsule(a, at(0, 0, 0), a, at(0, 0, 0), 0);
  expect_sound(same, 0);
  EXPECT_EQ(same.count, 2);
  const Manifold cross_shape = collide_capsule_capsule(a, at(0, 0, 0), a, {{}, along_x}, 0);
  expect_sound(cross_shape, 0);
  ASSERT_EQ(cross_shape.count, 1);
  EXPECT_NEAR(std::fabs(cross_shape.normal.y), 1, 1e-12);
  EXPECT_NEAR(cross_shape.point[0].separation, -1, 1e-12);
}

TEST(CollideHalfSpace, KnownHeights) {
  const HalfSpace floor = make_half_space({0, 0, 1}, 1);  // with the pose below: solid under z = 3
  const Pose lifted = at(5, 5, 2);
  const Manifold ball = collide_sphere_half_space(make_sphere(1), at(7, 0, 3.5), floor, lifted, 0);
  ASSERT_EQ(ball.count, 1);
  expect_near(ball.normal, {0, 0, -1}, 1e-15);
  expect_near(ball.point[0].on_a, {7, 0, 2.5}, 1e-15);
  expect_near(ball.point[0].on_b, {7, 0, 3}, 1e-15);
  EXPECT_NEAR(ball.point[0].separation, -0.5, 1e-15);
  EXPECT_EQ(collide_sphere_half_space(make_sphere(1), at(7, 0, 4.1), floor, lifted, 0.05).count, 0);
  EXPECT_EQ(collide_sphere_half_space(make_sphere(1), at(7, 0, 4.1), floor, lifted, 0.15).count, 1);
  // Upright: one end; lying: both.
  const Capsule capsule = make_capsule(0.5, 1);
  EXPECT_EQ(collide_capsule_half_space(capsule, at(0, 0, 4.4), floor, lifted, 0).count, 1);
  const Quat along_x = from_axis({0, 1, 0}, kHalfRoot, kHalfRoot);
  EXPECT_EQ(collide_capsule_half_space(capsule, {{0, 0, 3.4}, along_x}, floor, lifted, 0).count, 2);
}

TEST(CollideHalfSpace, BoxAndHullLieOnFourCorners) {
  const HalfSpace floor = make_half_space({0, 0, 1}, 0);
  const Vec3 half{1, 2, 0.5};
  const Manifold box = collide_box_half_space(make_box(half), at(0, 0, 0.49), floor, {}, 0);
  const Manifold hull = collide_hull_half_space(make_hull(box_corners(half)), at(0, 0, 0.49), floor, {}, 0);
  for (const Manifold& m : {box, hull}) {
    expect_sound(m, 0);
    ASSERT_EQ(m.count, 4);
    Vec3 sum;
    for (const ManifoldPoint& p : m.point) {
      EXPECT_NEAR(p.separation, -0.01, 1e-12);
      sum += p.on_b;
    }
    expect_near(sum, {0, 0, 0}, 1e-12);
  }
  // Sunk entirely: eight corners, the four kept include a deepest one.
  EXPECT_NEAR(deepest(collide_box_half_space(make_box(half), at(0, 0, -5), floor, {}, 0), 0), -5.5, 1e-12);
}

}  // namespace
}  // namespace cairn
