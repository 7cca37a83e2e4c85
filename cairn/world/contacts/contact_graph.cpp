// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/contact_graph.h"

#include <algorithm>
#include <atomic>

#include "cairn/core/index.h"

namespace cairn {

namespace {

std::uint64_t key_of(const BroadPair& pair) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.a)) << 32 | static_cast<std::uint32_t>(pair.b);
}

bool equal(std::span<const Edge> a, std::span<const Edge> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Edge& x, const Edge& y) { return x.a == y.a && x.b == y.b; });
}

}  // namespace

void ContactGraph::rebuild(const Bodies& bodies, const Shapes& shapes, const ContactCache& cache,
                           std::span<const Edge> joints, ThreadPool* pool) {
  const bool same_contacts = gather_edges(bodies, shapes, cache, pool) && vertex_count_ == bodies.size();
  if (same_contacts && equal(joints, joint_edges_)) return;
  joint_edges_.assign(joints.begin(), joints.end());
  vertex_count_ = bodies.size();
  const auto vertices = static_cast<std::int32_t>(vertex_count_);
  colours_.update(keys_, edges_, vertices, pool);
  if (joints.empty()) return finder_.find(edges_, vertices, pool, islands_);
  all_edges_.assign(edges_.begin(), edges_.end());
  all_edges_.insert(all_edges_.end(), joints.begin(), joints.end());
  finder_.find(all_edges_, vertices, pool, islands_);
}

/// True if nothing changed.
bool ContactGraph::gather_edges(const Bodies& bodies, const Shapes& shapes, const ContactCache& cache,
                                ThreadPool* pool) {
  const std::span<const Slab> slabs = cache.slabs();
  const std::span<const ContactPair> records = cache.records();
  const auto block = [&](std::size_t s, auto&& visit) {
    const std::size_t begin = s * ContactCache::kPairBlock;
    const std::size_t end = std::min(records.size(), begin + ContactCache::kPairBlock);
    for (std::size_t i = begin; i < end; ++i)
      if (records[i].manifold_count > 0) visit(i);
  };
  // Slabs that are still have the edges that they had, and where none before them changed they are at their place.
  std::vector<std::int64_t>& first = first_edge_;
  const bool known = first.size() == slabs.size() + 1;
  first_before_.assign(first.begin(), first.end());
  const auto is_kept = [&](std::size_t s) { return known && slabs[s].is_still(); };
  first.assign(slabs.size() + 1, 0);
  parallel_for(pool, static_cast<std::int64_t>(slabs.size()), 16, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = to_index(begin); s < to_index(end); ++s)
      if (is_kept(s))
        first[s + 1] = first_before_[s + 1] - first_before_[s];
      else
        block(s, [&](std::size_t) { ++first[s + 1]; });
  });
  for (std::size_t s = 0; s < slabs.size(); ++s) first[s + 1] += first[s];
  std::atomic<bool> same = keys_.size() == to_index(first.back());
  keys_.resize(to_index(first.back())), edges_.resize(keys_.size());
  const auto vertex = [&](std::int32_t shape) {
    const std::int32_t body = shapes.body[to_index(shape)];
    return bodies.is_dynamic(to_index(body)) ? body : kNoVertex;
  };
  for_each_index(pool, slabs.size(), 16, [&](std::size_t s) {
    if (is_kept(s) && first[s] == first_before_[s]) return;
    auto e = to_index(first[s]);
    block(s, [&](std::size_t i) {
      const BroadPair& pair = cache.pairs()[i];
      const std::uint64_t key = key_of(pair);
      const Edge edge{vertex(pair.a), vertex(pair.b)};
      if (keys_[e] != key || edges_[e].a != edge.a || edges_[e].b != edge.b) {
        keys_[e] = key, edges_[e] = edge;
        same.store(false, std::memory_order_relaxed);
      }
      ++e;
    });
  });
  return same;
}

}  // namespace cairn
