// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/pose_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/dynamics/integrate.h"
#include "cairn/math/angle.h"

namespace cairn {

namespace {

using State = MechanismProgress::State;

constexpr double kMostTurn = 0.5;    // rad in one Newton step: rows are straight only so far
constexpr double kPieceTurn = 0.05;  // rad in one piece of a walk: more loses energy, and may not close
constexpr int kWeighed = 10;         // Newton steps in the metric of the masses
constexpr double kMostPieces = 64;
constexpr double kLeastPart = 1.0 / 32;  // of a Newton step
constexpr double kUnmeasured = std::numeric_limits<double>::infinity();

/// The square of the largest turn of the bodies of a mechanism.
double largest_turn2(const LdlMechanism& mechanism, const std::vector<Velocity>& displacement) {
  double turn2 = 0;
  for (const std::int32_t body : mechanism.bodies) {
    const Vec3& turn = displacement[to_index(body)].angular;
    turn2 = std::max(turn2, dot(turn, turn));
  }
  return turn2;
}

/// Pieces in which a mechanism walks, such that no body turns far in one of them.
int count_pieces(const LdlMechanism& mechanism, const std::vector<Velocity>& displacement) {
  const double turn = std::sqrt(largest_turn2(mechanism, displacement));
  return static_cast<int>(std::clamp(std::ceil(turn / kPieceTurn), 1.0, kMostPieces));
}

/// Twice the kinetic energy of a body.
double energy_of(const Bodies& bodies, std::size_t body, const Velocity& v) {
  const MassState& mass = bodies.mass[body];
  const Vec3 w = rotate_back(bodies.pose[body].orientation, v.angular);
  return mass.mass * dot(v.linear, v.linear) + dot(w, mass.inertia * w);
}

}  // namespace

/// Mechanisms that SHAKE failed on start again from the beginning of the step; others that are apart, from where they
/// are.
void PoseProjection::begin(const Parts& parts) {
  const auto& [step, mechanisms, errors, trial] = parts;
  const ContactProblem& problem = step.assembly->problem;
  late_.dt = problem.dt;
  late_.joints = problem.joints, late_.joint_rows = problem.joint_rows;
  late_.bodies.assign(problem.bodies.size(), {});
  rhs_.resize(problem.joint_rows.size()), change_.resize(problem.joint_rows.size());
  trial.pose.resize(problem.bodies.size()), best_.resize(problem.bodies.size()), walk_.resize(problem.bodies.size());
  const std::vector<Velocity>& displacement = step.assembly->solution.displacement;
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t) {
    mine.pieces = mine.state == State::failed ? count_pieces(mechanism, displacement) : 0;
    mine.pieces_left = mine.pieces;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      late_.bodies[i].inverse_mass = problem.bodies[i].inverse_mass;
      late_.bodies[i].inverse_inertia = problem.bodies[i].inverse_inertia;
      trial.pose[i] = mine.pieces > 0 ? step.bodies->pose[i] : trial.of(step, mechanisms, body);
      walk_[i] = displacement[i];
    }
  });
  for (MechanismProgress& mine : mechanisms.progress) mine.state = mine.is_together ? State::done : State::open;
  trial.is_projecting = true;
  errors.measure_at(step, mechanisms, trial, late_.joint_rows);
  errors.sum(step, mechanisms);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism&, std::size_t m) {
    if (mine.is_together) return;
    const bool is_together = mine.pieces == 0 && errors.of_mechanism(m).apart <= step.settings->tolerance;
    mine.state = mine.pieces > 0 || is_together ? State::done : State::open;
    mine.is_moved = !is_together;
    mine.merit = kUnmeasured, mine.part = 1;
  });
}

/// Bodies of the mechanisms that `picks` names, at the poses that are tried, and the factor of their joints.
template <class Picks>
void PoseProjection::factor(const Parts& parts, Picks&& picks) {
  const auto& [step, mechanisms, errors, trial] = parts;
  picked_.assign(mechanisms.progress.size(), 0);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t m) {
    if (!picks(mine)) return;
    picked_[m] = 1;
    const bool is_even = mine.is_even;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      ProblemBody& late = late_.bodies[i];
      late.inverse_mass = step.assembly->problem.bodies[i].inverse_mass;
      late.inverse_inertia = world_inverse_inertia(*step.bodies, i, trial.pose[i].orientation);
      if (is_even && late.inverse_mass > 0)
        late.inverse_inertia = (1 / late.inverse_mass) * late.inverse_inertia, late.inverse_mass = 1;
      trial.moves[i] = {};
    }
  });
  ldl_.prepare(step.without_swept(late_), errors.held(), step.pool, picked_);
  CAIRN_ASSERT(ldl_.mechanism_count() == mechanisms.progress.size());
}

/// moves += M^-1 J^T H^-1 rhs, of the mechanisms that are picked.
void PoseProjection::solve(const Parts& parts) {
  ldl_.solve_joints(rhs_, change_, 0, parts.step.pool);
  for (std::size_t m = 0; m < ldl_.mechanism_count(); ++m)
    if (picked_[m] != 0) add_impulses(late_, ldl_.mechanism(m), change_, parts.trial.moves);
}

