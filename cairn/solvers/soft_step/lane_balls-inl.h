// SPDX-License-Identifier: MIT
// Sweeps over round manifolds (LaneKind): arms along the normal, bodies that turn alike about every axis. With the
// arm of b being beta n and L = l 1, its rows are
//   normal:    l arm x n  = 0
//   tangent 1: l arm x t1 =  c t2    with c = l beta
//   tangent 2: l arm x t2 = -c t1
// so that normals see linear velocities only, friction has one number for a mass, and the two do not meddle: one visit
// of the normal in a sweep is as good as two.

// Included once per instruction set.
#if defined(CAIRN_SOLVERS_LANE_BALLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_SOLVERS_LANE_BALLS_INL_H_
#undef CAIRN_SOLVERS_LANE_BALLS_INL_H_
#else
#define CAIRN_SOLVERS_LANE_BALLS_INL_H_
#endif

#include <hwy/highway.h>

#include "cairn/solvers/soft_step/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Linear velocities of the bodies of a group, in scaled coordinates.
template <bool kTwo>
struct Balls {
  static constexpr LaneFields f = lane_fields({1, kTwo, false, true});

  const Fields g;
  const V3 n;
  const V shift_b, shift_a;

  HWY_INLINE explicit Balls(const LaneView& view, const LaneGroup& group, int lane)
      : g{view.data + std::size_t{group.first} * kLanes + lane},
        n(g.get3(f.normal)),
        shift_b(g.get(f.shift_b)),
        shift_a(kTwo ? g.get(f.shift_a) : hn::Zero(Tag())) {}

  HWY_INLINE V3 relative(const V3& b, const V3& a) const {
    const V3 of_b = scaled(shift_b, b);
    if constexpr (kTwo) return difference(of_b, scaled(shift_a, a));
    return of_b;
  }
  /// s = gap + J' d': where the point is after the sub-steps so far.
  HWY_INLINE V separation(const LaneView& view) const {
    V b[4], a[4] = {};
    load_records<4, kBodyStride>(Tag(), view.bodies->displacement, g.indices(f.body_b), b);
    if constexpr (kTwo) load_records<4, kBodyStride>(Tag(), view.bodies->displacement, g.indices(f.body_a), a);
    return hn::Add(g.get(f.point + f.gap), dot(n, relative({b[0], b[1], b[2]}, {a[0], a[1], a[2]})));
  }
};

/// Masses of the rows, and the impulses of the last step given to the bodies.
template <bool kTwo>
HWY_NOINLINE void prepare_balls(const LaneView& view, const LaneGroup& group) {
  constexpr LaneFields f = Balls<kTwo>::f;
  constexpr int kTurn = 5, kShift = 6;  // of LaneMass: turn[5] is l, as turn[0] and turn[2]
  const Tag d;
  for (int lane = 0; lane < kLanes; lane += static_cast<int>(hn::Lanes(d))) {
    unpack<LaneKind{1, kTwo, false, true}.index()>(view, group, lane);
    const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
    const std::int32_t *index_b = g.indices(f.body_b), *index_a = g.indices(kTwo ? f.body_a : f.body_b);
    V mass[8];
    load_records<8, kMassStride>(d, view.masses->turn, index_b, mass);
    const V shift_b = mass[kShift], turn_b = hn::Mul(mass[kTurn], g.get(f.turn_b));
    g.set(f.shift_b, shift_b), g.set(f.turn_b, turn_b);
    V shifts = hn::Mul(shift_b, shift_b), turns = hn::Mul(turn_b, turn_b);
    V shift_a = hn::Zero(d), turn_a = hn::Zero(d);
    if constexpr (kTwo) {
      load_records<8, kMassStride>(d, view.masses->turn, index_a, mass);
      shift_a = mass[kShift], turn_a = hn::Mul(mass[kTurn], g.get(f.turn_a));
      g.set(f.shift_a, shift_a), g.set(f.turn_a, turn_a);
      shifts = hn::Add(shifts, hn::Mul(shift_a, shift_a)), turns = hn::Add(turns, hn::Mul(turn_a, turn_a));
    }
    g.set(f.point + f.mass, inverse_or_zero(shifts)), g.set(f.tangent_mass, inverse_or_zero(hn::Add(shifts, turns)));

    if (lane >= group.lanes) continue;
    const V3 n = g.get3(f.normal), t1 = g.get3(f.tangent), t2 = cross(n, t1);
    const V l1 = g.get(f.tangent_impulse), l2 = g.get(f.tangent_impulse + 1);
    const V3 impulse = sum(scaled(g.get(f.point + f.impulse), n), sum(scaled(l1, t1), scaled(l2, t2)));
    const V3 spin = difference(scaled(l1, t2), scaled(l2, t1));
    Motion b = load_motion(view.bodies->velocity, index_b);
    b = {sum(b.linear, scaled(shift_b, impulse)), sum(b.angular, scaled(turn_b, spin))};
    store_motion(b, view.bodies->velocity, index_b, group.lanes - lane);
    if constexpr (kTwo) {
      Motion a = load_motion(view.bodies->velocity, index_a);
      a = {difference(a.linear, scaled(shift_a, impulse)), difference(a.angular, scaled(turn_a, spin))};
      store_motion(a, view.bodies->velocity, index_a, group.lanes - lane);
    }
  }
}

