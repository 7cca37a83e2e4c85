// SPDX-License-Identifier: MIT
#include "cairn/broad/renewals.h"
#include "cairn/core/index.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn {
namespace {

constexpr std::size_t kGroups = 64;
using Lanes = std::vector<std::uint8_t>;

/// Blocks that are left wholly `life` steps after they were renewed; counts those renewed in each step.
std::vector<std::size_t> renewed_per_step(std::size_t blocks, int life, int steps) {
  Renewals renewals;
  std::vector<int> age(blocks, 0);
  std::vector<std::size_t> counts;
  for (int step = 0; step < steps; ++step) {
    Lanes lanes(blocks * kGroups, 0);
    for (std::size_t b = 0; b < blocks; ++b)
      if (++age[b] == life) std::fill_n(lanes.begin() + static_cast<std::ptrdiff_t>(b * kGroups), kGroups, 0xff);
    renewals.choose(lanes);
    counts.push_back(0);
    for (std::size_t b = 0; b < blocks; ++b) {
      if (lanes[b * kGroups] == 0) continue;
      EXPECT_EQ(std::count(lanes.begin() + static_cast<std::ptrdiff_t>(b * kGroups),
                           lanes.begin() + static_cast<std::ptrdiff_t>((b + 1) * kGroups), 0xff),
                64);
      age[b] = 0;
      ++counts.back();
    }
  }
  return counts;
}

TEST(Renewals, BlocksThatAreLeftTogetherAreSpreadEvenly) {
  for (const int life : {2, 3, 4, 7, 12}) {
    const auto counts = renewed_per_step(60, life, 6 * life + 6);
    EXPECT_EQ(counts[to_index(life) - 1], 60u) << "the first time all at once";
    const std::size_t share = (60 + to_index(life) - 1) / to_index(life);
    for (std::size_t step = 2 * to_index(life); step < counts.size(); ++step)
      EXPECT_LE(counts[step], share + 1) << "life " << life << ", step " << step;
  }
}

TEST(Renewals, NothingIsRenewedAtRestAndAllWhenAllIsLeftInEveryStep) {
  for (const std::size_t count : renewed_per_step(10, 1, 20)) EXPECT_EQ(count, 10u);
  for (const std::size_t count : renewed_per_step(10, 1000, 50)) EXPECT_EQ(count, 0u);
  Renewals renewals;
  Lanes none;
  renewals.choose(none);
  EXPECT_TRUE(none.empty());
}

TEST(Renewals, AFewLeaversDoNotTakeTheirBlockAlong) {
  Renewals renewals;
  Lanes few(100, 0), many(100, 0);
  for (std::size_t g = 0; g < 31; ++g) few[g] = 4;   // cost 62 of 64
  for (std::size_t g = 0; g < 32; ++g) many[g] = 4;  // cost 64
  few[70] = many[70] = 1;                            // of the last block, which has 36 groups
  Lanes expected = few;
  renewals.choose(few);
  EXPECT_EQ(few, expected);
  expected.assign(100, 0);
  std::fill_n(expected.begin(), 64, 0xff);
  expected[70] = 1;
  renewals.choose(many);
  EXPECT_EQ(many, expected);
}

}  // namespace
}  // namespace cairn
