// SPDX-License-Identifier: MIT
#include "cairn/solvers/island_solver.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/ldl_stage.h"

namespace cairn {

namespace {

/// The order of ends from good to bad.
int badness(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return 0;
    case StopReason::stalled: return 1;
    case StopReason::max_iterations: return 2;
    case StopReason::time_limit: return 3;
    case StopReason::interrupted: return 4;
    case StopReason::diverged: break;
  }
  return 5;
}

/// What bodies do that nothing acts on, and entries for all impulses.
void begin(const ContactProblem& problem, ContactSolution& solution) {
  if (solution.contact_impulse.empty()) solution.contact_impulse.assign(problem.contacts.size(), {});
  if (solution.joint_impulse.empty()) solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  require(solution.contact_impulse.size() == problem.contacts.size() &&
              solution.joint_impulse.size() == problem.joint_rows.size(),
          "the warm start has another number of contacts or joint rows than the problem: pass an empty one");
  solution.contact_carry.clear();
  solution.velocity.resize(problem.bodies.size()), solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Velocity& v = solution.velocity[i] = free_velocity(problem, static_cast<std::int32_t>(i));
    solution.displacement[i] = {problem.dt * v.linear, problem.dt * v.angular};
  }
}

}  // namespace

SolverTraits IslandSolver::traits() const {
  SolverTraits traits = solver_->traits();
  traits.is_local = true;
  return traits;
}

void IslandSolver::add(SolveReport report, SolveReport& total) const {
  if (badness(report.reason) > badness(total.reason)) total.reason = report.reason;
  total.iterations = std::max(total.iterations, report.iterations);
  total.residual = std::max(total.residual, report.residual);
  total.seconds += report.seconds, total.setup_seconds += report.setup_seconds;
  total.measure_seconds += report.measure_seconds;
  total.colours = std::max(total.colours, report.colours);
  total.matrix_blocks += report.matrix_blocks, total.unsafe_contacts += report.unsafe_contacts;
  total.rollbacks += report.rollbacks, total.restarts += report.restarts;
  total.factorisations += report.factorisations;
  total.bytes_per_contact = std::max(total.bytes_per_contact, report.bytes_per_contact);
  for (MechanismRank& rank : report.joints.ranks)
    if (rank.redundant > 0) rank.joint = parts_.part().joints[static_cast<std::size_t>(rank.joint)];
  add_report(report.joints, total.joints);
}

bool IslandSolver::must_divide(const ContactProblem& problem, const SolveContext& context) const {
  const SolverTraits traits = solver_->traits();
  if (traits.has_own_limits) return false;
  const bool stops_early = context.stop.tolerance > 0 && !traits.has_sub_steps;
  return !traits.is_local || stops_early || contact_rows(problem, context.pool) == 4;
}

SolveReport IslandSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  if (!must_divide(problem, context)) return solver_->solve(problem, solution, context);
  SolveReport report;
  report.reason = StopReason::converged;
  Timer timer;
  begin(problem, solution);
  parts_.find(problem, context.pool);
  report.setup_seconds = timer.seconds();
  SolveContext mine = context;
  mine.history = mine.details = false, mine.progress = nullptr;
  for (std::int32_t island = 0; island < parts_.count(); ++island) {
    if (parts_.is_empty(island)) continue;
    parts_.extract(problem, solution, context.contact_colour, island);
    mine.contact_colour = parts_.part().colours;
    add(solver_->solve(parts_.part().problem, parts_.part().solution, mine), report);
    parts_.write_back(solution);
  }
  return report;
}

SolveReport IslandSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  return solver_->solve(problem, solution, context);
}

}  // namespace cairn
