// SPDX-License-Identifier: MIT
#include "cairn/narrow/collide_surface.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/narrow/cast.h"
#include "cairn/narrow/collide_faces.h"
#include "cairn/narrow/gjk.h"
#include "tests/narrow/surfaces.h"

namespace cairn {
namespace {

PartManifolds contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin = 0) {
  CollideMemory memory;
  PartManifolds out;
  collide(a, pose_a, b, pose_b, margin, memory, out);
  for (const PartManifold& p : out) {
    expect_sound(p.manifold, margin + 1e-9);
    EXPECT_GE(p.manifold.count, 1);
    for (int i = 0; i < p.manifold.count; ++i)
      for (int j = 0; j < i; ++j)
        EXPECT_NE(p.manifold.point[to_index(i)].feature, p.manifold.point[to_index(j)].feature);
  }
  for (std::size_t k = 1; k < out.size(); ++k) EXPECT_LT(out[k - 1].part, out[k].part);
  return out;
}

double deepest_of(const PartManifolds& found) {
  double lowest = 1;
  for (const PartManifold& p : found) lowest = std::min(lowest, deepest(p.manifold, 1));
  return lowest;
}

const auto kFlat = [](double, double) { return 0.0; };

std::vector<std::uint32_t> features(const Manifold& m) {
  std::vector<std::uint32_t> result;
  for (int k = 0; k < m.count; ++k) result.push_back(m.point[to_index(k)].feature);
  std::sort(result.begin(), result.end());
  return result;
}

TEST(CollideSurface, FlatGroundsAreOnePlaneWhateverTheirTriangles) {
  // Slid in small steps across edges and corners at several depths, every shape touches as it would a half-space: one
  // manifold, the face's normal, the same number of points, always the same part and features.
  const Shape plane = make_half_space({0, 0, 1}, 0);
  const Shape mesh = grid_mesh(12, 0.37, kFlat), field = grid_field(12, 0.37, kFlat);
  for (const auto& [name, slider] : sliders()) {
    for (const auto& ground : {mesh, field}) {
      for (const double depth : {-0.01, 0.0001, 0.01, 0.05}) {
        SCOPED_TRACE(name + " at depth " + std::to_string(depth));
        std::vector<std::uint32_t> first;
        for (int step = 0; step < 200; ++step) {
          const Pose pose{{1.5 + 0.0071 * step, 1.4 + 0.0043 * step, 0.3 - depth}, slider.second};
          const PartManifolds found = contacts(slider.first, pose, ground, {}, 0.02);
          const PartManifolds wanted = contacts(slider.first, pose, plane, {}, 0.02);
          ASSERT_EQ(found.size(), 1u);
          expect_near(found[0].manifold.normal, {0, 0, -1}, 1e-12);
          ASSERT_EQ(found[0].manifold.count, wanted[0].manifold.count) << step;
          ASSERT_EQ(found[0].part, 0u);
          if (step == 0) first = features(found[0].manifold);
          ASSERT_EQ(features(found[0].manifold), first) << step;
          EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
          EXPECT_NEAR(deepest_of(found), deepest_of(wanted), 1e-12);
        }
      }
    }
  }
}

TEST(CollideSurface, TiltedAndTumblingBodiesGetFaceNormalsOnFlatGround) {
  Random random(61);
  const Shape mesh = grid_mesh(12, 0.37, kFlat), field = grid_field(12, 0.37, kFlat);
  for (const auto& [name, slider] : sliders()) {
    SCOPED_TRACE(name);
    for (int k = 0; k < 300; ++k) {
      const Quat turned = random_pose(random).orientation;
      const Aabb box = bounds(slider.first, {{}, turned});
      const double depth = random.uniform(-0.01, 0.05);
      const Pose pose{{random.uniform(1.5, 3), random.uniform(1.5, 3), -box.lower.z - depth}, turned};
      for (const auto& ground : {mesh, field}) {
        const PartManifolds found = contacts(slider.first, pose, ground, {}, 0.02);
        ASSERT_EQ(found.size(), 1u) << k;
        expect_near(found[0].manifold.normal, {0, 0, -1}, 1e-12);
        EXPECT_NEAR(deepest_of(found), -depth, 1e-3);
      }
    }
  }
}

TEST(CollideSurface, ShallowValleyHasNoOtherNormalsThanItsFaces) {
  // Two slopes of 0.05 that meet in a valley along y at x = 2.
  const auto height = [](double x, double) { return 0.05 * std::fabs(x - 2); };
  const Shape mesh = grid_mesh(16, 0.25, height), field = grid_field(16, 0.25, height);
  const Vec3 left = normalised(Vec3{0.05, 0, 1}), right = normalised(Vec3{-0.05, 0, 1});
  for (const auto& [name, slider] : sliders()) {
    SCOPED_TRACE(name);
    for (const auto& ground : {mesh, field}) {
      int touching = 0;
      for (int step = 0; step < 400; ++step) {
        const double x = 1.3 + 0.0035 * step;
        const Pose pose{{x, 1.9 + 0.0007 * step, 0.3 + 0.05 * std::fabs(x - 2) + 0.002}, slider.second};
        for (const PartManifold& p : contacts(slider.first, pose, ground, {}, 0.01)) {
          const Vec3 up = -p.manifold.normal;
          EXPECT_TRUE(norm(up - left) < 1e-9 || norm(up - right) < 1e-9) << step << " (" << up.x << ", " << up.y << ')';
          ++touching;
        }
      }
      EXPECT_GT(touching, 300);
    }
  }
}

TEST(CollideSurface, RidgesAndPeaksCarry) {
  // A roof with its ridge along y at x = 2, sides of 45 degrees; a box lies flat on the ridge, one side of it deep.
  const auto roof = [](double x, double) { return -std::fabs(x - 2); };
  for (const Shape& ground : {Shape(grid_mesh(8, 0.5, roof)), Shape(grid_field(8, 0.5, roof))}) {
    const Pose pose = at(2.1, 2.1, 0.49);
    for (const Shape& box : {Shape(make_box({0.5, 0.6, 0.5})), Shape(make_hull(box_corners({0.5, 0.6, 0.5})))}) {
      const PartManifolds found = contacts(box, pose, ground, {});
      ASSERT_EQ(found.size(), 1u);
      expect_near(found[0].manifold.normal, {0, 0, -1}, 1e-9);
      EXPECT_GE(found[0].manifold.count, 2);
      EXPECT_NEAR(deepest_of(found), -0.01, 1e-9);
      double low = 10, high = -10;
      for (int k = 0; k < found[0].manifold.count; ++k) {
        const Vec3 p = found[0].manifold.point[to_index(k)].on_b;
        EXPECT_NEAR(p.x, 2, 1e-6);
        low = std::min(low, p.y);
        high = std::max(high, p.y);
      }
      EXPECT_NEAR(low, 1.5, 1e-6);
      EXPECT_NEAR(high, 2.7, 1e-6);
    }
    // A ball and a standing capsule over the ridge are pushed along the line to it.
    const PartManifolds ball = contacts(make_sphere(0.3), at(2.05, 2.1, 0.28), ground, {});
    ASSERT_EQ(ball.size(), 1u);
    const double d = std::sqrt(0.05 * 0.05 + 0.28 * 0.28);
    expect_near(ball[0].manifold.normal, {-0.05 / d, 0, -0.28 / d}, 1e-9);
    EXPECT_NEAR(deepest_of(ball), d - 0.3, 1e-12);
    const PartManifolds pill = contacts(make_capsule(0.3, 0.2), at(2.05, 2.1, 0.48), ground, {});
    ASSERT_EQ(pill.size(), 1u);
    expect_near(pill[0].manifold.normal, {-0.05 / d, 0, -0.28 / d}, 1e-9);
  }
  const auto peak = [](double x, double y) { return x == 2 && y == 2 ? 0.0 : -1.0; };
  for (const Shape& ground : {Shape(grid_mesh(8, 0.5, peak)), Shape(grid_field(8, 0.5, peak))}) {
    const PartManifolds found = contacts(make_box({0.3, 0.3, 0.3}), at(2.1, 1.9, 0.299), ground, {});
    ASSERT_EQ(found.size(), 1u);
    expect_near(found[0].manifold.normal, {0, 0, -1}, 1e-9);
    EXPECT_NEAR(deepest_of(found), -0.001, 1e-9);
    expect_near(found[0].manifold.point[0].on_b, {2, 2, 0}, 1e-9);
  }
}

TEST(CollideSurface, DeepBodiesAreBroughtToTheFront) {
  const Shape mesh = grid_mesh(12, 0.37, kFlat), field = grid_field(12, 0.37, kFlat);
  // Thin plates lying and standing, cubes and balls, centres above and below the surface.
  for (const auto& ground : {mesh, field}) {
    for (const Vec3& half : {Vec3{0.2, 0.2, 0.2}, Vec3{0.4, 0.4, 0.01}, Vec3{0.4, 0.01, 0.4}, Vec3{0.04, 0.04, 0.04}}) {
      for (const double depth : {0.01, 0.015, 0.05}) {
        if (depth > 2 * half.z) continue;  // all of it would be behind
        const PartManifolds found = contacts(make_box(half), at(2.1, 2.2, half.z - depth), ground, {});
        ASSERT_EQ(found.size(), 1u);
        expect_near(found[0].manifold.normal, {0, 0, -1}, 1e-12);
        EXPECT_EQ(found[0].manifold.count, 4);
        EXPECT_NEAR(deepest_of(found), -depth, 1e-12);
      }
    }
    const PartManifolds ball = contacts(make_sphere(0.1), at(2.1, 2.2, -0.05), ground, {});
    ASSERT_EQ(ball.size(), 1u);
    EXPECT_NEAR(deepest_of(ball), -0.15, 1e-12);
  }
}

TEST(CollideSurface, NothingSinksIntoATerrainUnnoticed) {
  // Hills of the scene of boxes on a mesh. Every shape, thin plates too, is lowered until it touches, then pressed in:
  // at every depth there is a contact, all of them push upwards, and none claims more than twice the depth. Slopes are
  // below 0.35, so that the depth along a normal is 0.7 of the vertical one at least, less what a preferred face may
  // lose.
  const auto hills = [](double x, double y) { return std::sin(0.35 * x) * std::cos(0.35 * y); };
  const Shape mesh = grid_mesh(16, 1.25, hills), field = grid_field(16, 1.25, hills);
  Random random(64);
  auto bodies = sliders();
  bodies.push_back({"thin plate", {make_box({0.4, 0.4, 0.03}), {}}});
  bodies.push_back({"standing plate", {make_box({0.4, 0.03, 0.4}), {}}});
  for (const auto& [name, body] : bodies) {
    SCOPED_TRACE(name);
    const double preference = kAnyFacePreference * least_width(body.first);
    for (int k = 0; k < 60; ++k) {
      // Every third as it stands, the others anyhow.
      const Quat turned = k % 3 == 0 ? body.second : random_pose(random).orientation;
      const double x = random.uniform(4, 16), y = random.uniform(4, 16);
      const auto hit = cast(body.first, {{x, y, 4}, turned}, {0, 0, -6}, mesh, {});
      ASSERT_TRUE(hit);
      for (const double depth : {0.002, 0.005, 0.02, 0.05}) {
        const Pose pose{{x, y, 4 - 6 * hit->fraction - depth}, turned};
        for (const auto& ground : {mesh, field}) {
          const PartManifolds found = contacts(body.first, pose, ground, {}, 0.01);
          ASSERT_FALSE(found.empty()) << k << " at depth " << depth;
          for (const PartManifold& p : found) EXPECT_LT(p.manifold.normal.z, -0.5) << k << " at depth " << depth;
          EXPECT_LT(deepest_of(found), -0.7 * depth + preference);
          EXPECT_GT(deepest_of(found), -2 * depth - 1e-4);
        }
      }
    }
  }
}

TEST(CollideSurface, ClosedMeshActsAsTheSolidItEncloses) {
  // A box of triangles against the same box, all shapes pressed a little into it from everywhere.
  Random random(62);
  const Vec3 half{1, 0.8, 0.6};
  const Shape mesh = make_mesh(box_corners(half), box_triangles()), solid = make_box(half);
  int touching = 0;
  const std::vector<Shape> bodies{make_sphere(0.3),       make_box({0.3, 0.25, 0.2}),
                                  make_capsule(0.2, 0.3), make_cylinder(0.25, 0.3),
                                  make_cone(0.3, 0.6),    make_hull(random_points(random, 12, 0.3))};
  for (int k = 0; k < 12000; ++k) {
    const Shape& body = bodies[to_index(k) % bodies.size()];
    const Pose ground = random_pose(random);
    const Pose pose{ground.position + random_point(random, 1.6), random_pose(random).orientation};
    const ConvexDistance d = distance(body, pose, solid, ground);
    if (std::fabs(d.distance - 0.01) < 1e-6 || d.distance < -0.05) continue;
    const PartManifolds found = contacts(body, pose, mesh, ground, 0.01);
    ASSERT_EQ(found.empty(), d.distance > 0.01) << k << ' ' << d.distance;
    if (found.empty()) continue;
    ++touching;
    // The normal may be that of any face or edge that is as deep within the preference.
    bool same = false;
    for (const PartManifold& p : found) same = same || dot(p.manifold.normal, d.normal) > 0.99;
    EXPECT_TRUE(same) << k << ' ' << d.distance;
    EXPECT_LE(deepest_of(found), d.distance + 2e-3);
  }
  EXPECT_GT(touching, 500);
}

TEST(CollideSurface, RandomTerrainIsAsDeepAsItsTriangles) {
  // Apart: the nearest triangle of all decides, and its distance comes from the walk.
  Random random(63);
  for (int round = 0; round < 30; ++round) {
    const auto rough = [&](double, double) { return random.uniform(0, 0.4); };
    const HeightField field = grid_field(6, 0.5, rough);
    for (const auto& [name, shape] : convex_shapes(random)) {
      SCOPED_TRACE(name);
      const Quat turned = random_pose(random).orientation;
      const Pose pose{{random.uniform(1, 2), random.uniform(1, 2), 2.5 + random.uniform(0, 0.5)}, turned};
      double nearest = 100;
      for (std::int32_t t = 0; t < field.triangle_count(); ++t)
        nearest = std::min(nearest, distance(shape, pose, field.triangle(t)).distance);
      const double gap = random.uniform(0.001, 0.02);
      // Lowered until nearly touching; vertical motion by the distance never passes the surface.
      Pose low = pose;
      for (int step = 0; step < 60 && nearest > gap; ++step) {
        low.position.z -= nearest - 0.5 * gap;
        nearest = 100;
        for (std::int32_t t = 0; t < field.triangle_count(); ++t)
          nearest = std::min(nearest, distance(shape, low, field.triangle(t)).distance);
      }
      if (!(nearest > 0)) continue;
      const PartManifolds found = contacts(shape, low, field, {}, nearest + 0.01);
      ASSERT_FALSE(found.empty());
      EXPECT_NEAR(deepest_of(found), nearest, 2e-3);
      EXPECT_TRUE(contacts(shape, low, field, {}, 0.5 * nearest - 2e-3).empty());
    }
  }
}

TEST(CollideSurface, SwappedAndInCompounds) {
  const Shape mesh = grid_mesh(4, 1, kFlat);
  const Shape box = make_box({0.5, 0.5, 0.5});
  const PartManifolds down = contacts(box, at(2, 2, 0.49), mesh, {}), up = contacts(mesh, {}, box, at(2, 2, 0.49));
  ASSERT_EQ(down.size(), 1u);
  ASSERT_EQ(up.size(), 1u);
  expect_near(up[0].manifold.normal, {0, 0, 1}, 1e-12);
  // Two boxes over two copies of the ground, side by side.
  const Shape pair = make_compound({{box, at(-2, 0, 0)}, {box, at(2, 0, 0)}});
  const Shape grounds = make_compound({{mesh, at(-4, -2, 0)}, {mesh, at(0, -2, 0)}});
  const PartManifolds both = contacts(pair, at(0, 0, 0.49), grounds, {});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].part >> 32, 0u);
  EXPECT_EQ(both[1].part >> 32, (std::uint64_t{1} << 16) + 1);
  EXPECT_EQ(contacts(pair, at(2, 2, 0.49), mesh, {}).size(), 2u);
}

}  // namespace
}  // namespace cairn
