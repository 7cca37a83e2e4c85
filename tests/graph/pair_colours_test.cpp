// SPDX-License-Identifier: MIT
#include "cairn/graph/pair_colours.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/core/random.h"
#include "cairn/graph/colouring.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

using Numbers = std::vector<std::int32_t>;

struct Graph {
  std::vector<std::uint64_t> keys;
  std::vector<Edge> edges;
  std::int32_t vertices = 0;
};

Numbers colours_of(const PairColours& colours) { return {colours.colour().begin(), colours.colour().end()}; }

bool is_proper(const PairColours& colours, std::span<const Edge> edges) {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (colours.colour()[k] < 0) continue;
    for (const std::int32_t v : std::set<std::int32_t>{edges[k].a, edges[k].b})
      if (v != kNoVertex && !seen.insert({v, colours.colour()[k]}).second) return false;
  }
  return true;
}

/// The rule of the header with sets and maps: what stays keeps its colour, the rest in order takes the lowest.
class Oracle {
 public:
  Numbers update(const Graph& graph) {
    std::map<std::uint64_t, std::pair<Edge, std::int32_t>> next;
    std::set<std::pair<std::int32_t, std::int32_t>> taken;
    const auto take = [&](const Edge& edge, std::int32_t colour) {
      taken.insert({edge.a, colour});
      taken.insert({edge.b, colour});
    };
    const auto free_at = [&](std::int32_t v, std::int32_t colour) { return v < 0 || taken.count({v, colour}) == 0; };
    for (std::size_t k = 0; k < graph.keys.size(); ++k) {
      const auto old = known_.find(graph.keys[k]);
      const bool stays = old != known_.end() && old->second.first == graph.edges[k] && old->second.second >= 0;
      next[graph.keys[k]] = {graph.edges[k], stays ? old->second.second : -1};
      if (stays) take(graph.edges[k], old->second.second);
    }
    Numbers colours;
    for (auto& [key, item] : next) {
      auto& [edge, colour] = item;
      for (std::int32_t c = 0; colour < 0 && c < PairColours::kColours; ++c)
        if (free_at(edge.a, c) && free_at(edge.b, c)) take(edge, colour = c);
      colours.push_back(colour);
    }
    known_ = std::move(next);
    return colours;
  }

 private:
  std::map<std::uint64_t, std::pair<Edge, std::int32_t>> known_;
};

/// Contacts of a ball grid; the key is the place in the list, or the pair of bodies.
Graph grid(int n, bool by_pair) {
  std::vector<std::pair<std::uint64_t, Edge>> items;
  const auto ground = n * n * n;
  for (const ContactBlock& c : scenes::ball_grid(n).contacts) {
    const auto low = static_cast<std::uint64_t>(std::min(c.body_a, c.body_b));
    const auto high = static_cast<std::uint64_t>(std::max(c.body_a, c.body_b));
    const auto vertex = [&](std::int32_t b) { return b == ground ? kNoVertex : b; };
    items.push_back({by_pair ? low << 32 | high : items.size(), {vertex(c.body_a), vertex(c.body_b)}});
  }
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Graph graph;
  for (const auto& [key, edge] : items) graph.keys.push_back(key), graph.edges.push_back(edge);
  graph.vertices = ground;
  return graph;
}

/// Some edges of a fixed universe: a key is in or out, and now and then its edge changes.
Graph random_graph(std::int32_t vertices, std::uint64_t universe, std::uint64_t share, Random& random) {
  Graph graph;
  graph.vertices = vertices;
  for (std::uint64_t key = 0; key < universe; ++key) {
    if (random.below(100) >= share) continue;
    Random of_key(key + 1000 * (random.below(30) == 0 ? 1 : 0));
    const auto vertex = [&](std::int32_t least) {
      return least + static_cast<std::int32_t>(of_key.below(static_cast<std::uint64_t>(vertices - least)));
    };
    graph.keys.push_back(7 * key);
    graph.edges.push_back({vertex(0), vertex(kNoVertex)});
  }
  return graph;
}

TEST(PairColours, KeepsReusesAndRetries) {
  PairColours colours;
  const std::vector<std::uint64_t> keys{10, 20, 30};
  colours.update(keys, std::vector<Edge>{{0, 1}, {1, 2}, {2, kNoVertex}}, 3, nullptr);
  EXPECT_EQ(colours_of(colours), (Numbers{0, 1, 0}));
  EXPECT_EQ(colours.colour_count(), 2);
  // The first goes, a new one comes: it takes what has become free; the others keep theirs.
  colours.update(std::vector<std::uint64_t>{20, 25, 30}, std::vector<Edge>{{1, 2}, {0, 1}, {2, kNoVertex}}, 3, nullptr);
  EXPECT_EQ(colours_of(colours), (Numbers{1, 0, 0}));
  // The same key with another vertex is a new edge.
  colours.update(std::vector<std::uint64_t>{20, 25, 30}, std::vector<Edge>{{1, 2}, {2, 1}, {0, kNoVertex}}, 3, nullptr);
  EXPECT_EQ(colours_of(colours), (Numbers{1, 0, 0}));
  colours.update({}, {}, 0, nullptr);
  EXPECT_EQ(colours.colour_count(), 0);
  colours.update(keys, std::vector<Edge>{{kNoVertex, kNoVertex}, {1, 1}, {1, 0}}, 2, nullptr);
  EXPECT_EQ(colours_of(colours), (Numbers{0, 0, 1}));
}

