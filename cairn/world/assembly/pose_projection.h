// SPDX-License-Identifier: MIT
// PoseProjection: joints that are apart are closed by moving bodies alone, velocities are left alone.
//
//   x <- x - M^-1 J^T (J M^-1 J^T)^-1 C(x)     with everything at x: the nearest poses in the metric of the masses
//
// A Newton step that makes it worse is halved. After some steps all bodies of a mechanism count alike: that bends light
// links more slowly, and ends where heavy ones must give.
// A mechanism that SHAKE failed on starts again from the beginning of the step and walks its way in pieces, along the
// joints where they are in each of them, so that no body turns far in one.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/world/assembly/joint_errors.h"
#include "cairn/world/assembly/projection_work.h"

namespace cairn {

class PoseProjection {
 public:
  /// Displacements of the solution become those to the poses reached. On return a mechanism is done or has failed.
  void run(const ProjectionStep& step, ProjectedMechanisms& mechanisms, JointErrors& errors, TrialPoses& trial);

 private:
  /// Of one run.
  struct Parts {
    const ProjectionStep& step;
    ProjectedMechanisms& mechanisms;
    JointErrors& errors;
    TrialPoses& trial;
  };

  void begin(const Parts& parts);
  void close(const Parts& parts);
  bool walk(const Parts& parts);
  Velocity walked(const Parts& parts, std::size_t body) const;
  void judge(const Parts& parts, int iteration);
  void take_step(const Parts& parts);
  void end(const Parts& parts);
  template <class Picks>
  void factor(const Parts& parts, Picks&& picks);
  void solve(const Parts& parts);

  LdlJoints ldl_{LdlSettings{}};
  ContactProblem late_;               ///< joints at the poses reached; indices as before
  std::vector<std::uint8_t> picked_;  ///< per mechanism: is in this Newton step
  std::vector<double> rhs_, change_;  ///< per joint row
  std::vector<Velocity> walk_;        ///< per body: displacement over the whole step at the velocity of a piece
  std::vector<Pose> best_;            ///< per body that is projected: the best pose so far
};

}  // namespace cairn