/// Normals, soft.
template <bool kTwo>
HWY_NOINLINE void sweep_balls_soft(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  constexpr LaneFields f = Balls<kTwo>::f;
  const Tag d;
  const NormalRow row(pass, kTwo);
  for (int lane = 0; lane < group.lanes; lane += static_cast<int>(hn::Lanes(d))) {
    const Balls<kTwo> s(view, group, lane);
    const Fields& g = s.g;
    float* velocity = view.bodies->velocity;
    V b[4], a[4] = {};
    load_records<4, kBodyStride>(d, velocity, g.indices(f.body_b), b);
    if constexpr (kTwo) load_records<4, kBodyStride>(d, velocity, g.indices(f.body_a), a);
    const V along = dot(s.n, s.relative({b[0], b[1], b[2]}, {a[0], a[1], a[2]}));
    const V old = g.get(f.point + f.impulse);
    const V now = row.solve(along, g.get(f.point + f.separation), g.get(f.point + f.mass), old);
    g.set(f.point + f.impulse, now);
    const V3 impulse = scaled(hn::Sub(now, old), s.n);
    const V3 to_b = sum({b[0], b[1], b[2]}, scaled(s.shift_b, impulse));
    b[0] = to_b.x, b[1] = to_b.y, b[2] = to_b.z;
    store_records4<kBodyStride>(d, b, velocity, g.indices(f.body_b), group.lanes - lane);
    if constexpr (kTwo) {
      const V3 to_a = difference({a[0], a[1], a[2]}, scaled(s.shift_a, impulse));
      a[0] = to_a.x, a[1] = to_a.y, a[2] = to_a.z;
      store_records4<kBodyStride>(d, a, velocity, g.indices(f.body_a), group.lanes - lane);
    }
  }
}

/// Normals and friction, rigid.
template <bool kSums, bool kTwo>
HWY_NOINLINE void sweep_balls_rigid(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  constexpr LaneFields f = Balls<kTwo>::f;
  const Tag d;
  const NormalRow row(pass, kTwo);
  for (int lane = 0; lane < group.lanes; lane += static_cast<int>(hn::Lanes(d))) {
    const Balls<kTwo> s(view, group, lane);
    const Fields& g = s.g;
    if (pass.refresh) g.set(f.point + f.separation, s.separation(view));
    Motion b = load_motion(view.bodies->velocity, g.indices(f.body_b)), a{};
    if constexpr (kTwo) a = load_motion(view.bodies->velocity, g.indices(f.body_a));
    const V3 relative = s.relative(b.linear, a.linear);
    const V old = g.get(f.point + f.impulse);
    const V load = row.solve(dot(s.n, relative), g.get(f.point + f.separation), g.get(f.point + f.mass), old);
    g.set(f.point + f.impulse, load);
    if constexpr (kSums) sum_up(pass.sum, g, f.point + f.total, load);

    const V3 t1 = g.get3(f.tangent), t2 = cross(s.n, t1);
    const V turn_b = g.get(f.turn_b);
    V3 spin = scaled(turn_b, b.angular);
    if constexpr (kTwo) spin = difference(spin, scaled(g.get(f.turn_a), a.angular));
    const V mass = g.get(f.tangent_mass);
    const V old1 = g.get(f.tangent_impulse), old2 = g.get(f.tangent_impulse + 1);
    V l1 = hn::Sub(old1, hn::Mul(mass, hn::Add(dot(t1, relative), dot(t2, spin))));
    V l2 = hn::Sub(old2, hn::Mul(mass, hn::Sub(dot(t2, relative), dot(t1, spin))));
    const V factor = shrink_to_disc(hn::Add(hn::Mul(l1, l1), hn::Mul(l2, l2)), hn::Mul(g.get(f.friction), load));
    l1 = hn::Mul(l1, factor), l2 = hn::Mul(l2, factor);
    g.set(f.tangent_impulse, l1), g.set(f.tangent_impulse + 1, l2);
    if constexpr (kSums) sum_up(pass.sum, g, f.tangent_total, l1), sum_up(pass.sum, g, f.tangent_total + 1, l2);

    const V d1 = hn::Sub(l1, old1), d2 = hn::Sub(l2, old2);
    const V3 impulse = sum(scaled(hn::Sub(load, old), s.n), sum(scaled(d1, t1), scaled(d2, t2)));
    const V3 turn = difference(scaled(d1, t2), scaled(d2, t1));
    b = {sum(b.linear, scaled(s.shift_b, impulse)), sum(b.angular, scaled(turn_b, turn))};
    store_motion(b, view.bodies->velocity, g.indices(f.body_b), group.lanes - lane);
    if constexpr (kTwo) {
      a = {difference(a.linear, scaled(s.shift_a, impulse)), difference(a.angular, scaled(g.get(f.turn_a), turn))};
      store_motion(a, view.bodies->velocity, g.indices(f.body_a), group.lanes - lane);
    }
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
