// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/project_joints.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/dynamics/integrate.h"
#include "cairn/math/angle.h"

namespace cairn {

namespace {

constexpr std::int64_t kJointGrain = 64, kMechanismGrain = 4;
constexpr int kMostCarried = 8;      // iterations of the first part
constexpr double kSlow = 0.25;       // of the merit: the error must halve in each of them
constexpr double kMostTurn = 0.5;    // rad in one Newton step: rows are straight only so far
constexpr double kPieceTurn = 0.05;  // rad in one piece of a walk: more loses energy, and may not close
constexpr int kWeighed = 10;         // Newton steps in the metric of the masses
constexpr double kMostPieces = 64;
constexpr double kLeastPart = 1.0 / 32;  // of a Newton step

/// M^-1 J^T lambda of the rows of one mechanism, added to the bodies that can move: no other mechanism has them.
void add_impulses(const ContactProblem& problem, const LdlMechanism& mechanism, const std::vector<double>& impulse,
                  std::vector<Velocity>& to) {
  Velocity fixed;
  const auto body = [&](std::int32_t i) -> Velocity& {
    const auto k = to_index(i);
    return problem.bodies[k].is_dynamic() ? to[k] : fixed;
  };
  std::size_t row = 0;
  for (std::size_t b = 0; b < mechanism.structure.blocks.size(); ++b) {
    const JointBlock& joint = problem.joints[to_index(mechanism.block_joint[b])];
    for (std::int32_t k = 0; k < mechanism.structure.blocks[b].degree; ++k, ++row) {
      const auto index = to_index(mechanism.rows[row]);
      apply_joint_impulse(problem, joint, problem.joint_rows[index], impulse[index], body(joint.body_a),
                          body(joint.body_b));
    }
  }
}

/// lambda . J u over the rows of one mechanism.
double power(const ContactProblem& problem, const LdlMechanism& mechanism, const std::vector<double>& impulse,
             const std::vector<Velocity>& u) {
  double sum = 0;
  std::size_t row = 0;
  for (std::size_t b = 0; b < mechanism.structure.blocks.size(); ++b) {
    const JointBlock& joint = problem.joints[to_index(mechanism.block_joint[b])];
    for (std::int32_t k = 0; k < mechanism.structure.blocks[b].degree; ++k, ++row) {
      const auto index = to_index(mechanism.rows[row]);
      sum += impulse[index] *
             joint_velocity(problem.joint_rows[index], u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
    }
  }
  return sum;
}

/// How much of a change of velocity may be given, so that it has no more kinetic energy than was taken.
double share_of(double given, double taken) {
  return given > 0 && given > taken ? std::sqrt(std::max(taken, 0.0) / given) : 1.0;
}

Velocity sum(const Velocity& a, double scale, const Velocity& b) {
  return {a.linear + scale * b.linear, a.angular + scale * b.angular};
}

}  // namespace

template <class Visit>
void JointProjector::for_mechanisms(Visit&& visit) {
  for_each_index(pool_, progress_.size(), kMechanismGrain,
                 [&](std::size_t m) { visit(progress_[m], ldl_.mechanism(m), m); });
}

std::int32_t JointProjector::mechanism_of(std::size_t joint) const {
  const std::int32_t block = joints_->first_block[joint];
  return block < joints_->first_block[joint + 1] ? of_block_[to_index(block)] : -1;
}

bool JointProjector::any_open() const {
  return std::any_of(progress_.begin(), progress_.end(), [](const Progress& p) { return p.state == State::open; });
}

bool JointProjector::is_swept(std::size_t joint) const {
  const std::int32_t block = joints_->first_block[joint];
  return !swept_.empty() && block < joints_->first_block[joint + 1] && swept_[to_index(block)] != 0;
}

/// Without the joints that were swept.
JointProblem JointProjector::problem_of(const ContactProblem& problem) const {
  JointProblem part(problem);
  part.left_out = swept_;
  return part;
}

/// Where a body is at the end of the step, as far as that is known.
Pose JointProjector::pose_after(std::int32_t body) const {
  if (body < 0) return {};
  const auto i = to_index(body);
  const double dt = assembly_->problem.dt;
  if (is_projecting_ && of_body_[i] >= 0 && progress_[to_index(of_body_[i])].state == State::open) return pose_[i];
  if (bodies_->is_active(i)) return moved(bodies_->pose[i], sum(assembly_->solution.displacement[i], dt, moves_[i]));
  if (bodies_->is_moving_kinematic(i)) return moved(bodies_->pose[i], sum({}, dt, bodies_->velocity[i]));
  return bodies_->pose[i];
}

void JointProjector::measure_joint(std::size_t joint, bool from_targets, JointPlace& place, JointRows& rows) {
  const JointState& state = joints_->state[joint];
  const JointPoses poses{pose_after(state.body_a), pose_after(state.body_b), pose_after(state.carrier)};
  place_joint(*bodies_, joints_->def[joint], state, poses, assembly_->problem.dt, place);
  write_rows(joints_->def[joint], place, rows);
  Errors& errors = of_joint_[joint] = {};
  const auto first = to_index(joints_->first_row[joint]);
  for (std::size_t k = 0; k < to_index(rows.count); ++k) {
    const JointRow& row = rows.row[k];
    // Beyond a stop there is an error; drives and friction that are rigid have none.
    const bool is_stop = row.error != 0, is_held = static_cast<int>(k) < rows.holding;
    const bool is_projected = row.compliance == 0 && (is_held || is_stop);
    if (is_projected) errors.apart = std::max(errors.apart, std::fabs(row.error));
    if (is_projecting_) held_[first + k] = is_projected ? 1 : 0, late_.joint_rows[first + k] = row;
    double& error = errors_[first + k] = 0;
    if (held_[first + k] != 0) error = row.error - (from_targets ? target_[first + k] : 0.0);
    errors.merit += error * error, errors.largest = std::max(errors.largest, std::fabs(error));
  }
}

void JointProjector::measure(bool from_targets) {
  parallel_for(pool_, static_cast<std::int64_t>(joints_->size()), kJointGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 JointPlace place;
                 JointRows rows;
                 for (auto j = to_index(begin); j < to_index(end); ++j) {
                   if (joints_->first_row[j] == joints_->first_row[j + 1] || is_swept(j)) continue;
                   const std::int32_t m = progress_.empty() ? -1 : mechanism_of(j);
                   if (progress_.empty() || (m >= 0 && progress_[to_index(m)].state == State::open))
                     measure_joint(j, from_targets, place, rows);
                 }
               });
}

void JointProjector::sum_errors() {
  total_.assign(progress_.size(), {});
  for (std::size_t j = 0; j < joints_->size(); ++j) {
    const std::int32_t m = mechanism_of(j);
    if (m < 0) continue;
    Errors& total = total_[to_index(m)];
    total.merit += of_joint_[j].merit;
    total.largest = std::max(total.largest, of_joint_[j].largest);
    total.apart = std::max(total.apart, of_joint_[j].apart);
  }
}

/// Displacement of a body over the step, before anything is projected.
Velocity JointProjector::way_of(std::int32_t body) const {
  if (body < 0) return {};
  const auto i = to_index(body);
  if (bodies_->is_active(i)) return assembly_->solution.displacement[i];
  return bodies_->is_moving_kinematic(i) ? sum({}, assembly_->problem.dt, bodies_->velocity[i]) : Velocity{};
}

/// From the rows of the beginning and how far they can bend. False: only rows at the end can tell.
bool JointProjector::surely_holds(std::size_t joint) const {
  constexpr double kSure = 0.99;  // of the tolerance: the rest is for rounding
  const JointState& state = joints_->state[joint];
  const std::int32_t first = joints_->first_row[joint], end = joints_->first_row[joint + 1];
  if (first == end) return true;
  const ContactProblem& problem = assembly_->problem;
  const auto length = [](const Vec3& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); };
  const Velocity way_a = way_of(state.body_a), way_b = way_of(state.body_b);
  const double turn = length(way_a.angular) + length(way_b.angular);
  const double left = kSure * settings_->tolerance - most_bend(turn, length(way_b.linear - way_a.linear), state.reach);
  if (!(turn <= 1 && left >= 0)) return false;
  const auto velocity = [&](std::int32_t body) {
    return assembly_->solution.velocity[body >= 0 ? to_index(body) : bodies_->size()];
  };
  const Velocity u_a = velocity(state.body_a), u_b = velocity(state.body_b);
  for (std::int32_t k = first; k < end; ++k) {
    const JointRow& row = problem.joint_rows[to_index(k)];
    const double way = joint_velocity(row, way_a, way_b);
    const double target = problem.dt * (joint_velocity(row, u_a, u_b) - row.target_velocity);
    const bool holds = std::fabs(row.error + way) <= left && std::fabs(way - target) <= left;
    if (row.compliance == 0 && !holds) return false;
  }
  return true;
}

