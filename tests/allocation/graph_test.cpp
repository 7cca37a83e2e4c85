// SPDX-License-Identifier: MIT
// Warm calls of what the world does to its graph in every step allocate nothing.
#include <gtest/gtest.h>

#include "cairn/graph/islands.h"
#include "cairn/graph/pair_colours.h"
#include "tests/allocation/counter.h"

namespace cairn {
namespace {

/// Edges of a lattice, without some that `step` chooses.
void make_edges(int step, std::vector<std::uint64_t>& keys, std::vector<Edge>& edges) {
  keys.clear();
  edges.clear();
  for (std::int32_t v = 0; v < 20 * 20 * 20; ++v) {
    for (const std::int32_t across : {1, 20, 400}) {
      if (v + across >= 8000 || (v + step) % 13 == 0) continue;
      keys.push_back(static_cast<std::uint64_t>(v) << 32 | static_cast<std::uint64_t>(v + across));
      edges.push_back({v, v + across});
    }
  }
}

TEST(WarmGraph, AllocatesNothing) {
  const auto pool = make_pool(2);
  std::vector<std::uint64_t> keys;
  std::vector<Edge> edges;
  IslandFinder finder;
  Islands islands;
  Lists by_island;
  PairColours colours;
  long before = 0;
  for (int step = 0; step < 39; ++step) {
    make_edges(step / 2, keys, edges);  // every other step is unchanged
    if (step == 26) before = allocation_count();
    finder.find(edges, 8000, pool.get(), islands);
    group_by(islands.of_vertex, islands.count, by_island);
    colours.update(keys, edges, 8000, pool.get());
  }
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_GT(before, 0);
}

}  // namespace
}  // namespace cairn
