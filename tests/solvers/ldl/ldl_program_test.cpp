// SPDX-License-Identifier: MIT
// Sizes and costs of the mechanisms of Mizerski 2020, exactly, and as published; orders of elimination.
#include "cairn/solvers/ldl/ldl_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "scenes/mechanism_problems.h"

namespace cairn {
namespace {

LdlStructure structure_of(const ContactProblem& problem) {
  LdlMechanismFinder finder;
  std::vector<LdlMechanism> mechanisms;
  std::size_t count = 0;
  finder.find(problem, nullptr, mechanisms, count);
  EXPECT_EQ(count, 1U);
  return mechanisms[0].structure;
}

LdlCounts counts_of(const ContactProblem& problem, LdlHubs hubs) {
  return LdlProgram(structure_of(problem), {hubs, LdlOrdering::minimum_fill, 20}).counts();
}

TEST(LdlProgram, TrackOfFortyHinges) {
  for (const LdlHubs hubs : {LdlHubs::plain, LdlHubs::shatter, LdlHubs::hub}) {
    const LdlCounts c = counts_of(scenes::track_ring(40), hubs);
    EXPECT_EQ(c.nodes, 40);
    EXPECT_EQ(c.rows, 200);
    EXPECT_EQ(c.nonzeros, 3000);
    EXPECT_DOUBLE_EQ(c.density, 0.075);
    EXPECT_EQ(c.fill_blocks, 37);
    EXPECT_EQ(c.column_work, 9625);
    EXPECT_EQ(c.update_work, 10525);
    EXPECT_EQ(c.solve_work, 4850);
    EXPECT_NEAR(c.pivot_work, 833.33, 0.01);
    EXPECT_NEAR(c.factor_flops, 41966.7, 0.1);
    EXPECT_NEAR(c.published_flops, 43000, 0.07 * 43000);
  }
}

TEST(LdlProgram, OpenChainHasNoFill) {
  ContactProblem chain = scenes::track_ring(41);
  chain.joints.pop_back();  // hinges 0..39 of 41 links, both ends free
  const LdlCounts c = counts_of(chain, LdlHubs::hub);
  EXPECT_EQ(c.rows, 200);
  EXPECT_EQ(c.nonzeros, 2950);
  EXPECT_EQ(c.fill_blocks, 0);
  EXPECT_NEAR(c.factor_flops, 17266.7, 0.1);
}

/// Pivots that must be done one after the other.
std::size_t depth_of(const ContactProblem& problem) {
  const LdlProgram program(structure_of(problem), {LdlHubs::hub, LdlOrdering::minimum_fill, 20});
  std::vector<std::size_t> level(program.graph().nodes.size(), 1);
  std::size_t deepest = 0;
  for (const LdlStep& step : program.elimination().steps) {
    const std::size_t mine = level[to_index(step.node)];
    deepest = std::max(deepest, mine);
    for (const std::int32_t later : step.column) level[to_index(later)] = std::max(level[to_index(later)], mine + 1);
  }
  return deepest;
}

TEST(LdlProgram, ChainsGoFromBothEndsAndRingsBySecondBlocks) {
  EXPECT_EQ(depth_of(scenes::hanging_chain(20, 1, 0)), 11U);  // ten from each end but one, then the last two
  EXPECT_LE(depth_of(scenes::track_ring(40)), 8U);            // 20, 10, 5, 2, then three that all touch
}

TEST(LdlProgram, WheeledVehicleIsDense) {
  std::vector<int> rows(8, 5);
  rows.insert(rows.end(), 12, 4);
  const LdlCounts c = counts_of(scenes::wheeled_vehicle(rows), LdlHubs::plain);
  EXPECT_EQ(c.rows, 88);
  EXPECT_DOUBLE_EQ(c.density, 1.0);
  EXPECT_NEAR(c.factor_flops, 248157.33, 0.01);
  EXPECT_NEAR(c.published_flops, 250000, 0.07 * 250000);
}

TEST(LdlProgram, ShatteredVehicle) {
  const LdlCounts c = counts_of(scenes::wheeled_vehicle(scenes::vehicle_rows()), LdlHubs::shatter);
  EXPECT_EQ(c.nodes, 29);
  EXPECT_EQ(c.rows, 142);
  EXPECT_EQ(c.nonzeros, 3572);
  EXPECT_NEAR(100 * c.density, 17.71, 0.005);
  EXPECT_NEAR(100 * c.density, 17.5, 0.3);
  EXPECT_EQ(c.fill_blocks, 0);
  EXPECT_NEAR(c.factor_flops, 33753.33, 0.01);
  EXPECT_NEAR(c.published_flops, 35000, 0.07 * 35000);
}

TEST(LdlProgram, ShatteredVehicleWithTheOtherAllocation) {
  std::vector<int> rows(20, 4);
  rows[0] = rows[1] = rows[18] = rows[19] = 6;
  const LdlCounts c = counts_of(scenes::wheeled_vehicle(rows), LdlHubs::shatter);
  EXPECT_EQ(c.rows, 142);
  EXPECT_EQ(c.nonzeros, 3524);
  EXPECT_NEAR(100 * c.density, 17.477, 0.001);
  EXPECT_NEAR(c.factor_flops, 32581.33, 0.01);
}

TEST(LdlProgram, TreeOfFifty) {
  const LdlCounts plain = counts_of(scenes::tree_of_fifty(), LdlHubs::plain);
  EXPECT_EQ(plain.nodes, 50);
  EXPECT_EQ(plain.rows, 246);
  EXPECT_EQ(plain.nonzeros, 7228);
  EXPECT_NEAR(100 * plain.density, 11.944, 0.001);
  EXPECT_EQ(plain.fill_blocks, 0);
  EXPECT_NEAR(plain.factor_flops, 90478, 0.5);
  EXPECT_NEAR(plain.published_flops, 90000, 0.07 * 90000);
}

TEST(LdlProgram, HubsNeedFarLessWork) {
  const LdlCounts vehicle = counts_of(scenes::wheeled_vehicle(scenes::vehicle_rows()), LdlHubs::hub);
  EXPECT_EQ(vehicle.rows, 94);
  EXPECT_LT(vehicle.factor_flops, 10000);
  EXPECT_NEAR(vehicle.factor_flops, 9061.33, 0.01);  // by hand: 8 hinges 275.83, 12 cylindrical 190.67, the hub 36
  const LdlCounts tree = counts_of(scenes::tree_of_fifty(), LdlHubs::hub);
  EXPECT_EQ(tree.rows, 288);
  EXPECT_LT(tree.factor_flops, 30000);
}

TEST(LdlProgram, EveryNodeGoesOnceAndColumnsAreInOrder) {
  Random random(7);
  for (int trial = 0; trial < 30; ++trial) {
    scenes::MechanismBuilder build(0.1, static_cast<std::uint64_t>(trial));
    const int bodies = 3 + static_cast<int>(random.below(20));
    for (int i = 0; i < bodies; ++i) build.add_body({static_cast<double>(i), 0, 0});
    for (int i = 1; i < bodies; ++i)
      build.join(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(std::min(i, 3)))), i,
                 1 + static_cast<int>(random.below(6)), {static_cast<double>(i), 0.5, 0}, {0, 1, 0});
    const LdlStructure structure = structure_of(build.take());
    for (const LdlOrdering ordering : {LdlOrdering::minimum_fill, LdlOrdering::minimum_degree})
      for (const LdlHubs hubs : {LdlHubs::plain, LdlHubs::shatter, LdlHubs::hub}) {
        const LdlProgram program(structure, {hubs, ordering, 12});
        const std::vector<LdlStep>& steps = program.elimination().steps;
        std::vector<int> position(steps.size(), -1);
        for (std::size_t i = 0; i < steps.size(); ++i) {
          int& mine = position[to_index(steps[i].node)];
          EXPECT_EQ(mine, -1);
          mine = static_cast<int>(i);
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
          int before = static_cast<int>(i);
          for (const std::int32_t node : steps[i].column) {
            EXPECT_LT(before, position[to_index(node)]);
            before = position[to_index(node)];
          }
        }
      }
  }
}

