// SPDX-License-Identifier: MIT
#include "cairn/graph/edges.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/random.h"

namespace cairn {
namespace {

std::vector<std::int32_t> to_vector(std::span<const std::int32_t> items) { return {items.begin(), items.end()}; }

TEST(EdgesByVertex, ListsWhatALoopFinds) {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    const auto count = static_cast<std::int32_t>(1 + random.below(20));
    std::vector<Edge> edges(random.below(60));
    for (Edge& edge : edges) {
      edge.a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(count) + 1)) - 1;
      do edge.b = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(count) + 1)) - 1;
      while (edge.b == edge.a && edge.a != kNoVertex);
    }
    const Lists lists = edges_by_vertex(edges, count);
    ASSERT_EQ(lists.count(), count);
    for (std::int32_t v = 0; v < count; ++v) {
      std::vector<std::int32_t> wanted;
      for (std::size_t e = 0; e < edges.size(); ++e)
        if (edges[e].a == v || edges[e].b == v) wanted.push_back(static_cast<std::int32_t>(e));
      ASSERT_EQ(to_vector(lists[v]), wanted) << "round " << round << ", vertex " << v;
    }
  }
}

TEST(GroupBy, GroupsAscendAndNegativeKeysAreInNone) {
  const std::vector<std::int32_t> key{2, -1, 0, 2, 2, -5, 0};
  Lists lists = group_by(key, 4);
  ASSERT_EQ(lists.count(), 4);
  EXPECT_EQ(to_vector(lists[0]), (std::vector<std::int32_t>{2, 6}));
  EXPECT_TRUE(lists[1].empty());
  EXPECT_EQ(to_vector(lists[2]), (std::vector<std::int32_t>{0, 3, 4}));
  EXPECT_TRUE(lists[3].empty());
  group_by(std::vector<std::int32_t>{0}, 1, lists);
  ASSERT_EQ(lists.count(), 1) << "what the lists held before is gone";
  EXPECT_EQ(to_vector(lists[0]), (std::vector<std::int32_t>{0}));
}

}  // namespace
}  // namespace cairn
