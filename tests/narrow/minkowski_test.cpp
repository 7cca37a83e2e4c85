// SPDX-License-Identifier: MIT
#include "cairn/narrow/minkowski.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/geometry/samples.h"

namespace cairn {
namespace {

TEST(Minkowski, SupportIsThatOfBothShapes) {
  // h(A - B, d) = h(A, d) + h(B, -d); radii are kept apart from the cores.
  Random random(101);
  for (int round = 0; round < 20; ++round) {
    const auto shapes = convex_shapes(random);
    for (const auto& [name_a, a] : shapes)
      for (const auto& [name_b, b] : shapes) {
        SCOPED_TRACE(name_a + " and " + name_b + ", round " + std::to_string(round));
        const Pose pose_a = random_pose(random), pose_b = random_pose(random);
        const MinkowskiDifference difference(a, pose_a, b, pose_b);
        const Vec3 d = random_direction(random);  // in the frame of a
        const Vec3 in_b = rotate_back(pose_b.orientation, rotate(pose_a.orientation, d));
        const Vec3 between = rotate_back(pose_a.orientation, pose_b.position - pose_a.position);
        const double wanted = dot(support(a, d), d) - dot(between, d) + dot(support(b, -in_b), -in_b);
        const double found = dot(difference.support(d).difference, d) + difference.radius_a() + difference.radius_b();
        EXPECT_NEAR(found, wanted, 1e-12);
        expect_near(difference.between_centres(), between, 1e-13);
      }
  }
}

/// The nearest point to the origin by many steps of projection onto the hull of up to four points: Frank and Wolfe's
/// method with exact line search, slow and simple.
Vec3 slow_nearest(const std::array<MinkowskiPoint, 4>& vertex, int size) {
  Vec3 x = vertex[0].difference;
  for (int step = 0; step < 20000; ++step) {
    Vec3 best = vertex[0].difference;
    for (int k = 1; k < size; ++k)
      if (dot(vertex[to_index(k)].difference, x) < dot(best, x)) best = vertex[to_index(k)].difference;
    const Vec3 way = best - x;
    if (!(dot(way, way) > 0)) break;
    x += std::clamp(-dot(x, way) / dot(way, way), 0.0, 1.0) * way;
  }
  return x;
}

TEST(Simplex, FootIsTheNearestPoint) {
  Random random(102);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const int size = 1 + static_cast<int>(random.below(4));
    std::array<MinkowskiPoint, 4> vertex;
    for (MinkowskiPoint& point : vertex) point.difference = random_point(random) + Vec3{0.5, 0, 0};
    const SimplexFoot foot = nearest_to_origin(vertex, size);
    EXPECT_NEAR(norm(foot.nearest), norm(slow_nearest(vertex, size)), 2e-3);
    Vec3 sum;
    double weights = 0;
    for (std::size_t k = 0; k < foot.size; ++k) {
      EXPECT_GE(foot.weight[k], -1e-12);
      weights += foot.weight[k];
      sum += foot.weight[k] * vertex[foot.vertex[k]].difference;
    }
    EXPECT_NEAR(weights, 1, 1e-12);
    if (!foot.holds_origin) expect_near(sum, foot.nearest, 1e-12);
    // No vertex is nearer along the direction to the foot: the condition of the minimum.
    for (int k = 0; k < size; ++k)
      EXPECT_GE(dot(vertex[to_index(k)].difference - foot.nearest, foot.nearest), -1e-10) << "vertex " << k;
  }
}

TEST(Minkowski, ShapesWithoutSupportAreRefused) {
  const Shape ball = make_sphere(1), floor = make_half_space({0, 0, 1}, 0);
  EXPECT_NE(refusal([&] { MinkowskiDifference(ball, {}, floor, {}); }), "");
}

}  // namespace
}  // namespace cairn
