// SPDX-License-Identifier: MIT
#include "cairn/dynamics/bodies.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/geometry/samples.h"

namespace cairn {
namespace {

/// One body with an inertia about turned axes.
Bodies turned_body(Random& random, std::uint32_t locked) {
  Bodies bodies;
  bodies.resize(1);
  bodies.pose[0] = random_pose(random);
  const SymMat3 inertia = SymMat3::diagonal(random.uniform(2, 3), random.uniform(2, 3), random.uniform(2, 3));
  bodies.mass[0] = {1, 1, inertia, inverse(inertia)};
  bodies.record[0].locked_axes = locked;
  return bodies;
}

TEST(Bodies, LockedAxesTurnAboutTheFreeOnesAsInBearings) {
  // With torque t and the angular acceleration a = I^-1 t: a has nothing along locked axes, and I a equals t along the
  // free ones; what is missing along the others the bearings give.
  Random random(7);
  for (std::uint32_t bits = 0; bits < 8; ++bits) {
    SCOPED_TRACE("locked axes " + std::to_string(bits));
    const Bodies bodies = turned_body(random, bits * kLockTurnX);
    const SymMat3 inertia = rotate(to_matrix(bodies.pose[0].orientation), bodies.mass[0].inertia);
    const Vec3 torque = random_point(random);
    const Vec3 a = world_inverse_inertia(bodies, 0) * torque, needed = inertia * a;
    const double acceleration[] = {a.x, a.y, a.z}, given[] = {torque.x, torque.y, torque.z};
    const double taken[] = {needed.x, needed.y, needed.z};
    for (std::uint32_t k = 0; k < 3; ++k) {
      if ((bits >> k & 1) != 0)
        EXPECT_EQ(acceleration[k], 0);
      else
        EXPECT_NEAR(taken[k], given[k], 1e-14);
    }
  }
}

TEST(Bodies, StirredOnesAreThoseALoopFinds) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    Bodies bodies;
    bodies.resize(random.below(40));
    const std::uint64_t rare = 1 + random.below(30);
    for (std::uint8_t& status : bodies.status) {
      status = static_cast<std::uint8_t>(kLive | (random.below(2) == 0 ? kDynamic | kAsleep : 0));
      if (random.below(rare) == 0) status = static_cast<std::uint8_t>(random.below(64));
    }
    std::vector<std::size_t> wanted, found;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies.is_active(i) || (bodies.status[i] & (kKinematic | kTouched)) != 0) wanted.push_back(i);
    for_each_stirred(bodies, [&](std::size_t i) { found.push_back(i); });
    ASSERT_EQ(found, wanted) << "round " << round;
  }
}

TEST(Bodies, AFrameIsWhereItsCentreOfMassSays) {
  Random random(9);
  Bodies bodies = turned_body(random, 0);
  bodies.record[0].centre = {0.1, 0.2, 0.3};
  expect_near(transform(frame_of(bodies, 0), bodies.record[0].centre), bodies.pose[0].position, 1e-15);
}

TEST(Bodies, VersionsTellMovesFromEdits) {
  EXPECT_FALSE(is_edited(5, 6));
  EXPECT_TRUE(is_edited(5, edited_version(5)));
  EXPECT_GT(edited_version(5), 5u);
}

}  // namespace
}  // namespace cairn
