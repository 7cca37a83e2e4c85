// SPDX-License-Identifier: MIT
// NodeBlocks: which nodes of the grid a solid has, in blocks of 8 x 8 x 8 nodes. A field is an array with one entry per
// node, block after block in the order of their indices (x slowest). So nothing is hashed, and nothing depends on
// history. A block is found through a table over the box around all blocks. Each block knows its 26 neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/euler/grid.h"

namespace cairn {

inline constexpr int kBlockSide = 8;
inline constexpr int kBlockNodes = kBlockSide * kBlockSide * kBlockSide;

/// Index of a node within its block.
constexpr int local_index(int x, int y, int z) { return (x * kBlockSide + y) * kBlockSide + z; }

/// A block with `Halo` nodes around it, as one cube of places. NodeBlocks::fill writes it.
template <int Halo>
struct BlockView {
  static constexpr int kSide = kBlockSide + 2 * Halo;
  std::array<std::int32_t, to_index(kSide) * kSide * kSide> node;  ///< index into fields; -1: the solid has none there

  /// Place of the node at (x, y, z), counted from the first node of the block. Each lies in [-Halo, 8 + Halo).
  static constexpr int place(int x, int y, int z) { return ((x + Halo) * kSide + y + Halo) * kSide + z + Halo; }
  std::int32_t at(int x, int y, int z) const { return node[to_index(place(x, y, z))]; }
};

class NodeBlocks {
 public:
  /// The blocks must be sorted, and each given once.
  void assign(std::span<const GridIndex> blocks);

  std::span<const GridIndex> blocks() const { return blocks_; }
  std::int32_t block_count() const { return static_cast<std::int32_t>(blocks_.size()); }
  std::size_t node_count() const { return blocks_.size() * kBlockNodes; }

  /// Slot of a block and index of a node; -1 where there is none.
  std::int32_t find_block(const GridIndex& block) const;
  std::int32_t find_node(const GridIndex& node) const;

  GridIndex first_node(std::int32_t block) const {
    const GridIndex& b = blocks_[to_index(block)];
    return {kBlockSide * b.x, kBlockSide * b.y, kBlockSide * b.z};
  }
  GridIndex node_index(std::int32_t node) const {
    const int local = node % kBlockNodes;
    return first_node(node / kBlockNodes) +
           GridIndex{local / (kBlockSide * kBlockSide), local / kBlockSide % kBlockSide, local % kBlockSide};
  }

  /// The blocks of colour c, one of eight, by the parity of their indices. A block writes to itself and to its
  /// neighbours along +x, +y, +z; two blocks of one colour never write to the same one.
  std::span<const std::int32_t> colour(int c) const { return colours_[to_index(c)]; }

  template <int Halo>
  void fill(std::int32_t block, BlockView<Halo>& view) const {
    static_assert(Halo <= kBlockSide);
    const auto& around = neighbours_[to_index(block)];
    std::size_t place = 0;
    for (int x = -Halo; x < kBlockSide + Halo; ++x)
      for (int y = -Halo; y < kBlockSide + Halo; ++y) {
        const int row = 9 * side_of(x) + 3 * side_of(y);
        const int base = local_index(x & 7, y & 7, 0);
        for (int z = -Halo; z < kBlockSide + Halo; ++z) {
          const std::int32_t slot = around[to_index(row + side_of(z))];
          view.node[place++] = slot < 0 ? -1 : slot * kBlockNodes + base + (z & 7);
        }
      }
  }

 private:
  /// 0 before the block, 1 in it, 2 behind it.
  static constexpr int side_of(int i) { return i < 0 ? 0 : i < kBlockSide ? 1 : 2; }

  std::vector<GridIndex> blocks_;
  std::vector<std::array<std::int32_t, 27>> neighbours_;  ///< per block: slots of its neighbours, itself in the middle
  std::array<std::vector<std::int32_t>, 8> colours_;
  GridIndex lower_{}, extent_{};     ///< of the table, in blocks
  std::vector<std::int32_t> table_;  ///< slot or -1
};

}  // namespace cairn
