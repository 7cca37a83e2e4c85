// SPDX-License-Identifier: MIT
#include "cairn/broad/coherent_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/core/random.h"

namespace cairn {
namespace {

std::vector<KeyedIndex> sorted(const std::vector<std::uint64_t>& keys) {
  std::vector<KeyedIndex> items;
  for (std::size_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], static_cast<std::int32_t>(i)});
  std::sort(items.begin(), items.end());
  return items;
}

TEST(CoherentSort, KeysKeepTheOrderOfDoubles) {
  const std::vector<double> ascending{-1e308, -2, -1.5, -1e-310, -0.0, 0.0, 1e-310, 1, 1.5, 1e308};
  for (std::size_t i = 1; i < ascending.size(); ++i) EXPECT_LT(key_of(ascending[i - 1]), key_of(ascending[i]));
}

TEST(CoherentSort, SortsWhateverCameBefore) {
  Random random(3);
  const auto pool = make_pool(3);
  CoherentSort sort;
  std::vector<std::uint64_t> keys;
  for (const std::size_t count : {0, 1, 2, 5000, 9000, 9000, 2048, 2049, 20000}) {
    keys.resize(count);
    for (std::uint64_t& key : keys) key = random.below(5000);  // with ties
    const auto fresh = sort.sort(keys, pool.get());
    EXPECT_EQ((std::vector<KeyedIndex>(fresh.begin(), fresh.end())), sorted(keys));
    for (std::uint64_t& key : keys) key += random.below(3);  // nearly in order
    const auto again = sort.sort(keys, nullptr);
    EXPECT_EQ((std::vector<KeyedIndex>(again.begin(), again.end())), sorted(keys));
  }
}

}  // namespace
}  // namespace cairn
