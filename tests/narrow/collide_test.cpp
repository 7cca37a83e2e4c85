// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide.h"

#include <gtest/gtest.h>

#include "cairn/core/index.h"
#include "cairn/narrow/gjk.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

const Quat kAlongX = from_axis({0, 1, 0}, kHalfRoot, kHalfRoot);

PartManifolds contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin = 0) {
  CollideMemory memory;
  PartManifolds out;
  collide(a, pose_a, b, pose_b, margin, memory, out);
  for (const PartManifold& p : out) expect_sound(p.manifold, margin);
  for (std::size_t k = 1; k < out.size(); ++k) EXPECT_LT(out[k - 1].part, out[k].part);
  return out;
}

/// The one manifold of a pair that lies `depth` deep on z = `height`, b below a.
void expect_resting(const PartManifolds& found, int count, double depth, double height) {
  ASSERT_EQ(found.size(), 1u);
  const Manifold& m = found[0].manifold;
  ASSERT_EQ(m.count, count);
  expect_near(m.normal, {0, 0, -1}, 1e-9);
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& p = m.point[to_index(k)];
    EXPECT_NEAR(p.separation, -depth, 1e-9);
    EXPECT_NEAR(p.on_b.z, height, 1e-9);
    for (int l = 0; l < k; ++l) EXPECT_NE(p.feature, m.point[to_index(l)].feature);
  }
}

/// Things whose top is the plane z = 0 about the origin.
std::vector<std::pair<std::string, std::pair<Shape, Pose>>> floors() {
  return {{"half-space", {make_half_space({0, 0, 1}, 0), {}}},
          {"box", {make_box({3, 3, 1}), at(0, 0, -1)}},
          {"hull", {make_hull(box_corners({3, 3, 1})), at(0, 0, -1)}},
          {"cylinder", {make_cylinder(3, 1), at(0, 0, -1)}},
          {"cone", {make_cone(3, 2), {{0, 0, -0.5}, {0, 1, 0, 0}}}}};
}

TEST(Collide, ThingsRestOnEveryFloor) {
  for (const auto& named : floors()) {
    SCOPED_TRACE(named.first);
    const auto& floor = named.second;
    const auto resting = [&](const Shape& shape, const Pose& pose) {
      const PartManifolds down = contacts(shape, pose, floor.first, floor.second);
      // The same seen from the floor.
      const PartManifolds up = contacts(floor.first, floor.second, shape, pose);
      EXPECT_EQ(up.size(), down.size());
      if (up.size() == 1 && down.size() == 1) {
        EXPECT_EQ(up[0].manifold.count, down[0].manifold.count);
        expect_near(up[0].manifold.normal, -down[0].manifold.normal, 1e-9);
      }
      return down;
    };
    expect_resting(resting(make_sphere(0.5), at(0.1, 0.2, 0.49)), 1, 0.01, 0);
    expect_resting(resting(make_box({0.5, 0.4, 0.3}), at(0.1, 0.2, 0.29)), 4, 0.01, 0);
    expect_resting(resting(make_hull(box_corners({0.5, 0.4, 0.3})), at(0.1, 0.2, 0.29)), 4, 0.01, 0);
    expect_resting(resting(make_capsule(0.2, 0.5), {{0.1, 0.2, 0.19}, kAlongX}), 2, 0.01, 0);
    expect_resting(resting(make_capsule(0.2, 0.5), at(0.1, 0.2, 0.69)), 1, 0.01, 0);
    expect_resting(resting(make_cylinder(0.2, 0.5), at(0.1, 0.2, 0.49)), 4, 0.01, 0);
    expect_resting(resting(make_cylinder(0.2, 0.5), {{0.1, 0.2, 0.19}, kAlongX}), 2, 0.01, 0);
    expect_resting(resting(make_cone(0.3, 0.8), at(0.1, 0.2, 0.19)), 4, 0.01, 0);
    // A cone of half angle 30 degrees on its side: z turns to (cos 30, 0, -sin 30), 120 degrees about y, and the apex
    // is 3/4 h sin 30 below the centre.
    const double root3 = 1.73205080756887729353;
    const Cone cone = make_cone(1, root3);
    const Quat lying = from_axis({0, 1, 0}, 0.5 * root3, 0.5);
    expect_resting(resting(cone, {{0.1, 0.2, 0.75 * root3 * 0.5 - 0.01}, lying}), 2, 0.01, 0);
  }
}

TEST(Collide, OverhangingDiscsAndLinesAreCut) {
  // A part of a standing cylinder, and half of a lying one, is over the edge x = 3.
  const Shape floor = make_box({3, 3, 1});
  const PartManifolds disc = contacts(make_cylinder(0.5, 0.5), at(2.9, 0, 1.49), floor, {});
  ASSERT_EQ(disc.size(), 1u);
  ASSERT_EQ(disc[0].manifold.count, 4);
  for (const ManifoldPoint& p : disc[0].manifold.point) {
    EXPECT_LE(p.on_b.x, 3 + 1e-9);
    EXPECT_NEAR(p.separation, -0.01, 1e-9);
  }
  const PartManifolds line = contacts(make_cylinder(0.5, 1), {{3, 0, 1.49}, kAlongX}, floor, {});
  ASSERT_EQ(line.size(), 1u);
  ASSERT_EQ(line[0].manifold.count, 2);
  const double x0 = line[0].manifold.point[0].on_b.x, x1 = line[0].manifold.point[1].on_b.x;
  EXPECT_NEAR(std::min(x0, x1), 2, 1e-9);
  EXPECT_NEAR(std::max(x0, x1), 3, 1e-9);
}

