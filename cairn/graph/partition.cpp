// SPDX-License-Identifier: MIT
#include "cairn/graph/partition.h"

#include <fmt/core.h>
#include <metis.h>

#include <algorithm>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Compressed adjacency in METIS's own integers.
struct MetisGraph {
  std::vector<idx_t> start{0}, neighbour, weight;
};

std::vector<std::int32_t> run_metis(MetisGraph& graph, std::int32_t parts) {
  auto vertices = static_cast<idx_t>(graph.start.size() - 1);
  std::vector<idx_t> part(to_index(vertices), 0);
  if (parts >= vertices) {
    // METIS would leave parts empty, and say so on stdout.
    std::iota(part.begin(), part.end(), idx_t{0});
  } else if (parts > 1) {
    idx_t constraints = 1, wanted = parts, cut = 0;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    // Recursive bisection cuts less than k-way on lattices at every number of parts that was measured.
    const int status = METIS_PartGraphRecursive(&vertices, &constraints, graph.start.data(), graph.neighbour.data(),
                                                nullptr, nullptr, graph.weight.empty() ? nullptr : graph.weight.data(),
                                                &wanted, nullptr, nullptr, options, &cut, part.data());
    if (status != METIS_OK) fail_input(fmt::format("METIS cannot partition this graph (status {})", status));
  }
  return {part.begin(), part.end()};
}

}  // namespace

std::vector<std::int32_t> partition_vertices(const Lists& neighbours, std::int32_t parts) {
  MetisGraph graph;
  for (std::int64_t i = 0; i < neighbours.count(); ++i) {
    for (const std::int32_t j : neighbours[i])
      if (j != i) graph.neighbour.push_back(j);
    graph.start.push_back(static_cast<idx_t>(graph.neighbour.size()));
  }
  return run_metis(graph, parts);
}

std::vector<std::int32_t> partition_graph(std::span<const Edge> edges, std::int32_t vertex_count, std::int32_t parts) {
  const Lists at_vertex = edges_by_vertex(edges, vertex_count);
  MetisGraph graph;
  std::vector<std::int32_t> others;
  for (std::int32_t v = 0; v < vertex_count; ++v) {
    others.clear();
    for (const std::int32_t k : at_vertex[v]) {
      const Edge& edge = edges[to_index(k)];
      const std::int32_t other = edge.a == v ? edge.b : edge.a;
      if (other != kNoVertex && other != v) others.push_back(other);
    }
    std::sort(others.begin(), others.end());
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i > 0 && others[i] == others[i - 1]) {
        ++graph.weight.back();
        continue;
      }
      graph.neighbour.push_back(others[i]);
      graph.weight.push_back(1);
    }
    graph.start.push_back(static_cast<idx_t>(graph.neighbour.size()));
  }
  return run_metis(graph, parts);
}

EdgeParts split_by_part(std::span<const std::int32_t> key, std::int32_t parts) {
  EdgeParts result;
  Lists groups = group_by(key, parts + 1);
  const auto border = groups[parts];
  result.border.assign(border.begin(), border.end());
  groups.item.resize(to_index(groups.start[to_index(parts)]));
  groups.start.pop_back();
  result.inside = std::move(groups);
  return result;
}

EdgeParts split_edges(std::span<const Edge> edges, std::span<const std::int32_t> part_of_vertex, std::int32_t parts) {
  const auto part_of = [&](std::int32_t v) { return v == kNoVertex ? -1 : part_of_vertex[to_index(v)]; };
  std::vector<std::int32_t> key(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const std::int32_t a = part_of(edges[k].a), b = part_of(edges[k].b);
    const bool is_border = a >= 0 && b >= 0 && a != b;
    key[k] = is_border ? parts : std::max({a, b, 0});
  }
  return split_by_part(key, parts);
}

}  // namespace cairn
