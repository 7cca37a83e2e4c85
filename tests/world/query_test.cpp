// SPDX-License-Identifier: MIT
// Queries of a world: rays against closed forms, and everything against looking at each shape by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/random.h"
#include "cairn/geometry/hull_builder.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Shape random_shape(Random& random, int i) {
  const auto size = [&] { return random.uniform(0.2, 0.8); };
  switch (i % 6) {
    case 0: return make_sphere(size());
    case 1: return make_box({size(), size(), size()});
    case 2: return make_capsule(size(), size());
    case 3: return make_cylinder(size(), size());
    case 4: return make_cone(size(), 2 * size());
    default: {
      std::vector<Vec3> points;
      for (int k = 0; k < 12; ++k) points.push_back(random_vector(random, 0.7));
      return make_hull(points);
    }
  }
}

/// A few dozen bodies of one or two shapes, some of them in layer 2, after a step so that all have moved.
World make_scene(std::uint64_t seed) {
  World world;
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    std::vector<ShapeDef> shapes;
    for (int k = 0; k <= i % 2; ++k)
      shapes.push_back(
          {.shape = random_shape(random, i + k),
           .pose = {random_vector(random, 0.5), turn_about(random_vector(random, 1), random.uniform(0, 6))},
           .layer = i % 3 == 0 ? 2u : 1u,
           .mask = 0});  // they do not meet
    world.add_body({.pose = {random_vector(random, 4), turn_about(random_vector(random, 1), random.uniform(0, 6))},
                    .velocity = {random_vector(random, 3), random_vector(random, 3)}},
                   shapes);
  }
  world.step(0.1);
  return world;
}

Pose pose_of(const World& world, ShapeId shape) {
  return world.view(world.body_of(shape)).pose * world.shape_def(shape).pose;
}

template <class Visit>
void for_each_shape(const World& world, Visit&& visit) {
  for (const BodyId body : world.bodies())
    for (const ShapeId shape : world.shapes_of(body)) visit(shape);
}

TEST(Rays, MeetShapesWhereGeometrySays) {
  World world;
  const BodyId ball = world.add_body({.kind = BodyKind::fixed, .pose = {{5, 0, 0}, {}}}, {{.shape = make_sphere(1)}});
  const BodyId box =
      world.add_body({.kind = BodyKind::fixed, .pose = {{0, 0, -3}, turn_about({0, 1, 0}, 45 * kDegree)}},
                     {{.shape = make_box({1, 1, 1})}});
  const auto along = world.cast_ray({0, 0, 0}, {2, 0, 0}, 100);  // any length of direction
  ASSERT_TRUE(along);
  EXPECT_EQ(along->body, ball);
  EXPECT_NEAR(along->distance, 4, 1e-14);
  EXPECT_LT(norm(along->point - Vec3{4, 0, 0}), 1e-14);
  EXPECT_LT(norm(along->normal - Vec3{-1, 0, 0}), 1e-14);
  // At an offset of 0.6 the ball is met 0.8 before its centre.
  EXPECT_NEAR(world.cast_ray({0, 0.6, 0}, {1, 0, 0}, 100)->distance, 4.2, 1e-12);
  EXPECT_FALSE(world.cast_ray({0, 1.01, 0}, {1, 0, 0}, 100));
  EXPECT_FALSE(world.cast_ray({0, 0, 0}, {1, 0, 0}, 3.99));
  // The box stands on its edge: sqrt(2) above its centre.
  const auto down = world.cast_ray({0.1, 0, 0}, {0, 0, -1}, 100);
  ASSERT_TRUE(down);
  EXPECT_EQ(down->body, box);
  EXPECT_NEAR(down->distance, 3 - std::sqrt(2.0) + 0.1, 1e-12);
  EXPECT_NEAR(down->normal.x, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(down->normal.z, std::sqrt(0.5), 1e-12);
  // From inside: at once, against the ray.
  EXPECT_EQ(world.cast_ray({5, 0, 0}, {0, 1, 0}, 10)->distance, 0);
  EXPECT_EQ(world.cast_ray({5, 0, 0}, {0, 1, 0}, 10)->normal, (Vec3{0, -1, 0}));
}

TEST(Rays, AgreeWithAskingEveryShape) {
  const World world = make_scene(11);
  Random random(12);
  int met = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 origin = random_vector(random, 6), direction = normalised(random_vector(random, 1));
    const double length = random.uniform(1, 15);
    std::vector<std::pair<double, ShapeId>> expected;
    for_each_shape(world, [&](ShapeId shape) {
      const Pose pose = pose_of(world, shape);
      const auto hit = ray(world.shape_def(shape).shape, transform_back(pose, origin),
                           normalised(rotate_back(pose.orientation, direction)), length);
      if (hit) expected.emplace_back(hit->distance, shape);
    });
    std::sort(expected.begin(), expected.end());
    const std::vector<WorldHit> all = world.cast_ray_all(origin, direction, length);
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[k].shape, expected[k].second);
      EXPECT_NEAR(all[k].distance, expected[k].first, 1e-9);
      EXPECT_EQ(all[k].body, world.body_of(all[k].shape));
      EXPECT_LE(dot(all[k].normal, direction), 1e-9);
      EXPECT_LT(norm(all[k].point - (origin + all[k].distance * direction)), 1e-9);
    }
    const auto first = world.cast_ray(origin, direction, length);
    ASSERT_EQ(first.has_value(), !all.empty());
    if (first) {
      EXPECT_EQ(first->shape, all[0].shape);
    }
    met += static_cast<int>(all.size());
  }
  EXPECT_GT(met, 200);
}

