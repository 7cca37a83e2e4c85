// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact_stages.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr double kHelps = 0.5;   // fall of the residual that a careful round must bring
constexpr int kQuickTurns = 10;  // of staggered projections, before Newton takes over

}  // namespace

ExactIslandReport ExactStages::run(NewtonSpace& space, ExactHelper& helper, const IslandLimits& limits,
                                   std::vector<double>& x) {
  sweeps_ = 0, staggered_ = {};
  best_.start(space, limits, x);
  take_best(x);
  ExactIslandReport report;
  report.stage = run_stages(space, helper, x);
  const StopReason tired = best_.is_enough() ? StopReason::converged : StopReason::stalled;
  report.reason = best_.done() ? best_.reason() : tired;
  report.residual = best_.value();
  report.newton_steps = best_.steps(), report.sweeps = sweeps_;
  report.factorisations = best_.factorisations() + staggered_.factorisations;
  report.turns = staggered_.turns, report.active_sets = staggered_.active_sets;
  report.schur_columns = staggered_.schur_columns, report.unfinished = staggered_.unfinished;
  take_best(x);
  return report;
}

/// Returns the stage that found the best iterate.
ExactStage ExactStages::run_stages(NewtonSpace& space, ExactHelper& helper, std::span<double> x) {
  ExactStage found = ExactStage::start;
  double reached = best_.value();
  const auto is_over = [&](ExactStage stage) {
    if (best_.value() < reached) found = stage, reached = best_.value();
    return best_.done() || (stage != ExactStage::start && best_.is_enough());
  };
  if (is_over(ExactStage::start)) return found;
  staggered_stage(helper, x);
  if (is_over(ExactStage::staggered)) return found;
  impulse_stage(space, x);
  if (is_over(ExactStage::impulses)) return found;
  velocity_stage(space, false, x);
  if (is_over(ExactStage::velocities)) return found;
  sweep_stage(space, helper, x);
  if (is_over(ExactStage::sweeps)) return found;
  reference_stage(helper, x);
  is_over(ExactStage::reference);
  return found;
}

void ExactStages::take_best(std::span<double> x) const { std::copy(best_.x().begin(), best_.x().end(), x.begin()); }

bool ExactStages::staggered_stage(ExactHelper& helper, std::span<double> x) {
  IslandLimits limits = best_.limits();
  limits.stop.max_iterations = std::min(limits.stop.max_iterations, kQuickTurns);
  staggered_ = helper.stagger(limits, x);
  if (staggered_.turns > 0 && best_.record(x, staggered_.turns)) return true;
  take_best(x);
  return false;
}

bool ExactStages::impulse_stage(NewtonSpace& space, std::span<double> x) {
  return newton_.solve_impulses(space, {settings_.eps, settings_.newton_steps}, x, best_);
}

bool ExactStages::velocity_stage(NewtonSpace& space, bool is_careful, std::span<double> x) {
  take_best(x);
  const VelocityNewtonSettings settings{settings_.first_eps, settings_.last_eps, settings_.factor, is_careful};
  return newton_.solve_velocities(space, settings, x, best_) || impulse_stage(space, x);
}

bool ExactStages::sweep_stage(NewtonSpace& space, ExactHelper& helper, std::span<double> x) {
  for (int round = 0; round < settings_.rounds; ++round) {
    const double before = best_.value();
    take_best(x);
    const int sweeps = helper.sweep(settings_.sweeps, best_.limits(), x);
    sweeps_ += sweeps;
    if (best_.record(x, sweeps) || velocity_stage(space, round > 0, x)) return true;
    if (round > 0 && !(best_.value() < kHelps * before)) break;
  }
  return false;
}

bool ExactStages::reference_stage(ExactHelper& helper, std::span<double> x) {
  if (!settings_.reference) return false;
  take_best(x);
  return helper.refer(best_.limits(), x) && best_.record(x, 0);
}

}  // namespace cairn
