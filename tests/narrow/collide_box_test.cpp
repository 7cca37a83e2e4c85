// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_box.h"

#include <gtest/gtest.h>

#include "cairn/core/index.h"
#include "tests/narrow/box_oracle.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

/// 45 degrees about an axis: sine and cosine of 22.5 degrees.
Quat eighth_turn(const Vec3& axis) { return from_axis(axis, 0.38268343236508977173, 0.92387953251128675613); }

TEST(CollideBox, StackedBoxesTouchInFourCorners) {
  const Box big = make_box({2, 2, 1}), small = make_box({0.5, 1, 0.5});
  const Manifold m = collide_box_box(big, at(0, 0, 0), small, at(0.25, 0, 1.49), 0);
  expect_sound(m, 0);
  ASSERT_EQ(m.count, 4);
  expect_near(m.normal, {0, 0, 1}, 1e-15);
  Vec3 sum;
  for (const ManifoldPoint& p : m.point) {
    EXPECT_NEAR(p.separation, -0.01, 1e-12);
    EXPECT_NEAR(p.on_a.z, 1, 1e-12);
    EXPECT_NEAR(std::fabs(p.on_a.x - 0.25), 0.5, 1e-12);
    EXPECT_NEAR(std::fabs(p.on_a.y), 1, 1e-12);
    sum += p.on_a;
  }
  expect_near(sum, {1, 0, 4}, 1e-12);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t l = 0; l < k; ++l) EXPECT_NE(m.point[k].feature, m.point[l].feature);
}

TEST(CollideBox, OverhangIsClippedAndTurnedFacesGiveFourOfEight) {
  const Box cube = make_box({1, 1, 1});
  const Manifold over = collide_box_box(cube, at(0, 0, 0), cube, at(1.5, 0.5, 1.9), 0);
  ASSERT_EQ(over.count, 4);
  for (const ManifoldPoint& p : over.point) {
    EXPECT_NEAR(p.separation, -0.1, 1e-12);
    EXPECT_TRUE(std::fabs(p.on_a.x - 0.5) < 1e-12 || std::fabs(p.on_a.x - 1) < 1e-12);
    EXPECT_TRUE(std::fabs(p.on_a.y + 0.5) < 1e-12 || std::fabs(p.on_a.y - 1) < 1e-12);
  }
  // Turned by 45 degrees the common part is an octagon; the edges' axes agree with the face's and do not win.
  const Manifold octagon = collide_box_box(cube, at(0, 0, 0), cube, {{0, 0, 1.9}, eighth_turn({0, 0, 1})}, 0);
  expect_sound(octagon, 0);
  ASSERT_EQ(octagon.count, 4);
  EXPECT_NEAR(octagon.normal.z, 1, 1e-12);
}

TEST(CollideBox, CrossedEdges) {
  // Each cube stands on an edge; the upper edge of a runs along x, the lower edge of b along y.
  const Box cube = make_box({1, 1, 1});
  const double root2 = 1.41421356237309504880;
  const Pose low{{0, 0, 0}, eighth_turn({1, 0, 0})};
  const Pose high{{0.25, 0.125, 2 * root2 - 0.1}, eighth_turn({0, 1, 0})};
  const Manifold m = collide_box_box(cube, low, cube, high, 0);
  expect_sound(m, 0);
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, {0, 0, 1}, 1e-12);
  EXPECT_NEAR(m.point[0].separation, -0.1, 1e-12);
  expect_near(m.point[0].on_a, {0.25, 0, root2}, 1e-12);
  expect_near(m.point[0].on_b, {0.25, 0, root2 - 0.1}, 1e-12);
  expect_mirrored(m, collide_box_box(cube, high, cube, low, 0), 1e-12);
}

TEST(CollideBox, FeaturesOutliveSmallMotion) {
  // Turned on its support and overhanging: corners, cuts and the choice of four are the same a millimetre further.
  const Box low = make_box({1, 1, 0.5}), high = make_box({0.9, 0.6, 0.5});
  const Quat turned = normalised(Quat{0.97, 0.0005, -0.0003, 0.2});
  const Manifold before = collide_box_box(low, {}, high, {{0.4, 0.1, 0.995}, turned}, 0.02);
  const Manifold after = collide_box_box(low, {}, high, {{0.401, 0.1005, 0.9951}, turned}, 0.02);
  ASSERT_EQ(before.count, 4);
  ASSERT_EQ(after.count, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(before.point[k].feature, after.point[k].feature);
    EXPECT_LT(norm(before.point[k].on_a - after.point[k].on_a), 0.005);
  }
}

