// SPDX-License-Identifier: MIT
#include "cairn/broad/sweep_and_prune.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kSweepGrain = 512;
constexpr std::int64_t kDealGrain = 4096, kDealBlocks = 16;
constexpr double kColumnWidth = 2;        // in mean extents
constexpr double kProxiesPerColumn = 8;   // at least, on average
constexpr std::int64_t kMostCopies = 16;  // entries per proxy, on average
constexpr double kAxisGain = 1.5;         // of the variance, before another axis is swept

std::array<double, 3> array_of(const Vec3& v) { return {v.x, v.y, v.z}; }
bool present(const Aabb& box) { return box.lower.x <= box.upper.x; }

}  // namespace

std::int32_t SweepAndPrune::Cut::column_of(double x) const {
  // Monotone in x, rounding included: boxes that overlap share a column.
  return static_cast<std::int32_t>(std::clamp((x - origin) * inverse_width, 0.0, static_cast<double>(count - 1)));
}

void SweepAndPrune::collect(ThreadPool* pool, std::vector<BroadPair>& pairs) {
  measure();
  sort_along_axis(pool);
  cut_columns();
  deal(pool);
  const auto n = static_cast<std::int64_t>(entries_.size());
  const std::int64_t grain = buffer_.start(n, kSweepGrain);
  parallel_for(pool, n, grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<BroadPair>& found = buffer_.block(begin / grain);
    auto column = std::upper_bound(column_begin_.begin(), column_begin_.end(), begin);  // end of the column of `begin`
    for (std::int64_t i = begin; i < end; ++i) {
      while (*column <= i) ++column;
      sweep(i, *column, static_cast<std::int32_t>(column - column_begin_.begin()) - 1, found);
    }
  });
  buffer_.sort(count(), pool, pairs);
}

/// Extents and spread of the boxes, and from them the axis to sweep.
void SweepAndPrune::measure() {
  std::array<double, 3> sum{}, square{};
  Aabb all;
  mean_extent_ = {};
  present_ = 0;
  for (const Aabb& box : bounds_)
    if (present(box)) all = unite(all, box), ++present_;
  lowest_ = present_ > 0 ? array_of(all.lower) : std::array<double, 3>{};
  span_ = present_ > 0 ? array_of(all.upper - all.lower) : std::array<double, 3>{};
  for (const Aabb& box : bounds_) {
    if (!present(box)) continue;
    const auto lower = array_of(box.lower), upper = array_of(box.upper);
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = lower[k] - lowest_[k];
      mean_extent_[k] += (upper[k] - lower[k]) / present_;
      sum[k] += x / present_;
      square[k] += x * x / present_;
    }
  }
  std::array<double, 3> variance{};
  for (std::size_t k = 0; k < 3; ++k) variance[k] = square[k] - sum[k] * sum[k];
  const auto best = static_cast<int>(std::max_element(variance.begin(), variance.end()) - variance.begin());
  const int last = axes_[0];
  if (variance[to_index(best)] <= kAxisGain * variance[to_index(last)]) return;
  axes_ = {best, (best + 1) % 3, (best + 2) % 3};
}

void SweepAndPrune::sort_along_axis(ThreadPool* pool) {
  keys_.resize(bounds_.size());
  for_each_index(pool, count(), kDealGrain, [&](std::size_t i) {
    keys_[i] = key_of(array_of(bounds_[i].lower)[to_index(axes_[0])]);  // absent: infinity
  });
  order_ = sort_.sort(keys_, pool).first(to_index(present_));
}

void SweepAndPrune::cut_columns() {
  const double most = std::max(1.0, std::floor(std::sqrt(present_ / kProxiesPerColumn)));
  for (std::size_t k = 0; k < 2; ++k) {
    const auto axis = to_index(axes_[k + 1]);
    const double width = kColumnWidth * mean_extent_[axis];
    const double columns = width > 0 ? std::clamp(std::floor(span_[axis] / width), 1.0, most) : most;
    cut_[k].origin = lowest_[axis];
    cut_[k].count = static_cast<std::int32_t>(columns);
    cut_[k].inverse_width = span_[axis] > 0 ? columns / span_[axis] : 0;
  }
}

