// SPDX-License-Identifier: MIT
#include "cairn/broad/pair_buffer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr int kBucketBits = 7;
constexpr std::ptrdiff_t kShortRow = 32;

/// Sorts one row by b. The place of an entry of a short row is the number of smaller ones: m^2 comparisons without
/// branches, which beats insertion because the order cannot be predicted.
void sort_row(BroadPair* begin, BroadPair* end) {
  const std::ptrdiff_t m = end - begin;
  if (m < 2) return;
  if (m > kShortRow) {
    std::sort(begin, end);
    return;
  }
  std::array<std::int32_t, kShortRow> b;
  const std::ptrdiff_t padded = (m + 3) / 4 * 4;
  for (std::ptrdiff_t i = 0; i < m; ++i) b[to_index(i)] = begin[i].b;
  for (std::ptrdiff_t i = m; i < padded; ++i) b[to_index(i)] = std::numeric_limits<std::int32_t>::max();
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    const std::int32_t mine = b[to_index(i)];
    std::int32_t smaller = 0;
    for (std::ptrdiff_t j = 0; j < padded; ++j) smaller += b[to_index(j)] < mine ? 1 : 0;
    begin[smaller].b = mine;
  }
}

}  // namespace

std::int64_t PairBuffer::start(std::int64_t count, std::int64_t least_grain) {
  const std::int64_t grain = std::max(least_grain, (count + kMostBlocks - 1) / kMostBlocks);
  used_ = (count + grain - 1) / grain;
  if (static_cast<std::int64_t>(blocks_.size()) < used_) blocks_.resize(to_index(used_));
  for (std::int64_t i = 0; i < used_; ++i) block(i).clear();
  return grain;
}

void PairBuffer::concatenate(ThreadPool* pool, std::vector<BroadPair>& pairs) {
  offset_.resize(to_index(used_));
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < used_; ++i) {
    offset_[to_index(i)] = total;
    total += static_cast<std::int64_t>(block(i).size());
  }
  pairs.resize(to_index(total));
  parallel_for(pool, used_, 1, [&](std::int64_t i, std::int64_t) {
    std::copy(block(i).begin(), block(i).end(), pairs.begin() + offset_[to_index(i)]);
  });
}

void PairBuffer::sort(std::int32_t proxy_count, ThreadPool* pool, std::vector<BroadPair>& pairs) {
  const int bits = std::bit_width(static_cast<std::uint32_t>(std::max(proxy_count, 1)));
  const int shift = std::max(0, bits - kBucketBits);
  const std::int64_t buckets = (static_cast<std::int64_t>(proxy_count) >> shift) + 1;
  offset_.assign(to_index(buckets * used_), 0);
  const auto slot = [&](std::int64_t bucket, std::int64_t i) -> std::int64_t& {
    return offset_[to_index(i * buckets + bucket)];
  };
  parallel_for(pool, used_, 1, [&](std::int64_t i, std::int64_t) {
    for (const BroadPair& pair : block(i)) ++slot(pair.a >> shift, i);
  });
  // Buckets one after the other, in each the blocks in their order.
  bucket_begin_.resize(to_index(buckets + 1));
  std::int64_t total = 0;
  for (std::int64_t bucket = 0; bucket < buckets; ++bucket) {
    bucket_begin_[to_index(bucket)] = total;
    for (std::int64_t i = 0; i < used_; ++i) total += std::exchange(slot(bucket, i), total);
  }
  bucket_begin_.back() = total;
  scratch_.resize(to_index(total));
  pairs.resize(to_index(total));
  row_.resize(to_index(buckets << shift));
  parallel_for(pool, used_, 1, [&](std::int64_t i, std::int64_t) {
    for (const BroadPair& pair : block(i)) scratch_[to_index(slot(pair.a >> shift, i)++)] = pair;
  });
  parallel_for(pool, buckets, 1, [&](std::int64_t bucket, std::int64_t) { sort_bucket(bucket, shift, pairs); });
}

void PairBuffer::sort_bucket(std::int64_t bucket, int shift, std::vector<BroadPair>& pairs) {
  const std::int64_t begin = bucket_begin_[to_index(bucket)];
  const std::int64_t end = bucket_begin_[to_index(bucket + 1)];
  const std::int64_t first = bucket << shift, last = (bucket + 1) << shift;  // the values of a
  std::fill(row_.begin() + first, row_.begin() + last, 0);
  for (std::int64_t k = begin; k < end; ++k) ++row_[to_index(scratch_[to_index(k)].a)];
  std::int64_t at = begin;
  for (std::int64_t a = first; a < last; ++a) at += std::exchange(row_[to_index(a)], at);
  for (std::int64_t k = begin; k < end; ++k) {
    const BroadPair pair = scratch_[to_index(k)];
    pairs[to_index(row_[to_index(pair.a)]++)] = pair;
  }
  // Each entry now holds the end of its row, which is the begin of the next.
  at = begin;
  for (std::int64_t a = first; a < last; ++a) {
    const std::int64_t row_end = row_[to_index(a)];
    sort_row(pairs.data() + at, pairs.data() + row_end);
    at = row_end;
  }
}

}  // namespace cairn
