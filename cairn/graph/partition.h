// SPDX-License-Identifier: MIT
// Partition: cuts a graph into parts of about equal size with few edges between them (METIS, multilevel).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/edges.h"

namespace cairn {

/// The part of each vertex of a symmetric adjacency, in [0, parts). Deterministic: a fixed seed. Throws InputError when
/// METIS refuses the graph (too large for its 32-bit indices).
std::vector<std::int32_t> partition_vertices(const Lists& neighbours, std::int32_t parts);

/// The part of each vertex of a graph of edges; parallel edges weigh more.
std::vector<std::int32_t> partition_graph(std::span<const Edge> edges, std::int32_t vertex_count, std::int32_t parts);

/// Edges inside one part, and the others: inside[p] lists the edges whose vertices all lie in part p, ascending; border
/// lists the rest.
struct EdgeParts {
  Lists inside;
  std::vector<std::int32_t> border;
};

/// Items grouped by their part; key = parts means border.
EdgeParts split_by_part(std::span<const std::int32_t> key, std::int32_t parts);

EdgeParts split_edges(std::span<const Edge> edges, std::span<const std::int32_t> part_of_vertex, std::int32_t parts);

}  // namespace cairn
