// SPDX-License-Identifier: MIT
// The loop of StaggeredIsland: one QP after the other until the residual is small, or nothing gets better.
#include <algorithm>
#include <cmath>

#include "cairn/core/timer.h"
#include "cairn/solvers/staggered/staggered_island.h"

namespace cairn {

namespace {

constexpr double kRelaxed = 0.7;   // of a step, where the answer does not get better
constexpr double kBetter = 0.999;  // of the best residual: what counts as progress
constexpr double kEqual = 1e-12;   // residuals that differ by less are the same
constexpr int kMostFailed = 3;     // QPs whose active sets do not end
constexpr int kRelaxAfter = 15;    // iterations without progress

}  // namespace

/// W_zt beta.
void StaggeredIsland::see_friction() {
  seen_.assign(contacts_ + joints_, 0.0);
  if (!has_friction_) return;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    for (std::size_t k = 0; k < contacts_; ++k)
      seen_[i] += w(i, tangent(k, 0)) * beta_[2 * k] + w(i, tangent(k, 1)) * beta_[2 * k + 1];
}

/// What the next contact QP is told of friction.
void StaggeredIsland::propose(bool relax) {
  if (relax) {
    for (std::size_t i = 0; i < g_.size(); ++i) g_[i] += kRelaxed * (seen_[i] - g_[i]);
    return;
  }
  if (accelerator_) accelerator_->propose({std::span<const double>(g_), {}}, {std::span<double>(seen_), {}}, nullptr);
  g_ = seen_;
}

/// One iteration; false where a matrix is not positive definite.
bool StaggeredIsland::turn_by_turn(const SolveContext& context, SolveReport& report) {
  if (!solve_contact(context, report)) return false;
  if (has_friction_ && !solve_friction(context, report)) return false;
  see_friction();
  return true;
}

SolveReport StaggeredIsland::solve(const ContactProblem& problem, ContactSolution& solution,
                                   const SolveContext& context, const StopSettings& stop) {
  SolveReport report;
  Timer timer;
  read_rows(problem);
  assemble(problem);
  make_matrices();
  read_start(problem, solution);
  ruler_.reset(problem, context.pool);
  trial_ = {};
  trial_.contact_impulse.resize(contacts_), trial_.joint_impulse.resize(joints_);
  if (accelerator_) {
    std::vector<double> weight(contacts_ + joints_);
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = 1 / contact_matrix_.diagonal(static_cast<int>(i));
    accelerator_->reset(weight);
  }
  report.setup_seconds = timer.seconds();
  timer.restart();
  double best = measure(problem, context);
  ContactSolution kept = trial_;
  see_friction();
  g_ = seen_;
  failed_ = 0;
  int since = 0;  // iterations without progress
  report.reason = stop.tolerance > 0 && best <= stop.tolerance ? StopReason::converged : StopReason::max_iterations;
  while (report.reason != StopReason::converged && report.iterations < stop.max_iterations) {
    if (!turn_by_turn(context, report)) {
      report.reason = StopReason::diverged;
      break;
    }
    ++report.iterations;
    const double now = measure(problem, context);
    if (now < kBetter * best)
      since = 0;
    else
      ++since;
    // Of equals the later one: rows that cannot be met may hide what the others gain.
    if (now <= (1 + kEqual) * best) best = std::min(best, now), kept = trial_;
    if (context.progress) context.progress(report.iterations, best);
    if (stop.tolerance > 0 && best <= stop.tolerance) {
      report.reason = StopReason::converged;
    } else if (context.interrupt != nullptr && context.interrupt->load()) {
      report.reason = StopReason::interrupted;
      break;
    } else if (stop.time_limit > 0 && timer.seconds() >= stop.time_limit) {
      report.reason = StopReason::time_limit;
      break;
    } else if ((stop.tolerance > 0 && since >= settings_.patience) || failed_ > kMostFailed) {
      report.reason = StopReason::stalled;
      break;
    }
    propose(since >= kRelaxAfter);
  }
  solution.contact_impulse = kept.contact_impulse, solution.joint_impulse = kept.joint_impulse;
  solution.contact_carry.clear();
  solution.velocity = velocities_from_impulses(problem, solution);
  solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    solution.displacement[i] = {problem.dt * solution.velocity[i].linear, problem.dt * solution.velocity[i].angular};
  report.residual = best;
  report.seconds = timer.seconds();
  return report;
}

}  // namespace cairn
