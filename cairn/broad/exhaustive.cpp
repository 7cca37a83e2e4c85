// SPDX-License-Identifier: MIT
#include "cairn/broad/exhaustive.h"

#include "cairn/core/index.h"

namespace cairn {

void ExhaustiveBroadPhase::collect(ThreadPool* pool, std::vector<BroadPair>& pairs) {
  const std::int32_t n = count();
  const std::int64_t grain = buffer_.start(n, 16);
  parallel_for(pool, n, grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<BroadPair>& found = buffer_.block(begin / grain);
    for (auto a = static_cast<std::int32_t>(begin); a < end; ++a) {
      const Aabb box = bounds_[to_index(a)];
      for (std::int32_t b = a + 1; b < n; ++b)
        if (overlap(box, bounds_[to_index(b)]) && admitted(a, b)) found.push_back({a, b});
    }
  });
  buffer_.concatenate(pool, pairs);
}

}  // namespace cairn
