// SPDX-License-Identifier: MIT
#include "cairn/graph/islands.h"

#include <numeric>

namespace cairn {

namespace {

/// The root of a vertex in the union-find forest, halving the path on the way.
std::int32_t find_root(std::vector<std::int32_t>& parent, std::int32_t v) {
  while (parent[static_cast<std::size_t>(v)] != v) {
    auto& up = parent[static_cast<std::size_t>(v)];
    up = parent[static_cast<std::size_t>(up)];
    v = up;
  }
  return v;
}

}  // namespace

Islands find_islands(std::span<const Edge> edges, std::int32_t vertex_count) {
  std::vector<std::int32_t> parent(static_cast<std::size_t>(vertex_count));
  std::iota(parent.begin(), parent.end(), 0);
  for (const Edge& edge : edges) {
    if (edge.a == kNoVertex || edge.b == kNoVertex) continue;
    const std::int32_t a = find_root(parent, edge.a), b = find_root(parent, edge.b);
    // The lower root wins, so that an island's root is its lowest vertex whatever the order of the edges.
    if (a != b) parent[static_cast<std::size_t>(a < b ? b : a)] = a < b ? a : b;
  }
  Islands islands;
  islands.of_vertex.resize(parent.size());
  for (std::int32_t v = 0; v < vertex_count; ++v) {
    const std::int32_t root = find_root(parent, v);
    islands.of_vertex[static_cast<std::size_t>(v)] =
        root == v ? islands.count++ : islands.of_vertex[static_cast<std::size_t>(root)];
  }
  islands.of_edge.reserve(edges.size());
  for (const Edge& edge : edges) {
    const std::int32_t v = edge.a != kNoVertex ? edge.a : edge.b;
    islands.of_edge.push_back(v != kNoVertex ? islands.of_vertex[static_cast<std::size_t>(v)] : -1);
  }
  return islands;
}

}  // namespace cairn
