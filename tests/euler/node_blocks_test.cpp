// SPDX-License-Identifier: MIT
#include "cairn/euler/node_blocks.h"
#include "cairn/core/index.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

/// Every place of a view names the node that a search finds, or none where the block is missing.
TEST(NodeBlocks, ViewsAgreeWithSearch) {
  NodeBlocks blocks;
  const GridIndex chosen[] = {{-1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {2, 0, 0}};
  blocks.assign(chosen);
  BlockView<3> view;
  for (std::int32_t b = 0; b < blocks.block_count(); ++b) {
    blocks.fill(b, view);
    const GridIndex first = blocks.first_node(b);
    for (int x = -3; x < kBlockSide + 3; ++x)
      for (int y = -3; y < kBlockSide + 3; ++y)
        for (int z = -3; z < kBlockSide + 3; ++z) {
          const GridIndex node = first + GridIndex{x, y, z};
          ASSERT_EQ(view.at(x, y, z), blocks.find_node(node));
          if (view.at(x, y, z) >= 0) {
            ASSERT_EQ(blocks.node_index(view.at(x, y, z)), node);
          }
        }
  }
  EXPECT_EQ(blocks.find_block({1, 0, 0}), -1);
  EXPECT_EQ(blocks.find_block({5, 5, 5}), -1);
}

/// Two blocks of one colour have no upper neighbour in common, so that they may add to their nodes side by side.
TEST(NodeBlocks, ColoursShareNoNodes) {
  std::vector<GridIndex> cube;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 4; ++z) cube.push_back({x, y, z});
  NodeBlocks blocks;
  blocks.assign(cube);
  std::size_t all = 0;
  for (int colour = 0; colour < 8; ++colour) {
    std::vector<int> uses(blocks.blocks().size(), 0);
    for (const std::int32_t b : blocks.colour(colour)) {
      ++all;
      for (int k = 0; k < 8; ++k) {
        const std::int32_t other =
            blocks.find_block(blocks.blocks()[to_index(b)] + GridIndex{k >> 2, k >> 1 & 1, k & 1});
        if (other >= 0) ++uses[to_index(other)];
      }
    }
    for (const int n : uses) EXPECT_LE(n, 1);
  }
  EXPECT_EQ(all, cube.size());
}

TEST(NodeBlocks, NoBlocksNoNodes) {
  NodeBlocks blocks;
  blocks.assign({});
  EXPECT_EQ(blocks.node_count(), 0U);
  EXPECT_EQ(blocks.find_node({0, 0, 0}), -1);
}

}  // namespace
}  // namespace cairn