/// One more piece of the way, along the joints where they are now. False: all mechanisms have arrived.
bool PoseProjection::walk(const Parts& parts) {
  const auto& [step, mechanisms, errors, trial] = parts;
  const auto walks = [](const MechanismProgress& mine) { return mine.pieces_left > 0; };
  if (std::ranges::none_of(mechanisms.progress, walks)) return false;
  for (MechanismProgress& mine : mechanisms.progress)
    if (walks(mine)) mine.state = State::open, mine.is_even = false;
  errors.measure_at(step, mechanisms, trial, late_.joint_rows);
  factor(parts, [](const MechanismProgress& mine) { return mine.is_open(); });
  // J (walk + M^-1 J^T l) = 0
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  for (const JointBlock& joint : late_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = late_.joint_rows[to_index(k)];
      const auto a = to_index(joint.body_a), b = to_index(joint.body_b);
      if (!is_bounded(row)) rhs_[to_index(k)] = -joint_velocity(row, walked(parts, a), walked(parts, b));
    }
  solve(parts);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t) {
    if (!mine.is_open()) return;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      walk_[i] = add_scaled(walk_[i], 1, trial.moves[i]);
      trial.pose[i] = moved(trial.pose[i], add_scaled({}, 1.0 / mine.pieces, walk_[i]));
    }
    --mine.pieces_left;
    mine.merit = kUnmeasured, mine.part = 1;
  });
  return true;
}

/// Displacement of a body over the step at its speed of now.
Velocity PoseProjection::walked(const Parts& parts, std::size_t body) const {
  const Bodies& bodies = *parts.step.bodies;
  if (body >= bodies.size()) return {};
  if (parts.mechanisms.of_body[body] >= 0) return walk_[body];
  return bodies.is_moving_kinematic(body) ? add_scaled({}, parts.step.assembly->problem.dt, bodies.velocity[body])
                                          : Velocity{};
}

/// A step that made it better is kept; of one that made it worse half is tried.
void PoseProjection::judge(const Parts& parts, int iteration) {
  const auto& [step, mechanisms, errors, trial] = parts;
  errors.measure_at(step, mechanisms, trial, late_.joint_rows);
  errors.sum(step, mechanisms);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t m) {
    if (!mine.is_open()) return;
    const JointErrors::Sums& sums = errors.of_mechanism(m);
    const bool becomes_even = !mine.is_even && iteration >= kWeighed;
    const bool is_better = sums.merit < mine.merit || becomes_even;
    mine.is_retry = !is_better;
    mine.part = is_better ? 1 : 0.5 * mine.part;
    mine.is_even = mine.is_even || becomes_even;
    if (is_better) mine.merit = sums.merit;
    if (is_better && sums.apart <= step.settings->tolerance) mine.state = State::done;
    if (mine.part < kLeastPart) mine.state = State::failed;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      Pose& pose = trial.pose[i];
      if (is_better) best_[i] = pose;
      pose = mine.is_open() && mine.is_retry ? moved(best_[i], add_scaled({}, mine.part, trial.moves[i])) : best_[i];
    }
  });
}

void PoseProjection::take_step(const Parts& parts) {
  const auto& [step, mechanisms, errors, trial] = parts;
  const auto steps = [](const MechanismProgress& mine) { return mine.is_open() && !mine.is_retry; };
  factor(parts, steps);
  for (std::size_t k = 0; k < rhs_.size(); ++k) rhs_[k] = -errors.rows()[k];
  solve(parts);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t) {
    mine.iterations += mine.is_open() ? 1 : 0;
    if (!steps(mine)) return;
    const double turn2 = largest_turn2(mechanism, trial.moves);
    const double scale = turn2 > kMostTurn * kMostTurn ? kMostTurn / std::sqrt(turn2) : 1.0;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      trial.moves[i] = add_scaled({}, scale, trial.moves[i]);
      trial.pose[i] = moved(best_[i], trial.moves[i]);
    }
  });
}

/// Newton's method until nothing is open.
void PoseProjection::close(const Parts& parts) {
  std::vector<MechanismProgress>& progress = parts.mechanisms.progress;
  for (int iteration = 0; parts.mechanisms.any_open(); ++iteration) {
    judge(parts, iteration);
    if (iteration >= parts.step.settings->iterations)
      for (MechanismProgress& mine : progress)
        if (mine.is_open()) mine.state = State::failed;
    if (parts.mechanisms.any_open()) take_step(parts);
  }
}

/// Velocities turn with the way that was walked; a mechanism has no more kinetic energy afterwards than before.
void PoseProjection::end(const Parts& parts) {
  const auto& [step, mechanisms, errors, trial] = parts;
  const Bodies& bodies = *step.bodies;
  const double dt = step.assembly->problem.dt;
  std::vector<Velocity>& velocity = step.assembly->solution.velocity;
  std::vector<Velocity>& displacement = step.assembly->solution.displacement;
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t) {
    if (!mine.is_moved) return;
    double before = 0, after = 0;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      const Pose& start = bodies.pose[i];
      const Velocity turned = add_scaled(walk_[i], -1, displacement[i]);  // of the velocity, while it walked
      before += energy_of(bodies, i, velocity[i]);
      velocity[i] = add_scaled(velocity[i], 1 / dt, turned);
      after += energy_of(bodies, i, velocity[i]);
      displacement[i] = {best_[i].position - start.position,
                         rotation_vector(best_[i].orientation * conjugate(start.orientation))};
    }
    const double share = energy_share(after, before);
    for (const std::int32_t body : mechanism.bodies)
      if (share < 1) velocity[to_index(body)] = add_scaled({}, share, velocity[to_index(body)]);
  });
  trial.is_projecting = false;
}

void PoseProjection::run(const ProjectionStep& step, ProjectedMechanisms& mechanisms, JointErrors& errors,
                         TrialPoses& trial) {
  const Parts parts{step, mechanisms, errors, trial};
  begin(parts);
  do {
    close(parts);
  } while (walk(parts));
  end(parts);
}

}  // namespace cairn
