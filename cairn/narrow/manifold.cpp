// SPDX-License-Identifier: MIT
#include "cairn/narrow/manifold.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// The index with the largest score, the lowest among equals.
template <class Score>
std::size_t best_index(std::size_t count, Score&& score) {
  std::size_t best = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < count; ++k) {
    const double value = score(k);
    if (!(value > highest)) continue;
    highest = value;
    best = k;
  }
  return best;
}

}  // namespace

Manifold flipped(const Manifold& manifold) {
  Manifold result = manifold;
  result.normal = -manifold.normal;
  for (int k = 0; k < result.count; ++k) std::swap(result.point[to_index(k)].on_a, result.point[to_index(k)].on_b);
  return result;
}

double deepest(const Manifold& manifold, double none) {
  double lowest = none;
  for (int k = 0; k < manifold.count; ++k) {
    const double separation = manifold.point[to_index(k)].separation;
    lowest = k == 0 ? separation : std::min(lowest, separation);
  }
  return lowest;
}

std::array<ManifoldPoint, 4> ManifoldBuilder::choose() const {
  const auto at = [&](std::size_t k) { return candidate_[k].on_a; };
  // Twice the signed area of (p, q, r) seen against the normal.
  const auto area = [&](const Vec3& p, const Vec3& q, const Vec3& r) { return dot(normal_, cross(q - p, r - p)); };
  // What is chosen already is never chosen twice, even where all candidates lie on a line.
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const std::size_t first = best_index(size_, [&](std::size_t k) { return -candidate_[k].separation; });
  const std::size_t second = best_index(size_, [&](std::size_t k) {
    const Vec3 d = at(k) - at(first);
    const double along = dot(d, normal_);
    return k == first ? kNever : dot(d, d) - along * along;
  });
  const std::size_t third = best_index(size_, [&](std::size_t k) {
    return k == first || k == second ? kNever : std::fabs(area(at(first), at(second), at(k)));
  });
  // The fourth adds the most area outside the triangle: beyond the edge that it sees from farthest away. Edges are
  // taken counter-clockwise, so outside is where the area is negative.
  const double turn = area(at(first), at(second), at(third)) < 0 ? -1 : 1;
  const std::array<std::size_t, 3> corner{first, second, third};
  const std::size_t fourth = best_index(size_, [&](std::size_t k) {
    if (k == first || k == second || k == third) return kNever;
    double outside = kNever;
    for (std::size_t e = 0; e < 3; ++e)
      outside = std::max(outside, -turn * area(at(corner[e]), at(corner[(e + 1) % 3]), at(k)));
    return outside;
  });
  return {candidate_[first], candidate_[second], candidate_[third], candidate_[fourth]};
}

void ManifoldBuilder::reduce() {
  if (size_ <= 4) return;
  const std::array<ManifoldPoint, 4> kept = choose();
  std::copy(kept.begin(), kept.end(), candidate_.begin());
  size_ = 4;
}

Manifold ManifoldBuilder::build() {
  reduce();
  Manifold result;
  result.normal = normal_;
  result.count = static_cast<int>(size_);
  std::copy_n(candidate_.begin(), size_, result.point.begin());
  return result;
}

}  // namespace cairn
