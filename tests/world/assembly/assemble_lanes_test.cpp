// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/assemble_lanes.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cairn/problem/lanes/lane_manifolds.h"
#include "cairn/solvers/soft_step/soft_step.h"
#include "tests/world/small_world.h"

namespace cairn {
namespace {

constexpr double kScale = 0.9;  // of the impulses that lanes start from

/// The oracle: contacts in double, then lanes of these.
LaneProblem lanes_of_problem(SmallWorld world, const SoftStepSolver& solver) {
  Assembly& assembly = world.assembly;
  assemble_contacts(world.source(kScale), nullptr, assembly);
  LaneProblem lanes;
  LaneManifolds manifolds;
  lanes.load_bodies(assembly.problem.bodies, nullptr);
  manifolds.find({assembly.problem, assembly.solution, assembly.contact_colour}, solver, nullptr, lanes);
  lanes.lay_out(manifolds.keys());
  for (std::size_t i = 0; i < manifolds.size(); ++i)
    lanes.fill(i, manifolds.gather(assembly.problem, assembly.solution, i), solver.sub_steps(manifolds.batch(i)));
  return lanes;
}

void expect_same_lanes(const LaneProblem& a, const LaneProblem& b) {
  ASSERT_EQ(a.slots.size(), b.slots.size());
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t i = 0; i < a.slots.size(); ++i) {
    ASSERT_EQ(a.slots[i].kind, b.slots[i].kind) << "manifold " << i;
    ASSERT_EQ(a.slots[i].record, b.slots[i].record) << "manifold " << i;
    const auto size = to_index(kLaneInputs[a.slots[i].kind].size);
    // What ends a record is padding and may be anything.
    for (std::size_t k = 0; k < size; ++k) {
      if (kLaneInputs[a.slots[i].kind].field[k] < 0) continue;
      EXPECT_EQ(std::memcmp(&a.records[a.slots[i].record + k], &b.records[b.slots[i].record + k], sizeof(float)), 0)
          << "manifold " << i << " of kind " << a.slots[i].kind << ", number " << k;
    }
  }
  EXPECT_EQ(a.touched, b.touched);
}

class AssembleLanes : public testing::TestWithParam<int> {};

TEST_P(AssembleLanes, GivesTheLanesOfTheProblemToTheLastBit) {
  SmallWorld world = random_heap(static_cast<std::uint64_t>(GetParam()));
  const SoftStepSolver solver(SoftStepSettings{});
  ASSERT_GT(world.cache.manifold_count(), 30);
  const LaneProblem expected = lanes_of_problem(world, solver);
  assemble_lanes(world.source(kScale), solver, nullptr, world.assembly);
  expect_same_lanes(world.assembly.lanes, expected);
  EXPECT_TRUE(world.assembly.is_in_lanes);
}

/// The same contacts again: the layout is known, and slabs are filled while they are found. Then contacts that follow
/// their bodies, and others. Of plain materials lanes are known from step to step; of others they are found anew.
TEST_P(AssembleLanes, ThatWereMadeBeforeAreThoseOfANewAssembly) {
  for (const bool is_plain : {true, false}) {
    SmallWorld world = random_heap(static_cast<std::uint64_t>(GetParam()), is_plain);
    const SoftStepSolver solver(SoftStepSettings{});
    Random random(static_cast<std::uint64_t>(GetParam()) + 1000);
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE((is_plain ? "plain, round " : "any material, round ") + std::to_string(round));
      if (round >= 2) {
        for (std::size_t i = 0; i < world.bodies.size(); ++i)
          if (world.bodies.is_dynamic(i)) world.move(i, random_point(random, round < 5 ? 1e-5 : 0.1));
        world.detect();
      }
      world.assemble();
      assemble_lanes(world.source(kScale), solver, nullptr, world.assembly);
      EXPECT_EQ(world.assembly.lane_sources.slabs[0].stays, is_plain);
      SmallWorld cold = world;
      cold.assembly = {};
      cold.assemble();
      expect_same_lanes(world.assembly.lanes, lanes_of_problem(cold, solver));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Heaps, AssembleLanes, testing::Range(1, 9));

}  // namespace
}  // namespace cairn
