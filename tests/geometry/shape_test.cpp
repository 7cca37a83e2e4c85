// SPDX-License-Identifier: MIT
// Properties that hold for all convex shapes, checked against samples and slow oracles with seeded random shapes.
#include "cairn/geometry/shape.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "cairn/core/errors.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Points of the surface: where rays from all sides enter.
std::vector<Vec3> surface_samples(const Shape& shape, Random& random, int count) {
  std::vector<Vec3> samples;
  while (static_cast<int>(samples.size()) < count) {
    const Vec3 origin = 10 * random_direction(random);
    const Vec3 direction = normalised(0.5 * random_point(random) - origin);
    if (const auto hit = ray(shape, origin, direction, kInf)) samples.push_back(origin + hit->distance * direction);
  }
  return samples;
}

TEST(Shape, SupportIsTheFarthestPointAndBoundsHoldAll) {
  Random random(11);
  for (int round = 0; round < 20; ++round) {
    for (const auto& [name, shape] : convex_shapes(random)) {
      SCOPED_TRACE(name);
      ASSERT_TRUE(has_support(shape));
      const Pose pose = random_pose(random);
      const Aabb box = grown(bounds(shape, pose), 1e-11);
      const Vec3 direction = random_direction(random);
      const Vec3 farthest = support(shape, direction);
      EXPECT_NEAR(closest_point(shape, farthest).distance, 0, 1e-11);
      for (const Vec3& p : surface_samples(shape, random, 200)) {
        EXPECT_LE(dot(p, direction), dot(farthest, direction) + 1e-11);
        const Vec3 world = transform(pose, p);
        EXPECT_TRUE(overlap(box, Aabb{world, world}));
      }
    }
  }
}

TEST(Shape, BoundsAreTight) {
  // The tight bound along a world axis is the support along that axis.
  Random random(12);
  for (int round = 0; round < 50; ++round) {
    for (const auto& [name, shape] : convex_shapes(random)) {
      SCOPED_TRACE(name);
      const Pose pose = random_pose(random);
      const Aabb box = bounds(shape, pose);
      const auto reach = [&](const Vec3& axis) {
        return dot(axis, transform(pose, support(shape, rotate_back(pose.orientation, axis))));
      };
      expect_near(box.upper, {reach({1, 0, 0}), reach({0, 1, 0}), reach({0, 0, 1})}, 1e-12);
      expect_near(-box.lower, {reach({-1, 0, 0}), reach({0, -1, 0}), reach({0, 0, -1})}, 1e-12);
    }
  }
}

TEST(Shape, ClosestPointIsNoFartherThanAnySample) {
  Random random(13);
  for (int round = 0; round < 10; ++round) {
    for (const auto& [name, shape] : convex_shapes(random)) {
      SCOPED_TRACE(name);
      const auto samples = surface_samples(shape, random, 4000);
      for (int k = 0; k < 20; ++k) {
        const Vec3 p = random_point(random, 2);
        const ClosestPoint c = closest_point(shape, p);
        double nearest = kInf;
        for (const Vec3& s : samples) nearest = std::min(nearest, norm(p - s));
        EXPECT_LE(std::fabs(c.distance), nearest + 1e-11);
        EXPECT_GE(std::fabs(c.distance), nearest - 0.35);  // the samples' spacing
        // What it says is consistent: the point is on the surface and the normal leads to the query point.
        EXPECT_NEAR(closest_point(shape, c.point).distance, 0, 1e-11);
        expect_near(c.point + c.distance * c.normal, p, 1e-11);
        EXPECT_NEAR(norm(c.normal), 1, 1e-12);
        // Inside is behind every supporting plane.
        if (c.distance > 1e-9) {
          EXPECT_LT(dot(c.normal, support(shape, c.normal)), dot(c.normal, p));
        }
      }
    }
  }
}

TEST(Shape, RayAgreesWithMarchingByTheDistance) {
  Random random(14);
  int hits = 0, misses = 0;
  for (int round = 0; round < 30; ++round) {
    for (const auto& [name, shape] : convex_shapes(random)) {
      SCOPED_TRACE(name);
      const Vec3 origin = random_point(random, 4);
      const Vec3 direction = normalised(random_point(random, 2) - origin);
      // Steps of the distance to the shape never pass through it.
      double t = 0, least = kInf;
      for (int step = 0; step < 20000 && t < 20; ++step) {
        const double d = closest_point(shape, origin + t * direction).distance;
        least = std::min(least, d);
        if (d < 1e-10) break;
        t += d;
      }
      const auto hit = ray(shape, origin, direction, 20);
      if (least > 1e-6) {
        EXPECT_FALSE(hit);
        ++misses;
      } else if (least < 1e-10) {
        ASSERT_TRUE(hit);
        EXPECT_NEAR(hit->distance, t, 1e-4);  // marching stops short where the ray grazes
        EXPECT_NEAR(hit->distance == 0 ? 0 : closest_point(shape, origin + hit->distance * direction).distance, 0,
                    1e-11);
        EXPECT_LT(dot(hit->normal, direction), 1e-12);
        ++hits;
      }
    }
  }
  EXPECT_GT(hits, 30);
  EXPECT_GT(misses, 30);
}

