// SPDX-License-Identifier: MIT
// A bounding-volume tree with eight children per node, without pointers.
//
// Boxes are put in order by halving: the set is split along the longest axis of its centres, the halves again, down
// to eights, and every split falls on a multiple of the size of a full subtree. So each eight neighbours form a node,
// each eight nodes the next, up to one root: child number c of node i of a level is node 8 i + c of the level below,
// refitting is one pass over arrays and a subtree is a range of positions. A node stores the boxes of its children
// by coordinate: one comparison loop tests all eight. Wide boxes go to the end of every split, so that they do not
// blow up the nodes of narrow ones.
//
// Nodes hold floats relative to an origin, rounded outwards, so that each holds its box: the tree may find a few pairs
// too many and never misses one. Floats halve the memory read, and twice as many are compared at once. Bodies become
// hard to tell apart where the scene is 10^7 times wider. The balls of eight proxies stand beside their boxes in the
// same way, with radii that cover the rounding.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/math/aabb.h"
#include "cairn/math/bounding_ball.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

inline constexpr std::int32_t kTreeWidth = 8;

/// A box in the coordinates of the tree.
struct TreeBox {
  std::array<float, 3> lower, upper;
};

/// Boxes of eight children. Unused ones are empty and overlap nothing.
struct alignas(64) WideNode {
  using Lanes = std::array<float, kTreeWidth>;
  std::array<Lanes, 3> lower, upper;

  TreeBox box(std::size_t c) const {
    return {{lower[0][c], lower[1][c], lower[2][c]}, {upper[0][c], upper[1][c], upper[2][c]}};
  }
  void set(std::size_t c, const TreeBox& box) {
    for (std::size_t k = 0; k < 3; ++k) lower[k][c] = box.lower[k], upper[k][c] = box.upper[k];
  }
  TreeBox bounds() const;
  /// Of the children whose bit is set.
  TreeBox bounds(std::uint32_t lanes) const;
};

/// Balls of eight proxies, as large as rounding to floats makes necessary.
struct alignas(64) BallLanes {
  WideNode::Lanes x, y, z, radius;
};

inline Float4 all_lanes(float x) { return Float4{x, x, x, x}; }
inline Float4 four_lanes(const WideNode::Lanes& lanes, std::size_t half) {
  Float4 values;
  get_lanes(lanes.data() + 4 * half, values);
  return values;
}

/// Bit k is set when ball k may overlap ball c of `mine`. The last term is for squares too small for a float.
inline std::uint32_t overlap_mask(const BallLanes& balls, const BallLanes& mine, std::size_t c) {
  const auto near = [&](std::size_t half) {
    const Float4 dx = four_lanes(balls.x, half) - all_lanes(mine.x[c]);
    const Float4 dy = four_lanes(balls.y, half) - all_lanes(mine.y[c]);
    const Float4 dz = four_lanes(balls.z, half) - all_lanes(mine.z[c]);
    const Float4 r = four_lanes(balls.radius, half) + all_lanes(mine.radius[c]);
    return dx * dx + dy * dy + dz * dz <= r * r + all_lanes(1e-37F);
  };
  return bits_of(near(0), near(1));
}

/// Bit c is set when child c overlaps the box. No branches.
inline std::uint32_t overlap_mask(const WideNode& node, const TreeBox& box) {
  const auto all = [](float x) { return all_lanes(x); };
  const auto four = [](const WideNode::Lanes& lanes, std::size_t half) { return four_lanes(lanes, half); };
  const auto inside = [&](std::size_t half) {
    Mask4 mask = (four(node.lower[0], half) <= all(box.upper[0])) & (all(box.lower[0]) <= four(node.upper[0], half));
    mask &= (four(node.lower[1], half) <= all(box.upper[1])) & (all(box.lower[1]) <= four(node.upper[1], half));
    return mask & (four(node.lower[2], half) <= all(box.upper[2])) & (all(box.lower[2]) <= four(node.upper[2], half));
  };
  return bits_of(inside(0), inside(1));
}

