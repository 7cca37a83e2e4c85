// SPDX-License-Identifier: MIT
// QueryTree: boxes that are asked for by boxes, rays and moving boxes, and not for pairs.
//
// The tree of the broad phase holds fat boxes as of the last step. Queries see the world as it is now: this one holds
// tight boxes, of which those that changed are refitted before the first query after the change. Proxies are indices,
// as those of the broad phase; an empty box marks one that is absent.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/broad/wide_tree.h"
#include "cairn/core/index.h"

namespace cairn {

class QueryTree {
 public:
  /// Proxies from `count` on go, new ones are absent.
  void resize(std::size_t count);
  /// The box of a proxy from the next update on. For several threads at once, as long as their proxies differ.
  void set(std::size_t proxy, const Aabb& box) { boxes_[proxy] = box, changed_[proxy] = 1; }
  /// Takes the boxes that were set into the tree; queries may be made until the next `set`.
  void update(ThreadPool* pool);

  std::size_t size() const { return boxes_.size(); }

  /// Calls visit(proxy) for every box that overlaps `box`, in any order; touching counts.
  template <class Visit>
  void visit_overlaps(const Aabb& box, Visit&& visit) const {
    const TreeBox sought = tree_.to_tree(box);
    tree_.visit_if([&](const WideNode& node) { return overlap_mask(node, sought); },
                   [&](std::int32_t group, int lane) {
                     const auto proxy = to_index(tree_.proxy(group, lane));
                     if (overlap(boxes_[proxy], box)) visit(proxy);
                   });
  }

  /// Calls visit(proxy) for every box that `box` may meet while it moves by t `direction`, 0 <= t <= reach, near ones
  /// first; some of them it misses by a rounding error. `visit` returns the reach from then on: to find the first hit,
  /// that of the nearest so far.
  template <class Visit>
  void visit_along(const Aabb& box, const Vec3& direction, double reach, Visit&& visit) const {
    tree_.visit_along(tree_.to_tree(box, direction, reach), [&](std::int32_t proxy) { return visit(to_index(proxy)); });
  }

 private:
  WideTree tree_;
  std::vector<Aabb> boxes_;            ///< per proxy
  std::vector<std::uint8_t> changed_;  ///< per proxy: set since the last update
  std::vector<std::uint8_t> lanes_;    ///< the same by groups of the tree
};

}  // namespace cairn
