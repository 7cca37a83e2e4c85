// SPDX-License-Identifier: MIT
#include "cairn/graph/edges.h"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

/// Counting sort: `for_each(use)` must call use(list, item) for the same pairs in the same order each time.
template <class ForEach>
void make_lists(std::int64_t count, ForEach&& for_each, Lists& lists) {
  lists.start.assign(static_cast<std::size_t>(count) + 1, 0);
  for_each([&](std::int32_t list, std::int32_t) { ++lists.start[static_cast<std::size_t>(list)]; });
  std::int64_t total = 0;
  for (std::int64_t& start : lists.start) total += std::exchange(start, total);
  lists.item.resize(static_cast<std::size_t>(total));
  for_each([&](std::int32_t list, std::int32_t item) {
    lists.item[static_cast<std::size_t>(lists.start[static_cast<std::size_t>(list)]++)] = item;
  });
  // Each entry now holds the end of its list: shift by one to make begins again.
  std::copy_backward(lists.start.begin(), lists.start.end() - 1, lists.start.end());
  lists.start.front() = 0;
}

}  // namespace

Lists edges_by_vertex(std::span<const Edge> edges, std::int32_t vertex_count) {
  const auto for_each = [&](auto&& use) {
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (edges[k].a != kNoVertex) use(edges[k].a, static_cast<std::int32_t>(k));
      if (edges[k].b != kNoVertex && edges[k].b != edges[k].a) use(edges[k].b, static_cast<std::int32_t>(k));
    }
  };
  Lists lists;
  make_lists(vertex_count, for_each, lists);
  return lists;
}

Lists group_by(std::span<const std::int32_t> key, std::int32_t key_count) {
  Lists lists;
  group_by(key, key_count, lists);
  return lists;
}

void group_by(std::span<const std::int32_t> key, std::int32_t key_count, Lists& out) {
  const auto for_each = [&](auto&& use) {
    for (std::size_t k = 0; k < key.size(); ++k)
      if (key[k] >= 0) use(key[k], static_cast<std::int32_t>(k));
  };
  make_lists(key_count, for_each, out);
}

}  // namespace cairn
