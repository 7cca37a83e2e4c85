// SPDX-License-Identifier: MIT
#include "cairn/graph/islands.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

using Numbers = std::vector<std::int32_t>;

/// The lowest vertex of every island, by passing it along the edges until nothing changes.
Numbers lowest_vertices(const std::vector<Edge>& edges, std::int32_t vertex_count) {
  Numbers lowest;
  for (std::int32_t v = 0; v < vertex_count; ++v) lowest.push_back(v);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Edge& edge : edges) {
      if (edge.a == kNoVertex || edge.b == kNoVertex) continue;
      std::int32_t &a = lowest[to_index(edge.a)], &b = lowest[to_index(edge.b)];
      changed = changed || a != b;
      a = b = std::min(a, b);
    }
  }
  return lowest;
}

void expect_equal(const Islands& found, const Islands& expected) {
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.of_vertex, expected.of_vertex);
  EXPECT_EQ(found.of_edge, expected.of_edge);
}

TEST(Islands, GroundJoinsNothingAndNumbersFollowTheLowestVertex) {
  const std::vector<Edge> edges{{3, 4}, {0, kNoVertex}, {4, 1}, {kNoVertex, 2}, {kNoVertex, kNoVertex}};
  const Islands islands = find_islands(edges, 6);
  EXPECT_EQ(islands.count, 4);
  EXPECT_EQ(islands.of_vertex, (Numbers{0, 1, 2, 1, 1, 3}));
  EXPECT_EQ(islands.of_edge, (Numbers{1, 0, 1, 2, -1}));
}

TEST(Islands, OfNothing) {
  const Islands islands = find_islands({}, 0);
  EXPECT_EQ(islands.count, 0);
  EXPECT_TRUE(islands.of_vertex.empty());
}

RC_GTEST_PROP(Islands, AreThoseOfPassingTheLowestVertexAlong, ()) {
  const auto vertices = *rc::gen::inRange<std::int32_t>(1, 200);
  const auto count = *rc::gen::inRange<int>(0, 300);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<Edge> edges;
  for (int i = 0; i < count; ++i) {
    const auto vertex = [&] {
      return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vertices) + 1)) - 1;
    };
    edges.push_back({vertex(), vertex()});  // some to the ground, some to themselves
  }
  const Islands islands = find_islands(edges, vertices);
  const Numbers lowest = lowest_vertices(edges, vertices);
  std::int32_t next = 0;
  for (std::int32_t v = 0; v < vertices; ++v) {
    const auto i = to_index(v);
    RC_ASSERT(islands.of_vertex[i] == (lowest[i] == v ? next++ : islands.of_vertex[to_index(lowest[i])]));
  }
  RC_ASSERT(islands.count == next);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const std::int32_t v = edges[k].a != kNoVertex ? edges[k].a : edges[k].b;
    RC_ASSERT(islands.of_edge[k] == (v == kNoVertex ? -1 : islands.of_vertex[to_index(v)]));
  }
}

/// Long chains whose edges come in random order: the threads hook the same trees.
TEST(IslandFinder, GivesTheSameForAnyNumberOfThreads) {
  Random random(31);
  for (const std::uint64_t step : {1, 3, 20000}) {
    constexpr std::int32_t vertices = 60000;
    std::vector<Edge> edges;
    for (std::int32_t v = 0; v + 1 < vertices; ++v)
      if (random.below(5000) != 0) edges.push_back({v, (v + static_cast<std::int32_t>(step)) % vertices});
    for (std::size_t k = edges.size(); k > 1; --k) std::swap(edges[k - 1], edges[random.below(k)]);
    const Islands expected = find_islands(edges, vertices);
    EXPECT_GT(expected.count, 1);
    for (const int threads : {2, 3, 8}) {
      const auto pool = make_pool(threads);
      IslandFinder finder;
      Islands islands;
      for (int round = 0; round < 3; ++round) {
        finder.find(edges, vertices, pool.get(), islands);
        expect_equal(islands, expected);
      }
    }
  }
}

TEST(IslandFinder, KeepsNothingOfTheLastCall) {
  IslandFinder finder;
  Islands islands;
  finder.find(std::vector<Edge>{{0, 5}, {5, 2}}, 9, nullptr, islands);
  EXPECT_EQ(islands.of_vertex, (Numbers{0, 1, 0, 2, 3, 0, 4, 5, 6}));
  finder.find(std::vector<Edge>{{2, 1}}, 3, nullptr, islands);
  EXPECT_EQ(islands.of_vertex, (Numbers{0, 1, 1}));
  EXPECT_EQ(islands.of_edge, Numbers{1});
  EXPECT_EQ(islands.count, 2);
}

TEST(GroupBy, ListsVerticesByIslandAndLeavesOutNegativeKeys) {
  Lists lists;
  group_by(Numbers{2, 0, -1, 2, 0, 3}, 5, lists);
  EXPECT_EQ(lists.start, (std::vector<std::int64_t>{0, 2, 2, 4, 5, 5}));
  EXPECT_EQ(lists.item, (Numbers{1, 4, 0, 3, 5}));
  group_by(Numbers{1, 1}, 2, lists);
  EXPECT_EQ(lists.start, (std::vector<std::int64_t>{0, 0, 2}));
  EXPECT_EQ(lists.item, (Numbers{0, 1}));
}

}  // namespace
}  // namespace cairn
