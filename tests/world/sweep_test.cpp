// SPDX-License-Identifier: MIT
// First touches of moving and turning shapes, in closed form and against small steps.
#include "cairn/world/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cairn/core/random.h"
#include "cairn/narrow/cast.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr double kSkin = 1e-3, kDepth = 1e-3;

/// A shape centred on its body.
SweptShape centred(const Shape& shape) {
  const Aabb box = local_bounds(shape);
  const double radius = norm(box.upper - box.lower) / 2;
  return {shape, {}, centre(box), radius, std::holds_alternative<Sphere>(shape) ? 0 : radius};
}

std::optional<Touch> touch(const Shape& a, const BodyPath& path_a, const Shape& b, const BodyPath& path_b) {
  return first_touch(centred(a), path_a, centred(b), path_b, {0, 1, kSkin, kDepth});
}

/// A ball of 0.1 m flies 10 m along x at a wall whose face is at x = 4 - 0.5 t.
TEST(Sweep, BallMeetsAWallThatComes) {
  const Shape ball = make_sphere(0.1), wall = make_box({0.01, 50, 50});
  const auto found = touch(ball, {{}, {{10, 0, 0}, {}}}, wall, {{{4.01, 0, 0}, {}}, {{-0.5, 0, 0}, {}}});
  ASSERT_TRUE(found);
  EXPECT_NEAR(10.5 * found->time, 4 - 0.1 - kSkin, 0.2 * kSkin);
  EXPECT_NEAR(found->normal.x, 1, 1e-9);
}

/// The tip of a bar of 2 m reaches a wall at x = d when it has turned by asin(d). Its middle does not move.
TEST(Sweep, TheTipOfATurningBarMeetsAWall) {
  const Shape bar = make_capsule(0.01, 0.99), wall = make_box({0.01, 50, 50});  // along z
  for (const double distance : {0.2, 0.5, 0.9}) {
    const auto found = touch(bar, {{}, {{}, {0, 3, 0}}}, wall, {{{distance + 0.01, 0, 0}, {}}, {}});
    ASSERT_TRUE(found) << distance;
    EXPECT_NEAR(0.99 * std::sin(3 * found->time), distance - 0.01 - kSkin, 0.3 * kSkin) << distance;
  }
}

/// Turning about its own axis brings a cylinder nowhere, however fast.
TEST(Sweep, ACylinderThatRollsMeetsNothing) {
  const Shape roll = make_cylinder(0.1, 0.5), wall = make_box({0.01, 50, 50});
  EXPECT_FALSE(touch(roll, {{}, {{0, 3, 0}, {0, 0, 500}}}, wall, {{{0.12, 0, 0}, {}}, {}}));
  EXPECT_DOUBLE_EQ(effective_turn(roll, {}, {0, 0, 500}), 0);
  EXPECT_DOUBLE_EQ(effective_turn(roll, {}, {3, 4, 500}), 5);
  EXPECT_DOUBLE_EQ(effective_turn(make_box({1, 1, 1}), {}, {3, 4, 12}), 13);
}

/// A graze that contacts can deal with is no touch, and one that goes deep is.
TEST(Sweep, GrazesAreLeftAlone) {
  const Shape ball = make_sphere(0.1), plate = make_box({1, 1, 0.1});
  const auto fly = [&](double height) {
    return touch(ball, {{{-5, 0, 0.2 + height}, {}}, {{10, 0, 0}, {}}}, plate, {{}, {}});
  };
  EXPECT_FALSE(fly(0.5 * kSkin));
  EXPECT_FALSE(fly(-0.5 * kDepth));
  EXPECT_TRUE(fly(-3 * kDepth));
}

/// What overlaps already may get deeper by the depth, and its middle never gets in.
TEST(Sweep, TheMiddleStaysOutside) {
  const Shape ball = make_sphere(0.1), wall = make_box({0.001, 50, 50});
  const auto deep = touch(ball, {{{-0.03, 0, 0}, {}}, {{1, 0, 0}, {}}}, wall, {{}, {}});
  ASSERT_TRUE(deep);
  EXPECT_LT(deep->time, 0.03);
  EXPECT_GT(deep->time, 0.01);
}

/// Random convex shapes on random ways: at the touch they are as near as the skin, and never nearer before it.
TEST(Sweep, NeverPassesTheFirstTouch) {
  Random random(11);
  int met = 0;
  for (int k = 0; k < 300; ++k) {
    const auto vector = [&](double size) {
      return Vec3{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
    };
    const Shape shapes[] = {make_box({0.3, 0.1, 0.2}), make_capsule(0.1, 0.3), make_cone(0.2, 0.5), make_sphere(0.2),
                            make_cylinder(0.1, 0.4)};
    const Shape &a = shapes[random.below(5)], &b = shapes[random.below(5)];
    const BodyPath path_a{{{-2, 0, 0}, {}}, {Vec3{4, 0, 0} + vector(0.5), vector(6)}};
    const BodyPath path_b{{{0.5, 0, 0}, {}}, {vector(0.5), vector(3)}};
    const auto found = touch(a, path_a, b, path_b);
    const double end = found ? found->time : 1;
    for (int i = 0; i < 400; ++i) {
      const double time = end * i / 400;
      ASSERT_FALSE(overlaps(a, path_a.at(time), b, path_b.at(time)) && (!found || time < 0.999 * end))
          << "case " << k << ", time " << time;
    }
    met += found ? 1 : 0;
  }
  EXPECT_GT(met, 150);
}

}  // namespace
}  // namespace cairn
