// SPDX-License-Identifier: MIT
// Which mechanisms are solved directly and which are swept.
#include "cairn/solvers/soft_step/joint_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/core/index.h"
#include "scenes/mechanism_problems.h"
#include "scenes/scene.h"

namespace cairn {
namespace {

/// The first problem of a scene.
ContactProblem problem_of(const std::string& name, const NamedSettings& parameters = {}) {
  scenes::Scene scene = scenes::make_scene(name, parameters).value_or_throw();
  scene.world.step(scene.dt);
  return scene.world.problem();
}

std::int64_t swept(const ContactProblem& problem, JointSolve wanted = JointSolve::automatic) {
  JointChoice choice;
  choice.choose(problem, wanted, nullptr);
  return choice.swept_mechanisms();
}

TEST(JointChoice, TreesAreSolvedDirectlyHoweverLong) {
  EXPECT_EQ(swept(scenes::hanging_chain(300, 1)), 0);
  EXPECT_EQ(swept(problem_of("hinge_chains", {{"chains", "3"}})), 0);
  EXPECT_EQ(swept(problem_of("heavy_chain_1000")), 0);
  EXPECT_EQ(swept(problem_of("four_bar")), 0);
}

TEST(JointChoice, NetsAndRagdollsAreSwept) {
  EXPECT_EQ(swept(problem_of("joint_net_12")), 1);
  EXPECT_EQ(swept(problem_of("joint_grid_40")), 1);
  EXPECT_EQ(swept(problem_of("ragdolls_4")), 4);
}

TEST(JointChoice, DrivenMachinesAreSolvedDirectly) {
  for (const char* name : {"crane", "excavator", "tracked_vehicle", "wheeled_vehicle"})
    EXPECT_EQ(swept(problem_of(name)), 0) << name;
}

// One ball of a net that is heavy, far from what holds it: sweeps would not hold it.
TEST(JointChoice, HeavyLoadsAreSolvedDirectlyWhileTheFactorIsSmall) {
  for (const auto& [size, expected] : {std::pair{12, 0}, std::pair{40, 1}}) {
    ContactProblem problem = problem_of("joint_net_" + std::to_string(size));
    ProblemBody& last = problem.bodies[problem.bodies.size() - 2];  // behind it stands the frame of the world
    ASSERT_GT(last.inverse_mass, 0);
    last.inverse_mass *= 0.01;
    EXPECT_EQ(swept(problem), expected) << size;
  }
}

TEST(JointChoice, IsWhatTheSettingSays) {
  const ContactProblem chain = scenes::hanging_chain(5, 1), net = problem_of("joint_net_12");
  EXPECT_EQ(swept(chain, JointSolve::sweeps), 1);
  EXPECT_EQ(swept(net, JointSolve::direct), 0);
}

// A row that holds a locked axis has no error to go back by: it must be exact.
TEST(JointChoice, LockedAxesAreNeverSwept) {
  World world;
  const BodyId box = world.add_body({.pose = {{0, 0, 1}}, .locked_axes = kLockY}, {{.shape = make_sphere(0.2)}});
  world.add_joint(world.joint_at({}, box, {{0, 0, 2}, {}}, BallJoint{}));
  world.step(1.0 / 60);
  EXPECT_EQ(swept(world.problem(), JointSolve::sweeps), 0);
}

// What else there is in the world changes nothing, and neither does what was chosen before.
TEST(JointChoice, DependsOnTheMechanismAlone) {
  const ContactProblem net = problem_of("joint_net_12"), chain = problem_of("heavy_chain_100");
  ContactProblem both = net;
  const auto bodies = static_cast<std::int32_t>(net.bodies.size()),
             rows = static_cast<std::int32_t>(net.joint_rows.size());
  both.bodies.insert(both.bodies.end(), chain.bodies.begin(), chain.bodies.end());
  both.joint_rows.insert(both.joint_rows.end(), chain.joint_rows.begin(), chain.joint_rows.end());
  for (JointBlock joint : chain.joints) {
    joint.body_a += bodies, joint.body_b += bodies, joint.first_row += rows;
    both.joints.push_back(joint);
  }
  JointChoice choice;
  for (int round = 0; round < 2; ++round) {
    choice.choose(both, JointSolve::automatic, nullptr);
    for (std::size_t k = 0; k < both.joints.size(); ++k) EXPECT_EQ(choice.is_swept(k), k < net.joints.size()) << k;
    const std::uint64_t generation = choice.generation();
    choice.choose(both, JointSolve::automatic, nullptr);
    EXPECT_EQ(choice.generation(), generation);
    choice.choose(chain, JointSolve::automatic, nullptr);
    EXPECT_NE(choice.generation(), generation);
    EXPECT_TRUE(choice.is_swept().empty());
  }
}

}  // namespace
}  // namespace cairn
