// SPDX-License-Identifier: MIT
#include "cairn/graph/edges.h"

#include <algorithm>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Counting sort: `for_each(use)` must call use(list, item) for the same pairs in the same order each time. The starts
/// are kept one place further on while items are filled in, and have arrived where they belong when all are.
template <class ForEach>
void make_lists(std::int64_t count, Lists& lists, ForEach&& for_each) {
  std::vector<std::int64_t>& start = lists.start;
  start.assign(to_index(count) + 2, 0);
  for_each([&](std::int32_t list, std::int32_t) { ++start[to_index(list) + 2]; });
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  lists.item.resize(to_index(start.back()));
  for_each([&](std::int32_t list, std::int32_t item) { lists.item[to_index(start[to_index(list) + 1]++)] = item; });
  start.pop_back();
}

}  // namespace

void edges_by_vertex(std::span<const Edge> edges, std::int32_t vertex_count, Lists& lists) {
  make_lists(vertex_count, lists, [&](auto&& use) {
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (edges[k].a != kNoVertex) use(edges[k].a, static_cast<std::int32_t>(k));
      if (edges[k].b != kNoVertex && edges[k].b != edges[k].a) use(edges[k].b, static_cast<std::int32_t>(k));
    }
  });
}

Lists edges_by_vertex(std::span<const Edge> edges, std::int32_t vertex_count) {
  Lists lists;
  edges_by_vertex(edges, vertex_count, lists);
  return lists;
}

Lists group_by(std::span<const std::int32_t> key, std::int32_t key_count) {
  Lists lists;
  group_by(key, key_count, lists);
  return lists;
}

void group_by(std::span<const std::int32_t> key, std::int32_t key_count, Lists& lists) {
  make_lists(key_count, lists, [&](auto&& use) {
    for (std::size_t k = 0; k < key.size(); ++k)
      if (key[k] >= 0) use(key[k], static_cast<std::int32_t>(k));
  });
}

}  // namespace cairn
