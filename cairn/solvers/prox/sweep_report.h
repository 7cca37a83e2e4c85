// SPDX-License-Identifier: MIT
// What solvers by sweeps say of a solve.
#pragma once

#include <cstdint>
#include <vector>

namespace cairn {

struct SweepReport {
  std::vector<std::int64_t> colour_sizes;  ///< contacts per colour, where there are colours
  int colours = 0;                         ///< how many there are
  std::int64_t matrix_blocks = 0;          ///< stored blocks of A or T
  std::int64_t unsafe_contacts = 0;        ///< contacts outside safe colours (relaxed, naive, border)
  int rollbacks = 0;                       ///< iterations undone, r reduced
  int restarts = 0;                        ///< momentum or history dropped by the acceleration
};

}  // namespace cairn
