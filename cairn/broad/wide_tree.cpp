// SPDX-License-Identifier: MIT
#include "cairn/broad/wide_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 4096;
constexpr std::int64_t kNodeGrain = 256;
constexpr double kWideRatio = 8;  // of the mean extent: wider boxes stand apart in the order

constexpr double kWorse = 1.25;           // of the quality, before the order is chosen anew
constexpr double kLargest = 3e38;         // coordinate in a node
constexpr double kLargestSquared = 1e18;  // coordinate whose square is a float
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr TreeBox kNothing{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};

constexpr double kLeast = 1e-20;  // what rounding outwards adds at least, m
constexpr double kStill = 1e-30;  // direction that counts as none

/// Floats that are not above x, and not below it.
float below(double x) {
  return static_cast<float>(std::clamp(x - 0x1p-23 * std::abs(x) - kLeast, -kLargest, kLargest));
}
float above(double x) {
  return static_cast<float>(std::clamp(x + 0x1p-23 * std::abs(x) + kLeast, -kLargest, kLargest));
}

bool present(const Aabb& box) { return box.lower.x <= box.upper.x; }

double extent(const Aabb& box) {
  return std::max({box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z});
}

/// Half the surface; zero for an empty box.
double half_surface(const TreeBox& box) {
  if (box.lower[0] > box.upper[0]) return 0;
  std::array<double, 3> d{};
  for (std::size_t k = 0; k < 3; ++k) d[k] = static_cast<double>(box.upper[k]) - static_cast<double>(box.lower[k]);
  return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

/// The extent beyond which a box counts as wide.
double wide_extent(std::span<const Aabb> boxes) {
  double sum = 0;
  std::int64_t count = 0;
  for (const Aabb& box : boxes)
    if (present(box)) sum += extent(box), ++count;
  return count > 0 ? kWideRatio * sum / static_cast<double>(count) : 0;
}

}  // namespace

TreeBox WideNode::bounds() const {
  TreeBox all = box(0);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t c = 1; c < kTreeWidth; ++c) {
      all.lower[k] = std::min(all.lower[k], lower[k][c]);
      all.upper[k] = std::max(all.upper[k], upper[k][c]);
    }
  }
  return all;
}

TreeBox WideNode::bounds(std::uint32_t lanes) const {
  if (lanes == 0xff) return bounds();
  TreeBox all = kNothing;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto c = to_index(std::countr_zero(lanes));
    for (std::size_t k = 0; k < 3; ++k) {
      all.lower[k] = std::min(all.lower[k], lower[k][c]);
      all.upper[k] = std::max(all.upper[k], upper[k][c]);
    }
  }
  return all;
}

TreeBox WideTree::to_tree(const Aabb& box) const {
  if (!present(box)) return kNothing;
  const Vec3 lower = box.lower - origin_, upper = box.upper - origin_;
  return {{below(lower.x), below(lower.y), below(lower.z)}, {above(upper.x), above(upper.y), above(upper.z)}};
}

TreeSweep WideTree::to_tree(const Aabb& box, const Vec3& direction, double reach) const {
  const TreeBox start = to_tree(box);
  const std::array<double, 3> along{direction.x, direction.y, direction.z};
  TreeSweep sweep;
  for (std::size_t k = 0; k < 3; ++k) {
    const bool forward = along[k] >= 0;
    sweep.forward[k] = forward;
    sweep.near[k] = forward ? start.upper[k] : start.lower[k];
    sweep.far[k] = forward ? start.lower[k] : start.upper[k];
    // A box that does not move along an axis moves by so little that no reach brings it beyond the rounding.
    sweep.inverse[k] = static_cast<float>(1.0 / (forward ? std::max(along[k], kStill) : std::min(along[k], -kStill)));
  }
  sweep.reach = reach_of(reach);
  return sweep;
}

bool WideTree::update(std::span<const Aabb> boxes, std::span<const BoundingBall> balls,
                      std::span<const std::uint8_t> changed, ThreadPool* pool) {
  // Without an order for all, or with balls for the first time, every group has changed.
  const bool same = !count_changed_ && balls_.size() == (balls.empty() ? 0 : changed.size());
  std::span<const std::uint8_t> lanes = same ? changed : std::span<const std::uint8_t>();
  refit(boxes, lanes, pool);
  const bool worse = quality_ > kWorse * built_quality_;
  if (worse) {
    build(boxes, pool);
    lanes = {};
    refit(boxes, lanes, pool);
    built_quality_ = quality_;
  }
  built_quality_ = std::min(built_quality_, quality_);  // the scene draws together
  refit_balls(balls, lanes, pool);
  count_changed_ = false;
  return worse;
}

