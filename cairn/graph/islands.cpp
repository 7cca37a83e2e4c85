// SPDX-License-Identifier: MIT
// Relaxed atomics suffice: a parent is always an ancestor in the same island, whichever of its values a thread reads,
// and parallel_for orders what one pass writes before what the next one reads.
#include "cairn/graph/islands.h"

#include <atomic>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 4096;

using Shared = std::atomic_ref<std::int32_t>;

std::int32_t load(std::int32_t& value) { return Shared(value).load(std::memory_order_relaxed); }

/// The root of a vertex at some time during the call, halving the path on the way. Only vertices that have ceased to
/// be roots are written, and those never become roots again.
std::int32_t find_root(std::int32_t* parent, std::int32_t v) {
  for (std::int32_t up = load(parent[v]); up != v;) {
    const std::int32_t next = load(parent[up]);
    if (next == up) return up;
    Shared(parent[v]).store(next, std::memory_order_relaxed);
    v = next;
    up = load(parent[v]);
  }
  return v;
}

void unite(std::int32_t* parent, std::int32_t a, std::int32_t b) {
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return;
    if (a < b) std::swap(a, b);
    // Fails when another thread has hooked this root meanwhile: look again from there.
    std::int32_t root = a;
    if (Shared(parent[a]).compare_exchange_strong(root, b, std::memory_order_relaxed)) return;
  }
}

}  // namespace

void IslandFinder::find(std::span<const Edge> edges, std::int32_t vertex_count, ThreadPool* pool, Islands& out) {
  parent_.resize(to_index(vertex_count));
  parallel_for(pool, vertex_count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) parent_[to_index(v)] = static_cast<std::int32_t>(v);
  });
  join(edges, pool);
  number(pool, out);
  out.of_edge.resize(edges.size());
  for_each_index(pool, edges.size(), kGrain, [&](std::size_t k) {
    const std::int32_t v = edges[k].a != kNoVertex ? edges[k].a : edges[k].b;
    out.of_edge[k] = v != kNoVertex ? out.of_vertex[to_index(v)] : -1;
  });
}

void IslandFinder::join(std::span<const Edge> edges, ThreadPool* pool) {
  std::int32_t* parent = parent_.data();
  parallel_for(pool, static_cast<std::int64_t>(edges.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Edge edge = edges[to_index(k)];
      if (edge.a != kNoVertex && edge.b != kNoVertex) unite(parent, edge.a, edge.b);
    }
  });
}

/// Numbers the roots in their order, then gives every vertex the number of its root.
void IslandFinder::number(ThreadPool* pool, Islands& out) {
  const auto n = static_cast<std::int64_t>(parent_.size());
  std::int32_t* parent = parent_.data();
  roots_.assign(to_index((n + kGrain - 1) / kGrain), 0);
  parallel_for(pool, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t roots = 0;
    for (std::int64_t v = begin; v < end; ++v) roots += parent[v] == v ? 1 : 0;
    roots_[to_index(begin / kGrain)] = roots;
  });
  out.count = 0;
  for (std::int32_t& roots : roots_) out.count += std::exchange(roots, out.count);
  out.of_vertex.resize(parent_.size());
  parallel_for(pool, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t next = roots_[to_index(begin / kGrain)];
    for (std::int64_t v = begin; v < end; ++v)
      if (parent[v] == v) out.of_vertex[to_index(v)] = next++;
  });
  parallel_for(pool, n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      const std::int32_t root = find_root(parent, static_cast<std::int32_t>(v));
      if (root != v) out.of_vertex[to_index(v)] = out.of_vertex[to_index(root)];
    }
  });
}

Islands find_islands(std::span<const Edge> edges, std::int32_t vertex_count) {
  Islands islands;
  IslandFinder().find(edges, vertex_count, nullptr, islands);
  return islands;
}

}  // namespace cairn