TEST(Shape, FarRaysKeepTheirAccuracy) {
  Random random(15);
  for (const auto& [name, shape] : convex_shapes(random)) {
    SCOPED_TRACE(name);
    const Vec3 direction = random_direction(random);
    const auto hit = ray(shape, -1e5 * direction, direction, kInf);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(closest_point(shape, (hit->distance - 1e5) * direction).distance, 0, 1e-9);
  }
}

TEST(Shape, MassPropertiesAgreeWithMonteCarlo) {
  Random random(16);
  for (const auto& [name, shape] : convex_shapes(random)) {
    SCOPED_TRACE(name);
    const Aabb box = bounds(shape, {});
    const Vec3 size = box.upper - box.lower;
    const int count = 200000;
    double inside = 0;
    Vec3 first;
    SymMat3 second;
    for (int k = 0; k < count; ++k) {
      const Vec3 p{random.uniform(box.lower.x, box.upper.x), random.uniform(box.lower.y, box.upper.y),
                   random.uniform(box.lower.z, box.upper.z)};
      if (closest_point(shape, p).distance > 0) continue;
      inside += 1;
      first += p;
      second = shifted_inertia(second, 1, p);
    }
    const double mass = size.x * size.y * size.z * inside / count, each = mass / inside;
    const MassProperties exact = mass_properties(shape, 1);
    EXPECT_NEAR(mass, exact.mass, 0.02 * exact.mass);
    expect_near((1.0 / inside) * first, exact.centre, 0.02);
    const SymMat3 about_origin = shifted_inertia(exact.inertia, exact.mass, exact.centre);
    const double scale = about_origin.xx + about_origin.yy + about_origin.zz;
    expect_near(SymMat3{each * second.xx, each * second.yy, each * second.zz, each * second.xy, each * second.xz,
                        each * second.yz},
                about_origin, 0.02 * scale);
  }
}

RC_GTEST_PROP(Shape, DistanceIsOneLipschitz, ()) {
  // |d(p) - d(q)| <= |p - q| for a true distance function.
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  for (const auto& [name, shape] : convex_shapes(random)) {
    const Vec3 p = random_point(random, 2), q = p + 0.1 * random_point(random);
    RC_ASSERT(std::fabs(closest_point(shape, p).distance - closest_point(shape, q).distance) <= norm(p - q) + 1e-11);
  }
}

TEST(Shape, ShapesPutTogetherByHandAreChecked) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Random random(1);
  for (const auto& [name, shape] : convex_shapes(random)) EXPECT_NO_THROW(check_shape(shape)) << name;
  EXPECT_NO_THROW(check_shape(make_half_space({1, 2, 3}, 4)));
  for (const Shape& bad : {Shape(Sphere{0}), Shape(Sphere{kNan}), Shape(Box{{1, -1, 1}}), Shape(Capsule{0.1, 1e9}),
                           Shape(Cylinder{kInf, 1}), Shape(Cone{1, 1e-9}), Shape(HalfSpace{{0, 0, 2}, 0}),
                           Shape(HalfSpace{{0, 0, 1}, kNan}), Shape(ConvexHull{}), Shape(HeightField{}),
                           Shape(TriangleMesh{}), Shape(Compound{})}) {
    EXPECT_THROW(check_shape(bad), InputError) << bad.index();
    EXPECT_THROW(make_compound({{bad, {}}}), InputError) << bad.index();
  }
}

TEST(Shape, OnlyConvexBoundedShapesHaveSupport) {
  EXPECT_FALSE(has_support(make_half_space({0, 0, 1}, 0)));
  EXPECT_FALSE(has_support(make_height_field(2, 2, 1, {0, 0, 0, 0})));
  EXPECT_FALSE(has_support(make_compound({{make_sphere(1), {}}})));
  EXPECT_FALSE(has_support(make_mesh(box_corners({1, 1, 1}), box_triangles())));
}

}  // namespace
}  // namespace cairn
