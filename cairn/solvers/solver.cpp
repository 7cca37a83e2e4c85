// SPDX-License-Identifier: MIT
#include "cairn/solvers/solver.h"

#include "cairn/core/index.h"

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

}  // namespace

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return "converged";
    case StopReason::stalled: return "stalled";
    case StopReason::max_iterations: return "max_iterations";
    case StopReason::time_limit: return "time_limit";
    case StopReason::diverged: return "diverged";
    case StopReason::interrupted: return "interrupted";
  }
  return "unknown";
}

const char* to_string(ExactStage stage) {
  switch (stage) {
    case ExactStage::start: return "start";
    case ExactStage::staggered: return "staggered";
    case ExactStage::impulses: return "impulses";
    case ExactStage::velocities: return "velocities";
    case ExactStage::sweeps: return "sweeps";
    case ExactStage::reference: return "reference";
    case ExactStage::iterative: return "iterative";
  }
  return "unknown";
}

void add_island(const ExactIslandReport& island, ExactReport& report) {
  if (report.islands == 0 || island.residual > report.worst.residual) report.worst = island;
  ++report.islands;
  const int is_exact = island.residual <= kExactResidual ? 1 : 0;
  report.exact += is_exact;
  if (island.contacts <= kSmallIsland) ++report.small, report.small_exact += is_exact;
  ++report.ended[to_index(island.stage)];
  report.fallbacks += island.stage > ExactStage::impulses ? 1 : 0;
  report.newton_steps += island.newton_steps, report.factorisations += island.factorisations;
  report.sweeps += island.sweeps, report.turns += island.turns, report.active_sets += island.active_sets;
  report.schur_columns += island.schur_columns, report.unfinished += island.unfinished;
}

StopReason worse_of(StopReason a, StopReason b) { return badness(b) > badness(a) ? b : a; }

StopSettings override_stop(StopSettings stop, int iterations, double tolerance) {
  if (iterations > 0) stop.max_iterations = iterations;
  if (tolerance >= 0) stop.tolerance = tolerance;
  return stop;
}

}  // namespace cairn
