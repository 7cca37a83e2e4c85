// SPDX-License-Identifier: MIT
#include "cairn/narrow/cast.h"

#include <gtest/gtest.h>

#include "cairn/narrow/collide.h"
#include "cairn/narrow/gjk.h"
#include "tests/narrow/surfaces.h"

namespace cairn {
namespace {

TEST(Cast, FastBallAgainstThinWall) {
  // 3 cm of radius at 200 m/s for 1/60 s against a wall 1 cm thick, 2 m away: all of solid, triangles and half-space.
  const Shape ball = make_sphere(0.03), wall = make_box({0.005, 1, 1});
  const Vec3 motion{200.0 / 60, 0, 0};
  const Shape mesh = make_mesh(box_corners({0.005, 1, 1}), box_triangles());
  const Shape plane = make_half_space({-1, 0, 0}, 0.005);
  const Shape pair = make_compound({{make_sphere(0.01), at(0, 0, 5)}, {wall, at(0, 0.2, 0)}});
  for (const Shape& target : {wall, mesh, plane, pair}) {
    const auto hit = cast(ball, at(-2, 0.1, 0.2), motion, target, {});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->fraction, (2 - 0.005 - 0.03) / motion.x, 1e-6);
    expect_near(hit->normal, {1, 0, 0}, 1e-9);
    expect_near(hit->point, {-0.005, 0.1, 0.2}, 1e-6);
    // Away, beside (but for the half-space) and too short.
    EXPECT_FALSE(cast(ball, at(-2, 0.1, 0.2), -motion, target, {}));
    EXPECT_FALSE(cast(ball, at(-2, 0.1, 0.2), 0.5 * motion, target, {}));
    if (!std::holds_alternative<HalfSpace>(target)) {
      EXPECT_FALSE(cast(ball, at(-2, 1.3, 0.2), motion, target, {}));
    }
  }
}

TEST(Cast, BallsMeetWhereTheQuadraticSays) {
  // |d + f t|^2 = (r + s)^2, glancing ones included.
  Random random(71);
  int hits = 0;
  for (int k = 0; k < 10000; ++k) {
    const Shape a = make_sphere(random.uniform(0.1, 1)), b = make_sphere(random.uniform(0.1, 1));
    const double sum = std::get<Sphere>(a).radius + std::get<Sphere>(b).radius;
    const Vec3 p = random_point(random, 4), t = random_point(random, 8);
    const double tt = dot(t, t), pt = dot(p, t), disc = pt * pt - tt * (dot(p, p) - sum * sum);
    if (norm(p) < sum || std::fabs(disc) < 1e-6 * tt * tt) continue;
    const double root = disc > 0 ? (-pt - std::sqrt(disc)) / tt : -1;
    if (std::fabs(root - 1) < 1e-6 || std::fabs(root) < 1e-6) continue;
    const auto hit = cast(a, {p, {}}, t, b, {});
    ASSERT_EQ(hit.has_value(), root >= 0 && root <= 1) << k;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->fraction, root, 1e-5);
    expect_near(hit->normal, normalised(-(p + hit->fraction * t)), 1e-9);
  }
  EXPECT_GT(hits, 200);
}

TEST(Cast, EveryConvexPairStopsAtItsFirstTouch) {
  // At the fraction the distance is the tolerance; before it, at sampled places, the shapes are apart.
  Random random(72);
  int hits = 0, misses = 0;
  for (int round = 0; round < 12; ++round) {
    const auto first = convex_shapes(random), second = convex_shapes(random);
    for (const auto& [name_a, a] : first) {
      for (const auto& [name_b, b] : second) {
        SCOPED_TRACE(name_a + " " + name_b);
        const Pose pose_b = random_pose(random);
        const Pose pose_a{pose_b.position + 6 * random_direction(random), random_pose(random).orientation};
        const Vec3 motion = (pose_b.position + random_point(random, 1.5)) - pose_a.position;
        const auto hit = cast(a, pose_a, motion, b, pose_b);
        const double last = hit ? hit->fraction : 1;
        for (const double part : {0.0, 0.3, 0.6, 0.9, 0.99}) {
          const Pose pose{pose_a.position + part * last * motion, pose_a.orientation};
          EXPECT_GT(distance(a, pose, b, pose_b).distance, 0);
          EXPECT_FALSE(overlaps(a, pose, b, pose_b));
        }
        (hit ? hits : misses) += 1;
        if (!hit) continue;
        const Pose pose{pose_a.position + last * motion, pose_a.orientation};
        EXPECT_NEAR(distance(a, pose, b, pose_b).distance, 0, 2e-6);
        EXPECT_NEAR(norm(hit->normal), 1, 1e-9);
        EXPECT_GT(dot(hit->normal, motion), 0);
        EXPECT_NEAR(closest_point(b, transform_back(pose_b, hit->point)).distance, 0, 1e-4);
      }
    }
  }
  EXPECT_GT(hits, 200);
  EXPECT_GT(misses, 5);
}

