// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/staggered.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/prox/body_solve.h"

namespace cairn {

StaggeredSolver::StaggeredSolver(const StaggeredSettings& settings, std::unique_ptr<Solver> fallback)
    : settings_(settings), fallback_(std::move(fallback)) {
  require(settings.facets >= 4 && settings.facets % 4 == 0,
          "staggered projections: facets must be a multiple of 4, so that friction has corners along both tangents");
}

bool StaggeredSolver::takes(std::size_t contacts, bool has_friction, bool has_spin) const {
  if (contacts > to_index(settings_.max_contacts)) return false;
  return !has_friction || (!has_spin && settings_.method != StaggeredMethod::schurpa);
}

bool StaggeredSolver::takes(const ContactProblem& island) const {
  bool has_friction = false, has_spin = false;
  for (const ContactBlock& c : island.contacts) {
    const bool is_rough = c.friction1 > 0 || c.friction2 > 0;
    has_friction = has_friction || is_rough, has_spin = has_spin || (is_rough && c.spin_radius > 0);
  }
  return takes(island.contacts.size(), has_friction, has_spin);
}

bool StaggeredSolver::takes(const DelassusProblem& problem) const {
  bool has_friction = false, has_spin = false;
  for (const FrictionAxes& f : problem.friction)
    has_friction = has_friction || f.s > 0 || f.t > 0, has_spin = has_spin || f.spin > 0;
  return takes(problem.friction.size(), has_friction || has_spin, has_spin);
}

/// What the user should know.
void StaggeredSolver::add_notes(SolveReport& report) const {
  const ExactReport& exact = report.exact;
  const auto left = exact.ended[to_index(ExactStage::iterative)];
  if (left > 0)
    report.notes.push_back(fmt::format("{} of {} islands by {}: more than {} contacts, spin friction{}", left,
                                       exact.islands, settings_.fallback, settings_.max_contacts,
                                       settings_.method == StaggeredMethod::schurpa ? ", or friction" : ""));
  const auto stalled = std::count_if(exact.parts.begin(), exact.parts.end(), [](const ExactIslandReport& part) {
    return part.stage != ExactStage::iterative && part.reason != StopReason::converged;
  });
  if (stalled > 0)
    report.notes.push_back(
        fmt::format("staggering did not end on {} of {} islands: best iterates", stalled, exact.islands));
  if (exact.unfinished > 0)
    report.notes.push_back(fmt::format(
        "the active sets of {} quadratic programs did not end: their best iterates were taken", exact.unfinished));
}

SolveReport StaggeredSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  check_input(problem, solution, context);
  SolveReport report;
  report.reason = StopReason::converged;
  report.exact.is_given = true;
  const Timer clock;
  const IslandLimits limits = island_limits(context, settings_.iterations, settings_.tolerance, clock);
  islands_.solve(
      problem, solution, context, {settings_, limits}, report,
      [&](const ContactProblem& island) { return takes(island); }, [&]() -> Solver& { return *fallback_; });
  report.seconds = clock.seconds() - report.setup_seconds;
  if (context.stop.tolerance > 0 || context.measure_end) {
    ScopedTimer timing(report.measure_seconds);
    ruler_.reset(problem, context.pool);
    report.residual = ruler_.residual(solution, false, context.pool);
  }
  if (context.details) add_notes(report);
  return report;
}

SolveReport StaggeredSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  validate(problem);
  check_warm_start(solution.impulse.size(), problem.q.size(), "impulses");
  const Timer clock;
  const IslandLimits limits = island_limits(context, settings_.iterations, settings_.tolerance, clock);
  if (!takes(problem)) {
    SolveContext mine = context;
    mine.stop = limits.stop;
    SolveReport report = fallback_->solve(problem, solution, mine);
    if (context.details) report.notes.push_back(fmt::format("the problem was solved by {}", settings_.fallback));
    return report;
  }
  SolveReport report;
  report.reason = StopReason::converged;
  report.exact.is_given = true;
  solution.impulse.resize(problem.q.size()), solution.velocity.resize(problem.q.size());
  if (!assembled_) assembled_ = std::make_unique<StaggeredIsland>(settings_);
  const ExactIslandReport island = assembled_->run(problem, solution, limits);
  multiply_add(problem.w, solution.impulse, problem.q, solution.velocity);
  add_island(island, report);
  report.residual = island.residual;
  report.seconds = clock.seconds();
  if (!context.details) return report;
  report.exact.parts.push_back(island);
  add_notes(report);
  return report;
}

}  // namespace cairn
