// SPDX-License-Identifier: MIT
// A sort that remembers: proxies ordered by a key, starting from the order of the last call.
//
// Bodies move little in a step, so the last order is nearly right and insertion repairs it in about n moves. Chunks
// are repaired in parallel, each with a budget after which it is sorted afresh; chunks that still overlap are merged
// pairwise. The order by (key, index) is unique, so neither threads nor history show in the result.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"

namespace cairn {

struct KeyedIndex {
  std::uint64_t key = 0;
  std::int32_t index = 0;
  friend constexpr auto operator<=>(const KeyedIndex&, const KeyedIndex&) = default;
};

/// A key with the order of the doubles (-0 below 0).
inline std::uint64_t key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ULL;
}

class CoherentSort {
 public:
  /// The indices 0 ... keys.size() - 1 by (key, index). Valid until the next call.
  std::span<const KeyedIndex> sort(std::span<const std::uint64_t> keys, ThreadPool* pool);

 private:
  void take_count(std::size_t count);
  bool in_order() const;
  void merge_runs(std::int64_t width, ThreadPool* pool);

  std::vector<KeyedIndex> items_;   ///< the order of the last call
  std::vector<KeyedIndex> merged_;  ///< scratch of the merges
};

}  // namespace cairn
