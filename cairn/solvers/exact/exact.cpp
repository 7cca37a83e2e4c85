// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/exact/assembled_space.h"
#include "cairn/solvers/prox/body_solve.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {

namespace {

constexpr double kDefaultTolerance = 1e-10;  // where the caller names none: a tenth of what is called exact

}  // namespace

ExactSolver::ExactSolver(const ExactSettings& settings) : settings_(settings) {
  require(settings.last_eps <= settings.first_eps, "exact: last_eps must not exceed first_eps");
}
ExactSolver::~ExactSolver() = default;

/// The caller's tolerance is binding. Where there is none, what is exact is enough, but a cheap stage goes on to a
/// tenth.
IslandLimits ExactSolver::limits(const SolveContext& context, const Timer& clock) const {
  IslandLimits limits{override_stop(context.stop, settings_.iterations, settings_.tolerance), context.interrupt,
                      &clock};
  limits.enough = limits.stop.tolerance > 0 ? limits.stop.tolerance : kExactResidual;
  if (limits.stop.tolerance == 0) limits.stop.tolerance = kDefaultTolerance;
  return limits;
}

/// Slots for all islands that something acts in.
void ExactSolver::extract(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context) {
  parts_.find(problem, context.pool);
  count_ = 0;
  for (std::int32_t island = 0; island < parts_.count(); ++island) {
    if (parts_.is_empty(island)) continue;
    if (count_ == slots_.size()) slots_.push_back(std::make_unique<Slot>(settings_));
    parts_.extract(problem, solution, context.contact_colour, island, slots_[count_++]->part);
  }
}

bool ExactSolver::is_large(const IslandPart& part) const {
  return part.problem.contacts.size() + part.problem.joint_rows.size() >
         static_cast<std::size_t>(settings_.max_contacts);
}

void ExactSolver::solve_large(Slot& slot, const StopSettings& stop, const SolveContext& context) {
  if (!large_) large_ = make_solver(settings_.large);
  SolveContext mine = context;
  mine.history = mine.details = false, mine.progress = nullptr, mine.measure_end = true;
  mine.stop = stop;
  mine.contact_colour = slot.part.colours;
  const SolveReport report = large_->solve(slot.part.problem, slot.part.solution, mine);
  slot.report = {static_cast<std::int64_t>(slot.part.problem.contacts.size()),
                 static_cast<std::int64_t>(slot.part.problem.joint_rows.size()),
                 ExactStage::iterative,
                 report.reason,
                 report.residual,
                 0,
                 0,
                 report.iterations};
}

void ExactSolver::add(const ExactIslandReport& island, SolveReport& report) const {
  ExactReport& exact = report.exact;
  report.reason = worse_of(report.reason, island.reason);
  report.iterations = std::max(report.iterations, island.newton_steps + island.sweeps);
  report.factorisations += island.factorisations;
  if (exact.islands == 0 || island.residual > exact.worst.residual) exact.worst = island;
  ++exact.islands;
  const int is_exact = island.residual <= kExactResidual ? 1 : 0;
  exact.exact += is_exact;
  if (island.contacts <= kSmallIsland) ++exact.small, exact.small_exact += is_exact;
  ++exact.ended[static_cast<std::size_t>(island.stage)];
  exact.fallbacks += island.stage > ExactStage::impulses ? 1 : 0;
  exact.newton_steps += island.newton_steps, exact.factorisations += island.factorisations;
  exact.sweeps += island.sweeps;
}

/// What the user should know.
void ExactSolver::add_notes(SolveReport& report) const {
  const ExactReport& exact = report.exact;
  const auto large = exact.ended[static_cast<std::size_t>(ExactStage::iterative)];
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
  Timer timer;
  begin_islands(problem, solution);
  extract(problem, solution, context);
  report.setup_seconds = timer.seconds();
  const Timer clock;
  const IslandLimits limit = limits(context, clock);
  parallel_for(context.pool, static_cast<std::int64_t>(count_), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Slot& slot = *slots_[static_cast<std::size_t>(i)];
      if (!is_large(slot.part)) slot.report = slot.solver.run(slot.part.problem, slot.part.solution, limit);
    }
  });
  for (std::size_t i = 0; i < count_; ++i) {
    Slot& slot = *slots_[i];
    if (is_large(slot.part)) solve_large(slot, limit.stop, context);
    slot.part.write_back(solution);
    add(slot.report, report);
    if (context.details) report.exact.parts.push_back(slot.report);
  }
  report.seconds = clock.seconds();
  if (context.measure_end || context.stop.tolerance > 0) {
    ScopedTimer timing(report.measure_seconds);
    ruler_.reset(problem, context.pool);
    report.residual = ruler_.residual(solution, false, context.pool);
    // Contacts between bodies that cannot move belong to no island, and nothing can mend them.
    if (!(report.residual <= limit.enough)) report.reason = worse_of(report.reason, StopReason::stalled);
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
  ExactIslandReport island = stages.run(space, space, limits(context, clock), x);
  island.contacts = problem.contact_count();
  add(island, report);
  space.to_impulses(x, solution.impulse);
  multiply_add(problem.w, solution.impulse, problem.q, solution.velocity);
  report.residual = island.residual;
  report.seconds = clock.seconds();
  if (context.details) report.exact.parts.push_back(island);
  return report;
}

}  // namespace cairn
