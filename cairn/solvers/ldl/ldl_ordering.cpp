// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_ordering.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::size_t kMostForFill = 500;

using Neighbours = std::vector<std::int32_t>;

bool contains(const Neighbours& list, std::int32_t node) { return std::binary_search(list.begin(), list.end(), node); }

bool insert(Neighbours& list, std::int32_t node) {
  const auto at = std::lower_bound(list.begin(), list.end(), node);
  if (at != list.end() && *at == node) return false;
  list.insert(at, node);
  return true;
}

void erase(Neighbours& list, std::int32_t node) {
  const auto at = std::lower_bound(list.begin(), list.end(), node);
  if (at != list.end() && *at == node) list.erase(at);
}

/// Which body vouches for which block: a matching that grows one block at a time.
class Hosts {
 public:
  Hosts(const LdlGraph& graph, std::size_t bodies)
      : graph_(graph), guest_(bodies, kNobody), is_hub_(bodies, false), visited_(bodies, 0) {
    for (const LdlGraphNode& node : graph.nodes)
      if (node.is_hub) {
        is_hub_[to_index(node.body[0])] = true;
        ++hubs_left_;
      }
  }

  void release(std::int32_t hub) {
    is_hub_[to_index(hub)] = false;
    --hubs_left_;
  }
  bool is_free_choice() const { return hubs_left_ == 0; }

  /// A host for the block, others moving along if need be. False: there is none.
  bool find(std::int32_t block) {
    ++round_;
    for (const std::int32_t body : graph_.nodes[to_index(block)].body)
      if (can_host(body) && make_room(body)) {
        guest_[to_index(body)] = block;
        return true;
      }
    return false;
  }

 private:
  static constexpr std::int32_t kNobody = -1;

  bool can_host(std::int32_t body) const {
    return body != kNoVertex && graph_.can_host[to_index(body)] && !is_hub_[to_index(body)];
  }

  /// Blocks have two ends: guests move along one path until a body is free.
  bool make_room(std::int32_t body) {
    path_.clear();
    while (true) {
      if (visited_[to_index(body)] == round_) return false;
      visited_[to_index(body)] = round_;
      path_.push_back(body);
      const std::int32_t guest = guest_[to_index(body)];
      if (guest == kNobody) break;
      const auto& ends = graph_.nodes[to_index(guest)].body;
      const std::int32_t other = ends[0] == body ? ends[1] : ends[0];
      if (!can_host(other)) return false;
      body = other;
    }
    for (std::size_t i = path_.size(); i-- > 1;) guest_[to_index(path_[i])] = guest_[to_index(path_[i - 1])];
    return true;
  }

  const LdlGraph& graph_;
  std::vector<std::int32_t> guest_;  ///< per body
  std::vector<bool> is_hub_;         ///< per body: a hub that has not gone
  std::vector<std::int32_t> visited_, path_;
  std::int32_t round_ = 0, hubs_left_ = 0;
};

class Eliminator {
 public:
  Eliminator(const LdlGraph& graph, LdlOrdering ordering)
      : graph_(graph),
        by_fill_(ordering == LdlOrdering::minimum_fill ||
                 (ordering == LdlOrdering::automatic && graph.nodes.size() <= kMostForFill)),
        left_(graph.neighbours),
        level_(graph.nodes.size(), 0),
        keys_(graph.nodes.size()),
        hosts_(graph, graph.can_host.size()) {}

  LdlElimination run() {
    for (std::size_t i = 0; i < left_.size(); ++i) queue_.insert(keys_[i] = key(static_cast<std::int32_t>(i)));
    while (result_.steps.size() < left_.size()) go(next());
    sort_columns();
    return std::move(result_);
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::int32_t>;  ///< edges, neighbours, level, number

  Key key(std::int32_t node) const {
    const Neighbours& around = left_[to_index(node)];
    std::int64_t fill = 0;
    if (by_fill_)
      for (std::size_t i = 0; i < around.size(); ++i)
        for (std::size_t j = i + 1; j < around.size(); ++j)
          fill += contains(left_[to_index(around[i])], around[j]) ? 0 : 1;
    return {fill, static_cast<std::int64_t>(around.size()), level_[to_index(node)], node};
  }

  /// The cheapest node that may go; blocks without a host wait for a hub to go.
  std::int32_t next() {
    while (true) {
      CAIRN_ASSERT(!queue_.empty());
      const std::int32_t node = std::get<3>(*queue_.begin());
      queue_.erase(queue_.begin());
      const LdlGraphNode& mine = graph_.nodes[to_index(node)];
      if (mine.is_hub) {
        hosts_.release(mine.body[0]);
        for (const std::int32_t waiting : waiting_) queue_.insert(keys_[to_index(waiting)]);
        waiting_.clear();
        return node;
      }
      if (hosts_.is_free_choice() || hosts_.find(node)) return node;
      waiting_.push_back(node);
    }
  }

  void go(std::int32_t node) {
    const Neighbours around = left_[to_index(node)];
    left_[to_index(node)].clear();
    for (const std::int32_t a : around) {
      Neighbours& mine = left_[to_index(a)];
      erase(mine, node);
      std::int32_t& level = level_[to_index(a)];
      level = std::max(level, level_[to_index(node)] + 1);
      for (const std::int32_t b : around)
        if (a != b && insert(mine, b) && a < b) ++result_.fill;
    }
    // Keys change where edges were added or taken away: around the node and, for fill, one further.
    Neighbours changed = around;
    if (by_fill_)
      for (const std::int32_t a : around)
        changed.insert(changed.end(), left_[to_index(a)].begin(), left_[to_index(a)].end());
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const std::int32_t a : changed) {
      Key& old = keys_[to_index(a)];
      const bool was_queued = queue_.erase(old) > 0;
      old = key(a);
      if (was_queued) queue_.insert(old);
    }
    result_.steps.push_back({node, around});
  }

  void sort_columns() {
    std::vector<std::int32_t> position(left_.size());
    for (std::size_t i = 0; i < result_.steps.size(); ++i)
      position[to_index(result_.steps[i].node)] = static_cast<std::int32_t>(i);
    for (LdlStep& step : result_.steps)
      std::sort(step.column.begin(), step.column.end(),
                [&](std::int32_t a, std::int32_t b) { return position[to_index(a)] < position[to_index(b)]; });
  }

  const LdlGraph& graph_;
  const bool by_fill_;
  std::vector<Neighbours> left_;     ///< neighbours that have not gone
  std::vector<std::int32_t> level_;  ///< steps that must be done one after the other before this one
  std::vector<Key> keys_;
  std::set<Key> queue_;
  std::vector<std::int32_t> waiting_;  ///< blocks without a host
  Hosts hosts_;
  LdlElimination result_;
};

}  // namespace

void join_all(std::span<const std::int32_t> nodes, LdlGraph& graph) {
  for (const std::int32_t a : nodes)
    for (const std::int32_t b : nodes)
      if (a != b) insert(graph.neighbours[to_index(a)], b);
}

LdlElimination eliminate(const LdlGraph& graph, LdlOrdering ordering) { return Eliminator(graph, ordering).run(); }

}  // namespace cairn