/// A box that moves along a straight line, in the coordinates of the tree: at t it has moved by t times the direction.
/// A ray is a box without size. The box of a child is met between the times at which, per axis,
///
///   t_near = (near plane - near) inverse,   t_far = (far plane - far) inverse,
///
/// where the near plane is the lower one if the box goes forward along the axis. `near` and `far` are the sides of the
/// moving box, rounded so that no touch is missed.
struct TreeSweep {
  std::array<float, 3> near, far, inverse;
  std::array<bool, 3> forward;
  float reach = 0;  ///< the largest t
};

/// The largest value of a product of three rounded factors, relative to the exact one.
inline constexpr float kSweepSlack = 0x1p-21F;

/// Bit c is set when the moving box may meet child c up to `reach`; `time` is then no later than it does.
inline std::uint32_t meet_mask(const WideNode& node, const TreeSweep& sweep, float reach, WideNode::Lanes& time) {
  const auto meets = [&](std::size_t half) {
    Float4 enter = all_lanes(0), leave = all_lanes(reach);
    for (std::size_t k = 0; k < 3; ++k) {
      const WideNode::Lanes& first = sweep.forward[k] ? node.lower[k] : node.upper[k];
      const WideNode::Lanes& last = sweep.forward[k] ? node.upper[k] : node.lower[k];
      const Float4 inverse = all_lanes(sweep.inverse[k]);
      const Float4 in = (four_lanes(first, half) - all_lanes(sweep.near[k])) * inverse;
      const Float4 out = (four_lanes(last, half) - all_lanes(sweep.far[k])) * inverse;
      enter = in > enter ? in : enter;
      leave = out < leave ? out : leave;
    }
    enter *= all_lanes(1 - kSweepSlack);
    std::memcpy(time.data() + 4 * half, &enter, sizeof enter);
    return enter <= leave * all_lanes(1 + kSweepSlack);
  };
  return bits_of(meets(0), meets(1));
}

/// Lanes of the groups whose pairs are sought.
struct MarkedLanes {
  std::vector<std::uint8_t> lanes;      ///< per group: bit c is set for lane c; 0xff if that is so for all with a proxy
  std::vector<std::int32_t> run_begin;  ///< per group: the first of the wholly marked groups that end just before it
};

class WideTree {
 public:
  /// Proxies from `count` on leave the order, new ones go to its end.
  void take_count(std::int32_t count);

  /// Takes boxes, as many as take_count was told, and balls, as many or none, into the nodes; those of groups
  /// without a lane in `changed` must be the same. Chooses the order of the proxies anew if it has become much worse
  /// since that was done last: true then, and marks mean nothing any more.
  bool update(std::span<const Aabb> boxes, std::span<const BoundingBall> balls, std::span<const std::uint8_t> changed,
              ThreadPool* pool);

  TreeBox to_tree(const Aabb& box) const;
  /// A box that moves by `direction` per unit of t, up to `reach`.
  TreeSweep to_tree(const Aabb& box, const Vec3& direction, double reach) const;

  /// Lowest nodes, each with eight proxies.
  std::int32_t group_count() const { return level_size_.empty() ? 0 : level_size_[0]; }
  std::int32_t proxy(std::int32_t group, int lane) const {
    return order_[to_index(group) * kTreeWidth + to_index(lane)];
  }

  /// Marks the lanes whose proxy has a one in `flag`.
  void mark(std::span<const std::uint8_t> flag, ThreadPool* pool, std::vector<std::uint8_t>& lanes) const;

  /// To be called when all lanes are marked: completes them, and sets the flags of their proxies. True if all are.
  bool finish_marks(MarkedLanes& marked, ThreadPool* pool, std::span<std::uint8_t> flag) const;

  /// Calls visit(p, q) for the pairs of overlapping boxes and balls of which p is marked and in `group`; of two that
  /// are marked, p is the first in the order.
  template <class Visit>
  void visit_pairs(std::int32_t group, const MarkedLanes& marked, Visit&& visit) const;