TEST(Filters, HideWhatTheySay) {
  const World world = make_scene(13);
  Random random(14);
  for (int i = 0; i < 100; ++i) {
    const Vec3 origin = random_vector(random, 6), direction = normalised(random_vector(random, 1));
    const std::vector<WorldHit> all = world.cast_ray_all(origin, direction, 12);
    if (all.empty()) continue;
    QueryFilter layer{.mask = 2}, ignore{.ignore = all[0].body}, accept;
    accept.accept = [](ShapeId shape) { return shape.index % 2 == 0; };
    const auto kept = [&](auto&& keep) {
      std::vector<ShapeId> list;
      for (const WorldHit& hit : all)
        if (keep(hit)) list.push_back(hit.shape);
      return list;
    };
    const auto shapes = [&](const QueryFilter& filter) {
      std::vector<ShapeId> list;
      for (const WorldHit& hit : world.cast_ray_all(origin, direction, 12, filter)) list.push_back(hit.shape);
      return list;
    };
    EXPECT_EQ(shapes(layer), kept([&](const WorldHit& h) { return world.shape_def(h.shape).layer == 2; }));
    EXPECT_EQ(shapes(ignore), kept([&](const WorldHit& h) { return !(h.body == all[0].body); }));
    EXPECT_EQ(shapes(accept), kept([&](const WorldHit& h) { return h.shape.index % 2 == 0; }));
    EXPECT_TRUE(shapes({.mask = 0}).empty());
  }
}

TEST(Boxes, FindEveryShapeWhoseBoundsTheyMeet) {
  const World world = make_scene(15);
  Random random(16);
  for (int i = 0; i < 100; ++i) {
    const Vec3 lower = random_vector(random, 5);
    const Aabb box{lower, lower + Vec3{random.uniform(0, 3), random.uniform(0, 3), random.uniform(0, 3)}};
    std::vector<ShapeId> expected;
    for_each_shape(world, [&](ShapeId shape) {
      if (overlap(bounds(world.shape_def(shape).shape, pose_of(world, shape)), box)) expected.push_back(shape);
    });
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(world.overlap_box(box), expected);
  }
}

