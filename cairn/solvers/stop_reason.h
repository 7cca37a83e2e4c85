// SPDX-License-Identifier: MIT
// Why a solve ended.
#pragma once

namespace cairn {

enum class StopReason {
  converged,       ///< the residual reached the tolerance
  stalled,         ///< no further progress is possible (line search, rollbacks or accuracy used up)
  max_iterations,  ///< the budget of iterations is used up
  time_limit,      ///< the budget of time is used up
  diverged,        ///< non-finite or growing without bound; the solution is the last good one
  interrupted,     ///< the caller asked to stop; the solution is the last complete iterate
};
const char* to_string(StopReason reason);
/// Of two ends the one further from convergence; the first of equals.
StopReason worse_of(StopReason a, StopReason b);

}  // namespace cairn
