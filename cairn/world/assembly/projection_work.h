// SPDX-License-Identifier: MIT
// What the parts of joint projection share in a step: its input, the mechanisms with their progress, and the poses that
// are tried. Internal to project_joints.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/solvers/ldl/ldl_joints.h"
#include "cairn/world/assembly/assemble.h"
#include "cairn/world/joints.h"

namespace cairn {

/// The step as it was given. Everything must outlive it.
struct ProjectionStep {
  const Bodies* bodies = nullptr;
  const Joints* joints = nullptr;
  const JointProjectionSettings* settings = nullptr;
  ThreadPool* pool = nullptr;
  Assembly* assembly = nullptr;
  std::span<const std::uint8_t> swept;  ///< per block of joint rows; empty: none

  bool has_joints() const { return !assembly->problem.joints.empty() && joints->size() > 0; }
  bool is_swept(std::size_t joint) const;
  /// A problem with the joints of this step, without those that were swept.
  JointProblem without_swept(const ContactProblem& problem) const;
};

/// How far a mechanism has come. All are open at first.
struct MechanismProgress {
  enum class State : std::uint8_t { open, failed, done };
  State state = State::open;
  bool is_together = false;  ///< its joints hold without anything being done
  bool is_even = false;      ///< all bodies weigh the same: slower to bend light links where heavy ones must give
  bool is_retry = false;     ///< the last Newton step made it worse, a part of it is tried
  double merit = 0;          ///< sum of the squares of the errors, at the best poses so far
  double taken = 0;          ///< J, twice the energy that the solve took
  double part = 1;           ///< of the Newton step that is tried
  bool is_moved = false;     ///< by the projection of poses
  int pieces = 0, pieces_left = 0;
  int iterations = 0;

  bool is_open() const { return state == State::open; }
};

/// The mechanisms of a step, with the factor of J M^-1 J^T at its beginning.
struct ProjectedMechanisms {
  LdlJoints ldl{LdlSettings{}};
  bool is_factored = false;
  std::vector<MechanismProgress> progress;  ///< per mechanism; empty: they are not known yet, all are open
  std::vector<std::uint8_t> picked;         ///< per mechanism: is factored
  std::vector<std::int32_t> of_block;       ///< mechanism per block of joint rows; -1: none
  std::vector<std::int32_t> of_body;        ///< the same per body

  /// Which mechanism blocks and bodies belong to; the progress of all begins.
  void number(const ContactProblem& problem);
  std::int32_t of_joint(const Joints& joints, std::size_t joint) const;
  bool any_open() const { return std::ranges::any_of(progress, &MechanismProgress::is_open); }

  /// visit(progress, mechanism, its number) on the pool.
  template <class Visit>
  void for_each(ThreadPool* pool, Visit&& visit) {
    constexpr std::int64_t kMechanismGrain = 4;
    for_each_index(pool, progress.size(), kMechanismGrain,
                   [&](std::size_t m) { visit(progress[m], ldl.mechanism(m), m); });
  }
};

/// Where bodies are tried at the end of the step.
struct TrialPoses {
  std::vector<Velocity> moves;  ///< per body: change of velocity so far; of displacement in one Newton step of poses
  std::vector<Pose> pose;       ///< per body of a mechanism whose poses are projected
  bool is_projecting = false;   ///< `pose` holds for mechanisms that are open

  Pose of(const ProjectionStep& step, const ProjectedMechanisms& mechanisms, std::int32_t body) const;
};

/// a + scale b.
inline Velocity add_scaled(const Velocity& a, double scale, const Velocity& b) {
  return {a.linear + scale * b.linear, a.angular + scale * b.angular};
}

/// M^-1 J^T lambda of the rows of one mechanism, added to the bodies that can move: no other mechanism has them.
void add_impulses(const ContactProblem& problem, const LdlMechanism& mechanism, std::span<const double> impulse,
                  std::span<Velocity> to);

/// lambda . J u over the rows of one mechanism.
double joint_power(const ContactProblem& problem, const LdlMechanism& mechanism, std::span<const double> impulse,
                   std::span<const Velocity> u);

/// How much of a change of velocity may be given, so that it has no more kinetic energy than was taken.
double energy_share(double given, double taken);

}  // namespace cairn