TEST(Cast, GroundsAnswerWithTheNormalOfTheFace) {
  const auto flat = [](double, double) { return 0.0; };
  const Shape mesh = grid_mesh(12, 0.37, flat), field = grid_field(12, 0.37, flat);
  Random random(73);
  for (const auto& [name, slider] : sliders()) {
    SCOPED_TRACE(name);
    for (int k = 0; k < 40; ++k) {
      const Pose start{{random.uniform(1, 3), random.uniform(1, 3), 1.3}, slider.second};
      const Vec3 motion{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), -2};
      for (const auto& ground : {mesh, field}) {
        const auto hit = cast(slider.first, start, motion, ground, {});
        ASSERT_TRUE(hit);
        EXPECT_NEAR(hit->fraction, 0.5, 1e-6);
        expect_near(hit->normal, {0, 0, -1}, 1e-9);
        // Nothing from behind.
        const Pose below{{2, 2, -1.3}, slider.second};
        EXPECT_FALSE(cast(slider.first, below, {0, 0, 2}, ground, {}));
      }
    }
  }
}

TEST(Cast, OverlapHitsAtOnceAndSlidingDoesNot) {
  const Shape cube = make_box({1, 1, 1});
  const auto deep = cast(cube, {}, {0, 0, 5}, cube, at(0, 0, -1.9));
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->fraction, 0);
  expect_near(deep->normal, {0, 0, -1}, 1e-9);
  EXPECT_FALSE(cast(cube, at(0, 0, 2), {5, 0, 0}, cube, {}));
  EXPECT_TRUE(cast(cube, at(0, 0, 2), {5, 0, -0.1}, cube, {}));
  EXPECT_FALSE(cast(cube, at(0, 0, 3), {}, cube, {}));
  const Shape mesh = grid_mesh(4, 1, [](double, double) { return 0.0; });
  const auto sunk = cast(cube, at(2, 2, 0.95), {1, 0, 0}, mesh, {});
  ASSERT_TRUE(sunk);
  EXPECT_EQ(sunk->fraction, 0);
  expect_near(sunk->normal, {0, 0, -1}, 1e-9);
}

TEST(Cast, RefusesWhatCannotBeCast) {
  const Shape plane = make_half_space({0, 0, 1}, 0), cube = make_box({1, 1, 1});
  EXPECT_TRUE(has_words(refusal([&] { cast(plane, {}, {1, 0, 0}, cube, {}); }), "convex"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(cast(cube, at(0, 0, 5), {nan, 0, 0}, cube, {}));
}

TEST(Overlaps, AgreesWithCollide) {
  // Touching within the margin 0 or not, for all kinds of shapes.
  Random random(74);
  const Shape mesh = make_mesh(box_corners({1, 1, 1}), box_triangles());
  const Shape pair = make_compound({{make_box({0.5, 0.5, 0.5}), at(-1, 0, 0)}, {make_sphere(0.5), at(1, 0, 0)}});
  int yes = 0, no = 0;
  for (int round = 0; round < 40; ++round) {
    for (const auto& [name, a] : convex_shapes(random)) {
      for (const Shape& b : {Shape(make_half_space({0, 0, 1}, 0)), Shape(make_cone(1, 1)), pair, mesh}) {
        const Pose pose = random_pose(random);
        CollideMemory memory;
        PartManifolds out;
        collide(a, pose, b, {}, 0, memory, out);
        const bool over = overlaps(a, pose, b, {});
        EXPECT_EQ(over, overlaps(b, {}, a, pose));
        // Inside of a mesh nothing overlaps; within rounding of touching either answer is right.
        if (std::holds_alternative<TriangleMesh>(b)) {
          EXPECT_TRUE(!over || !out.empty());
          continue;
        }
        EXPECT_EQ(over, !out.empty()) << name;
        (over ? yes : no) += 1;
      }
    }
  }
  EXPECT_GT(yes, 100);
  EXPECT_GT(no, 100);
  EXPECT_FALSE(overlaps(mesh, {}, mesh, {}));
}

}  // namespace
}  // namespace cairn
