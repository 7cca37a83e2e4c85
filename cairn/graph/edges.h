// SPDX-License-Identifier: MIT
// Graphs of integers: bodies are vertices, contacts are edges. Nothing here knows mechanics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/index.h"

namespace cairn {

/// An edge between two vertices. kNoVertex stands for a body that cannot move: it is no vertex, it couples nothing.
inline constexpr std::int32_t kNoVertex = -1;
struct Edge {
  std::int32_t a = kNoVertex;
  std::int32_t b = kNoVertex;
  friend constexpr bool operator==(const Edge&, const Edge&) = default;
};

/// Lists of integers per item, all in one array: list i is item[start[i] .. start[i+1]).
struct Lists {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> item;

  std::int64_t count() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::span<const std::int32_t> operator[](std::int64_t i) const {
    const auto begin = to_index(start[to_index(i)]);
    const auto end = to_index(start[to_index(i) + 1]);
    return {item.data() + begin, end - begin};
  }
};

/// Edges at each vertex, ascending. The second form reuses the memory of `lists`.
Lists edges_by_vertex(std::span<const Edge> edges, std::int32_t vertex_count);
void edges_by_vertex(std::span<const Edge> edges, std::int32_t vertex_count, Lists& lists);

/// Items grouped by a key in [0, key_count), each group ascending. Items with a negative key are in no group.
Lists group_by(std::span<const std::int32_t> key, std::int32_t key_count);

/// The same into lists that are there already: allocates nothing once they are large enough.
void group_by(std::span<const std::int32_t> key, std::int32_t key_count, Lists& out);

}  // namespace cairn
