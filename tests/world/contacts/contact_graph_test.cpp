// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/contact_graph.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/world/small_world.h"

namespace cairn {
namespace {

/// The oracle: the lowest body that can be reached from each, edge by edge until nothing changes.
std::vector<std::int32_t> flood(std::span<const Edge> edges, std::size_t bodies) {
  std::vector<std::int32_t> lowest(bodies);
  for (std::size_t i = 0; i < bodies; ++i) lowest[i] = static_cast<std::int32_t>(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Edge& e : edges) {
      if (e.a == kNoVertex || e.b == kNoVertex) continue;
      const std::int32_t least = std::min(lowest[to_index(e.a)], lowest[to_index(e.b)]);
      for (const std::int32_t v : {e.a, e.b}) {
        changed = changed || lowest[to_index(v)] != least;
        lowest[to_index(v)] = least;
      }
    }
  }
  return lowest;
}

void expect_islands(const ContactGraph& graph, const std::vector<std::int32_t>& lowest) {
  const Islands& islands = graph.islands();
  for (std::size_t a = 0; a < lowest.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (islands.of_vertex[a] < 0 || islands.of_vertex[b] < 0) continue;
      EXPECT_EQ(islands.of_vertex[a] == islands.of_vertex[b], lowest[a] == lowest[b]) << "bodies " << a << ", " << b;
    }
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    const Edge& edge = graph.edges()[e];
    const std::int32_t vertex = edge.a != kNoVertex ? edge.a : edge.b;
    if (vertex == kNoVertex) continue;
    EXPECT_EQ(islands.of_edge[e], islands.of_vertex[to_index(vertex)]) << "edge " << e;
  }
}

/// Edges of one colour share no body that can move.
void expect_proper(const ContactGraph& graph) {
  std::set<std::pair<std::int32_t, std::int32_t>> used;
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    const std::int32_t colour = graph.colour()[e];
    if (colour < 0) continue;
    for (const std::int32_t v : {graph.edges()[e].a, graph.edges()[e].b}) {
      if (v == kNoVertex) continue;
      EXPECT_TRUE(used.insert({colour, v}).second) << "colour " << colour << ", body " << v;
    }
  }
}

class ContactGraphOf : public testing::TestWithParam<int> {};

/// Over steps in which contacts come and go: colours are kept from step to step, islands are not.
TEST_P(ContactGraphOf, HasProperColoursAndTheIslandsOfAFlood) {
  SmallWorld world = random_heap(static_cast<std::uint64_t>(GetParam()));
  Random random(static_cast<std::uint64_t>(GetParam()) + 50);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::int64_t pairs = 0;
    for (const ContactPair& record : world.cache.records()) pairs += record.manifold_count > 0 ? 1 : 0;
    ASSERT_EQ(static_cast<std::int64_t>(world.graph.edges().size()), pairs);
    for (const Edge& e : world.graph.edges())
      for (const std::int32_t v : {e.a, e.b})
        EXPECT_TRUE(v == kNoVertex || world.bodies.is_dynamic(to_index(v))) << "body " << v << " is no vertex";
    expect_proper(world.graph);
    expect_islands(world.graph, flood(world.graph.edges(), world.bodies.size()));
    for (std::size_t i = 0; i < world.bodies.size(); ++i)
      if (world.bodies.is_dynamic(i)) world.move(i, random_point(random, 0.2));
    world.detect();
  }
}

TEST_P(ContactGraphOf, JointsHoldIslandsTogether) {
  SmallWorld world = random_heap(static_cast<std::uint64_t>(GetParam()));
  const auto last = static_cast<std::int32_t>(world.bodies.size()) - 2;
  const std::vector<Edge> joints{{2, last}, {kNoVertex, 3}};
  world.graph.rebuild(world.bodies, world.shapes, world.cache, joints, nullptr);
  std::vector<Edge> all(world.graph.edges().begin(), world.graph.edges().end());
  all.insert(all.end(), joints.begin(), joints.end());
  const Islands& islands = world.graph.islands();
  EXPECT_EQ(islands.of_vertex[2], islands.of_vertex[to_index(last)]);
  expect_islands(world.graph, flood(all, world.bodies.size()));
}

INSTANTIATE_TEST_SUITE_P(Heaps, ContactGraphOf, testing::Range(1, 6));

}  // namespace
}  // namespace cairn
