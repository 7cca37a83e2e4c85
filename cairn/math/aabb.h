// SPDX-License-Identifier: MIT
// Axis-aligned boxes: the bounds of shapes. An empty box has lower > upper and unites with anything to that thing.
#pragma once

#include <algorithm>
#include <limits>

#include "cairn/math/vec3.h"

namespace cairn {

struct Aabb {
  Vec3 lower{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
             std::numeric_limits<double>::infinity()};
  Vec3 upper{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
             -std::numeric_limits<double>::infinity()};
  friend constexpr bool operator==(const Aabb&, const Aabb&) = default;
};

constexpr Vec3 min(const Vec3& a, const Vec3& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
constexpr Vec3 max(const Vec3& a, const Vec3& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

constexpr Aabb unite(const Aabb& a, const Aabb& b) { return {min(a.lower, b.lower), max(a.upper, b.upper)}; }
constexpr Aabb unite(const Aabb& a, const Vec3& p) { return {min(a.lower, p), max(a.upper, p)}; }
constexpr Aabb grown(const Aabb& a, double margin) {
  const Vec3 m{margin, margin, margin};
  return {a.lower - m, a.upper + m};
}
/// Touching counts as overlapping.
constexpr bool overlap(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
         a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
constexpr bool contains(const Aabb& outer, const Aabb& inner) {
  return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
         inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}
constexpr Vec3 centre(const Aabb& a) { return 0.5 * (a.lower + a.upper); }
constexpr double surface(const Aabb& a) {
  const Vec3 d = a.upper - a.lower;
  return 2 * (d.x * d.y + d.y * d.z + d.z * d.x);
}

}  // namespace cairn
