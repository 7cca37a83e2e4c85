// SPDX-License-Identifier: MIT
// IslandLimits: when the solve of one island ends, for solvers that divide a problem into islands by themselves.
#pragma once

#include <algorithm>
#include <atomic>

#include "cairn/core/timer.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// The clock is that of the whole solve.
struct IslandLimits {
  StopSettings stop;
  const std::atomic<bool>* interrupt = nullptr;
  const Timer* clock = nullptr;
  double enough = 0;  ///< residual, no smaller than the tolerance, with which no further stage is begun

  bool is_interrupted() const { return interrupt != nullptr && interrupt->load(std::memory_order_relaxed); }
  bool is_late() const { return stop.time_limit > 0 && clock != nullptr && clock->seconds() >= stop.time_limit; }
  bool must_stop() const { return is_interrupted() || is_late(); }
  /// Seconds for a solver that is called; 0: no limit.
  double time_left() const {
    return stop.time_limit > 0 && clock != nullptr ? std::max(stop.time_limit - clock->seconds(), 1e-9) : 0.0;
  }
};

inline constexpr double kIslandTolerance = 1e-10;  ///< where the caller names none: a tenth of what is called exact

/// The caller's tolerance is binding. Where there is none, what is exact is enough, but a cheap stage goes on to a
/// tenth.
inline IslandLimits island_limits(const SolveContext& context, int iterations, double tolerance, const Timer& clock) {
  IslandLimits limits{override_stop(context.stop, iterations, tolerance), context.interrupt, &clock};
  limits.enough = limits.stop.tolerance > 0 ? limits.stop.tolerance : kExactResidual;
  if (limits.stop.tolerance == 0) limits.stop.tolerance = kIslandTolerance;
  return limits;
}

}  // namespace cairn
