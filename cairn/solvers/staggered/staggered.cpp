// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

void add(const SolveReport& part, SolveReport& total) {
  total.reason = worse_of(total.reason, part.reason);
  total.iterations = std::max(total.iterations, part.iterations);
  total.residual = std::max(total.residual, part.residual);
  total.seconds += part.seconds, total.setup_seconds += part.setup_seconds;
  total.measure_seconds += part.measure_seconds;
  total.factorisations += part.factorisations, total.sweep.restarts += part.sweep.restarts;
}

}  // namespace

StaggeredSolver::StaggeredSolver(const StaggeredSettings& settings, std::unique_ptr<Solver> fallback)
    : settings_(settings), fallback_(std::move(fallback)), island_(settings) {}

bool StaggeredSolver::can_take(const ContactProblem& island) const {
  if (island.contacts.size() > static_cast<std::size_t>(settings_.max_contacts)) return false;
  return std::none_of(island.contacts.begin(), island.contacts.end(), [&](const ContactBlock& c) {
    const bool has_friction = c.friction1 > 0 || c.friction2 > 0;
    return has_friction && (c.spin_radius > 0 || settings_.method == StaggeredMethod::schurpa);
  });
}

SolveReport StaggeredSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  validate(problem, context.pool);
  SolveReport report;
  report.reason = StopReason::converged;
  Timer timer;
  begin_islands(problem, solution);
  parts_.find(problem, context.pool);
  report.setup_seconds = timer.seconds();
  const StopSettings stop = override_stop(context.stop, settings_.iterations, settings_.tolerance);
  SolveContext mine = context;
  mine.history = mine.details = false, mine.progress = nullptr, mine.stop = stop;
  int islands = 0, left = 0, stalled = 0;
  for (std::int32_t island = 0; island < parts_.count(); ++island) {
    if (parts_.is_empty(island)) continue;
    parts_.extract(problem, solution, context.contact_colour, island);
    mine.contact_colour = parts_.part().colours;
    ContactProblem& part = parts_.part().problem;
    const bool takes = can_take(part);
    const SolveReport one = takes ? island_.solve(part, parts_.part().solution, mine, stop)
                                  : fallback_->solve(part, parts_.part().solution, mine);
    ++islands, left += takes ? 0 : 1, stalled += takes && one.reason != StopReason::converged ? 1 : 0;
    add(one, report);
    parts_.write_back(solution);
  }
  if (context.stop.tolerance > 0 || context.measure_end) {
    const Timer measuring;
    ruler_.reset(problem, context.pool);
    report.residual = ruler_.residual(solution, false, context.pool);
    report.measure_seconds += measuring.seconds();
  }
  if (context.details && left > 0)
    report.notes.push_back(fmt::format("{} of {} islands by {}: more than {} contacts, spin friction{}", left, islands,
                                       settings_.fallback, settings_.max_contacts,
                                       settings_.method == StaggeredMethod::schurpa ? ", or friction" : ""));
  if (context.details && stalled > 0 && stop.tolerance > 0)
    report.notes.push_back(fmt::format("staggering did not end on {} of {} islands: best iterates", stalled, islands));
  return report;
}

SolveReport StaggeredSolver::solve(const DelassusProblem&, DelassusSolution&, SolveContext&) {
  fail_input("staggered projections need bodies: give a ContactProblem, or take another solver for assembled problems",
             ErrorKind::unsupported);
}

}  // namespace cairn
