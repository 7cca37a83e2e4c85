// SPDX-License-Identifier: MIT
// Uniform grid: each proxy stands in the cell of its centre; only the 26 cells around can hold a partner.
//
// The cell is as wide as the widest common proxy, so centres of overlapping boxes lie in the same or in adjacent
// cells, and looking at half of the neighbours finds every pair once. Proxies are laid out by cell (counting sort),
// three cells in a row are one contiguous range. Proxies more than four times wider than the median are large: each
// walks the cells it covers. No state but buffers: the cost does not depend on motion.
//
// When to use: many bodies of like size. Bad when a few dense clusters lie far apart: the number of cells is bounded
// by that of the proxies, so cells then grow.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/broad/broad_phase.h"
#include "cairn/broad/pair_buffer.h"
#include "cairn/core/index.h"

namespace cairn {

class GridBroadPhase final : public BroadPhase {
 private:
  using Cell = std::array<std::int32_t, 3>;

  /// A proxy in the order of the cells.
  struct Entry {
    Aabb box;
    std::int32_t proxy;
  };

  void collect(ThreadPool* pool, std::vector<BroadPair>& pairs) override;

  void split_by_size();
  void choose_cells();
  void fill_cells(ThreadPool* pool);
  void pairs_of_entry(std::int32_t i, std::vector<BroadPair>& found) const;
  void pairs_of_large(std::int64_t k, std::vector<BroadPair>& found) const;
  void compare(const Entry& entry, std::int32_t begin, std::int32_t end, std::vector<BroadPair>& found) const;

  Cell cell_of(const Vec3& point) const;
  std::int32_t index_of(const Cell& cell) const { return (cell[2] * size_[1] + cell[1]) * size_[0] + cell[0]; }
  std::int32_t begin_of(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return cell_begin_[to_index(index_of({x, y, z}))];
  }

  PairBuffer buffer_;
  std::vector<std::int32_t> small_, large_;  ///< proxies, by index; absent ones in neither
  double widest_ = 0;                        ///< largest extent of a small proxy
  Aabb centres_;                             ///< bounds of the centres of the small proxies
  double inverse_cell_ = 0;                  ///< cells per length
  Cell size_{};                              ///< cells along each axis
  std::vector<std::int32_t> cell_;           ///< per small proxy
  std::vector<std::int32_t> cell_begin_;     ///< per cell and one more: first entry
  std::vector<std::int32_t> order_;          ///< per entry: position in small_
  std::vector<Entry> entries_;               ///< small proxies by cell, then by index
  std::vector<std::int32_t> histogram_;      ///< proxies per power of two of their extent
};

}  // namespace cairn
