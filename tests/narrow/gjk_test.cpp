// SPDX-License-Identifier: MIT
#include "cairn/narrow/gjk.h"

#include <gtest/gtest.h>

#include "cairn/narrow/collide_box.h"
#include "cairn/narrow/collide_sphere.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

/// Gap of the shapes between two planes across n: min over b - max over a. Never more than the true distance, and no
/// overlap is deeper than minus the gap along any direction.
double gap_along(const Vec3& n, const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const Vec3 p = transform(pose_a, support(a, rotate_back(pose_a.orientation, n)));
  const Vec3 q = transform(pose_b, support(b, rotate_back(pose_b.orientation, -n)));
  return dot(n, q - p);
}

void expect_finite(const ConvexDistance& d) {
  ASSERT_TRUE(std::isfinite(d.distance) && is_finite(d.on_a) && is_finite(d.on_b));
  EXPECT_NEAR(norm(d.normal), 1, 1e-9);
}

TEST(Gjk, ClosedForms) {
  const Shape cube = make_box({1, 1, 1}), ball = make_sphere(0.5);
  const ConvexDistance apart = distance(cube, at(0, 0, 0), cube, at(5, 0.5, 0));
  EXPECT_NEAR(apart.distance, 3, 1e-12);
  expect_near(apart.normal, {1, 0, 0}, 1e-12);
  const ConvexDistance corner = distance(cube, at(0, 0, 0), ball, at(2, 3, 3));
  EXPECT_NEAR(corner.distance, 2.5, 1e-12);
  expect_near(corner.on_a, {1, 1, 1}, 1e-12);
  const ConvexDistance deep = distance(cube, at(10, 0, 0), cube, at(10.3, 0.2, 1.5));
  EXPECT_NEAR(deep.distance, -0.5, 1e-12);
  expect_near(deep.normal, {0, 0, 1}, 1e-12);
  EXPECT_NEAR(deep.on_a.z, 1, 1e-12);
  EXPECT_NEAR(deep.on_b.z, 0.5, 1e-12);
  // Cylinders on their sides, crossed, sunk into each other by 0.1.
  const Shape roll = make_cylinder(0.5, 1);
  const Quat along_x = from_axis({0, 1, 0}, kHalfRoot, kHalfRoot), along_y = from_axis({1, 0, 0}, kHalfRoot, kHalfRoot);
  const ConvexDistance rolls = distance(roll, {{}, along_x}, roll, {{0.1, 0.2, 0.9}, along_y});
  EXPECT_NEAR(rolls.distance, -0.1, 1e-6);
  EXPECT_NEAR(rolls.normal.z, 1, 1e-6);
}

TEST(Gjk, RefusesShapesWithoutSupportAndHonoursTheMargin) {
  const Shape floor = make_half_space({0, 0, 1}, 0), cube = make_box({1, 1, 1});
  EXPECT_TRUE(has_words(refusal([&] { distance(floor, {}, cube, {}); }), "convex"));
  EXPECT_EQ(collide_convex(cube, {}, cube, at(2.1, 0, 0), 0.05).count, 0);
  const Manifold m = collide_convex(cube, {}, cube, at(2.1, 0, 0), 0.15);
  ASSERT_EQ(m.count, 1);
  expect_sound(m, 0.15);
}

TEST(Gjk, AgreesWithTheClosedFormsOfRoundShapes) {
  Random random(31);
  for (int k = 0; k < 2000; ++k) {
    const Sphere ball = make_sphere(random.uniform(0.1, 1));
    const Box box = make_box({random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)});
    const Capsule capsule = make_capsule(random.uniform(0.1, 0.5), random.uniform(0.2, 1.5));
    const Capsule other = make_capsule(random.uniform(0.1, 0.5), random.uniform(0.2, 1.5));
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 2), random_pose(random).orientation};
    const auto expect_same = [&](const Shape& a, const Shape& b, const Manifold& exact) {
      const Manifold m = collide_convex(a, pose_a, b, pose_b, 100);
      expect_sound(m, 100);
      ASSERT_EQ(m.count, 1);
      EXPECT_NEAR(m.point[0].separation, deepest(exact, 100), 1e-9);
      expect_near(m.normal, exact.normal, 1e-6);
    };
    expect_same(ball, ball, collide_sphere_sphere(ball, pose_a, ball, pose_b, 100));
    expect_same(ball, box, collide_sphere_box(ball, pose_a, box, pose_b, 100));
    expect_same(ball, capsule, collide_sphere_capsule(ball, pose_a, capsule, pose_b, 100));
    expect_same(capsule, other, collide_capsule_capsule(capsule, pose_a, other, pose_b, 100));
  }
}

