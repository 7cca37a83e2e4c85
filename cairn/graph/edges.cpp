// SPDX-License-Identifier: MIT
#include "cairn/graph/edges.h"

namespace cairn {

namespace {

/// Counting sort: `for_each(use)` must call use(list, item) for the same pairs in the same order each time.
template <class ForEach>
Lists make_lists(std::int64_t count, ForEach&& for_each) {
  Lists lists;
  lists.start.assign(static_cast<std::size_t>(count) + 1, 0);
  for_each([&](std::int32_t list, std::int32_t) { ++lists.start[static_cast<std::size_t>(list) + 1]; });
  for (std::size_t i = 1; i < lists.start.size(); ++i) lists.start[i] += lists.start[i - 1];
  lists.item.resize(static_cast<std::size_t>(lists.start.back()));
  std::vector<std::int64_t> fill(lists.start.begin(), lists.start.end() - 1);
  for_each([&](std::int32_t list, std::int32_t item) {
    lists.item[static_cast<std::size_t>(fill[static_cast<std::size_t>(list)]++)] = item;
  });
  return lists;
}

}  // namespace

Lists edges_by_vertex(std::span<const Edge> edges, std::int32_t vertex_count) {
  return make_lists(vertex_count, [&](auto&& use) {
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (edges[k].a != kNoVertex) use(edges[k].a, static_cast<std::int32_t>(k));
      if (edges[k].b != kNoVertex && edges[k].b != edges[k].a) use(edges[k].b, static_cast<std::int32_t>(k));
    }
  });
}

Lists group_by(std::span<const std::int32_t> key, std::int32_t key_count) {
  return make_lists(key_count, [&](auto&& use) {
    for (std::size_t k = 0; k < key.size(); ++k) use(key[k], static_cast<std::int32_t>(k));
  });
}

}  // namespace cairn
