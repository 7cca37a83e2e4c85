// SPDX-License-Identifier: MIT
#include "cairn/solvers/island_solver.h"

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/ldl/ldl_stage.h"

namespace cairn {

SolverTraits IslandSolver::traits() const {
  SolverTraits traits = solver_->traits();
  traits.is_local = true;
  return traits;
}

void IslandSolver::add(SolveReport report, SolveReport& total) const {
  total.reason = worse_of(total.reason, report.reason);
  total.iterations = std::max(total.iterations, report.iterations);
  total.residual = std::max(total.residual, report.residual);
  total.seconds += report.seconds, total.setup_seconds += report.setup_seconds;
  total.measure_seconds += report.measure_seconds;
  total.sweep.colours = std::max(total.sweep.colours, report.sweep.colours);
  total.sweep.matrix_blocks += report.sweep.matrix_blocks, total.sweep.unsafe_contacts += report.sweep.unsafe_contacts;
  total.sweep.rollbacks += report.sweep.rollbacks, total.sweep.restarts += report.sweep.restarts;
  total.factorisations += report.factorisations;
  total.bytes_per_contact = std::max(total.bytes_per_contact, report.bytes_per_contact);
  for (MechanismRank& rank : report.joints.ranks)
    if (rank.redundant > 0) rank.joint = parts_.part().joints[to_index(rank.joint)];
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
  begin_islands(problem, solution);
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
