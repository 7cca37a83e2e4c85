// SPDX-License-Identifier: MIT
// LaneJoints: the joints of a step inside sub-steps whose contacts are in lanes. Contacts are swept in float; joints
// are solved together in double by the block LDL (ldl_joints.h), with one factor for the step, and change the
// velocities of their bodies' records.
//
//   y = J u + bias + G l,  (J M^-1 J^T + G) dl = -y,  u' <- u' + L^T J^T dl
//
// Rows are those of the beginning of the step; errors of rows that hold go with the displacement, e + J d. Bounds and
// impulses are those of one sub-step: what holds for the step is spread over them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/problem/lane_problem.h"
#include "cairn/solvers/joint_stage.h"

namespace cairn {

class LaneJoints {
 public:
  LaneJoints();

  /// Bodies and joints of `problem`; its contacts are not looked at. `impulse`: of the whole step, or empty.
  void load(const ContactProblem& problem, std::span<const double> impulse, int sub_steps, LaneProblem& lanes,
            ThreadPool* pool);

  bool empty() const { return part_.joints.empty(); }

  /// Adds the velocities that the impulses make.
  void warm_start(LaneProblem& lanes);

  /// Which errors the rows take back: all, or none of those that hold rigidly (their speed is taken back).
  enum class Pass { biased, rigid };
  void solve(Pass pass, LaneProblem& lanes, ThreadPool* pool);

  /// After the last solve of a sub-step.
  void add_up();

  std::span<const double> total() const { return total_; }  ///< per joint row, over the sub-steps
  std::span<const double> last() const { return impulse_; }
  void describe(SolveReport& report) const { stage_->describe(report); }

 private:
  template <class Visit>
  void for_rows(Visit&& visit);
  void find_biases(Pass pass);
  double residual(const JointBlock& joint, std::size_t k) const;  ///< y of row k
  void visit_held_rows();
  void read_bodies(const LaneProblem& lanes);
  void push(const JointBlock& joint, const JointRow& row, double impulse);
  void flush(LaneProblem& lanes);

  ContactProblem part_;  ///< bodies and joints, over one sub-step
  std::unique_ptr<JointStage> stage_;
  std::vector<std::int32_t> bodies_;                  ///< of joints, ascending
  std::vector<Velocity> velocity_, displaced_;        ///< per body of the problem, of those in bodies_
  std::vector<Velocity> push_;                        ///< per body of the problem: J^T dl
  std::vector<double> impulse_, total_, y_, change_;  ///< per joint row
  std::vector<double> first_error_;                   ///< per joint row: at the beginning of the step
  std::vector<double> bias_, softness_;               ///< per joint row
  bool any_bounded_ = false;
};

}  // namespace cairn
