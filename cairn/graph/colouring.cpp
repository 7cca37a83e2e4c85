// SPDX-License-Identifier: MIT
// Both kinds of items share one loop: mark the colours of the neighbours, choose a free one, remember it. They differ
// in how the neighbours' colours are found: edges through a set of colours per vertex, vertices through their lists.
#include "cairn/graph/colouring.h"

#include <algorithm>
#include <bit>

#include "cairn/core/index.h"

namespace cairn {

namespace {

using Words = std::vector<std::uint64_t>;

bool has(const Words& set, std::int32_t colour) {
  const auto word = to_index(colour) / 64;
  return word < set.size() && (set[word] >> (colour % 64) & 1) != 0;
}

void insert(Words& set, std::int32_t colour) {
  const auto word = to_index(colour) / 64;
  if (word >= set.size()) set.resize(word + 1, 0);
  set[word] |= std::uint64_t{1} << (colour % 64);
}

void unite(Words& into, const Words& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

std::int32_t lowest_free(const Words& taken) {
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (~taken[i] != 0) return static_cast<std::int32_t>(64 * i) + std::countr_one(taken[i]);
  return static_cast<std::int32_t>(64 * taken.size());
}

std::int32_t least_used_free(const Words& taken, const std::vector<std::int64_t>& sizes) {
  std::int32_t best = -1;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(sizes.size()); ++c) {
    if (has(taken, c)) continue;
    if (best < 0 || sizes[to_index(c)] < sizes[to_index(best)]) best = c;
  }
  return best >= 0 ? best : static_cast<std::int32_t>(sizes.size());
}

/// The common loop. `taken(item, set)` unites the colours of the item's neighbours into the set; `remember(item,
/// colour)`.
template <class Taken, class Remember, class Choose>
Colouring colour_items(std::size_t count, std::size_t colours, Taken&& taken, Remember&& remember, Choose&& choose) {
  Colouring result;
  result.colour.assign(count, -1);
  result.sizes.assign(colours, 0);
  Words set;
  for (std::size_t item = 0; item < count; ++item) {
    std::fill(set.begin(), set.end(), 0);
    taken(item, set);
    const std::int32_t colour = choose(set, result.sizes);
    if (to_index(colour) >= result.sizes.size()) result.sizes.resize(to_index(colour) + 1, 0);
    ++result.sizes[to_index(colour)];
    result.colour[item] = colour;
    remember(item, colour);
  }
  while (!result.sizes.empty() && result.sizes.back() == 0) result.sizes.pop_back();
  return result;
}

template <class Choose>
Colouring colour_edges(std::span<const Edge> edges, std::int32_t vertex_count, std::size_t colours, Choose&& choose) {
  std::vector<Words> of_vertex(to_index(vertex_count));
  const auto for_ends = [&](std::size_t k, auto&& use) {
    if (edges[k].a != kNoVertex) use(of_vertex[to_index(edges[k].a)]);
    if (edges[k].b != kNoVertex) use(of_vertex[to_index(edges[k].b)]);
  };
  return colour_items(
      edges.size(), colours,
      [&](std::size_t k, Words& set) { for_ends(k, [&](const Words& words) { unite(set, words); }); },
      [&](std::size_t k, std::int32_t colour) { for_ends(k, [&](Words& words) { insert(words, colour); }); }, choose);
}

template <class Choose>
Colouring colour_vertices(const Lists& neighbours, std::size_t colours, Choose&& choose) {
  std::vector<std::int32_t> colour_of(to_index(neighbours.count()), -1);
  return colour_items(
      colour_of.size(), colours,
      [&](std::size_t i, Words& set) {
        for (const std::int32_t j : neighbours[static_cast<std::int64_t>(i)])
          if (colour_of[to_index(j)] >= 0) insert(set, colour_of[to_index(j)]);
      },
      [&](std::size_t i, std::int32_t colour) { colour_of[i] = colour; }, choose);
}

/// The lowest colour from 64 on that neither end has; the set of an end that cannot move is empty.
std::int32_t lowest_free_high(const Words& a, const Words& b) {
  const auto word = [](const Words& set, std::size_t i) { return i < set.size() ? set[i] : 0; };
  std::size_t i = 0;
  while (~(word(a, i) | word(b, i)) == 0) ++i;
  return static_cast<std::int32_t>(64 * (i + 1)) + std::countr_one(word(a, i) | word(b, i));
}

std::int32_t choose_lowest(const Words& taken, const std::vector<std::int64_t>&) { return lowest_free(taken); }

}  // namespace

/// One word per vertex is enough for most graphs, which makes this many times faster than sets of any size.
void colour_edges_greedy(std::span<const Edge> edges, std::int32_t vertex_count, ColouringScratch& scratch,
                         Colouring& result) {
  static const Words kNone;
  scratch.low.assign(to_index(vertex_count), 0);
  for (Words& words : scratch.high) words.clear();
  result.colour.resize(edges.size());
  result.sizes.clear();
  const auto low = [&](std::int32_t v) { return v != kNoVertex ? scratch.low[to_index(v)] : 0; };
  const auto high = [&](std::int32_t v) -> const Words& { return v != kNoVertex ? scratch.high[to_index(v)] : kNone; };
  const auto mark = [&](std::int32_t v, std::int32_t colour) {
    if (v == kNoVertex) return;
    if (colour < 64)
      scratch.low[to_index(v)] |= std::uint64_t{1} << colour;
    else
      insert(scratch.high[to_index(v)], colour - 64);
  };
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Edge& edge = edges[k];
    std::int32_t colour = std::countr_one(low(edge.a) | low(edge.b));
    if (colour == 64) {
      if (scratch.high.size() < scratch.low.size()) scratch.high.resize(scratch.low.size());
      colour = lowest_free_high(high(edge.a), high(edge.b));
    }
    if (to_index(colour) >= result.sizes.size()) result.sizes.resize(to_index(colour) + 1, 0);
    ++result.sizes[to_index(colour)];
    result.colour[k] = colour;
    mark(edge.a, colour);
    mark(edge.b, colour);
  }
}

Colouring colour_edges_greedy(std::span<const Edge> edges, std::int32_t vertex_count) {
  ColouringScratch scratch;
  Colouring result;
  colour_edges_greedy(edges, vertex_count, scratch, result);
  return result;
}

Colouring colour_edges_balanced(std::span<const Edge> edges, std::int32_t vertex_count, std::int32_t colours) {
  const std::size_t count = colours > 0 ? to_index(colours) : colour_edges_greedy(edges, vertex_count).sizes.size();
  return colour_edges(edges, vertex_count, count, least_used_free);
}

Colouring colour_vertices_greedy(const Lists& neighbours) { return colour_vertices(neighbours, 0, choose_lowest); }

Colouring colour_vertices_balanced(const Lists& neighbours, std::int32_t colours) {
  const std::size_t count = colours > 0 ? to_index(colours) : colour_vertices_greedy(neighbours).sizes.size();
  return colour_vertices(neighbours, count, least_used_free);
}

}  // namespace cairn
