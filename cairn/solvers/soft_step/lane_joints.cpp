// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step/lane_joints.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/solvers/ldl/ldl_pgs.h"
#include "cairn/solvers/ldl/ldl_structure.h"

namespace cairn {

LaneJoints::LaneJoints() : stage_(make_ldl_stage({})) {}

int LaneJoints::batch_of(const JointBlock& joint, const LaneProblem& lanes) {
  for (const std::int32_t body : {joint.body_a, joint.body_b})
    if (lanes.can_move(to_index(body))) return lanes.batch_of[to_index(body)];
  return -1;
}

void LaneJoints::pick_joints(const ContactProblem& problem, const JointChoice& choice, int batch,
                             const LaneProblem& lanes) {
  joints_.clear(), numbers_.clear();
  for (std::size_t k = 0; k < problem.joints.size(); ++k)
    if (!choice.is_swept(k) && batch_of(problem.joints[k], lanes) == batch)
      joints_.push_back(problem.joints[k]), numbers_.push_back(static_cast<std::int32_t>(k));
  part_ = problem, part_.joints = joints_;
}

void LaneJoints::load(const ContactProblem& problem, const JointChoice& choice, std::span<const double> impulse,
                      Part part, LaneProblem& lanes, ThreadPool* pool) {
  const double share = 1.0 / part.sub_steps;
  law_.dt = share * problem.dt, law_.stabilisation = problem.stabilisation;
  pick_joints(problem, choice, part.batch, lanes);
  part_.law = &law_;
  if (empty()) return;
  CAIRN_ASSERT(impulse.empty() || impulse.size() == part_.joint_rows.size());
  start_.assign(part_.joint_rows.size(), 0.0);
  for (std::size_t k = 0; k < impulse.size(); ++k) start_[k] = share * impulse[k];
  divide_bounds(share);
  for (const JointBlock& joint : part_.joints) lanes.touch(joint.body_a), lanes.touch(joint.body_b);
  stage_->load(part_, start_, pool);
  for (AlignedVector<double>* array : {&impulse_, &total_, &minus_y_, &change_})
    array->assign(stage_->slot_count(), 0.0);
  // Rows without bounds are solved directly and start from nothing. Where some of them imply others, impulses that no
  // factor sees would act again and again: a net of 14 x 14 balls on ball joints gained energy without end.
  for (const JointBlock& joint : part_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      if (is_bounded(part_.joint_rows[to_index(k)])) impulse_[slot(k)] = start_[to_index(k)];
  groups_.load(part_, stage_->slots(), lanes);
}

/// Of the step to those of a sub-step, in a copy of the rows if there are any; the impulses keep to them.
void LaneJoints::divide_bounds(double share) {
  if (std::ranges::none_of(part_.joint_rows, is_bounded)) return;
  law_.joint_rows.assign(part_.joint_rows.begin(), part_.joint_rows.end());
  for (std::size_t k = 0; k < start_.size(); ++k) {
    JointRow& row = law_.joint_rows[k];
    row.lower *= share, row.upper *= share;
    start_[k] = std::clamp(start_[k], row.lower, row.upper);
  }
  part_.joint_rows = law_.joint_rows;
}

void LaneJoints::warm_start(LaneProblem& lanes) { groups_.push(impulse_, lanes); }

void LaneJoints::solve(Pass pass, LaneProblem& lanes, ThreadPool* pool) {
  constexpr int kMostRounds = 8;  // of rows that reach their bounds; the next solve goes on
  stage_->begin();
  bool again = true;
  for (int round = 0; again && round < kMostRounds; ++round) {
    if (stage_->has_bounds()) groups_.visit_held_rows(pass, part_, stage_->left_to_sweep(), impulse_, lanes);
    groups_.find_residuals(pass, lanes, impulse_, minus_y_);
    again = stage_->solve_slots(minus_y_, impulse_, change_, pool);
    for (std::size_t k = 0; k < impulse_.size(); ++k) impulse_[k] += change_[k];
    groups_.push(change_, lanes);
  }
}

void LaneJoints::add_up() {
  for (std::size_t k = 0; k < impulse_.size(); ++k) total_[k] += impulse_[k];
}

void LaneJoints::read_total(std::span<double> impulse) const {
  for (const JointBlock& joint : part_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      impulse[to_index(k)] = total_[slot(k)];
}

void LaneJoints::describe(SolveReport& report) const {
  SolveReport mine;
  stage_->describe(mine);
  for (MechanismRank& rank : mine.joints.ranks)
    if (rank.redundant > 0) rank.joint = numbers_[to_index(rank.joint)];
  add_report(mine.joints, report.joints);
}

}  // namespace cairn
