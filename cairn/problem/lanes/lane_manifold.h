// SPDX-License-Identifier: MIT
// LaneManifold: the contact points of one pair of bodies with one normal, as their maker sees them before they are
// written into a lane. Whoever makes them also counts them by island, and says what decides where they stand.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "cairn/core/index.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/lanes/lane_fields.h"

namespace cairn {

/// A manifold as its maker sees it. Only what its points fill is set: there are many.
struct LaneManifold {
  std::int32_t body_a, body_b;  ///< in the caller's numbering
  int count;                    ///< points
  Vec3 normal, tangent;         ///< normal from a to b; the second tangent is normal x tangent
  double friction1, friction2, spin_radius;
  struct Point {
    Vec3 arm_a, arm_b;
    double gap;
    std::array<double, 4> impulse;  ///< of the whole step: normal, tangents, spin
    double restitution, approach;   ///< normal velocity at the beginning of the step; only with restitution
  };
  std::array<Point, kMostPoints> point;

  LaneManifold() {}  // NOLINT: not set on purpose
  /// Without points yet, for the first of its contacts.
  explicit LaneManifold(const ContactBlock& c)
      : body_a(c.body_a),
        body_b(c.body_b),
        count(0),
        normal(c.normal),
        tangent(c.tangent1),
        friction1(c.friction1),
        friction2(c.friction2),
        spin_radius(c.spin_radius) {}

  void add(const ContactBlock& c, double approach, const std::array<double, 4>& impulse) {
    point[to_index(count++)] = {c.arm_a, c.arm_b, c.gap, impulse, c.restitution, approach};
  }
  std::span<const Point> points() const { return {point.data(), to_index(count)}; }
  std::span<Point> points() { return {point.data(), to_index(count)}; }
};

/// A manifold of one point that is no extra, in a form that need not be kept in memory: most are of this kind.
struct LaneSingle {
  std::int32_t body_a, body_b;
  Vec3 normal, tangent, arm_a, arm_b;
  double friction, gap;
  std::array<double, 3> impulse;
};

/// The second tangent of lanes is normal x tangent; that of a problem may be its opposite.
inline double handedness(const ContactBlock& c) {
  return dot(c.tangent2, cross(c.normal, c.tangent1)) < 0 ? -1.0 : 1.0;
}

/// What an island consists of: integers, so that it does not matter who counts them. They decide its batch.
struct IslandCounts {
  std::int32_t manifolds = 0;  ///< in lanes
  std::int32_t flat = 0;       ///< of several points
  std::int32_t touching = 0;   ///< some point of which is no farther apart than kTouchingGap
  std::int32_t bare = 0;       ///< of these, without an impulse to start from
  std::int32_t joints = 0;     ///< that hold two bodies together, both of which can move
  std::int32_t anchors = 0;    ///< joints that hold a body to one that cannot move

  /// While other threads add, too.
  void add_atomically(const IslandCounts& more) {
    const auto add = [](std::int32_t& total, std::int32_t value) {
      if (value != 0) std::atomic_ref(total).fetch_add(value, std::memory_order_relaxed);
    };
    add(manifolds, more.manifolds), add(flat, more.flat), add(touching, more.touching), add(bare, more.bare);
  }
};
inline constexpr double kTouchingGap = 1e-3;  ///< m

/// Counts one manifold. gap(p) and impulse(p): of point p, and its normal impulse to start from.
template <class Gap, class Impulse>
void count_manifold(int points, Gap&& gap, Impulse&& impulse, IslandCounts& counts) {
  bool touching = false, pushed = false;
  for (int p = 0; p < points && !(touching && pushed); ++p)
    touching = touching || gap(p) <= kTouchingGap, pushed = pushed || impulse(p) > 0;
  counts.manifolds += 1, counts.flat += points > 1 ? 1 : 0;
  counts.touching += touching ? 1 : 0, counts.bare += touching && !pushed ? 1 : 0;
}

/// What decides where a manifold stands.
struct LaneTraits {
  std::int32_t body_a = 0, body_b = 0;
  int count = 0;
  bool extra = false;  ///< restitution, anisotropic friction or spin; bodies that are moved by themselves are seen to
  Vec3 normal, arm_a, arm_b;  ///< of a single point, if LaneProblem::may_be_round
};

}  // namespace cairn
