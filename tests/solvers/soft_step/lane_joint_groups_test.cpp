// SPDX-License-Identifier: MIT
// Joints in lanes against the law of their rows, joint by joint.
#include "cairn/solvers/soft_step/lane_joint_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "cairn/core/index.h"
#include "cairn/solvers/ldl/ldl_joints.h"
#include "scenes/mechanism_problems.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

using Pass = LaneJointGroups::Pass;

/// Twenty bodies and fifty ball joints, some soft, some with bounds; body 0 cannot move, body 1 is moved by itself.
ContactProblem joined_bodies() {
  Random random(3);
  ContactProblem problem = random_cluster(random, {.bodies = 20, .pairs = 0, .joints = 50}).problem;
  problem.bodies[1] = {};
  problem.bodies[1].velocity = {{1, 0, 0}, {0, 0, 2}};
  for (std::size_t k = 0; k < problem.joint_rows.size(); ++k) {
    JointRow& row = problem.joint_rows[k];
    row.error = random.uniform(-0.01, 0.01);
    row.target_velocity = k % 7 == 0 ? 0.5 : 0;
    if (k % 5 == 0) row.lower = -0.1, row.upper = k % 10 == 0 ? 20 : 0.2;
  }
  return problem;
}

class LaneJointGroupsTest : public ::testing::Test {
 protected:
  LaneJointGroupsTest() : problem_(joined_bodies()) {
    lanes_.load_bodies(problem_.bodies, nullptr);
    for (std::size_t k = 0; k < problem_.joint_rows.size(); ++k) slots_.push_back(static_cast<std::int32_t>(k));
    groups_.load(problem_, slots_, lanes_);
    for (std::size_t k = 0; k < problem_.joint_rows.size(); ++k) impulse_.push_back(0.01 * static_cast<double>(k % 11));
  }
  /// u = still + L u', d = L d'.
  Velocity motion(std::size_t body, bool displacement) const {
    Velocity v = displacement ? Velocity{} : lanes_.still[body];
    if (!lanes_.can_move(body)) return v;
    const LaneBody& record = lanes_.bodies[to_index(lanes_.body_of[body])];
    const float* from = displacement ? record.displacement : record.velocity;
    double out[6];
    for (int i = 0; i < 6; ++i) {
      Velocity unit;  // component i of u is e_i . L u'
      double* const places[6] = {&unit.linear.x,  &unit.linear.y,  &unit.linear.z,
                                 &unit.angular.x, &unit.angular.y, &unit.angular.z};
      *places[i] = 1;
      const Velocity row = lanes_.scale_row(body, unit);
      out[i] = row.linear.x * from[0] + row.linear.y * from[1] + row.linear.z * from[2] + row.angular.x * from[3] +
               row.angular.y * from[4] + row.angular.z * from[5];
    }
    return {v.linear + Vec3{out[0], out[1], out[2]}, v.angular + Vec3{out[3], out[4], out[5]}};
  }

  ContactProblem problem_;
  LaneProblem lanes_;
  LaneJointGroups groups_;
  std::vector<std::int32_t> slots_;  ///< one behind the other
  std::vector<double> impulse_;
};

TEST_F(LaneJointGroupsTest, ResidualsAreThoseOfTheLaw) {
  Random random(5);
  for (LaneBody& body : lanes_.bodies)
    for (float& d : body.displacement) d = static_cast<float>(random.uniform(-1e-3, 1e-3));
  std::vector<double> minus_y(impulse_.size());
  for (const Pass pass : {Pass::biased, Pass::rigid}) {
    groups_.find_residuals(pass, lanes_, impulse_, minus_y);
    for (const JointBlock& joint : problem_.joints)
      for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
        JointRow row = problem_.joint_rows[to_index(k)];
        const auto a = to_index(joint.body_a), b = to_index(joint.body_b);
        const bool bounded = row.lower > -std::numeric_limits<double>::infinity();
        if (!bounded) row.error += joint_velocity(row, motion(a, true), motion(b, true));
        if (pass == Pass::rigid && !bounded && row.compliance == 0) row.error = 0;
        const double expected = joint_velocity(row, motion(a, false), motion(b, false)) + joint_bias(problem_, row) +
                                joint_softness(problem_, row) * impulse_[to_index(k)];
        EXPECT_NEAR(-minus_y[to_index(k)], expected, 1e-6) << k;
      }
  }
}

