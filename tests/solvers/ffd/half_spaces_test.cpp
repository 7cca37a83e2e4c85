// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/half_spaces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cairn/core/random.h"

namespace cairn {
namespace {

BodyRow row(const Six& direction, double bound) { return {direction, bound, dot(direction, direction), 0, 0, false}; }

TEST(HalfSpaces, NearestPointByHand) {
  // x >= 1 and x + y >= 3 from the origin: (1.5, 1.5), where only the second holds with equality.
  std::vector<BodyRow> rows{row({1, 0, 0, 0, 0, 0}, 1), row({1, 1, 0, 0, 0, 0}, 3)};
  Six z{};
  ASSERT_TRUE(move_into(rows, {2, 2}, z));
  EXPECT_NEAR(z[0], 1.5, 1e-15);
  EXPECT_NEAR(z[1], 1.5, 1e-15);
  EXPECT_EQ(rows[0].multiplier, 0);
  EXPECT_NEAR(rows[1].multiplier, 1.5, 1e-15);
  // x >= 2 as well: the corner (2, 1), with multipliers 1 and 1.
  rows[0].bound = 2;
  z = {};
  ASSERT_TRUE(move_into(rows, {2, 2}, z));
  EXPECT_NEAR(z[0], 2, 1e-15);
  EXPECT_NEAR(z[1], 1, 1e-15);
  EXPECT_NEAR(rows[0].multiplier, 1, 1e-15);
  EXPECT_NEAR(rows[1].multiplier, 1, 1e-15);
}

/// Karush, Kuhn and Tucker: z = z0 + sum lambda r, lambda >= 0, every row holds, and lambda is zero where it holds with
/// room. For a strictly convex problem these say that z is the one answer.
TEST(HalfSpaces, RandomOnesSatisfyTheConditionsOfTheMinimum) {
  Random random(3);
  int active = 0, tight = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t count = 1 + random.below(20);
    Six inside{}, start{};
    for (double& x : inside) x = random.uniform(-1, 1);
    for (double& x : start) x = random.uniform(-2, 2);
    std::vector<BodyRow> rows;
    for (std::size_t i = 0; i < count; ++i) {
      Six direction{};
      for (double& x : direction) x = random.uniform(-1, 1);
      if (i > 0 && trial % 3 == 0) {  // nearly the direction of the one before, or exactly
        direction = rows.back().row;
        if (trial % 2 == 0) direction[i % 6] += 1e-3;
      }
      const double room = random.uniform() < 0.3 ? 0.0 : random.uniform(0, 1);
      rows.push_back(row(direction, dot(direction, inside) - room));
    }
    Six z = start;
    ASSERT_TRUE(move_into(rows, {count, count}, z)) << trial;
    Six from_multipliers = start;
    for (const BodyRow& r : rows) {
      const double slack = dot(r.row, z) - r.bound;
      ASSERT_GE(r.multiplier, 0) << trial;
      ASSERT_GE(slack, -1e-8) << trial;
      ASSERT_NEAR(r.multiplier * slack, 0, 1e-6 * (1 + r.multiplier)) << trial;
      add(from_multipliers, r.multiplier, r.row);
      active += r.multiplier > 0 ? 1 : 0, tight += slack < 1e-9 ? 1 : 0;
    }
    for (std::size_t j = 0; j < 6; ++j) ASSERT_NEAR(z[j], from_multipliers[j], 1e-8) << trial;
  }
  EXPECT_GT(active, 20000);
  EXPECT_GE(tight, active / 2);
}

TEST(HalfSpaces, WhatContradictsHardRowsIsGivenUp) {
  // The floor asks for x >= 0; a body above for x <= -1, and another for y >= 2.
  std::vector<BodyRow> rows{row({1, 0, 0, 0, 0, 0}, 0.5), row({-1, 0, 0, 0, 0, 0}, 1), row({0, 1, 0, 0, 0, 0}, 2)};
  Six z{};
  ASSERT_TRUE(move_into(rows, {1, 1}, z));
  EXPECT_EQ(z, (Six{0.5, 2, 0, 0, 0, 0}));
  EXPECT_TRUE(rows[1].is_given_up);
  EXPECT_FALSE(rows[2].is_given_up);
  // Also where the other one is met first, since the hard row is violated only by going there.
  rows = {row({1, 0, 0, 0, 0, 0}, 0), row({-1, 0, 0, 0, 0, 0}, 1)};
  z = {};
  ASSERT_TRUE(move_into(rows, {1, 1}, z));
  EXPECT_EQ(z, Six{});
  EXPECT_TRUE(rows[1].is_given_up);
}

/// A body that two others squeeze stays in the middle, whatever lies below it.
TEST(HalfSpaces, WhereOthersContradictEachOtherAllGiveWay) {
  std::vector<BodyRow> rows{row({0, 1, 0, 0, 0, 0}, 0.5), row({1, 0, 0, 0, 0, 0}, 1), row({-1, 0, 0, 0, 0, 0}, 1)};
  Six z{};
  ASSERT_TRUE(move_into(rows, {1, 1}, z));
  EXPECT_NEAR(z[0], 0, 1e-4);
  EXPECT_GE(z[1], 0.5 - 1e-12);
  EXPECT_NEAR(rows[1].multiplier, 1, 1e-4);  // lambda |r|^2 + r . z = b
  EXPECT_NEAR(rows[2].multiplier, 1, 1e-4);
}

TEST(HalfSpaces, HardRowsThatContradictEachOtherAreTold) {
  std::vector<BodyRow> rows{row({1, 0, 0, 0, 0, 0}, 1), row({-1, 0, 0, 0, 0, 0}, 1)};
  Six z{};
  EXPECT_FALSE(move_into(rows, {2, 2}, z));
}

}  // namespace
}  // namespace cairn
