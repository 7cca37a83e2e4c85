// SPDX-License-Identifier: MIT
// Islands: groups of vertices connected by edges, which never influence one another. Vertices that cannot move
// (kNoVertex) join nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/edges.h"

namespace cairn {

struct Islands {
  std::vector<std::int32_t> of_vertex;  ///< per vertex; islands are numbered by their lowest vertex
  std::vector<std::int32_t> of_edge;    ///< per edge; -1 for an edge without vertices
  std::int32_t count = 0;
};

Islands find_islands(std::span<const Edge> edges, std::int32_t vertex_count);

}  // namespace cairn
