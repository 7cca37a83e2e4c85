// SPDX-License-Identifier: MIT
// JointProjector: joints that hold at the end of a step, and not only to first order.
//
// A solve makes the rates of the joints right at the poses of the beginning: J(x) u' = 0. Moving by dt u' along
// straight lines then opens every joint that turns, by dt^2/2 times its curvature. Two remedies, mechanism by
// mechanism:
//
//   SHAKE        impulses on top of the solve, along the same J(x), such that the motion of the whole step keeps to the
//                curve. Velocities and displacements get them (shake.h).
//   projection   what is still apart is closed by moving bodies alone: errors from before, and links that turn too far
//                in one step for SHAKE (pose_projection.h). Velocities are left alone, but for mechanisms that
//                go there in pieces of a small turn: theirs turn along, and lose what energy they would gain.
//
// Rows that hold rigidly take part, and rigid stops that are passed in the second part; drives, friction and what is
// compliant do not. A mechanism that neither closes is left at its best poses and counted.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/world/assembly/assemble.h"
#include "cairn/world/assembly/joint_errors.h"
#include "cairn/world/assembly/pose_projection.h"
#include "cairn/world/assembly/projection_work.h"
#include "cairn/world/assembly/shake.h"
#include "cairn/world/joints.h"
#include "cairn/world/report.h"

namespace cairn {

/// Keeps its memory from run to run. The result does not depend on the number of threads.
class JointProjector {
 public:
  /// For every assembled problem, before the solve; what is given must outlive `run`. With `foresees`, mechanisms that
  /// something touches get the curvature they will have at their present velocities as a velocity that their rows must
  /// reach, so that contacts give way to it too. Sub-steps follow the curve by themselves.
  void begin(bool foresees, const Bodies& bodies, const Joints& joints, const JointProjectionSettings& settings,
             ThreadPool* pool, Assembly& assembly);

  /// After the solve, before bodies move: changes velocity, displacement and joint impulse of the solution. `swept`:
  /// per block of joint rows, 1 where the solver swept it (LaneSolver::swept_joints): such mechanisms are left as they
  /// are.
  JointProjectionReport run(std::span<const std::uint8_t> swept);

 private:
  bool is_together();
  void foresee();
  void prepare(bool all);

  ProjectionStep step_;
  ProjectedMechanisms mechanisms_;
  JointErrors errors_;
  TrialPoses trial_;
  Shake shake_;
  PoseProjection projection_;
};

}  // namespace cairn