TEST(CollideBox, MarginIsHonoured) {
  const Box cube = make_box({1, 1, 1});
  EXPECT_EQ(collide_box_box(cube, at(0, 0, 0), cube, at(2.1, 0, 0), 0.05).count, 0);
  const Manifold m = collide_box_box(cube, at(0, 0, 0), cube, at(2.1, 0, 0), 0.15);
  ASSERT_EQ(m.count, 4);
  for (const ManifoldPoint& p : m.point) EXPECT_NEAR(p.separation, 0.1, 1e-12);
  // Tilted by 45 degrees only the low edge is within the margin.
  const Manifold edge =
      collide_box_box(cube, at(0, 0, 0), make_box({0.5, 0.5, 0.5}), {{0, 0, 1.7}, eighth_turn({1, 0, 0})}, 0.01);
  ASSERT_EQ(edge.count, 2);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(edge.point[to_index(k)].separation, 0.7 - kHalfRoot, 1e-12);
}

TEST(CollideBox, SamePoseAndExactTouchHaveFiniteAnswers) {
  const Box cube = make_box({1, 1, 1});
  const Manifold same = collide_box_box(cube, at(1, 2, 3), cube, at(1, 2, 3), 0);
  expect_sound(same, 0);
  EXPECT_EQ(same.count, 4);
  EXPECT_NEAR(deepest(same, 0), -2, 1e-12);
  for (const Vec3& d : {Vec3{2, 0, 0}, Vec3{2, 2, 0}, Vec3{2, 2, 2}}) {
    const Manifold touch = collide_box_box(cube, {}, cube, {d, {}}, 0);
    expect_sound(touch, 0);
    EXPECT_GE(touch.count, 1);
    EXPECT_NEAR(deepest(touch, 1), 0, 1e-12);
  }
}

TEST(CollideBox, SwappedMirrorsAndCacheDoesNotChangeTheAnswer) {
  Random random(21);
  int touching = 0;
  for (int k = 0; k < 2000; ++k) {
    const Box a = make_box({random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)});
    const Box b = make_box({random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)});
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 1.5), random_pose(random).orientation};
    BoxAxis axis;
    Manifold m, again;
    collide_box_box(a, pose_a, b, pose_b, 0.02, axis, m);
    ASSERT_GE(axis.index, 0);
    expect_sound(m, 0.02);
    const Manifold mirrored = flipped(collide_box_box(b, pose_b, a, pose_a, 0.02));
    collide_box_box(a, pose_a, b, pose_b, 0.02, axis, again);
    ASSERT_EQ(m.count > 0, mirrored.count > 0);
    ASSERT_EQ(m.count, again.count);
    if (m.count == 0) continue;
    ++touching;
    expect_near(m.normal, mirrored.normal, 1e-9);
    EXPECT_NEAR(deepest(m, 1), deepest(mirrored, 1), 1e-9);
    expect_near(m.normal, again.normal, 0);
    EXPECT_EQ(deepest(m, 1), deepest(again, 1));
  }
  EXPECT_GT(touching, 500);
}

/// Two boxes of random sizes, a random face of one over a random face of the other, turned on it by up to `spin` and
/// tilted by up to `tilt`. The gap between them is within +- `depth`.
struct FacingBoxes {
  Box a, b;
  Pose pose_a, pose_b;

