// SPDX-License-Identifier: MIT
#include "cairn/solvers/lane_joints.h"

#include <algorithm>

#include "cairn/solvers/ldl_pgs.h"
#include "cairn/solvers/ldl_structure.h"

namespace cairn {

LaneJoints::LaneJoints() : stage_(make_ldl_stage({})) {}

void LaneJoints::load(const ContactProblem& problem, std::span<const double> impulse, int sub_steps, LaneProblem& lanes,
                      ThreadPool* pool) {
  part_.joints = problem.joints;
  impulse_.assign(problem.joint_rows.size(), 0.0), total_.assign(problem.joint_rows.size(), 0.0);
  if (part_.joints.empty()) return;
  const double share = 1.0 / sub_steps;
  part_.dt = share * problem.dt;
  part_.stabilisation = problem.stabilisation;
  part_.bodies = problem.bodies;
  part_.joint_rows = problem.joint_rows;
  any_bounded_ = false;
  for (std::size_t k = 0; k < impulse_.size(); ++k) {
    JointRow& row = part_.joint_rows[k];
    any_bounded_ = any_bounded_ || is_bounded(row);
    row.lower *= share, row.upper *= share;
    if (!impulse.empty()) impulse_[k] = std::clamp(share * impulse[k], row.lower, row.upper);
  }
  for (const JointBlock& joint : part_.joints)
    for (const std::int32_t body : {joint.body_a, joint.body_b})
      if (const std::int32_t record = lanes.body_of[static_cast<std::size_t>(body)]; record >= 0)
        lanes.touched[static_cast<std::size_t>(record)] = 1;
  y_.resize(impulse_.size()), change_.resize(impulse_.size());
  groups_.load(part_, lanes);
  stage_->load(part_, impulse_, pool);
}

void LaneJoints::warm_start(LaneProblem& lanes) { groups_.push(impulse_, lanes); }

void LaneJoints::solve(Pass pass, LaneProblem& lanes, ThreadPool* pool) {
  constexpr int kMostRounds = 8;  // of rows that reach their bounds; the next solve goes on
  bool again = true;
  for (int round = 0; again && round < kMostRounds; ++round) {
    if (any_bounded_) groups_.visit_held_rows(pass, part_, stage_->taken(), impulse_, lanes);
    groups_.find_residuals(pass, lanes, impulse_, y_);
    again = stage_->solve(y_, impulse_, change_, pool);
    for (std::size_t k = 0; k < impulse_.size(); ++k) impulse_[k] += change_[k];
    groups_.push(change_, lanes);
  }
}

void LaneJoints::add_up() {
  for (std::size_t k = 0; k < impulse_.size(); ++k) total_[k] += impulse_[k];
}

}  // namespace cairn
