// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "tests/problem/lanes/five_bodies.h"

namespace cairn {
namespace {

TEST(LaneKinds, HaveDifferentNumbersAndComeBackFromThem) {
  for (int k = 0; k < kLaneKinds; ++k) EXPECT_EQ(lane_kind(k).index(), k);
}

/// What a sweep reads lies in front of what it does not; no two numbers of a record go to one field.
TEST(LaneKinds, NumbersOfARecordGoToDifferentFields) {
  for (int k = 0; k < kLaneKinds; ++k) {
    SCOPED_TRACE("kind " + std::to_string(k));
    const LaneFields fields = lane_fields(lane_kind(k));
    const LaneInputs inputs = lane_inputs(lane_kind(k));
    EXPECT_LE(fields.soft_size, fields.rigid_size);
    EXPECT_LE(fields.rigid_size, fields.size);
    EXPECT_LE(fields.size, LaneInputs::kMostFields);
    EXPECT_LE(inputs.size, LaneInputs::kMostNumbers);
    EXPECT_EQ(inputs.size % 4, 0);
    std::set<int> seen;
    for (int n = 0; n < inputs.size; ++n) {
      const int field = inputs.field[n];
      if (field < 0) continue;
      EXPECT_LT(field, fields.size);
      EXPECT_TRUE(seen.insert(field).second) << "field " << field;
      EXPECT_EQ(inputs.number[field], n);
    }
  }
}

/// J M^-1 J^T of one row and body.
double expected_square(const ProblemBody& body, const Velocity& row) {
  return body.inverse_mass * dot(row.linear, row.linear) + dot(row.angular, body.inverse_inertia * row.angular);
}

TEST(LaneProblem, RowsAreScaledByTheRootOfTheInverseMass) {
  const std::vector<ProblemBody> bodies = five_bodies();
  LaneProblem lanes;
  lanes.load_bodies(bodies, nullptr);
  Random random(5);
  const auto any = [&] { return random.uniform(-1, 1); };
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (int k = 0; k < 20; ++k) {
      const Velocity row{{any(), any(), any()}, {any(), any(), any()}};
      const Velocity scaled = lanes.scale_row(i, row);
      const double square = dot(scaled.linear, scaled.linear) + dot(scaled.angular, scaled.angular);
      EXPECT_NEAR(square, expected_square(bodies[i], row), 1e-6) << "body " << i << ", row " << k;
    }
}

TEST(LaneProblem, KnowsWhoMovesAndWhoTurnsAlike) {
  LaneProblem lanes;
  lanes.load_bodies(five_bodies(), nullptr);
  EXPECT_FALSE(lanes.can_move(0));
  EXPECT_FALSE(lanes.can_move(1));
  for (const std::size_t i : {2, 3, 4}) EXPECT_TRUE(lanes.can_move(i));
  EXPECT_EQ(lanes.moves_itself, (std::vector<std::uint8_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(lanes.bodies.size(), 4u) << "three that can move, and nobody";
  EXPECT_TRUE(lanes.may_be_round(0, 2));
  EXPECT_FALSE(lanes.may_be_round(2, 3));
}

/// Whoever keeps a decision that follows from the bodies must see that it may be another one now.
TEST(LaneProblem, ANewSetOfBodiesHasANewNumber) {
  std::vector<ProblemBody> bodies = five_bodies();
  LaneProblem lanes;
  lanes.load_bodies(bodies, nullptr);
  const std::uint64_t before = lanes.body_set;
  bodies[3].velocity.linear.x += 1;  // moves otherwise, and is what it was
  lanes.load_bodies(bodies, nullptr);
  EXPECT_EQ(lanes.body_set, before);
  std::vector<ProblemBody> ball = bodies, fixed = bodies, driven = bodies;
  ball[3].inverse_inertia = {1, 1, 1, 0, 0, 0};
  fixed[4] = {};
  driven[0].velocity.linear.y = 1;
  for (const auto& other : {ball, fixed, driven}) {
    const std::uint64_t last = lanes.body_set;
    lanes.load_bodies(other, nullptr);
    EXPECT_NE(lanes.body_set, last);
  }
}

/// What nothing touches falls in double: u + dt a, and the sum over the sub-steps of symplectic Euler.
TEST(LaneProblem, ABodyThatNothingTouchesFallsFreely) {
  const std::vector<ProblemBody> bodies = five_bodies();
  LaneProblem lanes;
  lanes.load_bodies(bodies, nullptr);
  lanes.lay_out({});
  const auto [velocity, way] = lanes.read_body(4, bodies[4], 0.1, 4);
  EXPECT_DOUBLE_EQ(velocity.linear.z, 4 - 0.981);
  EXPECT_DOUBLE_EQ(velocity.angular.y, 0.5 + 0.025);
  EXPECT_NEAR(way.linear.z, 0.1 * 4 - 9.81 * 0.025 * 0.025 * (1 + 2 + 3 + 4), 1e-12);
}

}  // namespace
}  // namespace cairn
