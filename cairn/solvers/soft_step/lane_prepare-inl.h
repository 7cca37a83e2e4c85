// SPDX-License-Identifier: MIT
// What a group needs before its first sweep: records become fields, arms become scaled rows J' = J L, rows get their
// effective masses, and the bodies get the impulses of the last step.

// Included once per instruction set.
#if defined(CAIRN_SOLVERS_LANE_PREPARE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_SOLVERS_LANE_PREPARE_INL_H_
#undef CAIRN_SOLVERS_LANE_PREPARE_INL_H_
#else
#define CAIRN_SOLVERS_LANE_PREPARE_INL_H_
#endif

#include "cairn/solvers/soft_step/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

/// L^T c: a turning row in scaled coordinates.
struct Factor {
  V l[6], shift;
  HWY_INLINE V3 apply(const V3& c) const {
    return {l[0] * c.x + l[1] * c.y + l[3] * c.z, l[2] * c.y + l[4] * c.z, l[5] * c.z};
  }
};
HWY_INLINE Factor load_factor(const LaneMass* masses, const std::int32_t* index) {
  V f[8];
  load_records<7, kMassStride>(masses->turn, index, f);
  return {{f[0], f[1], f[2], f[3], f[4], f[5]}, f[6]};
}

/// The rows of a manifold while they are made, and J M^-1 J^T of each as far as it is summed up.
template <int kKind>
struct Preparing {
  static constexpr LaneKind kKindOf = lane_kind(kKind);
  static constexpr LaneFields f = lane_fields(kKindOf);

  const Fields g;
  const V3 n, t1, t2;
  V point_mass[kMostPoints];
  V tangent_mass[3];  ///< 11, 12, 22
  V twist_mass, radius;

  /// `shifts`: the sum of the inverse masses of the bodies.
  HWY_INLINE Preparing(const Fields& fields, V shifts)
      : g(fields), n(g.get3(f.normal)), t1(g.get3(f.tangent)), t2(cross(n, t1)) {
    for (V& mass : point_mass) mass = shifts;
    tangent_mass[0] = tangent_mass[2] = shifts, tangent_mass[1] = 0.0f;
    twist_mass = radius = 0.0f;
  }

  /// The rows of one body, arm by arm: on entry the arms stand where the rows go.
  HWY_INLINE void add_body(const Factor& factor, bool of_a) {
    V3 arm[kMostPoints], centre{0.0f, 0.0f, 0.0f};
    for (int i = 0; i < kKindOf.points; ++i) {
      const int at = f.point + i * f.point_size + (of_a ? f.row_a : f.row_b);
      arm[i] = g.get3(at);
      centre = centre + arm[i];
      const V3 row = factor.apply(cross(arm[i], n));
      g.set3(at, row);
      point_mass[i] += dot(row, row);
    }
    // Lanes with fewer points have their middle repeated by the packer, so that this is theirs, too.
    centre = V(1.0f / static_cast<float>(kKindOf.points)) * centre;
    add_tangents(factor, centre, of_a ? f.tangent_a : f.tangent_b);
    if constexpr (kKindOf.twists()) {
      const V3 row = factor.apply(n);
      g.set3(of_a ? f.twist_a : f.twist_b, row);
      twist_mass += dot(row, row);
      if (!of_a) spread_impulses(arm, centre);
    }
  }

  /// K^-1 of every row.
  HWY_INLINE void store_masses() const {
    for (int i = 0; i < kKindOf.points; ++i) {
      // The packer leaves 1 where there is a point, 0 where a lane has fewer.
      const int at = f.point + i * f.point_size + f.mass;
      g.set(at, g.get(at) * inverse_or_zero(point_mass[i]));
    }
    const V det = tangent_mass[0] * tangent_mass[2] - tangent_mass[1] * tangent_mass[1];
    const V inverse = inverse_or_zero(det);
    g.set3(f.tangent_mass, {tangent_mass[2] * inverse, -(tangent_mass[1] * inverse), tangent_mass[0] * inverse});
    if constexpr (kKindOf.twists()) {
      g.set(f.twist_mass, inverse_or_zero(twist_mass));
      g.set(f.twist_radius, kKindOf.extra ? g.get(f.twist_radius) + radius : radius);
    }
  }

 private:
  /// The two rows of friction at the middle of the points.
  HWY_INLINE void add_tangents(const Factor& factor, const V3& centre, int to) {
    const V3 row1 = factor.apply(cross(centre, t1)), row2 = factor.apply(cross(centre, t2));
    g.set3(to, row1), g.set3(to + 3, row2);
    tangent_mass[0] += dot(row1, row1);
    tangent_mass[1] += dot(row1, row2);
    tangent_mass[2] += dot(row2, row2);
  }

  /// The impulses of the points as one at the middle and a twist, and how a twist is spread over the points later. Also
  /// finds the mean distance of the points from their middle.
  HWY_INLINE void spread_impulses(const V3 (&arm)[kMostPoints], const V3& centre) {
    V x[kMostPoints], y[kMostPoints];
    V distances = 0.0f, spread = 0.0f, twist = 0.0f, force1 = 0.0f, force2 = 0.0f;
    for (int i = 0; i < kKindOf.points; ++i) {
      const V3 out = arm[i] - centre;
      distances += sqrt(dot(out, out));
      x[i] = dot(out, t1), y[i] = dot(out, t2);
      spread += (x[i] * x[i] + y[i] * y[i]);
      const V l1 = g.get(f.split + 2 * i), l2 = g.get(f.split + 2 * i + 1);
      force1 += l1, force2 += l2;
      twist += (x[i] * l2 - y[i] * l1);
    }
    const V about = inverse_or_zero(spread);
    for (int i = 0; i < kKindOf.points; ++i) g.set2(f.split + 2 * i, {-(about * y[i]), about * x[i]});
    g.set2(f.tangent_impulse, {force1, force2});
    if constexpr (kKindOf.extra) twist += g.get(f.twist_impulse);  // that of spinning
    g.set(f.twist_impulse, twist);
    radius = distances * (1.0f / static_cast<float>(kKindOf.points));
  }
};

template <int kKind>
HWY_NOINLINE void prepare_group(const LaneView& view, const LaneGroup& group) {
  constexpr LaneKind kind = lane_kind(kKind);
  constexpr LaneFields f = lane_fields(kind);
  for (int lane = 0; lane < kLanes; lane += V::kCount) {
    unpack<kKind>(view, group, lane);
    const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
    const Factor b = load_factor(view.masses, g.indices(f.body_b));
    V shifts = b.shift * b.shift;
    Factor a{};
    if constexpr (kind.two_bodies) {
      a = load_factor(view.masses, g.indices(f.body_a));
      shifts += a.shift * a.shift;
    }
    Preparing<kKind> rows(g, shifts);
    rows.add_body(b, false);
    if constexpr (kind.two_bodies) rows.add_body(a, true);
    g.set(f.shift_b, b.shift);
    if constexpr (kind.two_bodies) g.set(f.shift_a, a.shift);
    rows.store_masses();
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
