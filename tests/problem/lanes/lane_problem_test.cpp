// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cairn/core/index.h"
#include "cairn/core/random.h"

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

/// Bodies of every kind: 0 cannot move, 1 is moved by itself, 2 is a ball, 3 and 4 have any inertia.
std::vector<ProblemBody> five_bodies() {
  std::vector<ProblemBody> bodies(5);
  bodies[1].velocity = {{1, 2, 3}, {0, 0, 4}};
  for (const std::size_t i : {2, 3, 4}) {
    bodies[i].inverse_mass = 0.5 * static_cast<double>(i);
    bodies[i].velocity = {{0.1, -0.2, static_cast<double>(i)}, {1, 0.5, -2}};
    bodies[i].acceleration = {{0, 0, -9.81}, {0, 0.25, 0}};
    bodies[i].inverse_inertia = {4, 3, 2, 0.5, -0.25, 0.75};
  }
  bodies[2].inverse_inertia = {2.5, 2.5, 2.5, 0, 0, 0};
  return bodies;
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
  Velocity velocity, way;
  lanes.read_body(4, bodies[4], 0.1, 4, velocity, way);
  EXPECT_DOUBLE_EQ(velocity.linear.z, 4 - 0.981);
  EXPECT_DOUBLE_EQ(velocity.angular.y, 0.5 + 0.025);
  EXPECT_NEAR(way.linear.z, 0.1 * 4 - 9.81 * 0.025 * 0.025 * (1 + 2 + 3 + 4), 1e-12);
}

struct Drawn {
  std::vector<std::uint32_t> keys;
  std::vector<std::int32_t> colour;
  std::vector<int> batch;
};

/// Manifolds of bodies 2 to 4 and the ground in any colour, batch and number within their pair.
Drawn draw_keys(const LaneProblem& lanes, std::uint64_t seed, int count) {
  Random random(seed);
  Drawn drawn;
  for (int k = 0; k < count; ++k) {
    LaneTraits traits;
    traits.body_a = static_cast<std::int32_t>(random.uniform(0, 2.99));
    traits.body_b = static_cast<std::int32_t>(random.uniform(3, 4.99));
    traits.count = static_cast<int>(random.uniform(1, 4.99));
    traits.extra = random.uniform(0, 1) < 0.2;
    const int batch = static_cast<int>(random.uniform(0, 1.99)), ordinal = static_cast<int>(random.uniform(0, 2.99));
    const auto colour = static_cast<std::int32_t>(random.uniform(-1, 5.99));
    drawn.keys.push_back(lanes.key(traits, batch, colour, ordinal));
    drawn.colour.push_back(colour), drawn.batch.push_back(batch);
  }
  return drawn;
}

class LaneLayout : public testing::TestWithParam<int> {};

TEST_P(LaneLayout, GivesEveryManifoldALaneOfItsOwnInAStageOfItsColour) {
  LaneProblem lanes;
  lanes.load_bodies(five_bodies(), nullptr);
  const Drawn drawn = draw_keys(lanes, static_cast<std::uint64_t>(GetParam()) + 1, GetParam());
  EXPECT_FALSE(lanes.lay_out(drawn.keys));
  ASSERT_EQ(lanes.slots.size(), drawn.keys.size());

  // Which group and stage a manifold is in.
  std::vector<std::size_t> stage_of(lanes.groups.size());
  for (std::size_t s = 0; s < lanes.stages.size(); ++s)
    for (std::int32_t g = 0; g < lanes.stages[s].count; ++g) stage_of[to_index(lanes.stages[s].first + g)] = s;
  std::set<std::uint32_t> places;
  std::vector<std::size_t> members(lanes.stages.size());
  std::vector<std::set<std::int32_t>> colours(lanes.stages.size());
  for (std::size_t i = 0; i < drawn.keys.size(); ++i) {
    const LaneSlot& slot = lanes.slots[i];
    EXPECT_TRUE(places.insert(slot.first).second) << "two manifolds in one lane";
    const auto group = std::find_if(lanes.groups.begin(), lanes.groups.end(), [&](const LaneGroup& g) {
      return slot.first >= g.first * kLanes && slot.first < g.first * kLanes + kLanes;
    });
    ASSERT_NE(group, lanes.groups.end());
    EXPECT_LT(slot.first - group->first * kLanes, group->lanes);
    EXPECT_EQ(slot.kind, group->kind);
    EXPECT_EQ(LaneProblem::is_extra(drawn.keys[i]), lane_kind(static_cast<int>(slot.kind)).extra);
    const std::size_t stage = stage_of[to_index(group - lanes.groups.begin())];
    EXPECT_EQ(lanes.stages[stage].batch, drawn.batch[i]);
    members[stage] += 1, colours[stage].insert(drawn.colour[i]);
  }
  for (std::size_t s = 0; s < lanes.stages.size(); ++s) {
    EXPECT_EQ(colours[s].size(), 1u) << "stage " << s;
    if (colours[s].count(LaneProblem::kNoColour) != 0)
      EXPECT_EQ(members[s], 1u) << "a manifold without a colour is alone in stage " << s;
  }
}

TEST_P(LaneLayout, IsKeptWhileTheKeysAreTheSame) {
  LaneProblem lanes;
  lanes.load_bodies(five_bodies(), nullptr);
  Drawn drawn = draw_keys(lanes, 7, GetParam());
  lanes.lay_out(drawn.keys);
  std::vector<std::uint32_t> first;
  for (const LaneSlot& slot : lanes.slots) first.push_back(slot.first);
  EXPECT_TRUE(lanes.lay_out(drawn.keys));
  EXPECT_TRUE(lanes.has_keys(0, drawn.keys));
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(lanes.slots[i].first, first[i]);
  drawn.keys.push_back(drawn.keys.front());
  EXPECT_FALSE(lanes.has_keys(0, drawn.keys));
  EXPECT_FALSE(lanes.lay_out(drawn.keys));
  EXPECT_EQ(lanes.slots.size(), drawn.keys.size());
}

INSTANTIATE_TEST_SUITE_P(Manifolds, LaneLayout, testing::Values(1, 15, 16, 17, 200, 3000),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace cairn
