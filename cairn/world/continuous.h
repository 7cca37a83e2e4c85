// SPDX-License-Identifier: MIT
// What continuous collision works with from step to step. It is found anew in every step: memory alone is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/broad/query_tree.h"
#include "cairn/math/velocity.h"

namespace cairn {

/// A continuous body and what a pass found about it.
struct FastBody {
  std::int32_t body = 0;
  bool stops = false;     ///< in this pass
  Velocity way;           ///< if it stops: m, rad
  std::int32_t rank = 0;  ///< of the body that it goes along with; the highest number while there is none
};

struct ContinuousWork {
  std::vector<FastBody> bodies;                   ///< continuous ones, ascending
  std::vector<std::uint8_t> changed;              ///< per body: it was stopped by the pass before
  std::vector<std::int32_t> fast_shapes;          ///< those that leave their bounds within the step
  std::vector<std::uint8_t> is_fast;              ///< per shape
  QueryTree tree;                                 ///< per fast shape: where it is at some time of the step
  std::vector<std::vector<std::int32_t>> nearby;  ///< per block of bodies: scratch
};

}  // namespace cairn
