// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/project_joints.h"

#include <algorithm>

namespace cairn {

using State = MechanismProgress::State;

/// Nothing turns and nothing was apart: there is nothing to do. Measures the errors on the way, unless it is plain that
/// there are none.
bool JointProjector::is_together() {
  if (JointErrors::surely_hold(step_)) return true;
  mechanisms_.progress.clear();
  trial_.is_projecting = false;
  trial_.moves.assign(step_.assembly->problem.bodies.size(), {});
  errors_.begin(step_);
  errors_.measure_from_targets(step_, mechanisms_, trial_);
  return errors_.all_within(step_.settings->tolerance);
}

/// The mechanisms, and the factor of the beginning of those that are apart or of `all`. What holds by itself is left
/// alone, whatever other mechanisms do.
void JointProjector::prepare(bool all) {
  const JointProblem problem = step_.without_swept(step_.assembly->problem);
  if (!mechanisms_.is_factored) mechanisms_.ldl.find(problem, step_.pool);
  mechanisms_.number(step_.assembly->problem);
  errors_.sum(step_, mechanisms_);
  std::vector<MechanismProgress>& progress = mechanisms_.progress;
  for (std::size_t m = 0; m < progress.size(); ++m) {
    progress[m].is_together = JointErrors::is_within(errors_.of_mechanism(m), step_.settings->tolerance);
    if (progress[m].is_together) progress[m].state = State::done;
  }
  if (mechanisms_.is_factored) return;
  mechanisms_.picked.assign(progress.size(), 1);
  for (std::size_t m = 0; m < progress.size() && !all; ++m) mechanisms_.picked[m] = progress[m].is_together ? 0 : 1;
  mechanisms_.ldl.factor(problem, errors_.held(), step_.pool, mechanisms_.picked);
  mechanisms_.is_factored = true;
}

void JointProjector::begin(bool foresees, const Bodies& bodies, const Joints& joints,
                           const JointProjectionSettings& settings, ThreadPool* pool, Assembly& assembly) {
  step_ = {&bodies, &joints, &settings, pool, &assembly, {}};
  mechanisms_.is_factored = false;
  shake_.begin();
  if (foresees && step_.has_joints() && !assembly.problem.contacts.empty()) foresee();
}

void JointProjector::foresee() {
  const ContactProblem& problem = step_.assembly->problem;
  ContactSolution& solution = step_.assembly->solution;
  solution.velocity.resize(problem.bodies.size()), solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    solution.velocity[i] = problem.bodies[i].velocity;
    solution.displacement[i] = add_scaled({}, problem.dt, problem.bodies[i].velocity);
  }
  if (is_together()) return;
  prepare(true);
  shake_.foresee(step_, errors_, mechanisms_);
}

JointProjectionReport JointProjector::run(std::span<const std::uint8_t> swept) {
  JointProjectionReport report;
  step_.swept = swept;
  if (!step_.has_joints() || is_together()) return report;
  prepare(false);
  shake_.run(step_, mechanisms_, errors_, trial_);
  for (const MechanismProgress& mine : mechanisms_.progress)
    report.carried += mine.state == State::done && mine.iterations > 0 ? 1 : 0;
  projection_.run(step_, mechanisms_, errors_, trial_);
  for (const MechanismProgress& mine : mechanisms_.progress) {
    report.projected += mine.is_moved ? 1 : 0;
    report.apart += mine.state != State::done ? 1 : 0;
    report.iterations = std::max(report.iterations, mine.iterations);
  }
  return report;
}

}  // namespace cairn