  FacingBoxes(Random& random, double spin, double tilt, double depth) {
    const auto size = [&] { return random.uniform(0, 1) < 0.5 ? 0.5 : random.uniform(0.2, 1.5); };
    a = make_box({size(), size(), size()}), b = make_box({size(), size(), size()});
    pose_a = random.uniform(0, 1) < 0.3 ? Pose{} : random_pose(random);
    // Which axes of the boxes point at each other: a cyclic change of axes is a third of a turn about (1, 1, 1).
    const auto cyclic = [&] {
      const double k = random.uniform(0, 3);
      return k < 1 ? Quat{} : k < 2 ? Quat{0.5, 0.5, 0.5, 0.5} : Quat{0.5, -0.5, -0.5, -0.5};
    };
    const auto extent = [](const Box& box, const Quat& q, const Vec3& n) {
      const Vec3 m = rotate_back(q, n);
      return box.half.x * std::fabs(m.x) + box.half.y * std::fabs(m.y) + box.half.z * std::fabs(m.z);
    };
    const Vec3 wobble = random_point(random, tilt);
    const Quat local = normalised(Quat{1, wobble.x, wobble.y, wobble.z + random.uniform(-spin, spin)}) * cyclic();
    const Vec3 shift = random.uniform(0, 1) < 0.2 ? Vec3{} : random_point(random, 1);
    const Quat side = cyclic();
    const double height =
        extent(a, {}, rotate(side, {0, 0, 1})) + extent(b, local, {0, 0, 1}) + random.uniform(-depth, depth);
    const Pose over{{shift.x, shift.y, random.uniform(0, 1) < 0.5 ? height : -height}, local};
    pose_b = pose_a * (Pose{{}, side} * over);
    if (random.uniform(0, 1) < 0.5) std::swap(a, b), std::swap(pose_a, pose_b);
  }
};

/// The same answer as the oracle, from the same memory, which is then moved on to this step's.
void expect_as_oracle(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, BoxAxis& axis) {
  BoxAxis slow_axis = axis;
  const Manifold slow = collide_box_oracle(a, pose_a, b, pose_b, 0.02, slow_axis);
  Manifold fast;
  collide_box_box(a, pose_a, b, pose_b, 0.02, axis, fast);
  ASSERT_EQ(axis.index, slow_axis.index);
  ASSERT_EQ(fast.count, slow.count);
  expect_near(fast.normal, slow.normal, 1e-12);
  for (int k = 0; k < fast.count; ++k) {
    const ManifoldPoint &p = fast.point[to_index(k)], &q = slow.point[to_index(k)];
    EXPECT_EQ(p.feature, q.feature);
    expect_near(p.on_a, q.on_a, 1e-12);
    expect_near(p.on_b, q.on_b, 1e-12);
    EXPECT_NEAR(p.separation, q.separation, 1e-12);
  }
}

/// Follows a pair for a few steps of small motion with one memory. Adds up how many answers had 0, 1, .. 4 points.
void follow_as_oracle(Random& random, FacingBoxes boxes, std::array<int, 5>& seen) {
  BoxAxis axis;
  for (int step = 0; step < 4; ++step) {
    ASSERT_NO_FATAL_FAILURE(expect_as_oracle(boxes.a, boxes.pose_a, boxes.b, boxes.pose_b, axis));
    ++seen[static_cast<std::size_t>(collide_box_box(boxes.a, boxes.pose_a, boxes.b, boxes.pose_b, 0.02).count)];
    const Vec3 turn = random_point(random, 2e-3);
    boxes.pose_b.position += random_point(random, 5e-3);
    boxes.pose_b.orientation = normalised(boxes.pose_b.orientation * Quat{1, turn.x, turn.y, turn.z});
  }
}

TEST(CollideBox, AgreesWithTheOracleOnParallelFaces) {
  Random random(5);
  std::array<int, 5> seen{};
  for (int k = 0; k < 3000; ++k) {
    // Exactly parallel, parallel within rounding, and within the tilt of a stack that sways; turned or not.
    const double tilt = std::array{0.0, 1e-12, 1e-6, 1e-3}[to_index(k % 4)];
    const double spin = k % 3 == 0 ? 0 : k % 3 == 1 ? 1e-3 : 1;
    ASSERT_NO_FATAL_FAILURE(follow_as_oracle(random, FacingBoxes(random, spin, tilt, 0.02), seen));
  }
  EXPECT_GT(seen[4], 3000);
  EXPECT_GT(seen[0], 300);
}

TEST(CollideBox, AgreesWithTheOracleOnEdgesCornersAndDeepOverlap) {
  Random random(6);
  std::array<int, 5> seen{};
  for (int k = 0; k < 3000; ++k) {
    const double depth = k % 2 == 0 ? 0.05 : 1;
    ASSERT_NO_FATAL_FAILURE(follow_as_oracle(random, FacingBoxes(random, 1, 0.5, depth), seen));
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace cairn
