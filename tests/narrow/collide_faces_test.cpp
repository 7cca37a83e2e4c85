// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_faces.h"

#include <gtest/gtest.h>

#include "cairn/core/index.h"
#include "cairn/narrow/collide_box.h"
#include "cairn/narrow/gjk.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

TEST(CollideFaces, StackedHullsTouchInFourCorners) {
  const ConvexHull big = make_hull(box_corners({2, 2, 1})), small = make_hull(box_corners({0.5, 1, 0.5}));
  // Either may be the reference; the small face lies inside the big one both times.
  for (const bool swapped : {false, true}) {
    const Manifold m = swapped ? flipped(collide_faces(small, at(0.25, 0, 1.49), big, {}, 0))
                               : collide_faces(big, {}, small, at(0.25, 0, 1.49), 0);
    expect_sound(m, 0);
    ASSERT_EQ(m.count, 4);
    expect_near(m.normal, {0, 0, 1}, 1e-12);
    Vec3 sum;
    for (const ManifoldPoint& p : m.point) {
      EXPECT_NEAR(p.separation, -0.01, 1e-12);
      EXPECT_NEAR(std::fabs(p.on_a.x - 0.25), 0.5, 1e-12);
      EXPECT_NEAR(std::fabs(p.on_a.y), 1, 1e-12);
      sum += p.on_a;
    }
    expect_near(sum, {1, 0, 4}, 1e-12);
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t l = 0; l < k; ++l) EXPECT_NE(m.point[k].feature, m.point[l].feature);
  }
}

TEST(CollideFaces, TetrahedronOnItsFaceTipAndOverAnEdge) {
  const ConvexHull slab = make_hull(box_corners({1, 1, 0.5}));
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const ConvexHull tetrahedron = make_hull(corners);
  const Manifold face = collide_faces(slab, {}, tetrahedron, at(-0.2, -0.2, 0.45), 0);
  expect_sound(face, 0);
  ASSERT_EQ(face.count, 3);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(face.point[to_index(k)].separation, -0.05, 1e-12);
  // Overhanging x = 1, the triangle loses a corner and gains one.
  const Manifold over = collide_faces(slab, {}, tetrahedron, at(0.5, -0.2, 0.45), 0);
  expect_sound(over, 0);
  ASSERT_EQ(over.count, 4);
  for (const ManifoldPoint& p : over.point) EXPECT_LE(p.on_a.x, 1 + 1e-9);
  // Upside down it stands on its tip.
  const Manifold tip = collide_faces(slab, {}, tetrahedron, {{0.1, 0.2, 1.45}, {0, 1, 0, 0}}, 0);
  expect_sound(tip, 0);
  ASSERT_EQ(tip.count, 1);
  expect_near(tip.normal, {0, 0, 1}, 1e-9);
  expect_near(tip.point[0].on_b, {0.1, 0.2, 0.45}, 1e-9);
}

TEST(CollideFaces, AgreesWithBoxes) {
  Random random(41);
  int touching = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 half_a{random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)};
    const Vec3 half_b{random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)};
    const ConvexHull a = make_hull(box_corners(half_a)), b = make_hull(box_corners(half_b));
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 1.3), random_pose(random).orientation};
    const Manifold hulls = collide_faces(a, pose_a, b, pose_b, 0);
    const Manifold boxes = collide_box_box(make_box(half_a), pose_a, make_box(half_b), pose_b, 0);
    expect_sound(hulls, 0);
    ASSERT_EQ(hulls.count > 0, boxes.count > 0);
    if (hulls.count == 0) continue;
    ++touching;
    EXPECT_NEAR(deepest(hulls, 0), deepest(boxes, 0), 2e-3);
  }
  EXPECT_GT(touching, 800);
}

