// SPDX-License-Identifier: MIT
// StepReport: what a step did, how long each part took and how good the answer is.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/joints/joint.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// The parts of a step that are timed.
enum class Stage { broad, narrow, cache, graph, assemble, solve, advance };
inline constexpr int kStageCount = 7;
const char* to_string(Stage stage);

/// Seconds per stage: by the clock, and of all processors together.
struct StageTimes {
  double wall[kStageCount] = {};
  double cpu[kStageCount] = {};  ///< 0 unless World::measure_cpu_times
};

/// What joint projection did in one step; mechanisms (bodies connected by joints) are counted.
struct JointProjectionReport {
  std::int64_t carried = 0;    ///< closed by a SHAKE step, velocities included
  std::int64_t projected = 0;  ///< closed by moving bodies alone
  std::int64_t apart = 0;      ///< still further apart than the tolerance
  int iterations = 0;          ///< of both parts, of the mechanism that took most
};

/// A mechanism with redundant constraints: closed loops, parallel hinges.
struct RedundantMechanism {
  JointId joint;               ///< its first; null if that is a locked axis
  std::int32_t rows = 0;       ///< of its joints
  std::int32_t redundant = 0;  ///< rows that the others imply
};

/// What a step did. World::step returns it.
struct StepReport {
  std::int64_t step = 0;  ///< steps done, this one included
  double time = 0;        ///< s of simulated time, this step included
  StageTimes times;
  std::int64_t bodies = 0, awake_bodies = 0;
  std::int64_t pairs = 0;      ///< of shapes whose bounds overlap
  std::int64_t manifolds = 0;  ///< contacts of up to four points with one normal
  std::int64_t contacts = 0;   ///< points in the problem; those of sleeping bodies are not in it
  std::int64_t recycled = 0;   ///< manifolds kept from an earlier step
  std::int64_t islands = 0, sleeping_islands = 0;
  int colours = 0;  ///< of the contact graph: contacts of one colour share no body that moves
  SolveReport solve;
  std::int64_t measured_step = 0;             ///< the step whose answer solve.residual judges; 0: none was judged yet
  double kinetic_energy = 0;                  ///< J, at the end of the step
  double potential_energy = 0;                ///< J, of gravity
  double max_overlap = 0;                     ///< m, deepest contact found by this step's detection
  double mean_overlap = 0;                    ///< m, over all contact points, those that only nearly touch counted as 0
  std::int64_t joints = 0;                    ///< that are enabled
  double max_joint_error = 0;                 ///< m, largest separation at the beginning of the step
  double max_joint_angle_error = 0;           ///< rad
  double drive_work = 0;                      ///< J, that drives and springs of joints did in this step
  std::vector<RedundantMechanism> redundant;  ///< the worst, where the solver can tell; JointReport counts them all
  JointProjectionReport joint_projection;
  std::vector<JointId> broken_joints;  ///< removed after this step because they carried too much
  std::vector<BodyId> quarantined;     ///< frozen in this step because their numbers broke down
};

}  // namespace cairn
