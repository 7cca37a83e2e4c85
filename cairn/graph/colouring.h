// SPDX-License-Identifier: MIT
// Colouring: gives each item a colour that none of its neighbours has, so that items of one colour can be worked on
// at the same time (Poulsen 2010, section 4.3). Pure functions of integers; the result depends on the order of the
// items alone.
//
// Items are the edges of a graph (contacts between bodies; two edges are neighbours if they share a vertex) or the
// vertices of an adjacency (blocks of an assembled matrix). Vertices that cannot move never count (edges.h), which is
// what keeps the ground from taking a colour per contact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/edges.h"

namespace cairn {

struct Colouring {
  std::vector<std::int32_t> colour;  ///< per item
  std::vector<std::int64_t> sizes;   ///< per colour
};

/// Colours in use at each vertex: scratch that keeps its memory from one colouring to the next.
struct ColouringScratch {
  std::vector<std::uint64_t> low;                ///< per vertex: set of colours below 64
  std::vector<std::vector<std::uint64_t>> high;  ///< per vertex: set of the others; empty until there are any
};

/// The lowest free colour for each edge in turn. At most (largest edge degree + 1) colours. The second form reuses the
/// memory of `scratch` and `result`.
Colouring colour_edges_greedy(std::span<const Edge> edges, std::int32_t vertex_count);
void colour_edges_greedy(std::span<const Edge> edges, std::int32_t vertex_count, ColouringScratch& scratch,
                         Colouring& result);

/// The least used free colour among `colours` for each edge in turn, ties to the lowest; further colours are opened
/// where none is free. colours = 0 takes the number a greedy colouring needs.
Colouring colour_edges_balanced(std::span<const Edge> edges, std::int32_t vertex_count, std::int32_t colours = 0);

/// The same two for the vertices of a symmetric adjacency; an item's own index in its list is ignored.
Colouring colour_vertices_greedy(const Lists& neighbours);
Colouring colour_vertices_balanced(const Lists& neighbours, std::int32_t colours = 0);

}  // namespace cairn