bool JointProjector::all_surely_hold() const {
  std::atomic<bool> all = true;
  parallel_for(pool_, static_cast<std::int64_t>(joints_->size()), kJointGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto j = to_index(begin); j < to_index(end) && all; ++j)
                   if (!is_swept(j) && !surely_holds(j)) all = false;
               });
  return all;
}

/// Nothing turns and nothing was apart: there is nothing to do. Sets the targets on the way, C(x) + dt J u', without
/// what was foreseen, unless it is plain that there is nothing.
bool JointProjector::is_together() {
  if (all_surely_hold()) return true;
  const ContactProblem& problem = assembly_->problem;
  const std::vector<Velocity>& u = assembly_->solution.velocity;
  progress_.clear();
  is_projecting_ = false;
  moves_.assign(problem.bodies.size(), {});
  of_joint_.assign(joints_->size(), {});
  for (std::vector<double>* rows : {&target_, &errors_, &impulse_}) rows->assign(problem.joint_rows.size(), 0.0);
  held_.assign(problem.joint_rows.size(), 0);
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const auto i = to_index(k);
      const JointRow& row = problem.joint_rows[i];
      const double rate = joint_velocity(row, u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
      target_[i] = row.error + problem.dt * (rate - row.target_velocity);
    }
  // Locked axes come before the joints; they are straight, but must stay as they are. Rolling resistance need not.
  for (std::size_t k = 0; k < to_index(joints_->first_row.front()); ++k)
    held_[k] = is_bounded(problem.joint_rows[k]) ? 0 : 1;
  for (std::size_t j = 0; j < joints_->size(); ++j)
    for (std::int32_t k = joints_->first_row[j]; k < joints_->first_row[j + 1]; ++k)
      held_[to_index(k)] =
          k - joints_->first_row[j] < joints_->state[j].holding && problem.joint_rows[to_index(k)].compliance == 0;
  measure(true);
  return std::ranges::all_of(of_joint_, [&](const Errors& errors) { return are_within_tolerance(errors); });
}

