// SPDX-License-Identifier: MIT
#include "cairn/broad/coherent_sort.h"

#include <algorithm>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kChunk = 2048;
constexpr std::int64_t kMovesPerItem = 8;

/// Insertion from the left while the budget lasts, then a fresh sort.
void repair(KeyedIndex* begin, KeyedIndex* end) {
  std::int64_t budget = kMovesPerItem * (end - begin);
  for (KeyedIndex* i = begin + 1; i < end; ++i) {
    if (!(*i < i[-1])) continue;
    const KeyedIndex item = *i;
    KeyedIndex* j = i;
    for (; j > begin && item < j[-1]; --j) *j = j[-1];
    *j = item;
    budget -= i - j;
    if (budget >= 0) continue;
    std::sort(begin, end);
    return;
  }
}

}  // namespace

std::span<const KeyedIndex> CoherentSort::sort(std::span<const std::uint64_t> keys, ThreadPool* pool) {
  take_count(keys.size());
  const auto n = static_cast<std::int64_t>(items_.size());
  parallel_for(pool, n, kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      KeyedIndex& item = items_[to_index(i)];
      item.key = keys[to_index(item.index)];
    }
    repair(items_.data() + begin, items_.data() + end);
  });
  if (!in_order())
    for (std::int64_t width = kChunk; width < n; width *= 2) merge_runs(width, pool);
  return items_;
}

void CoherentSort::take_count(std::size_t count) {
  if (count < items_.size())
    std::erase_if(items_, [&](const KeyedIndex& item) { return to_index(item.index) >= count; });
  while (items_.size() < count) items_.push_back({0, static_cast<std::int32_t>(items_.size())});
}

/// True when the sorted chunks follow each other without overlap.
bool CoherentSort::in_order() const {
  for (std::size_t i = kChunk; i < items_.size(); i += kChunk)
    if (items_[i] < items_[i - 1]) return false;
  return true;
}

void CoherentSort::merge_runs(std::int64_t width, ThreadPool* pool) {
  const auto n = static_cast<std::int64_t>(items_.size());
  merged_.resize(items_.size());
  parallel_for(pool, n, 2 * width, [&](std::int64_t begin, std::int64_t end) {
    const KeyedIndex *left = items_.data() + begin, *right = items_.data() + std::min(begin + width, n);
    std::merge(left, right, right, static_cast<const KeyedIndex*>(items_.data() + end), merged_.data() + begin);
  });
  items_.swap(merged_);
}

}  // namespace cairn
