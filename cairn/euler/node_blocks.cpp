// SPDX-License-Identifier: MIT
#include "cairn/euler/node_blocks.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int32_t kMostCells = 1 << 16;  // along an axis

constexpr int floor_block(int node) { return node >= 0 ? node / kBlockSide : -((kBlockSide - 1 - node) / kBlockSide); }

}  // namespace

void check_grid(const Grid& grid) {
  require(is_finite(grid.origin), "the origin of the grid must be finite");
  require(std::isfinite(grid.spacing) && grid.spacing >= 1e-6 && grid.spacing <= 1e6,
          "the spacing of the grid must be a length between 1e-6 and 1e6 m");
  constexpr int kFewest = 2 * kGridMargin + 2;
  const auto& c = grid.cells;
  require(c.x >= kFewest && c.y >= kFewest && c.z >= kFewest,
          "the grid has too few cells: give at least 12 along every axis, 5 of them on each side for the bands");
  require(c.x <= kMostCells && c.y <= kMostCells && c.z <= kMostCells,
          "the grid has too many cells: at most 65536 along an axis");
}

void NodeBlocks::assign(std::span<const GridIndex> blocks) {
  blocks_.assign(blocks.begin(), blocks.end());
  table_.clear();
  neighbours_.clear();
  for (auto& colour : colours_) colour.clear();
  if (blocks_.empty()) return;
  GridIndex upper = blocks_.front();
  lower_ = blocks_.front();
  for (const GridIndex& b : blocks_) {
    lower_ = {std::min(lower_.x, b.x), std::min(lower_.y, b.y), std::min(lower_.z, b.z)};
    upper = {std::max(upper.x, b.x), std::max(upper.y, b.y), std::max(upper.z, b.z)};
  }
  extent_ = {upper.x - lower_.x + 1, upper.y - lower_.y + 1, upper.z - lower_.z + 1};
  table_.assign(to_index(extent_.x) * to_index(extent_.y) * to_index(extent_.z), -1);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const GridIndex b{blocks_[i].x - lower_.x, blocks_[i].y - lower_.y, blocks_[i].z - lower_.z};
    table_[(to_index(b.x) * to_index(extent_.y) + to_index(b.y)) * to_index(extent_.z) + to_index(b.z)] =
        static_cast<std::int32_t>(i);
    const int parity = 4 * (blocks_[i].x & 1) + 2 * (blocks_[i].y & 1) + (blocks_[i].z & 1);
    colours_[to_index(parity)].push_back(static_cast<std::int32_t>(i));
  }
  neighbours_.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    for (int k = 0; k < 27; ++k)
      neighbours_[i][to_index(k)] = find_block(blocks_[i] + GridIndex{k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1});
}

std::int32_t NodeBlocks::find_block(const GridIndex& block) const {
  const GridIndex b{block.x - lower_.x, block.y - lower_.y, block.z - lower_.z};
  if (table_.empty() || b.x < 0 || b.y < 0 || b.z < 0 || b.x >= extent_.x || b.y >= extent_.y || b.z >= extent_.z)
    return -1;
  return table_[(to_index(b.x) * to_index(extent_.y) + to_index(b.y)) * to_index(extent_.z) + to_index(b.z)];
}

std::int32_t NodeBlocks::find_node(const GridIndex& node) const {
  const std::int32_t slot = find_block({floor_block(node.x), floor_block(node.y), floor_block(node.z)});
  return slot < 0 ? -1 : slot * kBlockNodes + local_index(node.x & 7, node.y & 7, node.z & 7);
}

}  // namespace cairn
