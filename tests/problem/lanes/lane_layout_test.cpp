// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cairn/core/random.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "tests/problem/lanes/five_bodies.h"

namespace cairn {
namespace {

TEST(LaneKey, SaysWhatItWasMadeOf) {
  for (int kind = 0; kind < kLaneKinds; ++kind)
    for (int batch = 0; batch < kMostBatches; ++batch)
      for (const std::int32_t colour : {LanePlace::kNoColour, 0, 1, 63}) {
        SCOPED_TRACE("kind " + std::to_string(kind) + ", batch " + std::to_string(batch) + ", colour " +
                     std::to_string(colour));
        const LaneKey key(kind, {batch, colour, 2});
        EXPECT_EQ(key.kind(), kind);
        EXPECT_EQ(key.batch(), batch);
        EXPECT_EQ(key.is_alone(), colour < 0);
        EXPECT_EQ(key.is_extra(), lane_kind(kind).extra);
        EXPECT_EQ(LaneKey::from_number(key.number()), key);
      }
}

/// Manifolds of one pair share its colour and both bodies, so that their stages must differ.
TEST(LaneKey, StagesDifferByColourBatchAndOrdinalAndNotByKind) {
  const LaneKey key(3, {1, 5, 0});
  EXPECT_EQ(key.stage(), LaneKey(4, {1, 5, 0}).stage());
  EXPECT_NE(key.stage(), LaneKey(3, {2, 5, 0}).stage());
  EXPECT_NE(key.stage(), LaneKey(3, {1, 6, 0}).stage());
  EXPECT_NE(key.stage(), LaneKey(3, {1, 5, 1}).stage());
  EXPECT_TRUE(LaneKey(3, {1, 5, 16}).is_alone()) << "more manifolds of one pair than a key can number";
}

struct Drawn {
  std::vector<LaneKey> keys;
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
    drawn.keys.push_back(lanes.key(traits, {batch, colour, ordinal}));
    drawn.colour.push_back(colour), drawn.batch.push_back(batch);
  }
  return drawn;
}

class LaneLayoutOf : public testing::TestWithParam<int> {};

TEST_P(LaneLayoutOf, GivesEveryManifoldALaneOfItsOwnInAStageOfItsColour) {
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
    EXPECT_EQ(drawn.keys[i].is_extra(), lane_kind(static_cast<int>(slot.kind)).extra);
    const std::size_t stage = stage_of[to_index(group - lanes.groups.begin())];
    EXPECT_EQ(lanes.stages[stage].batch, drawn.batch[i]);
    members[stage] += 1, colours[stage].insert(drawn.colour[i]);
  }
  for (std::size_t s = 0; s < lanes.stages.size(); ++s) {
    EXPECT_EQ(colours[s].size(), 1u) << "stage " << s;
    if (colours[s].count(LanePlace::kNoColour) != 0) {
      EXPECT_EQ(members[s], 1u) << "a manifold without a colour is alone in stage " << s;
    }
  }
}

TEST_P(LaneLayoutOf, IsKeptWhileTheKeysAreTheSame) {
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

INSTANTIATE_TEST_SUITE_P(Manifolds, LaneLayoutOf, testing::Values(1, 15, 16, 17, 200, 3000),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace cairn
