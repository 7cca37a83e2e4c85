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
  first_error_.resize(impulse_.size()), softness_.resize(impulse_.size()), bias_.resize(impulse_.size());
  any_bounded_ = false;
  for (std::size_t k = 0; k < impulse_.size(); ++k) {
    JointRow& row = part_.joint_rows[k];
    any_bounded_ = any_bounded_ || is_bounded(row);
    row.lower *= share, row.upper *= share;
    softness_[k] = joint_softness(part_, row);
    first_error_[k] = row.error;
    if (!impulse.empty()) impulse_[k] = std::clamp(share * impulse[k], row.lower, row.upper);
  }
  bodies_.clear();
  for (const JointBlock& joint : part_.joints) bodies_.push_back(joint.body_a), bodies_.push_back(joint.body_b);
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  for (const std::int32_t body : bodies_) {
    const std::int32_t record = lanes.body_of[static_cast<std::size_t>(body)];
    if (record >= 0) lanes.touched[static_cast<std::size_t>(record)] = 1;
  }
  velocity_.resize(problem.bodies.size()), displaced_.resize(problem.bodies.size());
  push_.assign(problem.bodies.size(), {});
  y_.resize(impulse_.size()), change_.resize(impulse_.size());
  stage_->load(part_, impulse_, pool);
}

/// visit(joint, k) for every row k.
template <class Visit>
void LaneJoints::for_rows(Visit&& visit) {
  for (const JointBlock& joint : part_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      visit(joint, static_cast<std::size_t>(k));
}

inline void LaneJoints::push(const JointBlock& joint, const JointRow& row, double impulse) {
  Velocity &a = push_[static_cast<std::size_t>(joint.body_a)], &b = push_[static_cast<std::size_t>(joint.body_b)];
  a.linear += impulse * row.linear_a, a.angular += impulse * row.angular_a;
  b.linear += impulse * row.linear_b, b.angular += impulse * row.angular_b;
}

inline double LaneJoints::residual(const JointBlock& joint, std::size_t k) const {
  return joint_velocity(part_.joint_rows[k], velocity_[static_cast<std::size_t>(joint.body_a)],
                        velocity_[static_cast<std::size_t>(joint.body_b)]) +
         bias_[k] + softness_[k] * impulse_[k];
}

void LaneJoints::warm_start(LaneProblem& lanes) {
  for_rows([&](const JointBlock& joint, std::size_t k) { push(joint, part_.joint_rows[k], impulse_[k]); });
  flush(lanes);
}

void LaneJoints::solve(Pass pass, LaneProblem& lanes, ThreadPool* pool) {
  constexpr int kMostRounds = 8;  // of rows that reach their bounds; the next solve goes on
  read_bodies(lanes);
  find_biases(pass);
  bool again = true;
  for (int round = 0; again && round < kMostRounds; ++round) {
    if (any_bounded_) visit_held_rows();
    for_rows([&](const JointBlock& joint, std::size_t k) { y_[k] = residual(joint, k); });
    again = stage_->solve(y_, impulse_, change_, pool);
    for_rows([&](const JointBlock& joint, std::size_t k) {
      impulse_[k] += change_[k];
      push(joint, part_.joint_rows[k], change_[k]);
    });
    flush(lanes);
    if (again) read_bodies(lanes);
  }
}

void LaneJoints::add_up() {
  for (std::size_t k = 0; k < impulse_.size(); ++k) total_[k] += impulse_[k];
}

/// Errors at the displacements so far are found once per sub-step, in the biased pass. Not of rows with bounds: drives
/// and friction have none, and stops ahead have a speed at which they are just reached at the end of the step.
void LaneJoints::find_biases(Pass pass) {
  for_rows([&](const JointBlock& joint, std::size_t k) {
    JointRow& row = part_.joint_rows[k];
    if (pass == Pass::biased && !is_bounded(row))
      row.error = first_error_[k] + joint_velocity(row, displaced_[static_cast<std::size_t>(joint.body_a)],
                                                   displaced_[static_cast<std::size_t>(joint.body_b)]);
    const bool drops_error = pass == Pass::rigid && row.compliance == 0 && !is_bounded(row);
    bias_[k] = drops_error ? -row.target_velocity : joint_bias(part_, row);
  });
}

/// Rows that their bounds hold, one after the other: l <- clamp(l - y / K).
void LaneJoints::visit_held_rows() {
  const std::span<const std::uint8_t> taken = stage_->taken();
  for_rows([&](const JointBlock& joint, std::size_t k) {
    if (taken[k] != 0) return;
    const JointRow& row = part_.joint_rows[k];
    Velocity unit_a, unit_b;
    apply_joint_impulse(part_, joint, row, 1.0, unit_a, unit_b);
    const double stiffness = joint_velocity(row, unit_a, unit_b) + softness_[k];
    if (!(stiffness > 0)) return;
    const double next = std::clamp(impulse_[k] - residual(joint, k) / stiffness, row.lower, row.upper);
    const double delta = next - impulse_[k];
    impulse_[k] = next;
    apply_joint_impulse(part_, joint, row, delta, velocity_[static_cast<std::size_t>(joint.body_a)],
                        velocity_[static_cast<std::size_t>(joint.body_b)]);
    push(joint, row, delta);
  });
}

/// Velocity and displacement of the bodies of joints, out of their scaled coordinates.
void LaneJoints::read_bodies(const LaneProblem& lanes) {
  for (const std::int32_t body : bodies_) {
    const auto i = static_cast<std::size_t>(body);
    lanes.read_motion(i, velocity_[i], displaced_[i]);
  }
}

/// u' <- u' + L^T J^T dl.
void LaneJoints::flush(LaneProblem& lanes) {
  for (const std::int32_t body : bodies_) {
    const auto i = static_cast<std::size_t>(body);
    lanes.push(i, push_[i]);
    push_[i] = {};
  }
}

}  // namespace cairn