bool JointProjector::are_within_tolerance(const Errors& errors) const {
  return !(errors.largest > settings_->tolerance || errors.apart > settings_->tolerance);
}

/// Which mechanism blocks and bodies belong to. What holds by itself is left alone, whatever other mechanisms do.
void JointProjector::find_mechanisms() {
  const ContactProblem& problem = assembly_->problem;
  progress_.assign(ldl_.mechanism_count(), {});
  of_block_.assign(problem.joints.size(), -1);
  of_body_.assign(problem.bodies.size(), -1);
  for (std::size_t m = 0; m < progress_.size(); ++m) {
    const LdlMechanism& mechanism = ldl_.mechanism(m);
    for (const std::int32_t joint : mechanism.block_joint) of_block_[to_index(joint)] = static_cast<std::int32_t>(m);
    for (const std::int32_t body : mechanism.bodies) of_body_[to_index(body)] = static_cast<std::int32_t>(m);
  }
  sum_errors();
  for (std::size_t m = 0; m < progress_.size(); ++m) {
    progress_[m].is_together = are_within_tolerance(total_[m]);
    if (progress_[m].is_together) progress_[m].state = State::done;
  }
}

/// The factor of the beginning, of the mechanisms that are apart or of `all`.
void JointProjector::prepare(bool all) {
  const JointProblem problem = problem_of(assembly_->problem);
  if (!is_prepared_) ldl_.find(problem, pool_);
  find_mechanisms();
  if (is_prepared_) return;
  picked_.assign(progress_.size(), 1);
  for (std::size_t m = 0; m < progress_.size() && !all; ++m) picked_[m] = progress_[m].is_together ? 0 : 1;
  ldl_.factor(problem, held_, pool_, picked_);
  is_prepared_ = true;
}

void JointProjector::judge_carried(int iteration) {
  sum_errors();
  for_mechanisms([&](Progress& mine, const LdlMechanism&, std::size_t m) {
    if (mine.state != State::open) return;
    if (total_[m].largest <= 0.25 * settings_->tolerance)
      mine.state = State::done;
    else if (iteration == kMostCarried || (iteration > 0 && !(total_[m].merit <= kSlow * mine.merit)))
      mine.state = State::failed;
    mine.merit = total_[m].merit;
    mine.iterations = iteration;
  });
}