TEST(CollideFaces, RandomHullsAreAsDeepAsTheWalkSaysAndMirror) {
  Random random(42);
  for (int k = 0; k < 2000; ++k) {
    const ConvexHull a = make_hull(random_points(random, 16)), b = make_hull(random_points(random, 16));
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 1.5), random_pose(random).orientation};
    const Manifold m = collide_faces(a, pose_a, b, pose_b, 0.05);
    const Manifold mirrored = flipped(collide_faces(b, pose_b, a, pose_a, 0.05));
    const ConvexDistance d = distance(a, pose_a, b, pose_b);
    expect_sound(m, 0.05);
    if (std::fabs(d.distance - 0.05) < 1e-9) continue;
    ASSERT_EQ(m.count > 0, d.distance < 0.05);
    ASSERT_EQ(mirrored.count > 0, m.count > 0);
    if (m.count == 0) continue;
    EXPECT_NEAR(deepest(m, 0), d.distance, 3e-3);
    EXPECT_NEAR(deepest(mirrored, 0), d.distance, 3e-3);
  }
}

TEST(CollideFaces, LatticeOfBoxesHasTheDepthOfTheIntervals) {
  // Aligned faces, edges in one line, coplanar corners: every tie there is. The depth is the least overlap of the three
  // intervals; quarter turns about z keep it.
  Random random(44);
  const auto step = [&](int low, int high) {
    return 0.25 * (low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1))));
  };
  for (int k = 0; k < 3000; ++k) {
    const Vec3 half_a{step(1, 4), step(1, 4), step(1, 4)}, half_b{step(1, 4), step(1, 4), step(1, 4)};
    const Vec3 d{step(-6, 6), step(-6, 6), step(-6, 6)};
    const bool quarter = random.below(2) == 1;
    const Vec3 turned_b = quarter ? Vec3{half_b.y, half_b.x, half_b.z} : half_b;
    const Pose pose_b{d, quarter ? from_axis({0, 0, 1}, kHalfRoot, kHalfRoot) : Quat{}};
    const double x = std::fabs(d.x) - half_a.x - turned_b.x, y = std::fabs(d.y) - half_a.y - turned_b.y;
    const double gap = std::max({x, y, std::fabs(d.z) - half_a.z - turned_b.z});
    const Box a = make_box(half_a), b = make_box(half_b);
    const Manifold boxes = collide_box_box(a, {}, b, pose_b, 1e-6);
    const Manifold hulls =
        collide_faces(make_hull(box_corners(half_a)), {}, make_hull(box_corners(half_b)), pose_b, 1e-6);
    const ConvexDistance walk = distance(a, {}, b, pose_b);
    expect_sound(boxes, 1e-6);
    expect_sound(hulls, 1e-6);
    ASSERT_TRUE(walk.converged);
    EXPECT_EQ(boxes.count > 0, gap <= 0);
    EXPECT_EQ(hulls.count > 0, gap <= 0);
    if (gap > 0) continue;
    EXPECT_NEAR(walk.distance, gap, 1e-9);
    EXPECT_NEAR(deepest(boxes, 1), gap, 1e-9);
    EXPECT_NEAR(deepest(hulls, 1), gap, 1e-9);
  }
}

TEST(CollideFaces, SamePoseAndExactTouchHaveFiniteAnswers) {
  Random random(43);
  const ConvexHull cube = make_hull(box_corners({1, 1, 1})), stone = make_hull(random_points(random, 40));
  for (const ConvexHull& hull : {cube, stone}) {
    const Manifold same = collide_faces(hull, at(1, 2, 3), hull, at(1, 2, 3), 0);
    expect_sound(same, 0);
    EXPECT_GE(same.count, 1);
  }
  for (const Vec3& d : {Vec3{2, 0, 0}, Vec3{2, 2, 0}, Vec3{2, 2, 2}}) {
    const Manifold touch = collide_faces(cube, {}, cube, {d, {}}, 1e-9);
    expect_sound(touch, 1e-9);
    EXPECT_GE(touch.count, 1);
    EXPECT_NEAR(deepest(touch, 1), 0, 1e-9);
  }
}

}  // namespace
}  // namespace cairn