TEST(Collide, RoundSidesAlongEachOther) {
  const Cylinder roll = make_cylinder(0.5, 1);
  const Capsule pill = make_capsule(0.5, 1);
  for (const Shape& b : {Shape(roll), Shape(pill)}) {
    const PartManifolds found = contacts(roll, {}, b, at(0.6, 0.7, 0.5));
    ASSERT_EQ(found.size(), 1u);
    const Manifold& m = found[0].manifold;
    ASSERT_EQ(m.count, 2);
    const double d = std::sqrt(0.6 * 0.6 + 0.7 * 0.7);
    expect_near(m.normal, {0.6 / d, 0.7 / d, 0}, 1e-9);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(m.point[to_index(k)].separation, d - 1, 1e-9);
    EXPECT_NEAR(std::fabs(m.point[0].on_a.z - m.point[1].on_a.z), 1.5, 1e-9);
  }
}

TEST(Collide, EveryConvexPairIsAsDeepAsTheWalkSays) {
  // A face may be preferred to the best axis by 1e-3 of the thinner shape's width: as much less deep, never more.
  Random random(51);
  int touching = 0;
  for (int round = 0; round < 60; ++round) {
    const auto first = convex_shapes(random), second = convex_shapes(random);
    for (const auto& [name_a, a] : first) {
      for (const auto& [name_b, b] : second) {
        SCOPED_TRACE(name_a + " " + name_b);
        const Pose pose_a = random_pose(random);
        const Pose pose_b{pose_a.position + random_point(random, 2), random_pose(random).orientation};
        const ConvexDistance walk = distance(a, pose_a, b, pose_b);
        if (std::fabs(walk.distance - 0.05) < 1e-4) continue;
        const PartManifolds found = contacts(a, pose_a, b, pose_b, 0.05);
        const PartManifolds mirrored = contacts(b, pose_b, a, pose_a, 0.05);
        ASSERT_EQ(found.size(), walk.distance < 0.05 ? 1u : 0u);
        ASSERT_EQ(mirrored.size(), found.size());
        if (found.empty()) continue;
        ++touching;
        EXPECT_EQ(found[0].part, 0u);
        // The depth along either normal is the depth, and both normals where they are unique agree.
        EXPECT_NEAR(deepest(found[0].manifold, 1), walk.distance, 4e-3);
        EXPECT_NEAR(deepest(mirrored[0].manifold, 1), walk.distance, 4e-3);
        if (walk.distance > 0) {
          EXPECT_GT(dot(found[0].manifold.normal, walk.normal), 0.98);
        }
      }
    }
  }
  EXPECT_GT(touching, 500);
}

TEST(Collide, MemoryOfBoxesIsKept) {
  const Shape cube = make_box({1, 1, 1});
  CollideMemory memory;
  PartManifolds out;
  collide(cube, {}, cube, at(0, 0, 5), 0, memory, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(memory.axis % 3, 2);
  collide(cube, {}, cube, at(0, 0, 1.9), 0, memory, out);
  collide(cube, {}, cube, at(0, 0, 1.8), 0, memory, out);
  ASSERT_EQ(out.size(), 2u);  // appended, not replaced
  EXPECT_NEAR(deepest(out[1].manifold, 0), -0.2, 1e-12);
}

TEST(Collide, CompoundsMeetChildByChild) {
  // A dumb-bell of two balls, one over the floor, and a pair of such.
  const Shape bell = make_compound({{make_sphere(0.5), at(-1, 0, 0)}, {make_sphere(0.5), at(1, 0, 0)}});
  const Shape floor = make_box({1, 1, 1});
  const PartManifolds on_floor = contacts(bell, at(1.5, 0, 1.4), floor, {});
  ASSERT_EQ(on_floor.size(), 1u);
  EXPECT_EQ(on_floor[0].part, 0u);
  EXPECT_NEAR(on_floor[0].manifold.point[0].separation, -0.1, 1e-12);
  const PartManifolds on_plane = contacts(make_half_space({0, 0, 1}, 0), {}, bell, at(5, 0, 0.4));
  ASSERT_EQ(on_plane.size(), 2u);
  EXPECT_EQ(on_plane[1].part, std::uint64_t{1} << 32);
  expect_near(on_plane[1].manifold.normal, {0, 0, 1}, 1e-12);
  const PartManifolds both = contacts(bell, {}, bell, at(0, 0, 0.9));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].part, 0u);
  EXPECT_EQ(both[1].part, std::uint64_t{1} << 48 | std::uint64_t{1} << 32);
  const PartManifolds shifted = contacts(bell, {}, bell, at(2, 0, 0.9));
  ASSERT_EQ(shifted.size(), 1u);
  EXPECT_EQ(shifted[0].part, std::uint64_t{1} << 48);
}

TEST(Collide, StaticPairsGiveNothing) {
  const Shape half = make_half_space({0, 0, 1}, 0);
  const Shape field = make_height_field(2, 2, 1, {0, 0, 0, 0});
  const Shape mesh = make_mesh(box_corners({1, 1, 1}), box_triangles());
  for (const Shape& a : {half, field, mesh})
    for (const Shape& b : {half, field, mesh}) EXPECT_TRUE(contacts(a, {}, b, {}, 0.1).empty());
}

TEST(Collide, BrokenPosesEndAndAppendNothingEndless) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Random random(52);
  for (const auto& [name_a, a] : convex_shapes(random)) {
    for (const auto& [name_b, b] : convex_shapes(random)) {
      CollideMemory memory;
      PartManifolds out;
      collide(a, {{nan, 0, 0}, {}}, b, {}, 0.1, memory, out);
      collide(a, {}, b, {{}, {nan, 0, 0, 0}}, 0.1, memory, out);
      EXPECT_LE(out.size(), 2u) << name_a << ' ' << name_b;
    }
  }
}

}  // namespace
}  // namespace cairn
