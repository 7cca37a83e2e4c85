// SPDX-License-Identifier: MIT
#include "cairn/graph/pair_colours.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 8192;

/// The colours taken at either vertex.
std::uint64_t taken_at(const std::vector<std::uint64_t>& taken, const Edge& edge) {
  return (edge.a != kNoVertex ? taken[to_index(edge.a)] : 0) | (edge.b != kNoVertex ? taken[to_index(edge.b)] : 0);
}

/// Turns a colour over at both vertices; once, should they be the same.
void flip(std::vector<std::uint64_t>& taken, const Edge& edge, std::int32_t colour) {
  const std::uint64_t bit = std::uint64_t{1} << colour;
  if (edge.a != kNoVertex) taken[to_index(edge.a)] ^= bit;
  if (edge.b != kNoVertex && edge.b != edge.a) taken[to_index(edge.b)] ^= bit;
}

bool is_vertex(std::int32_t v, std::int32_t vertex_count) { return v == kNoVertex || (v >= 0 && v < vertex_count); }

}  // namespace

void PairColours::update(std::span<const std::uint64_t> keys, std::span<const Edge> edges, std::int32_t vertex_count,
                         ThreadPool* pool) {
  require(keys.size() == edges.size(), "PairColours::update needs one key for every edge");
  const auto vertices = to_index(vertex_count);
  if (settled_ && unchanged(keys, edges, pool)) {
    taken_.resize(vertices);
    return;
  }
  match(keys, edges, pool);
  free_gone();
  taken_.resize(vertices);
  colour_new(edges);
  keys_.assign(keys.begin(), keys.end());
  edges_.assign(edges.begin(), edges.end());
  colour_.swap(next_colour_);
  settled_ = true;
}

bool PairColours::unchanged(std::span<const std::uint64_t> keys, std::span<const Edge> edges, ThreadPool* pool) {
  if (keys.size() != keys_.size()) return false;
  const auto n = static_cast<std::int64_t>(keys.size());
  differs_.assign(to_index((n + kGrain - 1) / kGrain), 0);
  parallel_for(pool, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    const bool same = std::equal(keys.begin() + begin, keys.begin() + end, keys_.begin() + begin) &&
                      std::equal(edges.begin() + begin, edges.begin() + end, edges_.begin() + begin);
    differs_[to_index(begin / kGrain)] = same ? 0 : 1;
  });
  return std::find(differs_.begin(), differs_.end(), 1) == differs_.end();
}

/// Finds for each edge its colour of the last update, or -1, and for each edge of the last update whether it is gone.
void PairColours::match(std::span<const std::uint64_t> keys, std::span<const Edge> edges, ThreadPool* pool) {
  next_colour_.resize(keys.size());
  gone_.resize(keys_.size());
  const auto n = std::max<std::int64_t>(static_cast<std::int64_t>(keys.size()), 1);
  parallel_for(pool, n, kGrain,
               [&](std::int64_t begin, std::int64_t end) { match_block(keys, edges, to_index(begin), to_index(end)); });
}

/// Edges [begin, end) against the old ones from the first key of this block up to that of the next.
void PairColours::match_block(std::span<const std::uint64_t> keys, std::span<const Edge> edges, std::size_t begin,
                              std::size_t end) {
  const auto place = [&](std::size_t k) {
    return to_index(std::lower_bound(keys_.begin(), keys_.end(), keys[k]) - keys_.begin());
  };
  std::size_t old = begin == 0 ? 0 : place(begin);
  const std::size_t old_end = end >= keys.size() ? keys_.size() : place(end);
  for (std::size_t k = begin; k < std::min(end, keys.size()); ++k) {
    CAIRN_ASSERT(k == 0 || keys[k - 1] < keys[k]);
    for (; old < old_end && keys_[old] < keys[k]; ++old) gone_[old] = 1;
    const bool known = old < old_end && keys_[old] == keys[k];
    const bool stays = known && edges_[old] == edges[k];
    next_colour_[k] = stays ? colour_[old] : -1;
    if (known) gone_[old++] = stays ? 0 : 1;
  }
  std::fill(gone_.begin() + static_cast<std::ptrdiff_t>(old), gone_.begin() + static_cast<std::ptrdiff_t>(old_end), 1);
}

void PairColours::free_gone() {
  for (std::size_t k = 0; k < gone_.size(); ++k) {
    if (gone_[k] == 0 || colour_[k] < 0) continue;
    flip(taken_, edges_[k], colour_[k]);
    --size_[to_index(colour_[k])];
  }
}

/// One after the other: the order of keys decides who gets which colour.
void PairColours::colour_new(std::span<const Edge> edges) {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (next_colour_[k] >= 0) continue;
    const int lowest = std::countr_one(taken_at(taken_, edges[k]));
    if (lowest == kColours) continue;
    flip(taken_, edges[k], lowest);
    ++size_[to_index(lowest)];
    next_colour_[k] = lowest;
  }
}

void PairColours::restore(std::span<const std::uint64_t> keys, std::span<const Edge> edges,
                          std::span<const std::int32_t> colours, std::int32_t vertex_count) {
  require(keys.size() == edges.size() && keys.size() == colours.size(),
          "PairColours::restore needs one key and one colour for every edge");
  require(vertex_count >= 0, "PairColours::restore needs a number of vertices of at least zero");
  PairColours fresh;
  fresh.taken_.assign(to_index(vertex_count), 0);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Edge edge = edges[k];
    const std::int32_t colour = colours[k];
    if (k > 0 && keys[k - 1] >= keys[k]) fail_input(fmt::format("the keys of edges {} and {} do not ascend", k - 1, k));
    if (!is_vertex(edge.a, vertex_count) || !is_vertex(edge.b, vertex_count))
      fail_input(fmt::format("edge {} joins {} and {}, but there are {} vertices", k, edge.a, edge.b, vertex_count));
    if (colour < -1 || colour >= kColours)
      fail_input(fmt::format("edge {} has colour {}; colours are from -1 to {}", k, colour, kColours - 1));
    if (colour < 0) continue;
    if ((taken_at(fresh.taken_, edge) >> colour & 1) != 0)
      fail_input(fmt::format("edge {} shares a vertex with an earlier one of its colour {}", k, colour));
    flip(fresh.taken_, edge, colour);
    ++fresh.size_[to_index(colour)];
  }
  fresh.keys_.assign(keys.begin(), keys.end());
  fresh.edges_.assign(edges.begin(), edges.end());
  fresh.colour_.assign(colours.begin(), colours.end());
  fresh.settled_ = false;  // an edge without colour may find one now
  *this = std::move(fresh);
}

int PairColours::colour_count() const {
  int count = kColours;
  while (count > 0 && size_[to_index(count - 1)] == 0) --count;
  return count;
}

}  // namespace cairn
