// SPDX-License-Identifier: MIT
#include "cairn/solvers/contract/contract.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr int kMostIterations = 1000;  // of the stronger solver

/// What is not a number is as bad as can be.
double ordered(double residual) { return std::isnan(residual) ? std::numeric_limits<double>::infinity() : residual; }

}  // namespace

ContractSolver::ContractSolver(const ContractSettings& settings, std::unique_ptr<Solver> quick,
                               std::unique_ptr<Solver> stronger)
    : settings_(settings), quick_(std::move(quick)), stronger_(std::move(stronger)) {
  require(settings.max_residual > 0, "a contract needs max_residual: the residual that every island is to reach");
  require(settings.max_ms >= 0, "max_ms must not be negative; 0 means no limit");
}

/// misses_: the islands that the quick solver left above R.
void ContractSolver::judge(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context,
                           ContractReport& report) {
  misses_.clear();
  for (std::int32_t island = 0; island < parts_.count(); ++island) {
    if (parts_.is_empty(island)) continue;
    parts_.extract(problem, solution, context.contact_colour, island);
    part_ruler_.reset(parts_.part().problem, context.pool);
    const double residual = ordered(part_ruler_.residual(parts_.part().solution, false, context.pool));
    ++report.islands;
    if (residual > settings_.max_residual)
      misses_.push_back({residual, island});
    else
      report.worst = std::max(report.worst, residual);
  }
  report.missed = static_cast<std::int64_t>(misses_.size());
  std::sort(misses_.begin(), misses_.end(), [](const Miss& a, const Miss& b) {
    return a.residual != b.residual ? a.residual > b.residual : a.island < b.island;
  });
}

/// Whether the stronger solver's answer for the part is better than what was there.
bool ContractSolver::solve_again(const Miss& miss, double seconds_left, const SolveContext& context) {
  SolveContext again;
  again.pool = context.pool;
  again.stop = {settings_.max_residual, kMostIterations, seconds_left};
  again.details = false, again.measure_end = true;
  again.contact_colour = parts_.part().colours;
  again.interrupt = context.interrupt;
  part_residual_ = ordered(stronger_->solve(parts_.part().problem, parts_.part().solution, again).residual);
  return part_residual_ >= 0 && part_residual_ < miss.residual;
}

SolveReport ContractSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  const Timer timer;
  SolveContext quick_context = context;
  quick_context.measure_end = false;
  SolveReport report = quick_->solve(problem, solution, quick_context);
  const double limit = 1e-3 * settings_.max_ms;
  ContractReport& contract = report.contract;
  contract.timed = settings_.max_ms > 0;
  parts_.find(problem, context.pool);
  judge(problem, solution, context, contract);
  contract.still_missed = contract.missed;
  for (const Miss& miss : misses_) {
    const double left = contract.timed ? limit - timer.seconds() : 0;
    contract.timed_out = contract.timed && left <= 0;
    double residual = miss.residual;
    if (!contract.timed_out) {
      parts_.extract(problem, solution, context.contact_colour, miss.island);
      ++contract.solved_again;
      if (solve_again(miss, left, context)) parts_.write_back(solution), residual = part_residual_;
      if (residual <= settings_.max_residual) --contract.still_missed;
    }
    contract.worst = std::max(contract.worst, residual);
  }
  if (contract.still_missed == 0)
    report.reason = StopReason::converged;
  else if (contract.timed_out || (contract.timed && timer.seconds() >= limit))
    contract.timed_out = true, report.reason = StopReason::time_limit;
  contract.seconds = timer.seconds();
  report.seconds = contract.seconds - report.setup_seconds;
  if (context.measure_end) {
    const Timer measuring;
    ruler_.reset(problem, context.pool);
    report.residual = ruler_.residual(solution, false, context.pool);
    report.measure_seconds = measuring.seconds();
  }
  if (contract.timed && context.details)
    report.notes.emplace_back("max_ms is set: the result depends on how fast the machine was");
  return report;
}

SolveReport ContractSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  return quick_->solve(problem, solution, context);
}

}  // namespace cairn
