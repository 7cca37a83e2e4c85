// SPDX-License-Identifier: MIT
// Mechanisms of a problem, their programs from step to step, and batches.
#include "cairn/solvers/ldl/ldl_joints.h"

#include <gtest/gtest.h>

#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/random.h"
#include "scenes/mechanism_problems.h"
#include "tests/solvers/ldl/dense_joints.h"

namespace cairn {
namespace {

/// Everything of `other` after everything of `problem`.
void append(ContactProblem& problem, const ContactProblem& other) {
  const auto bodies = static_cast<std::int32_t>(problem.bodies.size());
  const auto rows = static_cast<std::int32_t>(problem.joint_rows.size());
  problem.bodies.insert(problem.bodies.end(), other.bodies.begin(), other.bodies.end());
  problem.joint_rows.insert(problem.joint_rows.end(), other.joint_rows.begin(), other.joint_rows.end());
  for (JointBlock joint : other.joints) {
    joint.body_a += bodies, joint.body_b += bodies, joint.first_row += rows;
    problem.joints.push_back(joint);
  }
}

/// Dolls, a vehicle, a chain and a ring.
ContactProblem mixed() {
  ContactProblem problem = scenes::ragdolls(11, 0.05);
  append(problem, scenes::wheeled_vehicle(scenes::vehicle_rows(), 0.1));
  append(problem, scenes::hanging_chain(12, 50, 0.1));
  append(problem, scenes::track_ring(20, 0.2));
  return problem;
}

std::vector<double> some_rhs(std::size_t n) {
  Random random(9);
  std::vector<double> r(n);
  for (double& value : r) value = random.uniform(-1, 1);
  return r;
}

std::vector<double> solve(LdlJoints& joints, const ContactProblem& problem, ThreadPool* pool = nullptr) {
  std::vector<double> impulse(problem.joint_rows.size());
  joints.prepare(problem, {}, pool);
  joints.solve_joints(some_rhs(impulse.size()), impulse, 1, pool);
  return impulse;
}

TEST(LdlJoints, ManyMechanismsLikeDense) {
  const ContactProblem problem = mixed();
  LdlJoints joints({});
  const std::vector<double> impulse = solve(joints, problem);
  EXPECT_EQ(joints.mechanism_count(), 14U);
  EXPECT_EQ(joints.programs_built(), 4);
  EXPECT_EQ(joints.factorisations(), 14);
  EXPECT_EQ(joints.redundant_rows(), 0);
  const std::vector<double> exact = solve_dense(dense_joint_matrix(problem), some_rhs(impulse.size()));
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(impulse[i], exact[i], 1e-8);
}

TEST(LdlJoints, SameBitsWithThreadsAndWithoutBatches) {
  const ContactProblem problem = mixed();
  LdlSettings one_by_one;
  one_by_one.batching = false;
  LdlJoints a({}), b({}), c(one_by_one);
  const auto pool = make_pool(3);
  const std::vector<double> impulse = solve(a, problem);
  EXPECT_EQ(solve(b, problem, pool.get()), impulse);
  EXPECT_EQ(solve(c, problem), impulse);
  EXPECT_EQ(solve(a, problem), impulse);  // and again
}

TEST(LdlJoints, AJointMoreOrLessRebuildsThatMechanismAlone) {
  ContactProblem problem = mixed();
  LdlJoints joints({});
  solve(joints, problem);
  const std::int64_t before = joints.programs_built();
  solve(joints, problem);
  EXPECT_EQ(joints.programs_built(), before);
  const JointBlock removed = problem.joints[3];  // of the first doll
  problem.joints.erase(problem.joints.begin() + 3);
  solve(joints, problem);
  EXPECT_EQ(joints.mechanism_count(), 15U);  // the doll is in two pieces: two new structures
  EXPECT_EQ(joints.programs_built(), before + 2);
  problem.joints.insert(problem.joints.begin() + 3, removed);
  solve(joints, problem);
  EXPECT_EQ(joints.programs_built(), before + 2);  // the old structure is still known
}

TEST(LdlJoints, ALimitThatFlipsKeepsTheProgram) {
  ContactProblem problem = mixed();
  problem.joint_rows[4].lower = 0;  // a limit in the first doll
  LdlJoints joints({});
  joints.prepare(problem, {}, nullptr);
  const std::int64_t programs = joints.programs_built(), factorisations = joints.factorisations();
  std::vector<std::uint8_t> active(problem.joint_rows.size(), 1);
  std::vector<double> impulse(active.size());
  const std::vector<double> rhs = some_rhs(active.size());
  joints.solve_joints(rhs, impulse, 1, nullptr);
  EXPECT_EQ(impulse[4], 0);
  joints.change_active(problem, active, nullptr);
  joints.solve_joints(rhs, impulse, 1, nullptr);
  EXPECT_NE(impulse[4], 0);
  joints.prepare(problem, active, nullptr);
  EXPECT_EQ(joints.programs_built(), programs);
  EXPECT_EQ(joints.factorisations(), factorisations + 1 + static_cast<std::int64_t>(joints.mechanism_count()));
  const std::vector<double> exact = solve_dense(dense_joint_matrix(problem), rhs);
  EXPECT_NEAR(impulse[4], exact[4], 1e-8);
}

TEST(LdlJoints, RedundancyIsReportedPerMechanism) {
  ContactProblem problem = scenes::hanging_chain(3, 1);
  append(problem, scenes::four_bar());
  append(problem, scenes::track_ring(12));  // parallel hinges in a closed plane loop: three redundant rows
  append(problem, scenes::track_ring(40));
  LdlJoints joints({});
  for (const double value : solve(joints, problem)) EXPECT_TRUE(std::isfinite(value));
  EXPECT_EQ(joints.redundant_rows(), 9);
  EXPECT_EQ(joints.redundant_rows(0), 0);
  EXPECT_EQ(joints.redundant_rows(1), 3);
  EXPECT_EQ(joints.redundant_rows(2), 3);
  EXPECT_EQ(joints.redundant_rows(3), 3);
}

TEST(LdlJoints, JointsOfBodiesThatCannotMoveBelongToNoMechanism) {
  scenes::MechanismBuilder build(0);
  const std::int32_t a = build.add_ground(), b = build.add_ground();
  build.join(a, b, 3, {0, 0, 0}, {0, 0, 1});
  const ContactProblem problem = build.take();
  LdlJoints joints({});
  EXPECT_EQ(solve(joints, problem), std::vector<double>(3, 0.0));
  EXPECT_EQ(joints.mechanism_count(), 0U);
}

TEST(LdlJoints, WrongLengthsAreRefused) {
  const ContactProblem problem = scenes::hanging_chain(3, 1);
  LdlJoints joints({});
  const std::vector<std::uint8_t> few(2, 1);
  EXPECT_THROW(joints.prepare(problem, few, nullptr), InputError);
  joints.prepare(problem, {}, nullptr);
  std::vector<double> small(3), right(problem.joint_rows.size());
  EXPECT_THROW(joints.solve_joints(small, right, 0, nullptr), InputError);
  EXPECT_THROW(joints.solve_joints(right, small, 0, nullptr), InputError);
}

}  // namespace
}  // namespace cairn