  /// Calls visit(group, lane) for all boxes accepted by test(node) -> mask of children, on every level.
  template <class Test, class Visit>
  void visit_if(Test&& test, Visit&& visit) const {
    run_wide([&] {
      descend({}, test, [&](std::int32_t group, const WideNode& node, const TreeBox&) {
        for (std::uint32_t mask = test(node); mask != 0; mask &= mask - 1) visit(group, std::countr_zero(mask));
      });
    });
  }

  /// Calls visit(proxy) for the boxes that the sweep may meet, near ones first. What it returns is how far the sweep
  /// goes from then on.
  template <class Visit>
  void visit_along(const TreeSweep& sweep, Visit&& visit) const;

  /// The least float that is not below x, for a sweep that goes on to x.
  static float reach_of(double x) { return static_cast<float>(x) * (1 + kSweepSlack); }

 private:
  static constexpr std::size_t kMostLevels = 12;

  /// A node on the way of a sweep.
  struct Ahead {
    float time;
    int level;
    std::int32_t i;
  };
  /// Writes the children of a node in the order of their times; returns how many there are.
  static std::size_t sort_by_time(std::uint32_t mask, const WideNode::Lanes& time, std::array<int, kTreeWidth>& order);

  const WideNode& node(int level, std::int32_t i) const { return nodes_[to_index(level_begin_[to_index(level)] + i)]; }
  /// A proxy while the order is being chosen.
  struct Item {
    std::array<double, 3> centre;
    std::int32_t proxy;
    bool wide;
  };
  /// Positions [begin, end) that become children of one node, `unit` positions each.
  struct Range {
    std::int32_t begin, end, unit;
  };

  /// Groups [begin, end).
  struct Groups {
    std::int32_t begin = 0, end = 0;
  };

  void build(std::span<const Aabb> boxes, ThreadPool* pool);
  // `changed` has an entry per group, zero for those that need nothing; empty: all need it.
  void refit(std::span<const Aabb> boxes, std::span<const std::uint8_t> changed, ThreadPool* pool);
  void refit_balls(std::span<const BoundingBall> balls, std::span<const std::uint8_t> changed, ThreadPool* pool);
  void refit_level(std::size_t level, std::span<const Aabb> boxes, std::span<const std::uint8_t> changed,
                   ThreadPool* pool);
  void list_items(std::span<const Aabb> boxes, ThreadPool* pool);
  void choose_order(ThreadPool* pool);
  void split(const Range& range, Range& left, Range& right);
  template <class Test, class VisitGroup>
  void descend(Groups skip, Test&& test, VisitGroup&& visit) const;

  std::vector<Item> items_;             ///< per position, while building
  std::vector<Range> ranges_, halves_;  ///< to be split, and what came of them
  std::vector<std::int32_t> order_;     ///< proxy per position
  std::vector<WideNode> nodes_;         ///< level by level, the lowest first, the root last
  std::vector<BallLanes> balls_;        ///< per group, or none
  std::vector<std::int32_t> level_begin_, level_size_;
  bool count_changed_ = false;   ///< since the last update
  Vec3 origin_;                  ///< of the coordinates in the nodes
  std::vector<double> partial_;  ///< quality by blocks
  double quality_ = 0;           ///< mean surface of the lowest nodes; smaller is better
  double built_quality_ = 0;     ///< the best since the order was chosen
};