/// Twice the kinetic energy that the solve took from what was not along the joints: u_n . J^T H^-1 J u_n.
void JointProjector::find_taken() {
  const ContactProblem& problem = assembly_->problem;
  rhs_.assign(errors_.size(), 0.0), change_.resize(errors_.size());
  start_.resize(problem.bodies.size());
  for (std::size_t i = 0; i < start_.size(); ++i) start_[i] = problem.bodies[i].velocity;
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      rhs_[to_index(k)] = joint_velocity(problem.joint_rows[to_index(k)], start_[to_index(joint.body_a)],
                                         start_[to_index(joint.body_b)]);
  ldl_.solve_joints(rhs_, change_, 0, pool_);
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t m) {
    mine.taken = power(problem, mechanism, change_, start_) - (spent_.empty() ? 0.0 : spent_[m]);
  });
}

void JointProjector::carry() {
  const ContactProblem& problem = assembly_->problem;
  ContactSolution& solution = assembly_->solution;
  find_taken();
  for (int iteration = 0;; ++iteration) {
    judge_carried(iteration);
    if (!any_open()) break;
    for (std::size_t k = 0; k < errors_.size(); ++k) rhs_[k] = -errors_[k] / problem.dt;
    ldl_.solve_joints(rhs_, change_, 0, pool_);
    for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t) {
      if (mine.state != State::open) return;
      for (const std::int32_t row : mechanism.rows) impulse_[to_index(row)] += change_[to_index(row)];
      add_impulses(problem, mechanism, change_, moves_);
    });
    measure(true);
  }
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t) {
    if (mine.is_together) return;
    const bool works = mine.state == State::done;
    const double share = share_of(power(problem, mechanism, impulse_, moves_), mine.taken);
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      if (works) solution.velocity[i] = sum(solution.velocity[i], share, moves_[i]);
      if (works) solution.displacement[i] = sum(solution.displacement[i], problem.dt, moves_[i]);
      moves_[i] = {};
    }
    for (const std::int32_t row : mechanism.rows)
      if (works) solution.joint_impulse[to_index(row)] += impulse_[to_index(row)];
  });
}

/// Pieces in which a mechanism walks, such that no body turns far in one of them.
int JointProjector::count_pieces(const LdlMechanism& mechanism) const {
  double turn2 = 0;
  for (const std::int32_t body : mechanism.bodies) {
    const Vec3& turn = assembly_->solution.displacement[to_index(body)].angular;
    turn2 = std::max(turn2, dot(turn, turn));
  }
  return static_cast<int>(std::clamp(std::ceil(std::sqrt(turn2) / kPieceTurn), 1.0, kMostPieces));
}

/// Mechanisms that could not be carried start again from the beginning of the step; others that are apart, from where
/// they are.
void JointProjector::begin_projection() {
  const ContactProblem& problem = assembly_->problem;
  late_.dt = problem.dt;
  late_.joints = problem.joints, late_.joint_rows = problem.joint_rows;
  late_.bodies.assign(problem.bodies.size(), {});
  pose_.resize(problem.bodies.size()), from_.resize(problem.bodies.size()), walk_.resize(problem.bodies.size());
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t) {
    mine.pieces = mine.state == State::failed ? count_pieces(mechanism) : 0;
    mine.pieces_left = mine.pieces;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      late_.bodies[i].inverse_mass = problem.bodies[i].inverse_mass;
      late_.bodies[i].inverse_inertia = problem.bodies[i].inverse_inertia;
      pose_[i] = mine.pieces > 0 ? bodies_->pose[i] : pose_after(body);
      walk_[i] = assembly_->solution.displacement[i];
    }
  });
  for (Progress& mine : progress_) mine.state = mine.is_together ? State::done : State::open;
  is_projecting_ = true;
  measure(false);
  sum_errors();
  for_mechanisms([&](Progress& mine, const LdlMechanism&, std::size_t m) {
    if (mine.is_together) return;
    const bool is_together = mine.pieces == 0 && total_[m].apart <= settings_->tolerance;
    mine.state = mine.pieces > 0 || is_together ? State::done : State::open;
    mine.is_moved = !is_together;
    mine.merit = std::numeric_limits<double>::infinity(), mine.part = 1;
  });
}

