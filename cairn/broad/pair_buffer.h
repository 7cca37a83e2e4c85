// SPDX-License-Identifier: MIT
// Pairs found by blocks of work in parallel, put together in an order that does not depend on who found them.
//
// Use: grain = start(count, least); parallel_for(pool, count, grain, ...) pushing into block(begin / grain); then
// `concatenate` if the blocks are sorted among each other, or `sort`.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/core/index.h"

namespace cairn {

class PairBuffer {
 public:
  /// Empties the blocks for work over `count` items. Returns the items per block: at least `least_grain`, and such
  /// that there are at most kMostBlocks blocks.
  std::int64_t start(std::int64_t count, std::int64_t least_grain);

  /// The pairs of one block; written by the one thread that works on it.
  std::vector<BroadPair>& block(std::int64_t i) { return blocks_[to_index(i)].pairs; }

  /// All blocks in their order.
  void concatenate(ThreadPool* pool, std::vector<BroadPair>& pairs);

  /// All pairs by (a, b), each of which must occur once: counting sort by groups of `a`, then by `a` within each group,
  /// then each row by `b`.
  void sort(std::int32_t proxy_count, ThreadPool* pool, std::vector<BroadPair>& pairs);

 private:
  static constexpr std::int64_t kMostBlocks = 128;

  struct alignas(64) Block {  // a cache line each: neighbours grow on different threads
    std::vector<BroadPair> pairs;
  };

  void sort_bucket(std::int64_t bucket, int shift, std::vector<BroadPair>& pairs);

  std::vector<Block> blocks_;
  std::int64_t used_ = 0;                   ///< blocks of the current round
  std::vector<std::int64_t> offset_;        ///< per bucket and block; where its pairs go
  std::vector<std::int64_t> bucket_begin_;  ///< per bucket and one more
  std::vector<std::int64_t> row_;           ///< per proxy: count, then end of its row in the result
  std::vector<BroadPair> scratch_;          ///< pairs by bucket
};

}  // namespace cairn
