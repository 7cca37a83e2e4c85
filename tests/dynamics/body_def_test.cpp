// SPDX-License-Identifier: MIT
#include "cairn/dynamics/body_def.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cairn/math/symmetric_eigen.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

TEST(BodyDef, PosesAreNormalisedAndUnitOnesKeepTheirBits) {
  const Pose off{{1, 2, 3}, {1.05, 0, 0, 0}};
  EXPECT_EQ(checked_pose(off, "pose").orientation, (Quat{1, 0, 0, 0}));
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    const Pose pose = checked_pose(random_pose(random), "pose");
    EXPECT_EQ(checked_pose(pose, "pose"), pose) << "pose " << k;
  }
  EXPECT_TRUE(has_words(refusal([] { checked_pose({{}, {1.2, 0, 0, 0}}, "the pose"); }), "the pose: the orientation"));
  EXPECT_TRUE(has_words(refusal([] { checked_pose({{0, 2e8, 0}, {}}, "pose"); }), "its y component"));
}

TEST(BodyDef, RepairedInertiaIsTheNearestThatSomeSolidHas) {
  // Moments 1, 2, 5 lack 2 of the triangle inequality: the two smaller ones are raised by 1 each.
  expect_near(repaired_inertia(SymMat3::diagonal(1, 2, 5)), SymMat3::diagonal(2, 3, 5), 1e-14);
  expect_near(repaired_inertia(SymMat3::diagonal(5, 1, 2)), SymMat3::diagonal(5, 2, 3), 1e-14);
  // What is possible is left as it is, in any axes.
  Random random(6);
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE("inertia " + std::to_string(k));
    const Mat3 axes = to_matrix(random_pose(random).orientation);
    const SymMat3 good = rotate(axes, SymMat3::diagonal(2, 3, random.uniform(1, 5)));
    expect_near(repaired_inertia(good), good, 1e-13);
    const SymMat3 bad = rotate(axes, SymMat3::diagonal(random.uniform(-1, 1), 1, random.uniform(3, 9)));
    const SymMat3 repaired = repaired_inertia(bad);
    const std::array<double, 3> e = symmetric_eigenvalues(repaired);
    EXPECT_GT(e[0], 0);
    EXPECT_GE(e[0] + e[1], e[2] * (1 - 1e-12));
    EXPECT_NEAR(e[2], symmetric_eigenvalues(bad)[2], 1e-12) << "the largest stays";
    EXPECT_EQ(refusal([&] { check_mass({1, {}, repaired}); }), "");
  }
  EXPECT_TRUE(has_words(refusal([] { repaired_inertia(SymMat3::diagonal(-1, -1, -1)); }), "cannot be repaired"));
}

TEST(BodyDef, MassesOutsideTheLimitsAreRefusedWithTheCure) {
  const SymMat3 unit = SymMat3::diagonal(1, 1, 1);
  EXPECT_EQ(refusal([&] { check_mass({1, {}, unit}); }), "");
  EXPECT_TRUE(has_words(refusal([&] { check_mass({0, {}, unit}); }), "mass is 0"));
  EXPECT_TRUE(has_words(refusal([&] { check_mass({1, {}, SymMat3::diagonal(1, 1, 3)}); }), "repair_inertia"));
  EXPECT_TRUE(has_words(refusal([&] { check_mass({1, {}, SymMat3::diagonal(1e-28, 1e-28, 1e-28)}); }), "other units"));
  EXPECT_TRUE(is_usable({1, {}, unit}));
  EXPECT_FALSE(is_usable({2 * kLargestMass, {}, unit}));
  EXPECT_TRUE(is_usable({2 * kLargestMass, {}, unit}, 4)) << "slack widens the limits";
}

}  // namespace
}  // namespace cairn
