// SPDX-License-Identifier: MIT
// StepCosts: milliseconds of the steps of a run, all stages and the solver's: of the processors with one thread, by the
// clock with more.
#pragma once

#include <numeric>
#include <vector>

#include "cairn/world/report.h"

namespace cairn::cli {

struct StepCosts {
  std::vector<double> all, solve;

  /// Of a world that measures processor times.
  void add(const StageTimes& times, bool one_thread) {
    const double* seconds = one_thread ? times.cpu : times.wall;
    all.push_back(1e3 * std::accumulate(seconds, seconds + kStageCount, 0.0));
    solve.push_back(1e3 * seconds[static_cast<int>(Stage::solve)]);
  }
};

}  // namespace cairn::cli