TEST_F(LaneJointGroupsTest, ImpulsesChangeVelocitiesAsTheyMust) {
  std::vector<Velocity> expected;
  for (std::size_t i = 0; i < problem_.bodies.size(); ++i) expected.push_back(motion(i, false));
  for (const JointBlock& joint : problem_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      apply_joint_impulse(problem_, joint, problem_.joint_rows[to_index(k)], impulse_[to_index(k)],
                          expected[to_index(joint.body_a)], expected[to_index(joint.body_b)]);
  groups_.push(impulse_, lanes_);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(norm(motion(i, false).linear - expected[i].linear), 1e-5) << i;
    EXPECT_LT(norm(motion(i, false).angular - expected[i].angular), 1e-5) << i;
  }
}

TEST_F(LaneJointGroupsTest, HeldRowsStayBetweenTheirBounds) {
  const std::vector<std::uint8_t> all(impulse_.size(), 1);
  for (int sweep = 0; sweep < 200; ++sweep) groups_.visit_held_rows(Pass::biased, problem_, all, impulse_, lanes_);
  std::vector<double> minus_y(impulse_.size());
  groups_.find_residuals(Pass::biased, lanes_, impulse_, minus_y);
  int inside = 0;
  for (std::size_t k = 0; k < impulse_.size(); k += 5) {
    const JointRow& row = problem_.joint_rows[k];
    EXPECT_GE(impulse_[k], row.lower);
    EXPECT_LE(impulse_[k], row.upper);
    const bool at_lower = impulse_[k] == row.lower, at_upper = impulse_[k] == row.upper;
    EXPECT_TRUE(at_lower || minus_y[k] > -1e-4) << k;
    EXPECT_TRUE(at_upper || minus_y[k] < 1e-4) << k;
    inside += at_lower || at_upper ? 0 : 1;
  }
  EXPECT_GT(inside, 0);
}

/// Equal mechanisms, three more than a batch holds: their rows stand side by side, and the answer is that of rows one
/// behind the other.
TEST(LaneJointGroups, SlotsSideBySideChangeNothing) {
  const ContactProblem problem = scenes::ragdolls(11, 0.05);
  LaneProblem lanes;
  lanes.load_bodies(problem.bodies, nullptr);
  Random random(7);
  for (LaneBody& body : lanes.bodies)
    for (int k = 0; k < 6 && &body != &lanes.bodies.back(); ++k)
      body.velocity[k] = static_cast<float>(random.uniform(-1, 1)),
      body.displacement[k] = static_cast<float>(random.uniform(-1e-3, 1e-3));
  LdlJoints joints({});
  joints.prepare(problem, {}, nullptr);
  const std::span<const std::int32_t> batched = joints.slots();
  std::vector<std::int32_t> plain(problem.joint_rows.size());
  std::iota(plain.begin(), plain.end(), 0);
  const auto at = [&](std::size_t k) { return to_index(batched[k]); };
  std::vector<double> impulse(plain.size()), y(plain.size());
  std::vector<double> batched_impulse(joints.slot_count()), batched_y(joints.slot_count());
  for (std::size_t k = 0; k < plain.size(); ++k) batched_impulse[at(k)] = impulse[k] = random.uniform(-1, 1);
  LaneProblem batched_lanes = lanes;
  LaneJointGroups groups, batched_groups;
  groups.load(problem, plain, lanes), batched_groups.load(problem, batched, batched_lanes);
  groups.find_residuals(Pass::biased, lanes, impulse, y);
  batched_groups.find_residuals(Pass::biased, batched_lanes, batched_impulse, batched_y);
  std::size_t unused = batched_y.size();
  for (std::size_t k = 0; k < y.size(); ++k, --unused) EXPECT_EQ(y[k], batched_y[at(k)]) << k;
  EXPECT_EQ(std::count(batched_y.begin(), batched_y.end(), 0.0), static_cast<std::ptrdiff_t>(unused));
  groups.push(impulse, lanes), batched_groups.push(batched_impulse, batched_lanes);
  for (std::size_t i = 0; i < lanes.bodies.size(); ++i)
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(lanes.bodies[i].velocity[k], batched_lanes.bodies[i].velocity[k], 1e-5) << i;
}

}  // namespace
}  // namespace cairn
