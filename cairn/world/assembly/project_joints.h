// SPDX-License-Identifier: MIT
// JointProjector: joints that hold at the end of a step, and not only to first order.
//
// A solve makes the rates of the joints right at the poses of the beginning: J(x) u' = 0. Moving by dt u' along
// straight lines then opens every joint that turns, by dt^2/2 times its curvature. Two remedies, mechanism by
// mechanism:
//
//   carry    impulses on top of the solve, along the same J(x), such that the motion of the whole step keeps to the
//            curve: C(x + dt (u' + M^-1 J^T l)) = C(x) + dt J u'. Velocities and displacements get them. This is SHAKE
//            (Ryckaert, Ciccotti, Berendsen 1977): second order and without a drift of the energy. Newton's method with
//            the matrix of the beginning, which has one factor for the whole step.
//   project  what is still apart (errors from before, links that turn too far in one step for the first remedy) is
//            closed by moving bodies, x <- x - M^-1 J^T (J M^-1 J^T)^-1 C(x) with everything at x: the nearest poses in
//            the metric of the masses. A mechanism that the first remedy could not close starts again at the old poses
//            and goes there in pieces of a small turn. Its velocities turn along, and lose what kinetic energy they
//            would gain. Velocities of the others are left alone.
//
// Rows that hold rigidly take part, and rigid stops that are passed in the second part; drives, friction and what is
// compliant do not. A mechanism that neither closes is left at its best poses and counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/solvers/ldl/ldl_joints.h"
#include "cairn/world/assembly/assemble.h"
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
  enum class State : std::uint8_t { open, failed, done };
  struct Progress {
    State state = State::open;
    bool is_together = false;  ///< its joints hold without anything being done
    bool is_even = false;      ///< all bodies weigh the same: slower to bend light links where heavy ones must give
    bool is_retry = false;     ///< the last Newton step made it worse, a part of it is tried
    double merit = 0;          ///< sum of the squares of the errors, at the best poses so far
    double taken = 0;          ///< J, twice the energy that the solve took
    double part = 1;           ///< of the Newton step that is tried
    bool is_moved = false;     ///< by the second part
    int pieces = 0, pieces_left = 0;
    int iterations = 0;
  };
  struct Errors {
    double merit = 0, largest = 0;  ///< of what is solved for
    double apart = 0;               ///< m or rad, by which rows that are projected are apart
  };

  void foresee();
  bool is_swept(std::size_t joint) const;
  JointProblem problem_of(const ContactProblem& problem) const;
  bool has_joints() const { return !assembly_->problem.joints.empty() && joints_->size() > 0; }
  bool is_together();
  bool are_within_tolerance(const Errors& errors) const;
  bool all_surely_hold() const;
  bool surely_holds(std::size_t joint) const;
  Velocity way_of(std::int32_t body) const;
  void prepare(bool all);
  void find_mechanisms();
  void find_touched();
  void find_taken();
  void carry();
  void judge_carried(int iteration);
  void project();
  int count_pieces(const LdlMechanism& mechanism) const;
  void begin_projection();
  template <class Picks>
  void prepare_late(Picks&& picks);
  void solve_late();
  bool walk();
  Velocity walked(std::size_t body) const;
  void judge_projected(int iteration);
  void step_projected();
  double energy_of(std::size_t body, const Velocity& v) const;
  void end_projection();

  /// Errors of all joints of open mechanisms, by row, by joint and by mechanism.
  void measure(bool from_targets);
  void measure_joint(std::size_t joint, bool from_targets, JointPlace& place, JointRows& rows);
  void sum_errors();
  Pose pose_after(std::int32_t body) const;
  bool any_open() const;
  std::int32_t mechanism_of(std::size_t joint) const;
  template <class Visit>
  void for_mechanisms(Visit&& visit);

  // Of one step.
  const Bodies* bodies_ = nullptr;
  const Joints* joints_ = nullptr;
  const JointProjectionSettings* settings_ = nullptr;
  ThreadPool* pool_ = nullptr;
  Assembly* assembly_ = nullptr;
  std::span<const std::uint8_t> swept_;  ///< per block of joint rows; empty: none
  bool is_projecting_ = false;
  bool is_prepared_ = false;  ///< the matrix of the beginning has its factor

  LdlJoints ldl_{LdlSettings{}}, late_ldl_{LdlSettings{}};
  ContactProblem late_;                 ///< joints at the poses reached; indices as before
  std::vector<Progress> progress_;      ///< per mechanism; empty: they are not known yet, all are open
  std::vector<std::uint8_t> touched_;   ///< per mechanism
  std::vector<std::uint8_t> picked_;    ///< per mechanism: is in this step of the projection
  std::vector<double> spent_;           ///< per mechanism: of what is taken, given before the solve; empty: nothing
  std::vector<Errors> total_;           ///< per mechanism
  std::vector<Errors> of_joint_;        ///< per joint
  std::vector<std::int32_t> of_block_;  ///< mechanism per block of joint rows; -1: none
  std::vector<std::int32_t> of_body_;   ///< the same per body
  std::vector<std::uint8_t> held_;      ///< per joint row: takes part
  std::vector<double> target_, errors_, rhs_, impulse_, change_;  ///< per joint row
  std::vector<Velocity> start_;                                   ///< per body, velocity at the beginning of the step
  std::vector<Velocity> moves_;    ///< per body: change of velocity so far; of displacement in one Newton step
  std::vector<Velocity> walk_;     ///< per body: displacement over the whole step at the velocity of a piece
  std::vector<Pose> pose_, from_;  ///< per body that is projected: where it is tried, and the best so far
};

}  // namespace cairn
