// SPDX-License-Identifier: MIT
#include "cairn/narrow/epa.h"

#include <gtest/gtest.h>

#include <string>

#include "cairn/narrow/gjk.h"
#include "tests/narrow/samples.h"

namespace cairn {
namespace {

EpaResult depth_of(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const MinkowskiDifference difference(a, pose_a, b, pose_b);
  return epa(difference, gjk(difference).simplex);
}

TEST(Epa, BoxesAreAsDeepAsTheirThinnestOverlap) {
  // Half sizes 1, shifted by (1.5, 0.4, 0.3): 0.5 deep along x.
  const EpaResult result = depth_of(make_box({1, 1, 1}), {}, make_box({1, 1, 1}), at(1.5, 0.4, 0.3));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.depth, 0.5, 1e-12);
  expect_near(result.normal, {1, 0, 0}, 1e-12);
  EXPECT_NEAR(result.on_a.x, 1, 1e-12);
}

TEST(Epa, NoDirectionIsLessDeep) {
  // The depth is the least support of A - B over all directions: none of many samples may be below it.
  Random random(111);
  int overlapping = 0;
  for (int round = 0; round < 20; ++round) {
    const auto shapes = convex_shapes(random);
    for (const auto& [name_a, a] : shapes)
      for (const auto& [name_b, b] : shapes) {
        SCOPED_TRACE(name_a + " in " + name_b + ", round " + std::to_string(round));
        const Pose pose_a{{}, random_pose(random).orientation};
        const Pose pose_b{random_point(random, 0.1), random_pose(random).orientation};
        const MinkowskiDifference difference(a, pose_a, b, pose_b);
        const GjkResult walk = gjk(difference);
        if (!walk.overlap) continue;  // cores of round shapes may be apart
        ++overlapping;
        const EpaResult result = epa(difference, walk.simplex);
        EXPECT_NEAR(norm(result.normal), 1, 1e-9);
        EXPECT_NEAR(dot(difference.support(result.normal).difference, result.normal), result.depth, 1e-9);
        for (int k = 0; k < 200; ++k) {
          const Vec3 d = random_direction(random);
          EXPECT_GE(dot(difference.support(d).difference, d), result.depth * (1 - 1e-6) - 1e-9);
        }
      }
  }
  EXPECT_GT(overlapping, 300);
}

}  // namespace
}  // namespace cairn
