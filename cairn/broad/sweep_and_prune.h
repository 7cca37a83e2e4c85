// SPDX-License-Identifier: MIT
// Sweep and prune over three axes, coherent from step to step and parallel.
//
// Along the axis of largest variance the proxies are kept sorted by the lower end of their box: the order of the
// last step is repaired by insertion (CoherentSort). The two other axes are cut into columns; the sorted proxies are
// dealt to the columns they touch by a stable counting sort, so every column is sorted too, and a sweep in each
// compares only boxes that overlap along the first axis and are near along the others. A pair that shares several
// columns belongs to the lowest one. Sorting, dealing and sweeping are all split by the data: the classical form,
// which counts overlapping axes per pair while it sorts, has to do one axis after the other.
//
// When to use: flat or stretched scenes, bodies that move little.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/broad/coherent_sort.h"
#include "cairn/broad/pair_buffer.h"

namespace cairn {

class SweepAndPrune final : public BroadPhase {
 private:
  /// A proxy in one column. Axes in the order: swept, first and second of the columns.
  struct Entry {
    std::array<double, 3> lower, upper;
    std::int32_t proxy;
    std::array<std::int32_t, 2> first_column;  ///< lowest column touched, along both axes
  };

  /// One axis cut into columns of equal width.
  struct Cut {
    double origin = 0, inverse_width = 0;
    std::int32_t count = 1;
    std::int32_t column_of(double x) const;
  };

  void collect(ThreadPool* pool, std::vector<BroadPair>& pairs) override;

  void measure();
  void sort_along_axis(ThreadPool* pool);
  void cut_columns();
  void deal(ThreadPool* pool);
  std::int64_t count_entries(ThreadPool* pool);
  void write_entries(ThreadPool* pool);
  void sweep(std::int64_t i, std::int64_t end, std::int32_t column, std::vector<BroadPair>& found) const;

  std::int32_t column_count() const { return cut_[0].count * cut_[1].count; }
  Entry entry_of(std::int32_t proxy) const;
  template <class Visit>
  void for_each_column(const Entry& entry, Visit&& visit) const;

  PairBuffer buffer_;
  CoherentSort sort_;
  std::array<int, 3> axes_{0, 1, 2};         ///< swept, first and second of the columns
  std::array<double, 3> mean_extent_{};      ///< per world axis, over present proxies
  std::array<double, 3> lowest_{}, span_{};  ///< per world axis, of all boxes
  std::int32_t present_ = 0;
  std::array<Cut, 2> cut_;
  std::vector<std::uint64_t> keys_;         ///< per proxy
  std::span<const KeyedIndex> order_;       ///< proxies along the swept axis, absent ones last
  std::int64_t deal_grain_ = 1;             ///< proxies per block of the dealing
  std::vector<std::int64_t> offset_;        ///< per block and column: where its entries go
  std::vector<std::int64_t> column_begin_;  ///< per column and one more
  std::vector<Entry> entries_;              ///< by column, sorted within
};

}  // namespace cairn
