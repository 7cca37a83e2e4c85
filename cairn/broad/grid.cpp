// SPDX-License-Identifier: MIT
#include "cairn/broad/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 512;
constexpr std::int32_t kBatch = 64;
constexpr double kLargeRatio = 4;                        // of the median's upper power of two
constexpr double kSlack = 1e-6;                          // relative: covers the rounding of cell numbers
constexpr double kCoordinateSlack = 0x1p-40;             // of the largest coordinate: covers the rounding of centres
constexpr int kExponentShift = 1100, kExponents = 2200;  // of doubles

double extent(const Aabb& box) {
  return std::max({box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z});
}

double largest_coordinate(const Aabb& box) {
  return std::max({std::abs(box.lower.x), std::abs(box.lower.y), std::abs(box.lower.z), std::abs(box.upper.x),
                   std::abs(box.upper.y), std::abs(box.upper.z)});
}

BroadPair ordered(std::int32_t a, std::int32_t b) { return a < b ? BroadPair{a, b} : BroadPair{b, a}; }

}  // namespace

void GridBroadPhase::collect(ThreadPool* pool, std::vector<BroadPair>& pairs) {
  split_by_size();
  choose_cells();
  fill_cells(pool);
  const auto small = static_cast<std::int64_t>(small_.size()), large = static_cast<std::int64_t>(large_.size());
  // Large proxies first: one of them may be more work than a block of small ones.
  const std::int64_t large_blocks = std::min<std::int64_t>(large, 32);
  const std::int64_t grain = std::max(kGrain, (small + 95) / 96);
  const std::int64_t blocks = large_blocks + (small + grain - 1) / grain;
  buffer_.start(blocks, 1);
  parallel_for(pool, blocks, 1, [&](std::int64_t block, std::int64_t) {
    std::vector<BroadPair>& found = buffer_.block(block);
    for (std::int64_t k = block; block < large_blocks && k < large; k += large_blocks) pairs_of_large(k, found);
    if (block < large_blocks) return;
    const std::int64_t begin = (block - large_blocks) * grain, end = std::min(small, begin + grain);
    for (std::int64_t i = begin; i < end; ++i) pairs_of_entry(static_cast<std::int32_t>(i), found);
  });
  buffer_.sort(count(), pool, pairs);
}

void GridBroadPhase::split_by_size() {
  histogram_.assign(kExponents, 0);
  std::int32_t present = 0;
  for (const Aabb& box : bounds_) {
    if (box.lower.x > box.upper.x) continue;
    int exponent = 0;  // extent < 2^exponent
    std::frexp(std::max(extent(box), std::numeric_limits<double>::min()), &exponent);
    ++histogram_[to_index(exponent + kExponentShift)];
    ++present;
  }
  std::size_t median = 0;
  for (std::int32_t seen = 0; median < histogram_.size() && 2 * seen < present; ++median) seen += histogram_[median];
  const double limit = kLargeRatio * std::ldexp(1.0, static_cast<int>(median) - 1 - kExponentShift);

  small_.clear();
  large_.clear();
  widest_ = 0;
  centres_ = {};
  double reach = 0;
  for (std::int32_t i = 0; i < count(); ++i) {
    const Aabb& box = bounds_[to_index(i)];
    if (box.lower.x > box.upper.x) continue;
    if (extent(box) > limit) {
      large_.push_back(i);
      continue;
    }
    small_.push_back(i);
    widest_ = std::max(widest_, extent(box));
    reach = std::max(reach, largest_coordinate(box));
    centres_ = unite(centres_, centre(box));
  }
  widest_ = widest_ * (1 + kSlack) + reach * kCoordinateSlack;
}

/// Cells of the width of the widest small proxy, wider if there would be many more cells than proxies.
void GridBroadPhase::choose_cells() {
  if (small_.empty()) {
    size_ = {1, 1, 1};
    return;
  }
  const double most_cells = 1024.0 + 4.0 * static_cast<double>(small_.size());
  const Vec3 span = centres_.upper - centres_.lower;
  double cell = widest_ > 0 ? widest_ : 1;
  const auto along = [&](double length) { return std::floor(length / cell) + 1; };
  while (along(span.x) * along(span.y) * along(span.z) > most_cells) cell *= 1.25;
  inverse_cell_ = 1 / cell;
  size_ = {static_cast<std::int32_t>(along(span.x)), static_cast<std::int32_t>(along(span.y)),
           static_cast<std::int32_t>(along(span.z))};
}

GridBroadPhase::Cell GridBroadPhase::cell_of(const Vec3& point) const {
  const Vec3 p = inverse_cell_ * (point - centres_.lower);
  const auto clamped = [](double x, std::int32_t size) {
    return static_cast<std::int32_t>(std::clamp(x, 0.0, static_cast<double>(size - 1)));
  };
  return {clamped(p.x, size_[0]), clamped(p.y, size_[1]), clamped(p.z, size_[2])};
}

