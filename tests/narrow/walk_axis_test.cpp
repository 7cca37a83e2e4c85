// SPDX-License-Identifier: MIT
// The short ways of the distance walk against the long one: a kept axis, however stale, and the walk's tetrahedron as
// the first polytope change what a pair costs and nothing else.
#include <gtest/gtest.h>

#include "cairn/narrow/collide.h"
#include "cairn/narrow/epa.h"
#include "cairn/narrow/gjk.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

/// Every convex kind of about the given size, a plate and a needle among them.
std::vector<std::pair<std::string, Shape>> scaled_shapes(Random& random, double scale) {
  const auto size = [&] { return scale * random.uniform(0.2, 1.5); };
  const auto hull = [&](const Vec3& reach) {
    std::vector<Vec3> points = random_points(random, 20);
    for (Vec3& p : points) p = {reach.x * p.x, reach.y * p.y, reach.z * p.z};
    return make_hull(points);
  };
  const double a = size(), b = size(), c = size();
  return {{"sphere", make_sphere(a)},
          {"box", make_box({a, b, c})},
          {"capsule", make_capsule(a, b)},
          {"cylinder", make_cylinder(b, c)},
          {"cone", make_cone(c, a)},
          {"hull", hull({scale, scale, scale})},
          {"plate", hull({scale, scale, 1e-3 * scale})},
          {"needle", hull({1e-2 * scale, 1e-2 * scale, 2 * scale})}};
}

struct Placed {
  Shape a, b;
  Pose pose_a, pose_b;
};

double size_of(const Placed& p) {
  const Aabb a = local_bounds(p.a), b = local_bounds(p.b);
  return norm(a.upper - a.lower) + norm(b.upper - b.lower);
}

double gap_along(const Vec3& n, const Placed& p) {
  const Vec3 on_a = transform(p.pose_a, support(p.a, rotate_back(p.pose_a.orientation, n)));
  const Vec3 on_b = transform(p.pose_b, support(p.b, rotate_back(p.pose_b.orientation, -n)));
  return dot(n, on_b - on_a);
}

/// Calls check(pair) for all kinds at sizes from a micrometre to a kilometre: apart, touching, deep, with one centre.
template <class Check>
void for_placed_pairs(std::uint64_t seed, int rounds, Check&& check) {
  Random random(seed);
  for (const double scale : {1.0, 1e-5, 1e3})
    for (int round = 0; round < rounds; ++round) {
      const auto first = scaled_shapes(random, scale), second = scaled_shapes(random, scale);
      for (const auto& [name_a, a] : first)
        for (const auto& [name_b, b] : second) {
          const Vec3 middle = random_point(random, 3 * scale);
          const Quat turn_a = random_pose(random).orientation, turn_b = random_pose(random).orientation;
          for (const double reach : {4.0, 1.0, 0.3, 0.0}) {
            SCOPED_TRACE(name_a + " " + name_b + " " + std::to_string(scale) + " " + std::to_string(reach));
            Placed p{a, b, {middle, turn_a}, {middle + random_point(random, reach * scale), turn_b}};
            check(random, p);
            // Exactly touching, as far as that can be said.
            const ConvexDistance d = distance(p.a, p.pose_a, p.b, p.pose_b);
            p.pose_b.position -= d.distance * d.normal;
            check(random, p);
          }
        }
    }
}

WalkAxis to_floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

TEST(WalkAxis, AnyKeptAxisGivesTheContactOfAColdStart) {
  int apart = 0, touching = 0, stuck = 0;
  for_placed_pairs(71, 3, [&](Random& random, const Placed& p) {
    const double size = size_of(p), margin = 0.05 * size;
    const ConvexDistance cold = distance(p.a, p.pose_a, p.b, p.pose_b);
    const Vec3 n = rotate_back(p.pose_a.orientation, cold.normal);
    // A cold walk of a pair that touches within micrometres may get stuck just before; then it is no measure.
    if (std::fabs(gap_along(cold.normal, p) - cold.distance) > 1e-6 * size) {
      ++stuck;
      return;
    }
    for (const Vec3& axis : {n, -n, random_direction(random), 1e-3 * random_direction(random), Vec3{0, 0, 1}}) {
      WalkAxis kept = to_floats(axis);
      const Manifold m = collide_convex(p.a, p.pose_a, p.b, p.pose_b, margin, kept);
      ASSERT_TRUE(std::isfinite(kept[0]) && std::isfinite(kept[1]) && std::isfinite(kept[2]));
      if (std::fabs(cold.distance - margin) > 1e-9 * size) {
        ASSERT_EQ(m.count > 0, cold.distance < margin);
      }
      if (m.count == 0) {
        ++apart;
        const Vec3 found{double{kept[0]}, double{kept[1]}, double{kept[2]}};
        EXPECT_GT(gap_along(rotate(p.pose_a.orientation, found), p), margin - 1e-6 * size);
        continue;
      }
      ++touching;
      EXPECT_NEAR(m.point[0].separation, cold.distance, 1e-6 * size);
      // What is found is certified by two planes across the normal: no direction can be better than the truth.
      EXPECT_NEAR(gap_along(m.normal, p), m.point[0].separation, 1e-6 * size);
    }
  });
  EXPECT_GT(apart, 1000);
  EXPECT_GT(touching, 5000);
  EXPECT_LT(stuck, touching / 1000);
}

TEST(WalkAxis, DepthsFromTheWalksTetrahedronAreThoseFromSpreadPoints) {
  int deep = 0, from_walk = 0;
  for_placed_pairs(72, 3, [&](Random&, const Placed& p) {
    const MinkowskiDifference difference(p.a, p.pose_a, p.b, p.pose_b);
    const GjkResult walk = gjk(difference);
    if (!walk.overlap) return;
    const EpaResult fast = epa(difference, walk.simplex), slow = epa(difference, Simplex{});
    ++deep;
    if (walk.simplex.size == 4) ++from_walk;
    EXPECT_NEAR(fast.depth, slow.depth, 1e-6 * difference.size());
    EXPECT_NEAR(norm(fast.normal), 1, 1e-9);
    EXPECT_TRUE(is_finite(fast.on_a));
  });
  EXPECT_GT(deep, 1000);
  EXPECT_GT(from_walk, 900);
}

TEST(WalkAxis, TheFarthestOfManyVectorsIsThatOfALoop) {
  Random random(73);
  for (int k = 0; k < 3000; ++k) {
    std::vector<Vec3> points = random_points(random, 1 + static_cast<int>(random.below(40)));
    // Ties: the lowest index must win.
    for (Vec3& p : points)
      if (random.below(3) == 0) p = points[random.below(points.size())];
    VectorLanes lanes;
    lanes.assign(points);
    const Vec3 d = k % 7 == 0 ? Vec3{0, 0, k % 2 == 0 ? 1.0 : 0.0} : random_direction(random);
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (dot(points[i], d) > dot(points[best], d)) best = i;
    ASSERT_EQ(lanes.farthest(d), best);
    const Mat3 turned = to_matrix(random_pose(random).orientation);
    Aabb box;
    for (const Vec3& p : points) box = unite(box, turned * p);
    ASSERT_EQ(lanes.bounds(turned).lower, box.lower);
    ASSERT_EQ(lanes.bounds(turned).upper, box.upper);
  }
}

}  // namespace
}  // namespace cairn