TEST(Casts, MeetShapesWhereGeometrySays) {
  World world;
  const BodyId ball = world.add_body({.kind = BodyKind::fixed, .pose = {{5, 0, 0}, {}}}, {{.shape = make_sphere(1)}});
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, -4)}});
  // Two balls of 1 and 0.5 at an offset of 0.9 touch when their centres are 1.2 apart along the way.
  const auto hit = world.cast_shape(make_sphere(0.5), {{0, 0.9, 0}, {}}, {20, 0, 0});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, ball);
  EXPECT_NEAR(hit->distance, 3.8, 1e-5);
  EXPECT_LT(norm(hit->normal - Vec3{-0.8, 0.6, 0}), 1e-5) << "against the cast";
  EXPECT_LT(norm(hit->point - Vec3{4.2, 0.6, 0}), 1e-5);
  // A box standing on its corner comes down on the floor.
  const Pose corner{{0, 0, 0}, turn_about({1, 0, 0}, 45 * kDegree)};
  const auto floor = world.cast_shape(make_box({0.5, 0.5, 0.5}), corner, {0, 0, -10});
  ASSERT_TRUE(floor);
  EXPECT_NEAR(floor->distance, 4 - std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(floor->normal.z, 1, 1e-9);
  EXPECT_FALSE(world.cast_shape(make_sphere(0.5), {{0, 1.51, 0}, {}}, {20, 0, 0}));
  EXPECT_EQ(world.cast_shape(make_sphere(0.5), {{5, 0, 0}, {}}, {1, 0, 0})->distance, 0);
}

TEST(Casts, AgreeWithStepsOfOverlap) {
  // Halving the way by overlap alone finds the same first touch.
  const World world = make_scene(17);
  Random random(18);
  int met = 0;
  for (int i = 0; i < 200; ++i) {
    const Shape shape = random_shape(random, i);
    const Pose pose{random_vector(random, 7), turn_about(random_vector(random, 1), random.uniform(0, 6))};
    const Vec3 way = random_vector(random, 8);
    const std::vector<WorldHit> all = world.cast_shape_all(shape, pose, way);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                               [](const WorldHit& a, const WorldHit& b) { return a.distance < b.distance; }));
    const auto first = world.cast_shape(shape, pose, way);
    ASSERT_EQ(first.has_value(), !all.empty());
    if (!first) continue;
    EXPECT_EQ(first->shape, all[0].shape);
    if (first->distance == 0) {
      EXPECT_FALSE(world.overlap_shape(shape, pose).empty());
      continue;
    }
    ++met;
    const auto at = [&](double distance) { return Pose{pose.position + distance / norm(way) * way, pose.orientation}; };
    EXPECT_TRUE(world.overlap_shape(shape, at(first->distance - 1e-4)).empty()) << i;
    const std::vector<ShapeId> beyond = world.overlap_shape(shape, at(first->distance + 1e-3));
    EXPECT_NE(std::find(beyond.begin(), beyond.end(), first->shape), beyond.end()) << i;
    EXPECT_LE(dot(first->normal, way), 0);
  }
  EXPECT_GT(met, 15);
}

TEST(Overlaps, OfBallsFollowTheirDistance) {
  World world;
  Random random(19);
  for (int i = 0; i < 100; ++i)
    world.add_body({.kind = BodyKind::fixed, .pose = {random_vector(random, 3), {}}},
                   {{.shape = make_sphere(random.uniform(0.1, 0.6))}});
  for (int i = 0; i < 100; ++i) {
    const Vec3 p = random_vector(random, 3);
    const double radius = random.uniform(0.1, 1);
    std::vector<ShapeId> expected;
    for_each_shape(world, [&](ShapeId shape) {
      const double reach = radius + std::get<Sphere>(world.shape_def(shape).shape).radius;
      if (norm(pose_of(world, shape).position - p) <= reach) expected.push_back(shape);
    });
    EXPECT_EQ(world.overlap_shape(make_sphere(radius), {p, {}}), expected);
  }
}

TEST(Queries, SeeEditsAtOnce) {
  World world;
  const BodyId ball = world.add_body({.pose = {{5, 0, 0}, {}}}, {{.shape = make_sphere(1)}});
  EXPECT_TRUE(world.cast_ray({}, {1, 0, 0}, 10)) << "before any step";
  world.set_pose(ball, {{0, 5, 0}, {}});
  EXPECT_FALSE(world.cast_ray({}, {1, 0, 0}, 10));
  EXPECT_TRUE(world.cast_ray({}, {0, 1, 0}, 10));
  world.step(1.0 / 60);
  world.remove_body(ball);
  EXPECT_FALSE(world.cast_ray({}, {0, 1, 0}, 10));
  EXPECT_TRUE(world.overlap_box({{-9, -9, -9}, {9, 9, 9}}).empty());
}

}  // namespace
}  // namespace cairn