/// Visits the groups whose box passes the test on every level, except those to skip: visit(group, node, its box).
template <class Test, class VisitGroup>
void WideTree::descend(Groups skip, Test&& test, VisitGroup&& visit) const {
  if (level_size_.empty()) return;
  struct Step {
    int level;
    std::int32_t i;
  };
  std::array<Step, kMostLevels * kTreeWidth> stack;
  std::size_t top = 0;
  const int root = static_cast<int>(level_size_.size()) - 1;
  if (root == 0) return visit(0, node(0, 0), node(0, 0).bounds());
  stack[top++] = {root, 0};
  while (top > 0) {
    const auto [level, i] = stack[--top];
    const WideNode& here = node(level, i);
    std::uint32_t mask = test(here);
    // Children that hold nothing but groups to skip are of no interest.
    const int shift = 3 * (level - 1);
    const auto lane = [first = i * kTreeWidth](std::int32_t child) { return std::clamp(child - first, 0, kTreeWidth); };
    const int skip_begin = lane((skip.begin + (1 << shift) - 1) >> shift), skip_end = lane(skip.end >> shift);
    if (skip_begin < skip_end) mask &= ~((1U << skip_end) - (1U << skip_begin));
    for (; mask != 0; mask &= mask - 1) {
      const int c = std::countr_zero(mask);
      const std::int32_t child = i * kTreeWidth + c;
      if (level > 1)
        stack[top++] = {level - 1, child};
      else
        visit(child, node(0, child), here.box(to_index(c)));
    }
  }
}

inline std::size_t WideTree::sort_by_time(std::uint32_t mask, const WideNode::Lanes& time,
                                          std::array<int, kTreeWidth>& order) {
  std::size_t count = 0;
  for (; mask != 0; mask &= mask - 1) {
    const int c = std::countr_zero(mask);
    std::size_t at = count++;
    for (; at > 0 && time[to_index(c)] < time[to_index(order[at - 1])]; --at) order[at] = order[at - 1];
    order[at] = c;
  }
  return count;
}

template <class Visit>
void WideTree::visit_along(const TreeSweep& sweep, Visit&& visit) const {
  if (level_size_.empty()) return;
  std::array<Ahead, kMostLevels * kTreeWidth> stack;
  std::array<int, kTreeWidth> order{};
  WideNode::Lanes time;
  float reach = sweep.reach;
  std::size_t top = 0;
  stack[top++] = {0, static_cast<int>(level_size_.size()) - 1, 0};
  while (top > 0) {
    const Ahead here = stack[--top];
    if (here.time > reach) continue;
    const std::size_t count = sort_by_time(meet_mask(node(here.level, here.i), sweep, reach, time), time, order);
    if (here.level > 0) {
      for (std::size_t k = count; k-- > 0;)
        stack[top++] = {time[to_index(order[k])], here.level - 1, here.i * kTreeWidth + order[k]};
      continue;
    }
    for (std::size_t k = 0; k < count && time[to_index(order[k])] <= reach; ++k)
      reach = reach_of(visit(proxy(here.i, order[k])));
  }
}

template <class Visit>
void WideTree::visit_pairs(std::int32_t group, const MarkedLanes& marked, Visit&& visit) const {
  const auto g = to_index(group);
  const std::uint32_t sought = marked.lanes[g];
  if (sought == 0) return;
  const WideNode& mine = node(0, group);
  const TreeBox bounds = mine.bounds(sought);
  const auto test = [&](const WideNode& n) { return overlap_mask(n, bounds); };
  const auto visit_group = [&](std::int32_t other, const WideNode& theirs, const TreeBox& their_bounds) {
    const auto o = to_index(other);
    const std::uint32_t open = other < group ? ~std::uint32_t{marked.lanes[o]} : ~0U;
    for (std::uint32_t rows = overlap_mask(mine, their_bounds) & sought; rows != 0; rows &= rows - 1) {
      const int c = std::countr_zero(rows);
      std::uint32_t mask = overlap_mask(theirs, mine.box(to_index(c))) & open;
      if (other == group) mask &= ~(1U << c | (sought & ((1U << c) - 1)));
      if (!balls_.empty()) mask &= overlap_mask(balls_[o], balls_[g], to_index(c));
      const std::int32_t p = proxy(group, c);
      for (; mask != 0; mask &= mask - 1) visit(p, proxy(other, std::countr_zero(mask)));
    }
  };
  run_wide([&] { descend({marked.run_begin[g], group}, test, visit_group); });
}

}  // namespace cairn
