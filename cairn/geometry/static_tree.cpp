// SPDX-License-Identifier: MIT
#include "cairn/geometry/static_tree.h"

#include <algorithm>
#include <numeric>

#include "cairn/core/index.h"

namespace cairn {

BoxRay::BoxRay(const Vec3& origin, const Vec3& direction)
    : origin_(origin), direction_(direction), reciprocal_{1 / direction.x, 1 / direction.y, 1 / direction.z} {}

bool BoxRay::meets(const Aabb& box, double max_distance) const {
  double enter = 0, leave = max_distance;
  const auto clip = [&](double from, double along, double reciprocal, double lower, double upper) {
    if (along == 0) return lower <= from && from <= upper;
    const double t0 = (lower - from) * reciprocal, t1 = (upper - from) * reciprocal;
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1) * (1 + 4e-16));  // three roundings at most: never lose a touch
    return enter <= leave;
  };
  return clip(origin_.x, direction_.x, reciprocal_.x, box.lower.x, box.upper.x) &&
         clip(origin_.y, direction_.y, reciprocal_.y, box.lower.y, box.upper.y) &&
         clip(origin_.z, direction_.z, reciprocal_.z, box.lower.z, box.upper.z);
}

StaticTree::StaticTree(std::span<const Aabb> items) : items_(items.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  nodes_.reserve(items.size());
  if (!items.empty()) build(items, 0, items.size());
}

void StaticTree::build(std::span<const Aabb> boxes, std::size_t first, std::size_t last) {
  const std::size_t at = nodes_.size();
  nodes_.emplace_back();
  Aabb box, centres;
  for (std::size_t k = first; k < last; ++k) {
    const Aabb& item = boxes[to_index(items_[k])];
    box = unite(box, item);
    centres = unite(centres, centre(item));
  }
  nodes_[at].box = box;
  const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = items_.begin() + static_cast<std::ptrdiff_t>(last);
  if (last - first <= kLeaf) {
    std::sort(begin, end);
    nodes_[at].next = static_cast<std::int32_t>(first);
    nodes_[at].count = static_cast<std::int32_t>(last - first);
    return;
  }
  // The halves are sets fixed by a total order, whatever way the library partitions.
  const Vec3 size = centres.upper - centres.lower;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const auto key = [&](std::int32_t item) {
    const Vec3 c = centre(boxes[to_index(item)]);
    return std::pair(axis == 0 ? c.x : axis == 1 ? c.y : c.z, item);
  };
  const std::size_t middle = first + (last - first) / 2;
  std::nth_element(begin, items_.begin() + static_cast<std::ptrdiff_t>(middle), end,
                   [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  build(boxes, first, middle);
  nodes_[at].next = static_cast<std::int32_t>(nodes_.size());
  build(boxes, middle, last);
}

}  // namespace cairn
