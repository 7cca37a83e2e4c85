// SPDX-License-Identifier: MIT
#include "cairn/math/pose.h"

#include <gtest/gtest.h>

#include "cairn/core/random.h"
#include "cairn/math/aabb.h"

namespace cairn {
namespace {

Quat random_orientation(Random& random) {
  Quat q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  return normalised(q);
}

TEST(Pose, QuarterTurnAboutZ) {
  const double s = std::sqrt(0.5);
  const Pose pose{{1, 2, 3}, from_axis({0, 0, 1}, s, s)};
  const Vec3 p = transform(pose, {1, 0, 0});
  EXPECT_NEAR(norm(p - Vec3{1, 3, 3}), 0, 1e-15);
  EXPECT_NEAR(norm(transform_back(pose, p) - Vec3{1, 0, 0}), 0, 1e-15);
}

TEST(Pose, CompositionInverseAndMatrixAgree) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const auto point = [&] { return Vec3{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)}; };
    const Pose a{point(), random_orientation(random)}, b{point(), random_orientation(random)};
    const Vec3 p = point();
    EXPECT_NEAR(norm(transform(a * b, p) - transform(a, transform(b, p))), 0, 1e-13);
    EXPECT_NEAR(norm(transform(inverse(a), transform(a, p)) - p), 0, 1e-13);
    const Mat3 r = to_matrix(a.orientation);
    EXPECT_NEAR(norm(r * p - rotate(a.orientation, p)), 0, 1e-13);
    EXPECT_NEAR(norm(multiply_transposed(r, r * p) - p), 0, 1e-13);
  }
}

TEST(Pose, InertiaTurnsWithTheBody) {
  Random random(6);
  const SymMat3 body = SymMat3::diagonal(1, 2, 3);
  const Quat q = random_orientation(random);
  const SymMat3 world = rotate(to_matrix(q), body);
  const Vec3 v{0.3, -0.7, 1.1};
  EXPECT_NEAR(norm(world * v - rotate(q, body * rotate_back(q, v))), 0, 1e-14);
}

TEST(Aabb, EmptyUnitesToTheOtherAndTouchingOverlaps) {
  const Aabb unit{{0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(unite(Aabb{}, unit), unit);
  EXPECT_FALSE(overlap(Aabb{}, unit));
  EXPECT_TRUE(overlap(unit, {{1, 0, 0}, {2, 1, 1}}));
  EXPECT_FALSE(overlap(unit, {{1.001, 0, 0}, {2, 1, 1}}));
  EXPECT_TRUE(contains(grown(unit, 0.1), unit));
  EXPECT_FALSE(contains(unit, grown(unit, 0.1)));
  EXPECT_DOUBLE_EQ(surface(unit), 6);
  EXPECT_EQ(centre(unit), (Vec3{0.5, 0.5, 0.5}));
}

}  // namespace
}  // namespace cairn
