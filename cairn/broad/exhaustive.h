// SPDX-License-Identifier: MIT
// Every box against every other: n (n - 1) / 2 comparisons. The oracle of the tests, and the fastest choice below
// some tens of proxies.
#pragma once

#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/broad/pair_buffer.h"

namespace cairn {

class ExhaustiveBroadPhase final : public BroadPhase {
 private:
  void collect(ThreadPool* pool, std::vector<BroadPair>& pairs) override;

  PairBuffer buffer_;
};

}  // namespace cairn