void WideTree::build(std::span<const Aabb> boxes, ThreadPool* pool) {
  // Without what floats cannot hold: from the middle of a half-space they could not tell the other boxes apart.
  Aabb all;
  for (const Aabb& box : boxes)
    if (present(box) && extent(box) < kLargest) all = unite(all, box);
  origin_ = present(all) ? centre(all) : Vec3{};
  list_items(boxes, pool);
  choose_order(pool);
}

void WideTree::list_items(std::span<const Aabb> boxes, ThreadPool* pool) {
  const double wide = wide_extent(boxes);
  items_.resize(boxes.size());
  for_each_index(pool, boxes.size(), kGrain, [&](std::size_t i) {
    const Vec3 at = present(boxes[i]) ? centre(boxes[i]) : Vec3{};
    items_[i] = {{at.x, at.y, at.z}, static_cast<std::int32_t>(i), !present(boxes[i]) || extent(boxes[i]) > wide};
  });
}

/// Halves all ranges in rounds, until each fits into a lowest node.
void WideTree::choose_order(ThreadPool* pool) {
  const auto n = static_cast<std::int32_t>(items_.size());
  std::int32_t unit = kTreeWidth;  // positions of a child of the root
  while (static_cast<std::int64_t>(unit) * kTreeWidth < n) unit *= kTreeWidth;
  ranges_.assign(n > kTreeWidth ? 1 : 0, {0, n, unit});
  while (!ranges_.empty()) {
    halves_.resize(2 * ranges_.size());
    parallel_for(pool, static_cast<std::int64_t>(ranges_.size()), 1, [&](std::int64_t i, std::int64_t) {
      const auto k = to_index(i);
      split(ranges_[k], halves_[2 * k], halves_[2 * k + 1]);
    });
    std::erase_if(halves_, [](const Range& range) { return range.end - range.begin <= kTreeWidth; });
    ranges_.swap(halves_);
  }
  order_.resize(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) order_[i] = items_[i].proxy;
}

void WideTree::split(const Range& range, Range& left, Range& right) {
  Range here = range;
  while (here.end - here.begin <= here.unit) here.unit /= kTreeWidth;  // a single child: split that one
  Item *begin = items_.data() + here.begin, *end = items_.data() + here.end;
  std::array<double, 3> lowest = begin->centre, highest = begin->centre;
  for (const Item* item = begin; item != end; ++item) {
    for (std::size_t k = 0; k < 3; ++k) {
      lowest[k] = std::min(lowest[k], item->centre[k]);
      highest[k] = std::max(highest[k], item->centre[k]);
    }
  }
  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (highest[k] - lowest[k] > highest[axis] - lowest[axis]) axis = k;
  const std::int32_t children = (here.end - here.begin - 1) / here.unit + 1;
  const std::int32_t middle = here.begin + (children + 1) / 2 * here.unit;
  std::nth_element(begin, items_.data() + middle, end, [axis](const Item& a, const Item& b) {
    if (a.wide != b.wide) return b.wide;
    return a.centre[axis] != b.centre[axis] ? a.centre[axis] < b.centre[axis] : a.proxy < b.proxy;
  });
  left = {here.begin, middle, here.unit};
  right = {middle, here.end, here.unit};
}

void WideTree::take_count(std::int32_t count) {
  if (count == static_cast<std::int32_t>(order_.size())) return;
  count_changed_ = true;
  std::erase_if(order_, [count](std::int32_t proxy) { return proxy >= count; });
  while (static_cast<std::int32_t>(order_.size()) < count) order_.push_back(static_cast<std::int32_t>(order_.size()));
  level_begin_.clear();
  level_size_.clear();
  std::int32_t total = 0;
  while (count > 0) {
    const std::int32_t size = (count - 1) / kTreeWidth + 1;
    level_begin_.push_back(total);
    level_size_.push_back(size);
    total += size;
    count = size > 1 ? size : 0;
  }
  nodes_.resize(to_index(total));
}