TEST(PairColours, TheSixtyFifthEdgeOfAVertexWaits) {
  Graph star;
  star.vertices = 67;
  for (std::int32_t i = 0; i < 66; ++i)
    star.keys.push_back(static_cast<std::uint64_t>(i)), star.edges.push_back({0, i + 1});
  PairColours colours;
  for (int k = 0; k < 2; ++k) {
    colours.update(star.keys, star.edges, star.vertices, nullptr);
    for (std::size_t i = 0; i < 66; ++i) EXPECT_EQ(colours.colour()[i], i < 64 ? static_cast<std::int32_t>(i) : -1);
  }
  EXPECT_EQ(colours.colour_count(), 64);
  star.keys.erase(star.keys.begin() + 5);
  star.edges.erase(star.edges.begin() + 5);
  colours.update(star.keys, star.edges, star.vertices, nullptr);
  EXPECT_EQ(colours.colour()[63], 5) << "the first that waits gets what became free";
  EXPECT_EQ(colours.colour()[64], -1);
}

TEST(PairColours, BallGridsTakeSixColoursInTheirOrderAndByPairs) {
  const Graph in_order = grid(24, false), by_pair = grid(24, true);
  PairColours colours;
  colours.update(in_order.keys, in_order.edges, in_order.vertices, nullptr);
  EXPECT_EQ(colours.colour_count(), 6);
  EXPECT_EQ(colours_of(colours), colour_edges_greedy(in_order.edges, in_order.vertices).colour);
  PairColours sorted;
  sorted.update(by_pair.keys, by_pair.edges, by_pair.vertices, nullptr);
  EXPECT_EQ(sorted.colour_count(), 6);
}

RC_GTEST_PROP(PairColours, FollowTheRuleOnGraphsThatChange, ()) {
  const auto vertices = *rc::gen::inRange<std::int32_t>(1, 60);
  const auto universe = *rc::gen::inRange<std::uint64_t>(0, 400);
  const auto share = *rc::gen::inRange<std::uint64_t>(5, 100);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  PairColours colours, restored;
  Oracle oracle;
  for (int step = 0; step < 8; ++step) {
    const Graph graph = random_graph(vertices, universe, share, random);
    const Numbers expected = oracle.update(graph);
    colours.update(graph.keys, graph.edges, vertices, nullptr);
    RC_ASSERT(colours_of(colours) == expected);
    RC_ASSERT(is_proper(colours, graph.edges));
    RC_ASSERT(std::equal(graph.keys.begin(), graph.keys.end(), colours.keys().begin(), colours.keys().end()));
    const std::int32_t most = expected.empty() ? -1 : *std::max_element(expected.begin(), expected.end());
    RC_ASSERT(colours.colour_count() == most + 1);
    // A copy made from what a snapshot holds goes on in the same way.
    if (step > 0) restored.update(graph.keys, graph.edges, vertices, nullptr);
    if (step > 0) RC_ASSERT(colours_of(restored) == expected);
    restored.restore(colours.keys(), colours.edges(), colours.colour(), vertices);
    RC_ASSERT(colours_of(restored) == expected);
    RC_ASSERT(restored.colour_count() == colours.colour_count());
  }
}

TEST(PairColours, AreTheSameForAnyNumberOfThreads) {
  std::vector<Numbers> reference;
  for (const int threads : {1, 2, 3, 8}) {
    const auto pool = make_pool(threads);
    Random random(5);
    PairColours colours;
    for (std::size_t step = 0; step < 6; ++step) {
      const Graph graph = random_graph(20000, step % 3 == 2 ? 30000 : 60000, step % 2 == 0 ? 90 : 60, random);
      for (int twice = 0; twice < 2; ++twice) {
        colours.update(graph.keys, graph.edges, graph.vertices, pool.get());
        if (threads == 1 && twice == 0) reference.push_back(colours_of(colours));
        ASSERT_EQ(colours_of(colours), reference[step]);
      }
      ASSERT_TRUE(is_proper(colours, graph.edges));
    }
  }
}

TEST(PairColours, RefusesWhatIsNoColouring) {
  PairColours colours;
  const std::vector<std::uint64_t> keys{1, 2}, falling{2, 2};
  const std::vector<Edge> chain{{0, 1}, {1, 2}};
  colours.restore(keys, chain, Numbers{3, 1}, 3);
  EXPECT_THROW(colours.restore(keys, chain, Numbers{1, 1}, 3), InputError);
  EXPECT_THROW(colours.restore(keys, chain, Numbers{0, 64}, 3), InputError);
  EXPECT_THROW(colours.restore(keys, chain, Numbers{0, -2}, 3), InputError);
  EXPECT_THROW(colours.restore(keys, chain, Numbers{0, 1}, 2), InputError);
  EXPECT_THROW(colours.restore(keys, chain, Numbers{0}, 3), InputError);
  EXPECT_THROW(colours.restore(falling, chain, Numbers{0, 1}, 3), InputError);
  EXPECT_THROW(colours.restore(keys, std::vector<Edge>{{0, 1}, {-2, 2}}, Numbers{0, 1}, 3), InputError);
  EXPECT_THROW(colours.update(keys, std::vector<Edge>{{0, 1}}, 3, nullptr), InputError);
  EXPECT_EQ(colours_of(colours), (Numbers{3, 1})) << "nothing has changed";
  colours.restore(keys, chain, Numbers{3, -1}, 3);
  colours.update(keys, chain, 3, nullptr);
  EXPECT_EQ(colours_of(colours), (Numbers{3, 0})) << "an edge without colour tries again";
}

}  // namespace
}  // namespace cairn
