// SPDX-License-Identifier: MIT
#include "cairn/broad/pair_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/core/random.h"

namespace cairn {
namespace {

TEST(PairBuffer, SortsLikeTheLibraryWhateverTheThreads) {
  Random random(141);
  const auto pool = make_pool(3);
  PairBuffer buffer;
  for (const std::int32_t proxies : {2, 100, 5000, 70000}) {
    for (const std::int64_t items : {0, 1, 500, 20000}) {
      SCOPED_TRACE(std::to_string(proxies) + " proxies, " + std::to_string(items) + " items");
      std::vector<std::vector<BroadPair>> of_item(to_index(items));
      std::vector<BroadPair> wanted;
      std::set<BroadPair> is_new;  // a broad phase finds no pair twice
      for (auto& pairs : of_item)
        for (std::uint64_t k = random.below(4); k > 0; --k) {
          const auto a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(proxies) - 1));
          const auto b = a + 1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(proxies - 1 - a)));
          if (is_new.insert({a, b}).second) pairs.push_back({a, b}), wanted.push_back({a, b});
        }
      const std::vector<BroadPair> in_order = wanted;
      std::sort(wanted.begin(), wanted.end());
      for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), pool.get()}) {
        const auto fill = [&] {
          const std::int64_t grain = buffer.start(items, 16);
          EXPECT_GE(grain, 16);
          EXPECT_LE(items, 128 * grain);
          parallel_for(threads, items, grain, [&](std::int64_t begin, std::int64_t end) {
            std::vector<BroadPair>& block = buffer.block(begin / grain);
            for (std::int64_t i = begin; i < end; ++i)
              block.insert(block.end(), of_item[to_index(i)].begin(), of_item[to_index(i)].end());
          });
        };
        std::vector<BroadPair> pairs;
        fill();
        buffer.sort(proxies, threads, pairs);
        ASSERT_EQ(pairs, wanted);
        fill();
        buffer.concatenate(threads, pairs);
        ASSERT_EQ(pairs, in_order);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
