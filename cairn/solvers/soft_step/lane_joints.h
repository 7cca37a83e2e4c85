// SPDX-License-Identifier: MIT
// LaneJoints: the joints of a step that are solved directly, inside sub-steps whose contacts are in lanes. Contacts are
// swept in float; joints are solved together in double by the block LDL (ldl_joints.h), with one factor for the step,
// and change the velocities of their bodies' records.
//
//   y = J u + bias + G l,  (J M^-1 J^T + G) dl = -y,  u' <- u' + L^T J^T dl
//
// Rows are those of the beginning of the step; errors of rows that hold go with the displacement, e + J d. Bounds and
// impulses are those of one sub-step: what holds for the step is spread over them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cairn/core/aligned.h"
#include "cairn/core/index.h"
#include "cairn/problem/lanes/lane_problem.h"
#include "cairn/solvers/ldl/ldl_stage.h"
#include "cairn/solvers/soft_step/joint_choice.h"
#include "cairn/solvers/soft_step/lane_joint_groups.h"

namespace cairn {

class LaneJoints {
 public:
  LaneJoints();

  /// Bodies of `problem` and the joints of one batch that are not swept; its contacts are not looked at. `impulse`: of
  /// the whole step, or empty.
  struct Part {
    int batch = 0, sub_steps = 1;
  };
  void load(const ContactProblem& problem, const JointChoice& choice, std::span<const double> impulse, Part part,
            LaneProblem& lanes, ThreadPool* pool);

  /// As if the problem had no joints.
  void clear() { part_.joints = {}; }
  bool empty() const { return part_.joints.empty(); }

  /// Adds the velocities that the impulses make.
  void warm_start(LaneProblem& lanes);

  using Pass = LaneJointGroups::Pass;
  void solve(Pass pass, LaneProblem& lanes, ThreadPool* pool);

  /// After the last solve of a sub-step.
  void add_up();

  /// Over the sub-steps, to the joint rows of the batch.
  void read_total(std::span<double> impulse) const;
  /// Adds what was done to the report.
  void describe(SolveReport& report) const;

  /// The batch of a joint: that of its bodies; -1 if none of them can move.
  static int batch_of(const JointBlock& joint, const LaneProblem& lanes);

 private:
  void pick_joints(const ContactProblem& problem, const JointChoice& choice, int batch, const LaneProblem& lanes);
  void divide_bounds(double share);
  std::size_t slot(std::int32_t row) const { return to_index(stage_->slots()[to_index(row)]); }

  JointProblem part_;                  ///< over one sub-step
  ContactProblem law_;                 ///< of it: dt, and rows if their bounds are not those of the step
  std::vector<JointBlock> joints_;     ///< of the batch
  std::vector<std::int32_t> numbers_;  ///< what they are in the problem
  std::unique_ptr<LdlStage> stage_;
  LaneJointGroups groups_;
  std::vector<double> start_;                                 ///< per joint row, impulses of a sub-step at first
  AlignedVector<double> impulse_, total_, minus_y_, change_;  ///< per slot
};

}  // namespace cairn