SweepAndPrune::Entry SweepAndPrune::entry_of(std::int32_t proxy) const {
  const Aabb& box = bounds_[to_index(proxy)];
  const auto lower = array_of(box.lower), upper = array_of(box.upper);
  Entry entry{};
  for (std::size_t k = 0; k < 3; ++k) {
    entry.lower[k] = lower[to_index(axes_[k])];
    entry.upper[k] = upper[to_index(axes_[k])];
  }
  entry.proxy = proxy;
  entry.first_column = {cut_[0].column_of(entry.lower[1]), cut_[1].column_of(entry.lower[2])};
  return entry;
}

template <class Visit>
void SweepAndPrune::for_each_column(const Entry& entry, Visit&& visit) const {
  const std::int32_t last0 = cut_[0].column_of(entry.upper[1]), last1 = cut_[1].column_of(entry.upper[2]);
  for (std::int32_t v = entry.first_column[1]; v <= last1; ++v)
    for (std::int32_t u = entry.first_column[0]; u <= last0; ++u) visit(to_index(v * cut_[0].count + u));
}

/// Deals the sorted proxies to the columns; with many wide proxies among narrow ones, to fewer and wider columns.
void SweepAndPrune::deal(ThreadPool* pool) {
  deal_grain_ = std::max(kDealGrain, (static_cast<std::int64_t>(order_.size()) + kDealBlocks - 1) / kDealBlocks);
  const std::int64_t most = kMostCopies * static_cast<std::int64_t>(order_.size());
  while (count_entries(pool) > most) {
    for (Cut& cut : cut_) {
      const std::int32_t fewer = (cut.count + 1) / 2;
      cut.inverse_width *= static_cast<double>(fewer) / cut.count;
      cut.count = fewer;
    }
  }
  write_entries(pool);
}

/// Entries per block and column in offset_; returns their number.
std::int64_t SweepAndPrune::count_entries(ThreadPool* pool) {
  const auto n = static_cast<std::int64_t>(order_.size());
  const std::int64_t blocks = (n + deal_grain_ - 1) / deal_grain_;
  const auto columns = to_index(column_count());
  offset_.assign(to_index(blocks) * columns, 0);
  parallel_for(pool, n, deal_grain_, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t* counts = offset_.data() + to_index(begin / deal_grain_) * columns;
    for (std::int64_t i = begin; i < end; ++i)
      for_each_column(entry_of(order_[to_index(i)].index), [&](std::size_t c) { ++counts[c]; });
  });
  std::int64_t total = 0;
  for (const std::int64_t entries : offset_) total += entries;
  return total;
}

void SweepAndPrune::write_entries(ThreadPool* pool) {
  const auto n = static_cast<std::int64_t>(order_.size());
  const auto columns = to_index(column_count());
  const std::size_t blocks = offset_.size() / columns;
  column_begin_.resize(columns + 1);
  std::int64_t at = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    column_begin_[c] = at;
    for (std::size_t block = 0; block < blocks; ++block) at += std::exchange(offset_[block * columns + c], at);
  }
  column_begin_.back() = at;
  entries_.resize(to_index(at));
  parallel_for(pool, n, deal_grain_, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t* next = offset_.data() + to_index(begin / deal_grain_) * columns;
    for (std::int64_t i = begin; i < end; ++i) {
      const Entry entry = entry_of(order_[to_index(i)].index);
      for_each_column(entry, [&](std::size_t c) { entries_[to_index(next[c]++)] = entry; });
    }
  });
}

/// Compares entry i with those behind it in its column that begin before it ends.
void SweepAndPrune::sweep(std::int64_t i, std::int64_t end, std::int32_t column, std::vector<BroadPair>& found) const {
  const Entry& e = entries_[to_index(i)];
  const std::int32_t u = column % cut_[0].count, v = column / cut_[0].count;
  for (std::int64_t j = i + 1; j < end; ++j) {
    const Entry& o = entries_[to_index(j)];
    if (o.lower[0] > e.upper[0]) return;
    // One condition without branches: most of what is near along the axis is apart along the others.
    const int near = int{e.lower[1] <= o.upper[1]} & int{o.lower[1] <= e.upper[1]} & int{e.lower[2] <= o.upper[2]} &
                     int{o.lower[2] <= e.upper[2]} & int{std::max(e.first_column[0], o.first_column[0]) == u} &
                     int{std::max(e.first_column[1], o.first_column[1]) == v};
    if (near == 0) continue;
    if (!admitted(e.proxy, o.proxy)) continue;
    found.push_back({std::min(e.proxy, o.proxy), std::max(e.proxy, o.proxy)});
  }
}

}  // namespace cairn