/// Bodies of the mechanisms that `picks` names, at the poses that are tried, and the factor of their joints.
template <class Picks>
void JointProjector::prepare_late(Picks&& picks) {
  picked_.assign(progress_.size(), 0);
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t m) {
    if (!picks(mine)) return;
    picked_[m] = 1;
    const bool is_even = mine.is_even;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      ProblemBody& late = late_.bodies[i];
      late.inverse_mass = assembly_->problem.bodies[i].inverse_mass;
      late.inverse_inertia = world_inverse_inertia(*bodies_, i, pose_[i].orientation);
      if (is_even && late.inverse_mass > 0)
        late.inverse_inertia = (1 / late.inverse_mass) * late.inverse_inertia, late.inverse_mass = 1;
      moves_[i] = {};
    }
  });
  late_ldl_.prepare(problem_of(late_), held_, pool_, picked_);
  CAIRN_ASSERT(late_ldl_.mechanism_count() == progress_.size());
}

/// moves_ += M^-1 J^T H^-1 rhs, of the mechanisms that are picked.
void JointProjector::solve_late() {
  late_ldl_.solve_joints(rhs_, change_, 0, pool_);
  for (std::size_t m = 0; m < late_ldl_.mechanism_count(); ++m)
    if (picked_[m] != 0) add_impulses(late_, late_ldl_.mechanism(m), change_, moves_);
}

/// One more piece of the way, along the joints where they are now. False: all mechanisms have arrived.
bool JointProjector::walk() {
  const auto walks = [](const Progress& mine) { return mine.pieces_left > 0; };
  if (std::none_of(progress_.begin(), progress_.end(), walks)) return false;
  for (Progress& mine : progress_)
    if (walks(mine)) mine.state = State::open, mine.is_even = false;
  measure(false);
  const auto is_open = [](const Progress& mine) { return mine.state == State::open; };
  prepare_late(is_open);
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  for (const JointBlock& joint : late_.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      const JointRow& row = late_.joint_rows[to_index(k)];
      const auto a = to_index(joint.body_a), b = to_index(joint.body_b);
      if (!is_bounded(row)) rhs_[to_index(k)] = -joint_velocity(row, walked(a), walked(b));
    }
  solve_late();
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t) {
    if (mine.state != State::open) return;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      walk_[i] = sum(walk_[i], 1, moves_[i]);
      pose_[i] = moved(pose_[i], sum({}, 1.0 / mine.pieces, walk_[i]));
    }
    --mine.pieces_left;
    mine.merit = std::numeric_limits<double>::infinity(), mine.part = 1;
  });
  return true;
}

/// Displacement of a body over the step at its speed of now.
Velocity JointProjector::walked(std::size_t body) const {
  if (body >= bodies_->size()) return {};
  if (of_body_[body] >= 0) return walk_[body];
  return bodies_->is_moving_kinematic(body) ? sum({}, assembly_->problem.dt, bodies_->velocity[body]) : Velocity{};
}

/// A step that made it better is kept; of one that made it worse half is tried.
void JointProjector::judge_projected(int iteration) {
  measure(false);
  sum_errors();
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t m) {
    if (mine.state != State::open) return;
    const bool becomes_even = !mine.is_even && iteration >= kWeighed;
    const bool is_better = total_[m].merit < mine.merit || becomes_even;
    mine.is_retry = !is_better;
    mine.part = is_better ? 1 : 0.5 * mine.part;
    mine.is_even = mine.is_even || becomes_even;
    if (is_better) mine.merit = total_[m].merit;
    if (is_better && total_[m].apart <= settings_->tolerance) mine.state = State::done;
    if (mine.part < kLeastPart) mine.state = State::failed;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      if (is_better) from_[i] = pose_[i];
      pose_[i] = mine.state == State::open && mine.is_retry ? moved(from_[i], sum({}, mine.part, moves_[i])) : from_[i];
    }
  });
}

void JointProjector::step_projected() {
  const auto steps = [](const Progress& mine) { return mine.state == State::open && !mine.is_retry; };
  prepare_late(steps);
  for (std::size_t k = 0; k < errors_.size(); ++k) rhs_[k] = -errors_[k];
  solve_late();
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t) {
    mine.iterations += mine.state == State::open ? 1 : 0;
    if (!steps(mine)) return;
    double turn2 = 0;
    for (const std::int32_t body : mechanism.bodies) {
      const Vec3& turn = moves_[to_index(body)].angular;
      turn2 = std::max(turn2, dot(turn, turn));
    }
    const double scale = turn2 > kMostTurn * kMostTurn ? kMostTurn / std::sqrt(turn2) : 1.0;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      moves_[i] = sum({}, scale, moves_[i]);
      pose_[i] = moved(from_[i], moves_[i]);
    }
  });
}

