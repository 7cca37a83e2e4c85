// SPDX-License-Identifier: MIT
// Islands: groups of vertices connected by edges, which never influence one another. Vertices that cannot move
// (kNoVertex) join nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/edges.h"

namespace cairn {

struct Islands {
  std::vector<std::int32_t> of_vertex;  ///< per vertex; islands are numbered by their lowest vertex
  std::vector<std::int32_t> of_edge;    ///< per edge; -1 for an edge without vertices
  std::int32_t count = 0;
};

/// Finds islands again and again: keeps its scratch, so that a warm call allocates nothing.
///
/// All threads hook the trees of one forest onto each other, always the higher root onto the lower. Who comes first
/// shapes the trees, but the root that is left over is the lowest vertex of its island: the result is unique.
class IslandFinder {
 public:
  void find(std::span<const Edge> edges, std::int32_t vertex_count, ThreadPool* pool, Islands& out);

 private:
  void join(std::span<const Edge> edges, ThreadPool* pool);
  void number(ThreadPool* pool, Islands& out);

  std::vector<std::int32_t> parent_;  ///< per vertex, at most the vertex itself; a root is its own parent
  std::vector<std::int32_t> roots_;   ///< per block of vertices: roots in it, then roots before it
};

/// The same for one occasion.
Islands find_islands(std::span<const Edge> edges, std::int32_t vertex_count);

}  // namespace cairn
