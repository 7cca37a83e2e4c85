// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/graph/colouring.h"
#include "cairn/graph/partition.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

/// Edges of a ball grid; the ground is either no vertex or vertex n^3.
std::vector<Edge> grid_edges(int n, bool ground_is_vertex) {
  const ContactProblem problem = scenes::ball_grid(n);
  std::vector<Edge> edges;
  for (const ContactBlock& c : problem.contacts) {
    const auto vertex = [&](std::int32_t b) { return b == n * n * n && !ground_is_vertex ? kNoVertex : b; };
    edges.push_back({vertex(c.body_a), vertex(c.body_b)});
  }
  return edges;
}

/// True when no two edges of one colour share a vertex.
bool is_proper(const Colouring& colouring, std::span<const Edge> edges) {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (std::size_t k = 0; k < edges.size(); ++k)
    for (const std::int32_t v : {edges[k].a, edges[k].b})
      if (v != kNoVertex && !seen.insert({v, colouring.colour[k]}).second) return false;
  return true;
}

TEST(Colouring, GreedySizesOfTheBallGridsWithAStaticGround) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(colour_edges_greedy(grid_edges(8, false), 513).sizes, (Sizes{256, 256, 256, 256, 240, 144}));
  EXPECT_EQ(colour_edges_greedy(grid_edges(24, false), 13825).sizes, (Sizes{6912, 6912, 6912, 6912, 6864, 5808}));
  EXPECT_EQ(colour_edges_greedy(grid_edges(40, false), 64001).sizes, (Sizes{32000, 32000, 32000, 32000, 31920, 28880}));
}

TEST(Colouring, GroundAsABodyGivesTheColoursOfTheThesis) {  // Poulsen 2010 section 7.3
  auto edges = grid_edges(24, true);
  std::rotate(edges.begin(), edges.end() - 576, edges.end());  // ground contacts first: six find a low colour
  const Colouring greedy = colour_edges_greedy(edges, 13825);
  std::int64_t unsafe = 0;  // beyond the first six colours
  for (std::size_t c = 6; c < greedy.sizes.size(); ++c) unsafe += greedy.sizes[c];
  EXPECT_EQ(unsafe, 570);
  EXPECT_EQ(greedy.sizes[0], 6912);
  const Colouring balanced = colour_edges_balanced(edges, 13825, 580);
  EXPECT_TRUE(is_proper(balanced, edges));
  EXPECT_EQ(balanced.sizes.size(), 580u);
  EXPECT_EQ(*std::min_element(balanced.sizes.begin(), balanced.sizes.end()), 69);
  EXPECT_EQ(*std::max_element(balanced.sizes.begin(), balanced.sizes.end()), 70);
}

TEST(Colouring, GreedyTakesTheLowestFreeColourWhateverTheScratchHeldBefore) {
  Random random(5);
  ColouringScratch scratch;
  Colouring result;
  for (const int hubs : {3, 0, 1, 2}) {  // a hub has hundreds of edges, hence colours beyond one word
    std::vector<Edge> edges;
    for (int k = 0; k < 600; ++k) {
      const auto any = [&] { return static_cast<std::int32_t>(random.uniform(-0.99, 99.99)); };
      const std::int32_t a = hubs > 0 && k % 2 == 0 ? k % hubs : any();
      edges.push_back({k % 7 == 0 ? kNoVertex : a, any()});
    }
    colour_edges_greedy(edges, 100, scratch, result);
    std::vector<std::set<std::int32_t>> at(100);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const auto is_taken = [&](std::int32_t c) {
        return (edges[k].a != kNoVertex && at[to_index(edges[k].a)].count(c) > 0) ||
               at[to_index(edges[k].b)].count(c) > 0;
      };
      std::int32_t lowest = 0;
      while (is_taken(lowest)) ++lowest;
      ASSERT_EQ(result.colour[k], lowest);
      if (edges[k].a != kNoVertex) at[to_index(edges[k].a)].insert(lowest);
      at[to_index(edges[k].b)].insert(lowest);
    }
    EXPECT_EQ(result.sizes.size() > 64, hubs > 0 && hubs < 4);
    EXPECT_EQ(std::accumulate(result.sizes.begin(), result.sizes.end(), std::int64_t{0}), 600);
  }
}

