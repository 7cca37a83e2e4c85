// SPDX-License-Identifier: MIT
// How often a body is counted: the shares of its mass.
#include "cairn/solvers/splitting/split_stage.h"

#include <gtest/gtest.h>

#include "cairn/core/index.h"
#include "cairn/solvers/splitting/pair_order.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

/// n_b per slot, for blocks of up to `cluster` pairs.
std::vector<std::int32_t> counts(const ContactProblem& problem, const SplitRule& rule, std::int32_t cluster = 1) {
  PackedProblem<3> packed;
  PairOrder pairs;
  packed.pack_bodies(problem, nullptr);
  pairs.sort(problem, packed.slot, static_cast<std::int32_t>(packed.mass.size()), nullptr);
  pairs.join(cluster);
  packed.pack_contacts(problem, {}, pairs.contacts(), nullptr, BodyOrder::ascending);
  packed.pack_joints(problem, {});
  std::vector<SplitBlock> blocks;
  for (std::size_t g = 0; g + 1 < pairs.group_start().size(); ++g) {
    const BodyPairRange& first = pairs.pairs()[to_index(pairs.group_start()[g])];
    const BodyPairRange& last = pairs.pairs()[to_index(pairs.group_start()[g + 1]) - 1];
    blocks.push_back({first.contact_begin, last.contact_end, first.row_begin, last.row_end});
  }
  SplitStage<3> stage;
  stage.load(blocks, pairs.rows(), rule, packed, nullptr);
  EXPECT_EQ(stage.bodies().size(), packed.mass.size());
  return {stage.counts().begin(), stage.counts().end()};
}

using Counts = std::vector<std::int32_t>;

/// A body on 100 points of the ground, body 1; body 2 touches it once and is held by a ball joint.
RandomCluster on_the_ground(double friction) {
  RandomCluster cluster;
  cluster.problem.bodies.resize(3);
  cluster.position = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}};
  for (const std::size_t b : {1u, 2u}) {
    cluster.problem.bodies[b].inverse_mass = 1;
    cluster.problem.bodies[b].inverse_inertia = SymMat3::diagonal(1, 1, 1);
  }
  for (int i = 0; i < 101; ++i) {
    ContactBlock c;
    c.body_a = i < 100 ? 0 : 1, c.body_b = i < 100 ? 1 : 2;
    c.arm_a = {0.01 * i, 0, 0}, c.arm_b = {0.01 * i, 0, -1};
    c.friction1 = c.friction2 = friction;
    cluster.problem.contacts.push_back(c);
  }
  add_ball_joint(cluster, 1, 2, {0, 0, 1.5}, 0);
  return cluster;
}

TEST(SplitStage, CountsBlocksOfABodyAndNeverTheGround) {
  for (const bool kinematic : {false, true}) {
    ContactProblem problem = on_the_ground(0.5).problem;
    if (kinematic) problem.bodies[0].velocity.linear = {1, 0, 0};
    EXPECT_EQ(counts(problem, {}), (Counts{2, 1})) << "a pair is one block, contacts and joint together";
    EXPECT_EQ(counts(problem, {}, 2), (Counts{1, 1})) << "all in one cluster";
    SplitRule rows;
    rows.by_rows = true;
    EXPECT_EQ(counts(problem, rows), (Counts{3 * 101 + 3, 3 + 3})) << "every row";
    rows.staggered = true;
    EXPECT_EQ(counts(problem, rows), (Counts{101 + 3, 1 + 3})) << "normal and joint rows: friction has its own pass";
  }
  SplitRule rows;
  rows.by_rows = true;
  EXPECT_EQ(counts(on_the_ground(0).problem, rows), (Counts{101 + 3, 1 + 3})) << "nothing moves rows without friction";
}

}  // namespace
}  // namespace cairn
