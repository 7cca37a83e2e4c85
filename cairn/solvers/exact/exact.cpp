// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact.h"

#include <fmt/core.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/body_solve.h"
#include "cairn/solvers/solver_table.h"

namespace cairn {

namespace {

constexpr double kDefaultTolerance = 1e-10;  // where the caller names none: a tenth of what is called exact

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

/// Entries for all impulses, and what bodies do that nothing acts on.
void begin(const ContactProblem& problem, ContactSolution& solution) {
  if (solution.contact_impulse.empty()) solution.contact_impulse.assign(problem.contacts.size(), {});
  if (solution.joint_impulse.empty()) solution.joint_impulse.assign(problem.joint_rows.size(), 0.0);
  solution.contact_carry.clear();
  solution.velocity.resize(problem.bodies.size()), solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Velocity& v = solution.velocity[i] = free_velocity(problem, static_cast<std::int32_t>(i));
    solution.displacement[i] = {problem.dt * v.linear, problem.dt * v.angular};
  }
}

}  // namespace

ExactSolver::ExactSolver(const ExactSettings& settings) : settings_(settings) {
  require(settings.last_eps <= settings.first_eps, "exact: last_eps must not exceed first_eps");
}
ExactSolver::~ExactSolver() = default;

StopSettings ExactSolver::limits(const StopSettings& given) const {
  StopSettings stop = override_stop(given, settings_.iterations, settings_.tolerance);
  if (stop.tolerance == 0) stop.tolerance = kDefaultTolerance;
  return stop;
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
  if (badness(island.reason) > badness(report.reason)) report.reason = island.reason;
  report.iterations = std::max(report.iterations, island.newton_steps + island.sweeps);
  report.factorisations += island.factorisations;
  if (exact.islands == 0 || island.residual > exact.worst.residual) exact.worst = island;
  ++exact.islands;
  exact.exact += island.residual <= kExactResidual ? 1 : 0;
  ++exact.ended[static_cast<std::size_t>(island.stage)];
  exact.fallbacks += island.stage > ExactStage::impulses ? 1 : 0;
  exact.newton_steps += island.newton_steps, exact.factorisations += island.factorisations;
  exact.sweeps += island.sweeps;
}

SolveReport ExactSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  check_input(problem, solution, context);
  SolveReport report;
  report.reason = StopReason::converged;
  Timer timer;
  begin(problem, solution);
  extract(problem, solution, context);
  report.setup_seconds = timer.seconds();
  const Timer clock;
  const IslandLimits limit{limits(context.stop), context.interrupt, &clock};
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
  }
  return report;
}

SolveReport ExactSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  validate(problem);
  check_warm_start(solution.impulse.size(), problem.q.size(), "impulses");
  (void)solution, (void)context;
  return {};
}

}  // namespace cairn
