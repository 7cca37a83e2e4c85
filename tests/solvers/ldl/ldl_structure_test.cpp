// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_structure.h"

#include <gtest/gtest.h>

#include <vector>

#include "cairn/core/index.h"

namespace cairn {
namespace {

/// Bodies 0..4 of which 0 cannot move. Joints: 0-1 of three rows, 1-2 of two and one with a bound, 3-4 of one.
ContactProblem two_mechanisms() {
  ContactProblem problem;
  problem.bodies.resize(5);
  for (std::size_t i = 1; i < 5; ++i) {
    problem.bodies[i].inverse_mass = 1;
    problem.bodies[i].inverse_inertia = SymMat3::diagonal(1, 1, 1);
  }
  const auto add = [&](std::int32_t a, std::int32_t b, std::int32_t rows) {
    problem.joints.push_back({a, b, static_cast<std::int32_t>(problem.joint_rows.size()), rows});
    for (std::int32_t k = 0; k < rows; ++k) {
      JointRow row;
      row.linear_a = {-1, 0, 0}, row.linear_b = {1, 0, 0};
      problem.joint_rows.push_back(row);
    }
  };
  add(0, 1, 3), add(1, 2, 3), add(3, 4, 1);
  problem.joint_rows[5].lower = 0, problem.joint_rows[5].error = 0.1;  // a stop: the last row of 1-2
  return problem;
}

struct Found {
  LdlMechanismFinder finder;
  std::vector<LdlMechanism> mechanisms;
  std::size_t count = 0;
  bool find(const JointProblem& problem) { return finder.find(problem, nullptr, mechanisms, count); }
};

TEST(LdlStructure, MechanismsAreWhatJointsConnectOverBodiesThatMove) {
  const ContactProblem problem = two_mechanisms();
  Found found;
  ASSERT_TRUE(found.find(problem));
  ASSERT_EQ(found.count, 2u);
  const LdlMechanism& first = found.mechanisms[0];
  EXPECT_EQ(first.bodies, (std::vector<std::int32_t>{1, 2}));
  ASSERT_EQ(first.structure.blocks.size(), 3u) << "the row with a bound is a block of its own";
  EXPECT_EQ(first.block_joint, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(first.rows, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(first.structure.blocks[0].degree, 3);
  EXPECT_EQ(first.structure.blocks[1].degree, 2);
  EXPECT_EQ(first.structure.blocks[2].degree, 1);
  const LdlBlock& held = first.structure.blocks[0];
  EXPECT_TRUE(held.body_a == kNoVertex || held.body_b == kNoVertex) << "body 0 cannot move";
  EXPECT_EQ(found.mechanisms[1].bodies, (std::vector<std::int32_t>{3, 4}));
  EXPECT_EQ(found.mechanisms[1].rows, (std::vector<std::int32_t>{6}));
}

TEST(LdlStructure, WhatIsKnownIsNotFoundAgain) {
  ContactProblem problem = two_mechanisms();
  Found found;
  EXPECT_TRUE(found.find(problem));
  EXPECT_FALSE(found.find(problem));
  problem.joint_rows[0].error = 0.5;
  EXPECT_FALSE(found.find(problem)) << "numbers do not matter";
  problem.joint_rows[5].lower = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(found.find(problem)) << "a bound that goes changes the blocks";
  EXPECT_EQ(found.mechanisms[0].structure.blocks.size(), 2u);
}

TEST(LdlStructure, JointsThatAreLeftOutBelongToNone) {
  const ContactProblem problem = two_mechanisms();
  const std::vector<std::uint8_t> left_out{0, 1, 0};
  JointProblem part(problem);
  part.left_out = left_out;
  Found found;
  ASSERT_TRUE(found.find(part));
  ASSERT_EQ(found.count, 2u);
  EXPECT_EQ(found.mechanisms[0].bodies, (std::vector<std::int32_t>{1}));
}

TEST(LdlStructure, KindsOfRows) {
  JointRow row;
  EXPECT_FALSE(is_bounded(row));
  row.upper = 2;
  EXPECT_TRUE(is_bounded(row) && !is_resistance(row));
  row.lower = -2;
  EXPECT_TRUE(is_resistance(row));
  row.target_velocity = 1;
  EXPECT_FALSE(is_resistance(row)) << "a drive";
}

}  // namespace
}  // namespace cairn
