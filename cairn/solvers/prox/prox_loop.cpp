// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/prox_loop.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/timer.h"

namespace cairn {

// An acceleration has its own restarts; undoing its sweeps as well would fight them.
ProxLoop::ProxLoop(const ProxSettings& settings)
    : settings_(settings),
      accelerator_(make_accelerator(settings.acceleration, settings.depth)),
      rollback_((settings.rollback || settings.order == SweepOrder::jacobi) && !accelerator_) {}

void ProxLoop::run(const LoopTask& task, std::vector<double>& lambda) {
  task_ = &task;
  state_ = {};
  SolveReport& report = task.report;
  prepare(lambda);
  while (!state_.is_stopped) {
    double change = 0;
    {
      ScopedTimer timing(report.seconds);
      accelerate(lambda);
      remember_start(lambda);
      change = task.sweep.run(lambda, task.context.pool);
      ++report.iterations;
      state_.is_measured = false;
    }
    if (!std::isfinite(change))
      give_up(lambda);
    else if (!roll_back(change, lambda))
      check(change, lambda);
  }
  if (accelerator_) finish_acceleration(lambda);
  if ((task.stop.tolerance > 0 || task.context.measure_end) && !state_.is_measured) {
    ScopedTimer timing(report.measure_seconds);
    report.residual = task.ruler.read(lambda).residual;
  }
  task_ = nullptr;
}

void ProxLoop::finish_acceleration(const std::vector<double>& lambda) {
  ScopedTimer timing(task_->report.seconds);
  task_->report.sweep.restarts = accelerator_->restarts();
  task_->sweep.refresh(lambda, task_->context.pool);  // w to the last bit
}

void ProxLoop::prepare(std::vector<double>& lambda) {
  const auto& [sweep, ruler, context, limits, report] = *task_;
  ScopedTimer timing(report.setup_seconds);
  sweep.project(lambda, context.pool);
  sweep.refresh(lambda, context.pool);
  good_ = lambda;
  if (accelerator_) {
    weight_.resize(sweep.size());
    sweep.weights(weight_);
    accelerator_->reset(weight_);
  }
  if (limits.max_iterations <= 0) stop(StopReason::max_iterations);
}

/// Moves lambda to the start of the next sweep, and w with it; what the last sweep found has been measured already.
void ProxLoop::accelerate(std::vector<double>& lambda) {
  const auto& [sweep, ruler, context, limits, report] = *task_;
  constexpr int kRefresh = 64;  // so many combinations of w add up less than a millionth of a millionth of rounding
  if (!accelerator_ || report.iterations == 0) return;
  if (!accelerator_->propose({start_, start_state_}, {lambda, sweep.state()}, context.pool)) return;
  if (!accelerator_->is_followed()) sweep.project(lambda, context.pool);
  if (!accelerator_->is_followed() || report.iterations % kRefresh == 0) sweep.refresh(lambda, context.pool);
}

void ProxLoop::remember_start(const std::vector<double>& lambda) {
  if (!rollback_ && !accelerator_) return;
  start_ = lambda;
  if (!accelerator_) return;
  const std::span<const double> state = task_->sweep.state();
  start_state_.assign(state.begin(), state.end());
}

/// Undoes a sweep whose change grew, or that goes round in circles, and reduces r (Poulsen 2010, section 3.5); lambda
/// AND w return to where they were.
bool ProxLoop::roll_back(double change, std::vector<double>& lambda) {
  const auto& [sweep, ruler, context, limits, report] = *task_;
  constexpr int kCircling = 4;  // a cycle between bounds does not grow: so many sweeps without any progress
  State& s = state_;
  s.circling = change >= s.last_change ? s.circling + 1 : 0;
  const bool worse = rollback_ && report.iterations > settings_.free_sweeps &&
                     (change > settings_.growth * s.last_change || (change > 0 && s.circling >= kCircling)) &&
                     report.sweep.rollbacks < settings_.max_rollbacks;
  s.last_change = worse ? s.last_change : change;
  if (!worse) return false;
  s.circling = 0;
  ScopedTimer timing(report.seconds);
  lambda = start_;
  sweep.refresh(lambda, context.pool);
  sweep.scale_r(settings_.nu);
  ++report.sweep.rollbacks;
  if (report.iterations >= limits.max_iterations) stop(StopReason::max_iterations);
  return true;
}

void ProxLoop::check(double change, const std::vector<double>& lambda) {
  const auto& [sweep, ruler, context, limits, report] = *task_;
  const int i = report.iterations;
  const bool last = i >= limits.max_iterations || change == 0;
  // The later, the rarer: at most 5 % of the sweeps are wasted, and measuring stays cheap.
  const bool due = context.history || (limits.tolerance > 0 && (i >= state_.next_check || last));
  if (due) measure(lambda);
  if (due) state_.next_check = i + std::max(1, i / 20);
  if (context.progress) context.progress(i, report.residual);
  if (due && limits.tolerance > 0 && report.residual <= limits.tolerance) return stop(StopReason::converged);
  if (change == 0) return stop(StopReason::stalled);
  if (i >= limits.max_iterations) return stop(StopReason::max_iterations);
  if (limits.time_limit > 0 && report.seconds >= limits.time_limit) return stop(StopReason::time_limit);
  if (context.interrupt != nullptr && context.interrupt->load()) stop(StopReason::interrupted);
}

void ProxLoop::measure(const std::vector<double>& lambda) {
  const auto& [sweep, ruler, context, limits, report] = *task_;
  ScopedTimer timing(report.measure_seconds);
  const Reading reading = ruler.read(lambda);
  report.residual = reading.residual;
  state_.is_measured = true;
  if (context.history && context.details)
    report.history.push_back({report.iterations, report.seconds, reading.residual, reading.gamma});
  if (std::isfinite(reading.residual)) good_ = lambda;
}

/// Not finite: the last measured iterate, or the start, is the answer.
void ProxLoop::give_up(std::vector<double>& lambda) {
  lambda = good_;
  task_->sweep.refresh(lambda, task_->context.pool);
  stop(StopReason::diverged);
  task_->report.residual = task_->ruler.read(lambda).residual;
  state_.is_measured = true;
}

void ProxLoop::stop(StopReason reason) {
  task_->report.reason = reason;
  state_.is_stopped = true;
}

}  // namespace cairn
