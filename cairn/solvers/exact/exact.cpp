// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/exact/assembled_space.h"
#include "cairn/solvers/prox/body_solve.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {

ExactSolver::ExactSolver(const ExactSettings& settings) : settings_(settings) {
  require(settings.last_eps <= settings.first_eps, "exact: last_eps must not exceed first_eps");
}
ExactSolver::~ExactSolver() = default;

/// What the user should know.
void ExactSolver::add_notes(SolveReport& report) const {
  const ExactReport& exact = report.exact;
  const auto large = exact.ended[to_index(ExactStage::iterative)];
  if (large > 0)
    report.notes.push_back(
        fmt::format("{} islands have more than max_contacts={} contacts and joint rows: solved by {}", large,
                    settings_.max_contacts, settings_.large));
  if (exact.exact < exact.islands)
    report.notes.push_back(fmt::format("{} of {} islands are exact; the worst has {} contacts and a residual of {:.1e}",
                                       exact.exact, exact.islands, exact.worst.contacts, exact.worst.residual));
}

SolveReport ExactSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  check_input(problem, solution, context);
  SolveReport report;
  report.reason = StopReason::converged;
  report.exact.is_given = true;
  const Timer clock;
  const IslandLimits limits = island_limits(context, settings_.iterations, settings_.tolerance, clock);
  islands_.solve(
      problem, solution, context, {settings_, limits}, report,
      [&](const ContactProblem& island) {
        return island.contacts.size() + island.joint_rows.size() <= to_index(settings_.max_contacts);
      },
      [&]() -> Solver& {
        if (!large_) large_ = make_solver(settings_.large);
        return *large_;
      });
  report.seconds = clock.seconds() - report.setup_seconds;
  if (context.measure_end || context.stop.tolerance > 0) {
    ScopedTimer timing(report.measure_seconds);
    ruler_.reset(problem, context.pool);
    report.residual = ruler_.residual(solution, false, context.pool);
    // Contacts between bodies that cannot move belong to no island, and nothing can mend them.
    if (!(report.residual <= limits.enough)) report.reason = worse_of(report.reason, StopReason::stalled);
  }
  if (context.details) add_notes(report);
  return report;
}

SolveReport ExactSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  validate(problem);
  check_warm_start(solution.impulse.size(), problem.q.size(), "impulses");
  SolveReport report;
  report.reason = StopReason::converged;
  report.exact.is_given = true;
  Timer timer;
  AssembledSpace space(problem, settings_);
  solution.impulse.resize(problem.q.size()), solution.velocity.resize(problem.q.size());
  std::vector<double> x(problem.q.size());
  space.from_impulses(solution.impulse, x);
  report.setup_seconds = timer.seconds();
  const Timer clock;
  ExactStages stages(settings_);
  ExactIslandReport island =
      stages.run(space, space, island_limits(context, settings_.iterations, settings_.tolerance, clock), x);
  island.contacts = problem.contact_count();
  add_island(island, report);
  space.to_impulses(x, solution.impulse);
  multiply_add(problem.w, solution.impulse, problem.q, solution.velocity);
  report.residual = island.residual;
  report.seconds = clock.seconds();
  if (context.details) report.exact.parts.push_back(island);
  return report;
}

}  // namespace cairn