TEST(Lists, EdgesByVertexRefillsWhatItIsGiven) {
  Lists lists = edges_by_vertex(std::vector<Edge>{{0, 1}, {1, 2}, {kNoVertex, 1}, {3, 3}}, 5);
  EXPECT_EQ(lists.start, (std::vector<std::int64_t>{0, 1, 4, 5, 6, 6}));
  EXPECT_EQ(lists.item, (std::vector<std::int32_t>{0, 0, 1, 2, 1, 3}));
  edges_by_vertex(std::vector<Edge>{{1, 0}}, 2, lists);
  EXPECT_EQ(lists.start, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(lists.item, (std::vector<std::int32_t>{0, 0}));
}

TEST(Colouring, BalancedKeepsTheNumberOfColoursAndLevelsThem) {
  const auto edges = grid_edges(24, false);
  const Colouring balanced = colour_edges_balanced(edges, 13825);
  EXPECT_TRUE(is_proper(balanced, edges));
  EXPECT_LE(balanced.sizes.size(), 8u);
  const auto [least, most] = std::minmax_element(balanced.sizes.begin(), balanced.sizes.end());
  EXPECT_LT(*most - *least, 2000);
}

RC_GTEST_PROP(Colouring, IsProperOnRandomGraphs, ()) {
  const auto vertices = *rc::gen::inRange<std::int32_t>(2, 40);
  const auto count = *rc::gen::inRange<int>(0, 200);
  std::vector<Edge> edges;
  for (int i = 0; i < count; ++i) {
    const auto a = *rc::gen::inRange<std::int32_t>(0, vertices);
    const auto b = *rc::gen::inRange<std::int32_t>(-1, vertices);
    if (a != b) edges.push_back({a, b});
  }
  const Colouring greedy = colour_edges_greedy(edges, vertices), balanced = colour_edges_balanced(edges, vertices);
  RC_ASSERT(is_proper(greedy, edges));
  RC_ASSERT(is_proper(balanced, edges));
  RC_ASSERT(std::accumulate(greedy.sizes.begin(), greedy.sizes.end(), std::int64_t{0}) ==
            static_cast<std::int64_t>(edges.size()));
  // The same graph as an adjacency of edges: the same greedy colours.
  Lists lists;
  const Lists at = edges_by_vertex(edges, vertices);
  for (const Edge& edge : edges) {
    std::set<std::int32_t> near;
    for (const std::int32_t v : {edge.a, edge.b})
      if (v != kNoVertex) near.insert(at[v].begin(), at[v].end());
    lists.item.insert(lists.item.end(), near.begin(), near.end());
    lists.start.push_back(static_cast<std::int64_t>(lists.item.size()));
  }
  RC_ASSERT(colour_vertices_greedy(lists).colour == greedy.colour);
}

TEST(Partition, CutsALatticeNearTheOptimalPlane) {
  const auto edges = grid_edges(24, false);
  const std::vector<std::int32_t> part = partition_graph(edges, 13824, 2);
  const EdgeParts parts = split_edges(edges, part, 2);
  EXPECT_EQ(parts.inside.count(), 2);
  EXPECT_LE(parts.border.size(), 700u);  // a plane cuts 576 edges
  EXPECT_EQ(parts.inside.item.size() + parts.border.size(), edges.size());
  for (std::int32_t p = 0; p < 2; ++p)
    for (const std::int32_t k : parts.inside[p])
      for (const std::int32_t v : {edges[to_index(k)].a, edges[to_index(k)].b})
        ASSERT_TRUE(v == kNoVertex || part[to_index(v)] == p);
  EXPECT_EQ(partition_graph(edges, 13824, 2), part) << "the same call gives the same parts";
}

/// METIS tells its troubles on stdout, where results go.
TEST(Partition, SaysNothingHoweverFewVerticesThereAre) {
  Random random(3);
  testing::internal::CaptureStdout();
  for (std::int32_t vertices = 0; vertices <= 40; ++vertices)
    for (const int edge_count : {0, vertices / 2, 2 * vertices}) {
      std::vector<Edge> edges;
      for (int k = 0; k < edge_count && vertices > 1; ++k)
        edges.push_back({static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vertices))),
                         static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vertices)))});
      for (const std::int32_t parts : {2, 3, 4, 8, 16})
        for (const std::int32_t part : partition_graph(edges, vertices, parts)) EXPECT_LT(part, std::max(parts, 1));
    }
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Partition, HandlesFewVerticesAndOnePart) {
  EXPECT_EQ(partition_graph({}, 0, 4), std::vector<std::int32_t>{});
  EXPECT_EQ(partition_graph(std::vector<Edge>{{0, 1}}, 2, 1), (std::vector<std::int32_t>{0, 0}));
  const std::vector<Edge> edges{{0, 1}, {1, kNoVertex}};
  for (const std::int32_t p : partition_graph(edges, 2, 8)) EXPECT_LT(p, 8);
}

}  // namespace
}  // namespace cairn