/// Two chassis joined by a rod with a ball joint at each end: on the strength of the rod alone the six rows would have
/// rank five, so one of the balls must wait for a chassis.
TEST(LdlProgram, ARodBetweenHubsWaitsForOneOfThem) {
  scenes::MechanismBuilder build(0);
  const std::int32_t left = build.add_body({0, 0, 0}, 10), right = build.add_body({4, 0, 0}, 10);
  for (int i = 0; i < 5; ++i) {
    build.join(left, build.add_body({0, 1.0 + i, 0}), 5, {0, 0.5 + i, 0}, {0, 1, 0});
    build.join(right, build.add_body({4, 1.0 + i, 0}), 5, {4, 0.5 + i, 0}, {0, 1, 0});
  }
  const std::int32_t rod = build.add_body({2, 0, 0});
  build.join(left, rod, 3, {1, 0, 0}, {0, 0, 1});   // block 10
  build.join(rod, right, 3, {3, 0, 0}, {0, 0, 1});  // block 11
  const LdlProgram program(structure_of(build.take()), {LdlHubs::hub, LdlOrdering::minimum_fill, 20});
  const std::vector<LdlStep>& steps = program.elimination().steps;
  std::vector<std::size_t> position(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) position[to_index(steps[i].node)] = i;
  ASSERT_EQ(program.counts().nodes, 14);  // blocks 0..11, hubs 12 and 13
  EXPECT_GT(std::max(position[10], position[11]), std::min(position[12], position[13]));
}

}  // namespace
}  // namespace cairn
