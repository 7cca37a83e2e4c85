// SPDX-License-Identifier: MIT
// Shake: impulses on top of a solve that keep its joints to the curve (Ryckaert, Ciccotti, Berendsen 1977).
//
//   C(x + dt (u' + M^-1 J^T l)) = C(x) + dt J u'
//
// along the J of the beginning, by Newton's method with the matrix of the beginning, which has one factor for the whole
// step. Velocities and displacements get the impulses: second order, without a drift of the energy. Mechanism by
// mechanism; one whose error does not halve in each iteration has failed and is left as it was.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/world/assembly/joint_errors.h"
#include "cairn/world/assembly/projection_work.h"

namespace cairn {

class Shake {
 public:
  /// A new step: nothing was foreseen.
  void begin() { spent_.clear(); }

  /// Before the solve, with the solution at the velocities of now: mechanisms that something touches get the curvature
  /// they will have as a velocity that their rows must reach.
  void foresee(const ProjectionStep& step, const JointErrors& errors, ProjectedMechanisms& mechanisms);

  /// After the solve, with the errors measured from the targets.
  void run(const ProjectionStep& step, ProjectedMechanisms& mechanisms, JointErrors& errors, TrialPoses& trial);

 private:
  void find_taken(const ProjectionStep& step, std::size_t rows, ProjectedMechanisms& mechanisms);
  void find_touched(const ContactProblem& problem, const ProjectedMechanisms& mechanisms);
  void give(const ProjectionStep& step, ProjectedMechanisms& mechanisms, TrialPoses& trial) const;

  std::vector<double> rhs_, change_, impulse_;  ///< per joint row
  std::vector<Velocity> start_;                 ///< per body, velocity at the beginning of the step
  std::vector<std::uint8_t> touched_;           ///< per mechanism
  std::vector<double> spent_;  ///< per mechanism: of what is taken, given before the solve; empty: nothing
};

}  // namespace cairn
