// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/shake.h"

namespace cairn {

namespace {

using State = MechanismProgress::State;

constexpr int kMostIterations = 8;
constexpr double kSlow = 0.25;    // of the merit: the error must halve in each of them
constexpr double kEnough = 0.25;  // of the tolerance

/// Who has arrived and who does not get there.
void judge(const ProjectionStep& step, int iteration, ProjectedMechanisms& mechanisms, JointErrors& errors) {
  errors.sum(step, mechanisms);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism&, std::size_t m) {
    if (!mine.is_open()) return;
    const JointErrors::Sums& sums = errors.of_mechanism(m);
    if (sums.largest <= kEnough * step.settings->tolerance)
      mine.state = State::done;
    else if (iteration == kMostIterations || (iteration > 0 && !(sums.merit <= kSlow * mine.merit)))
      mine.state = State::failed;
    mine.merit = sums.merit;
    mine.iterations = iteration;
  });
}

}  // namespace

/// Twice the kinetic energy that the solve took from what was not along the joints: u_n . J^T H^-1 J u_n.
void Shake::find_taken(const ProjectionStep& step, std::size_t rows, ProjectedMechanisms& mechanisms) {
  const ContactProblem& problem = step.assembly->problem;
  rhs_.assign(rows, 0.0), change_.resize(rows);
  start_.resize(problem.bodies.size());
  for (std::size_t i = 0; i < start_.size(); ++i) start_[i] = problem.bodies[i].velocity;
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      rhs_[to_index(k)] = joint_velocity(problem.joint_rows[to_index(k)], start_[to_index(joint.body_a)],
                                         start_[to_index(joint.body_b)]);
  mechanisms.ldl.solve_joints(rhs_, change_, 0, step.pool);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t m) {
    mine.taken = joint_power(problem, mechanism, change_, start_) - (spent_.empty() ? 0.0 : spent_[m]);
  });
}

/// Mechanisms that something touches.
void Shake::find_touched(const ContactProblem& problem, const ProjectedMechanisms& mechanisms) {
  touched_.assign(mechanisms.progress.size(), 0);
  for (const ContactBlock& contact : problem.contacts)
    for (const std::int32_t body : {contact.body_a, contact.body_b})
      if (const std::int32_t m = mechanisms.of_body[to_index(body)]; m >= 0) touched_[to_index(m)] = 1;
}

void Shake::foresee(const ProjectionStep& step, const JointErrors& errors, ProjectedMechanisms& mechanisms) {
  ContactProblem& problem = step.assembly->problem;
  find_touched(problem, mechanisms);
  find_taken(step, errors.rows().size(), mechanisms);
  for (std::size_t k = 0; k < rhs_.size(); ++k) rhs_[k] = errors.rows()[k] / problem.dt;
  mechanisms.ldl.solve_joints(rhs_, change_, 0, step.pool);
  spent_.assign(mechanisms.progress.size(), 0.0);
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t m) {
    if (touched_[m] == 0 || mine.is_together) return;
    double given = 0;
    for (const std::int32_t row : mechanism.rows) given += change_[to_index(row)] * rhs_[to_index(row)];
    const double share = energy_share(given, mine.taken);
    spent_[m] = share * share * given;
    for (const std::int32_t row : mechanism.rows)
      problem.joint_rows[to_index(row)].target_velocity -= share * rhs_[to_index(row)];
  });
}

void Shake::run(const ProjectionStep& step, ProjectedMechanisms& mechanisms, JointErrors& errors, TrialPoses& trial) {
  const ContactProblem& problem = step.assembly->problem;
  impulse_.assign(errors.rows().size(), 0.0);
  find_taken(step, errors.rows().size(), mechanisms);
  for (int iteration = 0;; ++iteration) {
    judge(step, iteration, mechanisms, errors);
    if (!mechanisms.any_open()) break;
    // J M^-1 J^T l = -(C - target) / dt
    for (std::size_t k = 0; k < rhs_.size(); ++k) rhs_[k] = -errors.rows()[k] / problem.dt;
    mechanisms.ldl.solve_joints(rhs_, change_, 0, step.pool);
    mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t) {
      if (!mine.is_open()) return;
      for (const std::int32_t row : mechanism.rows) impulse_[to_index(row)] += change_[to_index(row)];
      add_impulses(problem, mechanism, change_, trial.moves);
    });
    errors.measure_from_targets(step, mechanisms, trial);
  }
  give(step, mechanisms, trial);
}

/// What was found becomes part of the solution; a mechanism gets no more kinetic energy than the solve took from it.
void Shake::give(const ProjectionStep& step, ProjectedMechanisms& mechanisms, TrialPoses& trial) const {
  const ContactProblem& problem = step.assembly->problem;
  ContactSolution& solution = step.assembly->solution;
  mechanisms.for_each(step.pool, [&](MechanismProgress& mine, const LdlMechanism& mechanism, std::size_t) {
    if (mine.is_together) return;
    const bool works = mine.state == State::done;
    const double share = energy_share(joint_power(problem, mechanism, impulse_, trial.moves), mine.taken);
    for (const std::int32_t body : mechanism.bodies) {
      const auto i = to_index(body);
      if (works) solution.velocity[i] = add_scaled(solution.velocity[i], share, trial.moves[i]);
      if (works) solution.displacement[i] = add_scaled(solution.displacement[i], problem.dt, trial.moves[i]);
      trial.moves[i] = {};
    }
    for (const std::int32_t row : mechanism.rows)
      if (works) solution.joint_impulse[to_index(row)] += impulse_[to_index(row)];
  });
}

}  // namespace cairn
