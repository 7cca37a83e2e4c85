// SPDX-License-Identifier: MIT
// A tree of boxes over items that never move: the triangles of a mesh. Built once by halving the items at the median
// of their centres along the widest axis (ties by index), stored as a flat array in depth-first order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Inner node: the left child follows it, the right child is at `next`. Leaf: items_[next .. next + count).
struct TreeNode {
  Aabb box;
  std::int32_t next = 0;
  std::int32_t count = 0;  ///< 0 for an inner node
};

/// A ray against boxes, with the reciprocal direction computed once.
class BoxRay {
 public:
  BoxRay(const Vec3& origin, const Vec3& direction);
  /// May say yes to a near miss, never no to a hit within `max_distance`.
  bool meets(const Aabb& box, double max_distance) const;

 private:
  Vec3 origin_, direction_, reciprocal_;
};

/// Squared distance from a point to a box, 0 inside.
constexpr double distance2(const Aabb& box, const Vec3& p) {
  const Vec3 off = p - max(box.lower, min(box.upper, p));
  return dot(off, off);
}

class StaticTree {
 public:
  StaticTree() = default;
  explicit StaticTree(std::span<const Aabb> items);

  const std::vector<TreeNode>& nodes() const { return nodes_; }
  Aabb box() const { return nodes_.empty() ? Aabb{} : nodes_[0].box; }

  /// Calls visit(item) for the items in all leaves whose box overlaps; the caller tests the item itself. The order
  /// depends on the tree alone.
  template <class Visit>
  void for_each_overlapping(const Aabb& box, Visit&& visit) const {
    walk([&](const TreeNode& node) { return overlap(node.box, box); }, visit);
  }

  /// Calls visit(item) for the items in all nodes for which accept(node) holds when it is reached: `accept` may get
  /// stricter on the way, which is how rays and nearest points prune.
  template <class Accept, class Visit>
  void walk(Accept&& accept, Visit&& visit) const {
    std::array<std::int32_t, kMaxDepth> stack;
    int size = 0;
    if (!nodes_.empty()) stack[to_index(size++)] = 0;
    while (size > 0) {
      const std::int32_t at = stack[to_index(--size)];
      const TreeNode& node = nodes_[to_index(at)];
      if (!accept(node)) continue;
      if (node.count > 0) {
        for (std::int32_t k = 0; k < node.count; ++k) visit(items_[to_index(node.next + k)]);
        continue;
      }
      CAIRN_ASSERT(size + 2 <= kMaxDepth);
      stack[to_index(size++)] = node.next;
      stack[to_index(size++)] = at + 1;
    }
  }

 private:
  static constexpr int kMaxDepth = 64;     ///< halving 2^31 items needs 32
  static constexpr std::size_t kLeaf = 4;  ///< items per leaf at most

  void build(std::span<const Aabb> boxes, std::size_t first, std::size_t last);

  std::vector<TreeNode> nodes_;
  std::vector<std::int32_t> items_;
};

}  // namespace cairn