void WideTree::mark(std::span<const std::uint8_t> flag, ThreadPool* pool, std::vector<std::uint8_t>& lanes) const {
  lanes.resize(to_index(group_count()));
  for_each_index(pool, group_count(), kNodeGrain, [&](std::size_t group) {
    const std::size_t first = group * kTreeWidth, used = std::min<std::size_t>(kTreeWidth, order_.size() - first);
    std::uint32_t bits = 0;
    for (std::size_t c = 0; c < used; ++c) bits |= static_cast<std::uint32_t>(flag[to_index(order_[first + c])]) << c;
    lanes[group] = bits == (1U << used) - 1 ? 0xff : static_cast<std::uint8_t>(bits);
  });
}

bool WideTree::finish_marks(MarkedLanes& marked, ThreadPool* pool, std::span<std::uint8_t> flag) const {
  const std::vector<std::uint8_t>& lanes = marked.lanes;
  marked.run_begin.resize(lanes.size());
  std::int32_t run_begin = 0;
  for (std::int32_t group = 0; group < group_count(); ++group) {
    marked.run_begin[to_index(group)] = run_begin;
    if (lanes[to_index(group)] != 0xff) run_begin = group + 1;
  }
  for_each_index(pool, order_.size(), kGrain,
                 [&](std::size_t i) { flag[to_index(order_[i])] = lanes[i / kTreeWidth] >> i % kTreeWidth & 1; });
  return run_begin == 0;
}

/// A float differs from the distance x to the origin by less than 2^-24 x, a centre by less than sqrt(3) times that;
/// the factor covers the rounding of the comparison. Balls too far or too large to square say nothing.
void WideTree::refit_balls(std::span<const BoundingBall> balls, std::span<const std::uint8_t> changed,
                           ThreadPool* pool) {
  balls_.resize(balls.empty() ? 0 : to_index(group_count()));
  for_each_index(pool, balls.size(), kGrain, [&](std::size_t i) {
    if (!changed.empty() && changed[i / kTreeWidth] == 0) return;
    const BoundingBall& ball = balls[to_index(order_[i])];
    const Vec3 d = ball.centre - origin_;
    const double reach = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    const bool usable = reach < kLargestSquared && ball.radius < kLargestSquared;
    const double radius = (ball.radius + 0x1p-22 * reach) * (1 + 0x1p-20);
    BallLanes& lanes = balls_[i / kTreeWidth];
    const std::size_t c = i % kTreeWidth;
    lanes.x[c] = usable ? static_cast<float>(d.x) : 0;
    lanes.y[c] = usable ? static_cast<float>(d.y) : 0;
    lanes.z[c] = usable ? static_cast<float>(d.z) : 0;
    lanes.radius[c] = usable ? static_cast<float>(radius) : kInfinity;
  });
}

void WideTree::refit(std::span<const Aabb> boxes, std::span<const std::uint8_t> changed, ThreadPool* pool) {
  partial_.clear();
  for (std::size_t level = 0; level < level_size_.size(); ++level)
    refit_level(level, boxes, level == 0 ? changed : std::span<const std::uint8_t>(), pool);
  quality_ = 0;
  for (const double surfaces : partial_) quality_ += surfaces / group_count();
}

void WideTree::refit_level(std::size_t level, std::span<const Aabb> boxes, std::span<const std::uint8_t> changed,
                           ThreadPool* pool) {
  const std::int64_t size = level_size_[level];
  const std::int64_t below = level == 0 ? static_cast<std::int64_t>(order_.size()) : level_size_[level - 1];
  if (level == 1) partial_.assign(to_index((size + kNodeGrain - 1) / kNodeGrain), 0);
  const auto child_box = [&](std::int64_t child) {
    if (child >= below) return kNothing;
    if (level > 0) return node(static_cast<int>(level) - 1, static_cast<std::int32_t>(child)).bounds();
    return to_tree(boxes[to_index(order_[to_index(child)])]);
  };
  parallel_for(pool, size, kNodeGrain, [&](std::int64_t begin, std::int64_t end) {
    double surfaces = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!changed.empty() && changed[to_index(i)] == 0) continue;
      WideNode& target = nodes_[to_index(level_begin_[level] + i)];
      for (std::int64_t c = 0; c < kTreeWidth; ++c) {
        const TreeBox box = child_box(i * kTreeWidth + c);
        target.set(to_index(c), box);
        if (level == 1) surfaces += half_surface(box);
      }
    }
    if (level == 1) partial_[to_index(begin / kNodeGrain)] = surfaces;
  });
}

}  // namespace cairn
