// SPDX-License-Identifier: MIT
#include "cairn/world/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "cairn/dynamics/integrate.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

/// One shape of one body.
struct OneShape {
  Bodies bodies;
  Shapes shapes;
  OneShape(const Shape& shape, const Pose& body, const Pose& local, const Vec3& centre) {
    bodies.resize(1), shapes.resize(1);
    bodies.status[0] = kLive | kDynamic;
    bodies.record[0].centre = centre;
    bodies.pose[0] = {transform(body, centre), body.orientation};
    shapes.def[0].shape = shape, shapes.def[0].pose = local;
    shapes.body[0] = 0;
    prepare_shape(bodies, shapes, 0);
  }
};

TEST(PlaceShape, PutsShapesWhereTheFrameOfTheirBodySays) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE("shape " + std::to_string(k));
    const Pose body = random_pose(random), local = random_pose(random);
    OneShape one(make_box({0.5, 0.3, 0.2}), body, local, random_point(random));
    place_shape(one.bodies, one.shapes, 0, 0.02, 0.01);
    const Pose wanted = body * local;
    expect_near(one.shapes.pose[0].position, wanted.position, 1e-13);
    expect_near(rotate(one.shapes.pose[0].orientation, {1, 0, 0}), rotate(wanted.orientation, {1, 0, 0}), 1e-13);
  }
}

TEST(PlaceShape, BoundsAndBallHoldTheWayOfTheNextStep) {
  // Within the speculative reach: every corner on its way is inside of both, with half the margin to spare.
  Random random(4);
  constexpr double kMargin = 0.02, kStep = 0.01;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE("motion " + std::to_string(k));
    const Vec3 half{0.5, 0.3, 0.2};
    OneShape one(make_box(half), random_pose(random), random_pose(random), random_point(random));
    one.bodies.velocity[0].linear = random_point(random, 8);
    const bool turns = k % 2 == 0;  // about the middle of the shape, which the turning is measured from
    if (turns) one.bodies.record[0].centre = one.shapes.def[0].pose.position, prepare_shape(one.bodies, one.shapes, 0);
    if (turns) one.bodies.velocity[0].angular = random_point(random, 8);
    place_shape(one.bodies, one.shapes, 0, kMargin, kStep);
    for (const double part : {0.0, 0.5, 1.0}) {
      const Velocity& v = one.bodies.velocity[0];
      const Pose there =
          moved(one.bodies.pose[0], {part * kStep * v.linear, part * kStep * v.angular}) * one.shapes.local[0];
      for (const Vec3& corner : box_corners(half)) {
        const Vec3 p = transform(there, corner);
        const Aabb& box = one.shapes.bounds[0];
        const Vec3 inside = min(p - box.lower, box.upper - p);
        EXPECT_GE(std::min({inside.x, inside.y, inside.z}), 0.5 * kMargin - 1e-12);
        EXPECT_LE(norm(p - one.shapes.ball[0].centre), one.shapes.ball[0].radius - 0.5 * kMargin + 1e-12);
      }
    }
  }
}

TEST(PlaceShape, WaysBeyondTheReachAreCut) {
  OneShape ball(make_sphere(2), {}, {}, {});
  ball.bodies.velocity[0].linear = {1000, 0, 0};
  place_shape(ball.bodies, ball.shapes, 0, 0, 0.01);
  EXPECT_DOUBLE_EQ(ball.shapes.bounds[0].upper.x, 2 + kSpeculativeReach * 2);
  EXPECT_EQ(ball.shapes.bounds[0].lower.x, -2);
  EXPECT_EQ(speculative_turn({0, 0, 1000}, 2, 0.01), kSpeculativeReach * 2);
  EXPECT_DOUBLE_EQ(speculative_turn({0, 3, 4}, 2, 0.01), 0.1);
  EXPECT_EQ(speculative_turn({0, 0, 1}, std::numeric_limits<double>::infinity(), 0.01), 0);
}

TEST(PrepareShape, KnowsWhatNeedsNoTransform) {
  EXPECT_EQ(OneShape(make_sphere(1), {}, {}, {}).shapes.centred[0], 1);
  EXPECT_EQ(OneShape(make_sphere(1), {}, {{0.1, 0, 0}, {}}, {}).shapes.centred[0], 0);
  EXPECT_EQ(OneShape(make_sphere(1), {}, {{0.1, 0, 0}, {}}, {0.1, 0, 0}).shapes.centred[0], 1);
  EXPECT_EQ(OneShape(make_sphere(1), {}, {}, {}).shapes.sphere_radius[0], 1);
  EXPECT_EQ(OneShape(make_box({1, 1, 1}), {}, {}, {}).shapes.sphere_radius[0], -1);
  EXPECT_TRUE(std::isinf(OneShape(make_half_space({0, 0, 1}, 0), {}, {}, {}).shapes.ball_radius[0]));
}

}  // namespace
}  // namespace cairn
