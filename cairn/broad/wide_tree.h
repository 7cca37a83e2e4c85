// SPDX-License-Identifier: MIT
// A bounding-volume tree with eight children per node, without pointers.
//
// Boxes are put in order along a space-filling curve (Morton 1966) of their centres, wide ones apart; each eight
// neighbours form a node, each eight nodes the next, up to one root. Child number c of node i of a level is node
// 8 i + c of the level below, so refitting is one pass over arrays and a subtree is a range of positions. A node
// stores the boxes of its children by coordinate: one comparison loop tests all eight.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cairn/broad/coherent_sort.h"
#include "cairn/math/aabb.h"

namespace cairn {

inline constexpr std::int32_t kWidth = 8;

/// Boxes of eight children. Unused ones are empty and overlap nothing.
struct alignas(64) WideNode {
  using Lanes = std::array<double, kWidth>;
  std::array<Lanes, 3> lower, upper;

  Aabb box(std::size_t lane) const {
    return {{lower[0][lane], lower[1][lane], lower[2][lane]}, {upper[0][lane], upper[1][lane], upper[2][lane]}};
  }
  void set(std::size_t lane, const Aabb& box);
  Aabb bounds() const;
};

/// Bit c is set when child c overlaps the box. No branches, and 64-bit masks as wide as the coordinates: compilers
/// turn the loop into vector comparisons.
inline std::uint32_t overlap_mask(const WideNode& node, const Aabb& box) {
  std::uint64_t bits = 0;
  for (std::size_t c = 0; c < kWidth; ++c) {
    const std::uint64_t in_x =
        (node.lower[0][c] <= box.upper.x ? ~0ULL : 0) & (box.lower.x <= node.upper[0][c] ? ~0ULL : 0);
    const std::uint64_t in_y =
        (node.lower[1][c] <= box.upper.y ? ~0ULL : 0) & (box.lower.y <= node.upper[1][c] ? ~0ULL : 0);
    const std::uint64_t in_z =
        (node.lower[2][c] <= box.upper.z ? ~0ULL : 0) & (box.lower.z <= node.upper[2][c] ? ~0ULL : 0);
    bits |= in_x & in_y & in_z & (1ULL << c);
  }
  return static_cast<std::uint32_t>(bits);
}

class WideTree {
 public:
  /// Chooses the order of the boxes anew, then refits.
  void build(std::span<const Aabb> boxes, ThreadPool* pool);

  /// Takes the new boxes of the same proxies into the nodes. Returns the quality: the surface of all lowest nodes,
  /// smaller is better; a tree whose quality has become much worse than after its build should be built again.
  void refit(std::span<const Aabb> boxes, ThreadPool* pool);
  double quality() const { return quality_; }

  /// Lowest nodes, each with eight proxies.
  std::int32_t group_count() const { return level_size_.empty() ? 0 : level_size_[0]; }
  std::int32_t proxy(std::int32_t group, int lane) const {
    return order_[static_cast<std::size_t>(group) * kWidth + static_cast<std::size_t>(lane)].index;
  }

  /// Calls visit(p, q) for the pairs of overlapping boxes of which one is in `group` and the other in it or after it.
  template <class Visit>
  void visit_pairs(std::int32_t group, Visit&& visit) const;

  /// Calls visit(group, lane) for all boxes accepted by test(node) -> mask of children, on every level.
  template <class Test, class Visit>
  void visit_if(Test&& test, Visit&& visit) const {
    descend(0, std::forward<Test>(test), [&](std::int32_t group, const WideNode& node, const Aabb&) {
      for (std::uint32_t mask = test(node); mask != 0; mask &= mask - 1) visit(group, std::countr_zero(mask));
    });
  }

 private:
  static constexpr std::size_t kMostLevels = 12;

  const WideNode& node(int level, std::int32_t i) const {
    return nodes_[static_cast<std::size_t>(level_begin_[static_cast<std::size_t>(level)] + i)];
  }
  void plan_levels(std::int32_t count);
  template <class Test, class VisitGroup>
  void descend(std::int32_t first_group, Test&& test, VisitGroup&& visit) const;

  CoherentSort sort_;
  std::vector<std::uint64_t> keys_;    ///< per proxy
  std::span<const KeyedIndex> order_;  ///< per position
  std::vector<WideNode> nodes_;        ///< level by level, the lowest first, the root last
  std::vector<std::int32_t> level_begin_, level_size_;
  std::vector<double> partial_;  ///< quality by blocks
  double quality_ = 0;
};

/// Visits the groups from first_group on whose box passes the test on every level: visit(group, node, its box).
template <class Test, class VisitGroup>
void WideTree::descend(std::int32_t first_group, Test&& test, VisitGroup&& visit) const {
  if (level_size_.empty()) return;
  struct Step {
    int level;
    std::int32_t i;
  };
  std::array<Step, kMostLevels * kWidth> stack;
  std::size_t top = 0;
  const int root = static_cast<int>(level_size_.size()) - 1;
  if (root == 0) return visit(0, node(0, 0), node(0, 0).bounds());
  stack[top++] = {root, 0};
  while (top > 0) {
    const auto [level, i] = stack[--top];
    const WideNode& here = node(level, i);
    // Children before the one that holds first_group are of no interest.
    const std::int32_t skip = (first_group >> (3 * (level - 1))) - i * kWidth;
    std::uint32_t mask = test(here);
    if (skip > 0) mask &= skip < kWidth ? ~0U << skip : 0U;
    for (; mask != 0; mask &= mask - 1) {
      const int c = std::countr_zero(mask);
      const std::int32_t child = i * kWidth + c;
      if (level > 1)
        stack[top++] = {level - 1, child};
      else
        visit(child, node(0, child), here.box(static_cast<std::size_t>(c)));
    }
  }
}

template <class Visit>
void WideTree::visit_pairs(std::int32_t group, Visit&& visit) const {
  const WideNode& mine = node(0, group);
  const Aabb bounds = mine.bounds();
  descend(
      group, [&](const WideNode& n) { return overlap_mask(n, bounds); },
      [&](std::int32_t other, const WideNode& theirs, const Aabb& their_bounds) {
        for (std::uint32_t rows = overlap_mask(mine, their_bounds); rows != 0; rows &= rows - 1) {
          const int c = std::countr_zero(rows);
          std::uint32_t mask = overlap_mask(theirs, mine.box(static_cast<std::size_t>(c)));
          if (other == group) mask &= ~1U << c;
          const std::int32_t p = proxy(group, c);
          for (; mask != 0; mask &= mask - 1) visit(p, proxy(other, std::countr_zero(mask)));
        }
      });
}

}  // namespace cairn
