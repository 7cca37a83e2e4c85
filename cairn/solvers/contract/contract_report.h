// SPDX-License-Identifier: MIT
// What a contract says of a solve.
#pragma once

#include <cstdint>

namespace cairn {

/// What became of "residual at most R or T milliseconds" (contract.h). No islands: there was no contract, or no
/// contact.
struct ContractReport {
  std::int64_t islands = 0;       ///< judged
  std::int64_t missed = 0;        ///< above R after the quick solver
  std::int64_t solved_again = 0;  ///< by the stronger one
  std::int64_t still_missed = 0;  ///< above R in the end
  double worst = 0;               ///< residual of the worst island in the end
  double seconds = 0;             ///< of the whole solve, by the clock
  bool timed = false;             ///< T is set: the result depends on the clock
  bool timed_out = false;         ///< T ended it
};

}  // namespace cairn