TEST(Gjk, EveryConvexPairIsCertified) {
  // Points on both surfaces whose distance is the gap between two planes across the normal: nothing is nearer. For
  // overlaps no sampled direction is shallower.
  Random random(32);
  int apart = 0, deep = 0;
  for (int round = 0; round < 40; ++round) {
    const auto first = convex_shapes(random), second = convex_shapes(random);
    for (const auto& [name_a, a] : first) {
      for (const auto& [name_b, b] : second) {
        SCOPED_TRACE(name_a + " " + name_b);
        const Pose pose_a = random_pose(random);
        const Pose pose_b{pose_a.position + random_point(random, 2.5), random_pose(random).orientation};
        const ConvexDistance d = distance(a, pose_a, b, pose_b);
        expect_finite(d);
        EXPECT_TRUE(d.converged || d.distance < 0);
        EXPECT_NEAR(gap_along(d.normal, a, pose_a, b, pose_b), d.distance, d.distance > 0 ? 1e-6 : 1e-9);
        EXPECT_NEAR(closest_point(a, transform_back(pose_a, d.on_a)).distance, 0, 1e-4);
        EXPECT_NEAR(closest_point(b, transform_back(pose_b, d.on_b)).distance, 0, 1e-4);
        (d.distance > 0 ? apart : deep) += 1;
        for (int k = 0; k < 50; ++k)
          EXPECT_LE(gap_along(random_direction(random), a, pose_a, b, pose_b), d.distance + 1e-4);
        const ConvexDistance swapped = distance(b, pose_b, a, pose_a);
        EXPECT_NEAR(swapped.distance, d.distance, 1e-4);
      }
    }
  }
  EXPECT_GT(apart, 300);
  EXPECT_GT(deep, 300);
}

TEST(Gjk, DeepPointsOfSmoothShapesAreOnTheirSurfaces) {
  // The deepest face of an early polytope can be gone at the end; its point must not be.
  Random random(35);
  for (int k = 0; k < 6000; ++k) {
    const Shape a = make_capsule(random.uniform(0.2, 1.5), random.uniform(0.2, 1.5));
    const Shape b = make_cylinder(random.uniform(0.2, 1.5), random.uniform(0.2, 1.5));
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 1), random_pose(random).orientation};
    const ConvexDistance d = distance(a, pose_a, b, pose_b);
    expect_finite(d);
    EXPECT_NEAR(closest_point(a, transform_back(pose_a, d.on_a)).distance, 0, 1e-4);
    EXPECT_NEAR(closest_point(b, transform_back(pose_b, d.on_b)).distance, 0, 1e-4);
  }
}

TEST(Gjk, BoxManifoldsAgreeInSignAndDepth) {
  Random random(33);
  int touching = 0, same = 0;
  for (int k = 0; k < 5000; ++k) {
    const Box a = make_box({random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)});
    const Box b = make_box({random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)});
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 1.3), random_pose(random).orientation};
    const Manifold m = collide_box_box(a, pose_a, b, pose_b, 0);
    const ConvexDistance d = distance(a, pose_a, b, pose_b);
    expect_finite(d);
    ASSERT_TRUE(d.converged);
    if (std::fabs(d.distance) > 1e-9) {
      ASSERT_EQ(m.count > 0, d.distance < 0);
    }
    if (m.count == 0) continue;
    ++touching;
    // A face may be preferred to an edge by up to kFacePreference; else the depths are the same number.
    const double difference = d.distance - deepest(m, 0);
    EXPECT_GE(difference, -1e-9);
    EXPECT_LE(difference, kFacePreference + 1e-9);
    if (difference <= 1e-6 * std::fabs(d.distance)) ++same;
  }
  EXPECT_GT(touching, 2000);
  EXPECT_GT(same, touching * 97 / 100);
}

TEST(Gjk, BoxManifoldsExistExactlyWithinTheMargin) {
  Random random(36);
  const double margin = 0.3;
  int near = 0;
  for (int k = 0; k < 5000; ++k) {
    const Box a = make_box({random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)});
    const Box b = make_box({random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)});
    const Pose pose_a = random_pose(random);
    const Pose pose_b{pose_a.position + random_point(random, 2), random_pose(random).orientation};
    const Manifold m = collide_box_box(a, pose_a, b, pose_b, margin);
    const ConvexDistance d = distance(a, pose_a, b, pose_b);
    expect_sound(m, margin);
    if (std::fabs(d.distance - margin) < 1e-9) continue;
    EXPECT_EQ(m.count > 0, d.distance < margin) << d.distance;
    if (m.count > 0 && d.distance > 0) {
      ++near;
      EXPECT_LE(d.distance, deepest(m, 1) + 1e-9);  // what is measured between two points is no nearer than the shapes
    }
  }
  EXPECT_GT(near, 300);
}

TEST(Gjk, DegenerateContactsStayFinite) {
  Random random(34);
  const auto shapes = convex_shapes(random);
  const Quat turned = normalised(Quat{0.3, -0.5, 0.7, 0.1});
  for (const auto& [name_a, a] : shapes) {
    for (const auto& [name_b, b] : shapes) {
      SCOPED_TRACE(name_a + " " + name_b);
      for (const Pose& pose : {Pose{}, Pose{{}, turned}, at(1e-12, 0, 0), at(0, 0, 1e-300), Pose{{1e5, 0, 0}, turned}})
        for (const Vec3& d : {Vec3{}, Vec3{0, 0, 1e-9}}) {
          const Pose other{pose.position + d, pose.orientation};
          const ConvexDistance found = distance(a, pose, b, other);
          expect_finite(found);
          EXPECT_LT(found.distance, 0);
        }
    }
    // Exactly touching along each direction, then just apart and just inside.
    for (int k = 0; k < 20; ++k) {
      const Vec3 n = random_direction(random);
      const Pose pose_b{(dot(n, support(a, n)) + dot(n, -support(a, -n))) * n, {}};
      for (const double off : {0.0, 1e-15, -1e-15, 1e-10, -1e-10, 1e-8, -1e-8}) {
        const ConvexDistance found = distance(a, {}, a, {pose_b.position + off * n, {}});
        expect_finite(found);
        EXPECT_GE(found.distance, gap_along(found.normal, a, {}, a, {pose_b.position + off * n, {}}) - 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
