// SPDX-License-Identifier: MIT
// What became of exact solves (ExactReport), over all steps of a run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/world/world.h"

namespace cairn::cli {

struct ExactSums {
  /// A step whose answer does not hold to kExactResidual.
  struct Miss {
    std::int64_t step = 0;
    double residual = 0;
    ExactIslandReport island;  ///< the worst of that step
  };
  static constexpr std::size_t kMostMisses = 50;

  std::int64_t steps = 0, exact_steps = 0;  ///< all; those whose residual is at most kExactResidual
  double worst = 0;                         ///< residual of the worst step
  ExactReport first;                        ///< of the first step with an island: cold
  ExactReport total;                        ///< counts of all steps
  std::vector<Miss> misses;                 ///< the first of them

  bool is_used() const { return total.is_given; }
  void add(const StepReport& report);
};

/// Adds `exact_steps`, `exact_worst`, `exact_islands` and more to the JSON of a run; nothing where no solve was exact.
void add_json(const ExactSums& sums, nlohmann::json& json);
std::string to_text(const ExactSums& sums);

}  // namespace cairn::cli