void GridBroadPhase::fill_cells(ThreadPool* pool) {
  const auto n = static_cast<std::int64_t>(small_.size());
  const auto box_of = [&](std::int64_t k) -> const Aabb& { return bounds_[to_index(small_[to_index(k)])]; };
  cell_.resize(small_.size());
  parallel_for(pool, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) cell_[to_index(k)] = index_of(cell_of(centre(box_of(k))));
  });
  // Counting sort; stable, so that entries of a cell stand by index.
  const auto cells = to_index(size_[0]) * to_index(size_[1]) * to_index(size_[2]);
  cell_begin_.assign(cells + 1, 0);
  for (const std::int32_t cell : cell_) ++cell_begin_[to_index(cell)];
  std::int32_t at = 0;
  for (std::int32_t& begin : cell_begin_) at += std::exchange(begin, at);
  order_.resize(small_.size());
  for (std::size_t k = 0; k < small_.size(); ++k)
    order_[to_index(cell_begin_[to_index(cell_[k])]++)] = static_cast<std::int32_t>(k);
  // Each entry now holds its cell's end: shift by one to make begins again.
  std::copy_backward(cell_begin_.begin(), cell_begin_.end() - 1, cell_begin_.end());
  cell_begin_.front() = 0;
  entries_.resize(small_.size());
  parallel_for(pool, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t k = order_[to_index(i)];
      const std::int32_t proxy = small_[to_index(k)];
      entries_[to_index(i)] = {box_of(k), proxy};
    }
  });
}

/// Compares an entry with a range of others: first all boxes without branches, then what is left.
void GridBroadPhase::compare(const Entry& entry, std::int32_t begin, std::int32_t end,
                             std::vector<BroadPair>& found) const {
  std::array<std::int32_t, kBatch> hits;
  const Aabb a = entry.box;
  while (begin < end) {
    const std::int32_t stop = std::min(end, begin + kBatch);
    std::size_t hit_count = 0;
    for (; begin < stop; ++begin) {
      const Entry& other = entries_[to_index(begin)];
      hits[hit_count] = other.proxy;
      hit_count += to_index(overlap_bit(a, other.box));
    }
    for (std::size_t k = 0; k < hit_count; ++k)
      if (admitted(entry.proxy, hits[k])) found.push_back(ordered(entry.proxy, hits[k]));
  }
}

/// Pairs of an entry with later ones: the rest of its own row of cells, the row above, and three rows of the layer
/// above.
void GridBroadPhase::pairs_of_entry(std::int32_t i, std::vector<BroadPair>& found) const {
  const Entry& entry = entries_[to_index(i)];
  const std::int32_t cell = cell_[to_index(order_[to_index(i)])];
  const std::int32_t x = cell % size_[0], y = cell / size_[0] % size_[1], z = cell / size_[0] / size_[1];
  const std::int32_t left = std::max(x - 1, 0), right = std::min(x + 1, size_[0] - 1);
  const auto row = [&](std::int32_t ry, std::int32_t rz) {
    if (ry < 0 || ry >= size_[1] || rz >= size_[2]) return;
    const std::int32_t last = index_of({right, ry, rz});
    compare(entry, begin_of(left, ry, rz), cell_begin_[to_index(last + 1)], found);
  };
  compare(entry, i + 1, cell_begin_[to_index(index_of({right, y, z}) + 1)], found);
  row(y + 1, z);
  for (std::int32_t ry = y - 1; ry <= y + 1; ++ry) row(ry, z + 1);
}

/// Pairs of a large proxy with all small ones and with the large ones after it.
void GridBroadPhase::pairs_of_large(std::int64_t k, std::vector<BroadPair>& found) const {
  const std::int32_t proxy = large_[to_index(k)];
  const Entry entry{bounds_[to_index(proxy)], proxy};
  for (auto j = to_index(k) + 1; j < large_.size(); ++j) {
    const auto other = to_index(large_[j]);
    if (overlap(entry.box, bounds_[other]) && admitted(proxy, large_[j])) found.push_back({proxy, large_[j]});
  }
  if (small_.empty()) return;
  // A small box that overlaps has its centre within half its width of the large one; `widest_` includes the rounding.
  const Aabb reach = grown(entry.box, widest_);
  const Cell lower = cell_of(reach.lower), upper = cell_of(reach.upper);
  for (std::int32_t z = lower[2]; z <= upper[2]; ++z)
    for (std::int32_t y = lower[1]; y <= upper[1]; ++y)
      compare(entry, begin_of(lower[0], y, z), cell_begin_[to_index(index_of({upper[0], y, z}) + 1)], found);
}

}  // namespace cairn
