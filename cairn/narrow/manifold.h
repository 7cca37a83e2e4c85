// SPDX-License-Identifier: MIT
// Manifold: where two shapes touch, as one normal and at most four points. All collide_* functions answer with it.
#pragma once

#include <array>
#include <cstdint>

#include "cairn/math/vec3.h"

namespace cairn {

/// One point of contact, in the world. Written by collide_*.
struct ManifoldPoint {
  Vec3 on_a, on_b;            ///< on the surface of each shape
  double separation = 0;      ///< dot(normal, on_b - on_a): negative where the shapes overlap
  std::uint32_t feature = 0;  ///< what met what, equal from step to step while the same features touch
};

/// Empty (count 0) where the shapes are farther apart than the margin.
struct Manifold {
  Vec3 normal{0, 0, 1};  ///< unit, from a to b
  int count = 0;         ///< 0 to 4, the length of what is used of `point`
  union {
    std::array<ManifoldPoint, 4> point;
  };

  Manifold() {}  // NOLINT: points are not cleared; clearing them costs more than most tests of two shapes
};

/// The same contact seen from the other shape.
Manifold flipped(const Manifold& manifold);

/// The separation of the deepest point; `none` for an empty manifold.
double deepest(const Manifold& manifold, double none);

/// Collects any number of points of one flat contact and keeps four of them: the deepest, so that no penetration is
/// lost, then those that span the largest area, so that the contact resists tilting. The lowest index wins ties.
class ManifoldBuilder {
 public:
  explicit ManifoldBuilder(const Vec3& normal) : normal_(normal) {}  // NOLINT: candidates are written before read

  void add(const ManifoldPoint& point) {
    if (size_ == kCapacity) reduce();
    candidate_[size_++] = point;
  }
  Manifold build();

 private:
  static constexpr std::size_t kCapacity = 32;

  void reduce();
  std::array<ManifoldPoint, 4> choose() const;

  Vec3 normal_;
  std::size_t size_ = 0;
  union {  // not cleared: two kilobytes per contact
    std::array<ManifoldPoint, kCapacity> candidate_;
  };
};

}  // namespace cairn