/// Twice the kinetic energy of a body.
double JointProjector::energy_of(std::size_t body, const Velocity& v) const {
  const MassState& mass = bodies_->mass[body];
  const Vec3 w = rotate_back(bodies_->pose[body].orientation, v.angular);
  return mass.mass * dot(v.linear, v.linear) + dot(w, mass.inertia * w);
}

/// Velocities turn with the way that was walked; a mechanism has no more kinetic energy afterwards than before.
void JointProjector::end_projection() {
  const double dt = assembly_->problem.dt;
  std::vector<Velocity>& velocity = assembly_->solution.velocity;
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t) {
    if (!mine.is_moved) return;
    double before = 0, after = 0;
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      const Pose& start = bodies_->pose[i];
      Velocity& way = assembly_->solution.displacement[i];
      const Velocity turned = sum(walk_[i], -1, way);  // of the velocity, while it walked
      before += energy_of(i, velocity[i]);
      velocity[i] = sum(velocity[i], 1 / dt, turned);
      after += energy_of(i, velocity[i]);
      way = {from_[i].position - start.position, rotation_vector(from_[i].orientation * conjugate(start.orientation))};
    }
    const double share = share_of(after, before);
    for (const std::int32_t body : mechanism.bodies)
      if (share < 1) velocity[to_index(body)] = sum({}, share, velocity[to_index(body)]);
  });
  is_projecting_ = false;
}

void JointProjector::project() {
  begin_projection();
  do {
    for (int iteration = 0; any_open(); ++iteration) {
      judge_projected(iteration);
      if (iteration >= settings_->iterations)
        for (Progress& mine : progress_)
          if (mine.state == State::open) mine.state = State::failed;
      if (any_open()) step_projected();
    }
  } while (walk());
  end_projection();
}

/// Mechanisms that something touches.
void JointProjector::find_touched() {
  touched_.assign(progress_.size(), 0);
  for (const ContactBlock& contact : assembly_->problem.contacts)
    for (const std::int32_t body : {contact.body_a, contact.body_b})
      if (const std::int32_t m = of_body_[to_index(body)]; m >= 0) touched_[to_index(m)] = 1;
}

void JointProjector::begin(bool foresees, const Bodies& bodies, const Joints& joints,
                           const JointProjectionSettings& settings, ThreadPool* pool, Assembly& assembly) {
  bodies_ = &bodies, joints_ = &joints, settings_ = &settings, pool_ = pool, assembly_ = &assembly;
  is_prepared_ = false;
  swept_ = {};
  spent_.clear();
  if (foresees && has_joints() && !assembly.problem.contacts.empty()) foresee();
}

void JointProjector::foresee() {
  ContactProblem& problem = assembly_->problem;
  ContactSolution& solution = assembly_->solution;
  solution.velocity.resize(problem.bodies.size()), solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    solution.velocity[i] = problem.bodies[i].velocity;
    solution.displacement[i] = sum({}, problem.dt, problem.bodies[i].velocity);
  }
  if (is_together()) return;
  prepare(true);
  find_touched();
  find_taken();
  for (std::size_t k = 0; k < errors_.size(); ++k) rhs_[k] = errors_[k] / problem.dt;
  ldl_.solve_joints(rhs_, change_, 0, pool_);
  spent_.assign(progress_.size(), 0.0);
  for_mechanisms([&](Progress& mine, const LdlMechanism& mechanism, std::size_t m) {
    if (touched_[m] == 0 || mine.is_together) return;
    double given = 0;
    for (const std::int32_t row : mechanism.rows) given += change_[to_index(row)] * rhs_[to_index(row)];
    const double share = share_of(given, mine.taken);
    spent_[m] = share * share * given;
    for (const std::int32_t row : mechanism.rows)
      problem.joint_rows[to_index(row)].target_velocity -= share * rhs_[to_index(row)];
  });
}

JointProjectionReport JointProjector::run(std::span<const std::uint8_t> swept) {
  JointProjectionReport report;
  swept_ = swept;
  if (!has_joints() || is_together()) return report;
  prepare(false);
  carry();
  for (const Progress& mine : progress_) report.carried += mine.state == State::done && mine.iterations > 0 ? 1 : 0;
  project();
  for (std::size_t m = 0; m < progress_.size(); ++m) {
    const Progress& mine = progress_[m];
    report.projected += mine.is_moved ? 1 : 0;
    report.apart += mine.state != State::done ? 1 : 0;
    report.iterations = std::max(report.iterations, mine.iterations);
  }
  return report;
}

}  // namespace cairn
