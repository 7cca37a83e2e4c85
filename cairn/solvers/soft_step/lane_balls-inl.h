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

#include "cairn/solvers/soft_step/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

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
        shift_a(kTwo ? g.get(f.shift_a) : V(0.0f)) {}

  HWY_INLINE V3 relative(const V3& b, const V3& a) const {
    const V3 of_b = shift_b * b;
    if constexpr (kTwo) return of_b - shift_a * a;
    return of_b;
  }
  /// s = gap + J' d': where the point is after the sub-steps so far.
  HWY_INLINE V separation(const LaneView& view) const {
    V b[4], a[4] = {};
    load_records<4, kBodyStride>(view.bodies->displacement, g.indices(f.body_b), b);
    if constexpr (kTwo) load_records<4, kBodyStride>(view.bodies->displacement, g.indices(f.body_a), a);
    return g.get(f.point + f.gap) + dot(n, relative({b[0], b[1], b[2]}, {a[0], a[1], a[2]}));
  }
};

/// Masses of the rows, and the impulses of the last step given to the bodies.
template <bool kTwo>
HWY_NOINLINE void prepare_balls(const LaneView& view, const LaneGroup& group) {
  constexpr LaneFields f = Balls<kTwo>::f;
  constexpr int kTurn = 5, kShift = 6;  // of LaneMass: turn[5] is l, as turn[0] and turn[2]
  for (int lane = 0; lane < kLanes; lane += V::kCount) {
    unpack<LaneKind{1, kTwo, false, true}.index()>(view, group, lane);
    const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
    const std::int32_t *index_b = g.indices(f.body_b), *index_a = g.indices(kTwo ? f.body_a : f.body_b);
    V mass[8];
    load_records<8, kMassStride>(view.masses->turn, index_b, mass);
    const V shift_b = mass[kShift], turn_b = mass[kTurn] * g.get(f.turn_b);
    g.set(f.shift_b, shift_b), g.set(f.turn_b, turn_b);
    V shifts = shift_b * shift_b, turns = turn_b * turn_b;
    V shift_a = 0.0f, turn_a = 0.0f;
    if constexpr (kTwo) {
      load_records<8, kMassStride>(view.masses->turn, index_a, mass);
      shift_a = mass[kShift], turn_a = mass[kTurn] * g.get(f.turn_a);
      g.set(f.shift_a, shift_a), g.set(f.turn_a, turn_a);
      shifts = shifts + shift_a * shift_a, turns = turns + turn_a * turn_a;
    }
    g.set(f.point + f.mass, inverse_or_zero(shifts)), g.set(f.tangent_mass, inverse_or_zero(shifts + turns));

    if (lane >= group.lanes) continue;
    const V3 n = g.get3(f.normal), t1 = g.get3(f.tangent), t2 = cross(n, t1);
    const V l1 = g.get(f.tangent_impulse), l2 = g.get(f.tangent_impulse + 1);
    const V3 impulse = g.get(f.point + f.impulse) * n + (l1 * t1 + l2 * t2);
    const V3 spin = l1 * t2 - l2 * t1;
    Motion b = load_motion(view.bodies->velocity, index_b);
    b = {b.linear + shift_b * impulse, b.angular + turn_b * spin};
    store_motion(b, view.bodies->velocity, index_b, group.lanes - lane);
    if constexpr (kTwo) {
      Motion a = load_motion(view.bodies->velocity, index_a);
      a = {a.linear - shift_a * impulse, a.angular - turn_a * spin};
      store_motion(a, view.bodies->velocity, index_a, group.lanes - lane);
    }
  }
}

/// Normals, soft.
template <bool kTwo>
HWY_NOINLINE void sweep_balls_soft(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  constexpr LaneFields f = Balls<kTwo>::f;
  const NormalRow row(pass, kTwo);
  for (int lane = 0; lane < group.lanes; lane += V::kCount) {
    const Balls<kTwo> s(view, group, lane);
    const Fields& g = s.g;
    float* velocity = view.bodies->velocity;
    V b[4], a[4] = {};
    load_records<4, kBodyStride>(velocity, g.indices(f.body_b), b);
    if constexpr (kTwo) load_records<4, kBodyStride>(velocity, g.indices(f.body_a), a);
    const V along = dot(s.n, s.relative({b[0], b[1], b[2]}, {a[0], a[1], a[2]}));
    const V old = g.get(f.point + f.impulse);
    const V now = row.solve(along, g.get(f.point + f.separation), g.get(f.point + f.mass), old);
    g.set(f.point + f.impulse, now);
    const V3 impulse = (now - old) * s.n;
    const V3 to_b = V3{b[0], b[1], b[2]} + s.shift_b * impulse;
    b[0] = to_b.x, b[1] = to_b.y, b[2] = to_b.z;
    store_records4<kBodyStride>(b, velocity, g.indices(f.body_b), group.lanes - lane);
    if constexpr (kTwo) {
      const V3 to_a = V3{a[0], a[1], a[2]} - s.shift_a * impulse;
      a[0] = to_a.x, a[1] = to_a.y, a[2] = to_a.z;
      store_records4<kBodyStride>(a, velocity, g.indices(f.body_a), group.lanes - lane);
    }
  }
}

/// Normals and friction, rigid.
template <bool kSums, bool kTwo>
HWY_NOINLINE void sweep_balls_rigid(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  constexpr LaneFields f = Balls<kTwo>::f;
  const NormalRow row(pass, kTwo);
  for (int lane = 0; lane < group.lanes; lane += V::kCount) {
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
    V3 spin = turn_b * b.angular;
    if constexpr (kTwo) spin = spin - g.get(f.turn_a) * a.angular;
    const V mass = g.get(f.tangent_mass);
    const V2 v{dot(t1, relative) + dot(t2, spin), dot(t2, relative) - dot(t1, spin)};
    const V2 free = g.get2(f.tangent_impulse) - V2{mass * v.x, mass * v.y};  // l - v / K
    const V2 l = free * shrink_to_disc(dot(free, free), g.get(f.friction) * load);
    const V2 change = change_tangent_impulses<kSums>(f, g, l, pass.sum);

    const V3 impulse = (load - old) * s.n + (change.x * t1 + change.y * t2);
    const V3 turn = change.x * t2 - change.y * t1;
    b = {b.linear + s.shift_b * impulse, b.angular + turn_b * turn};
    store_motion(b, view.bodies->velocity, g.indices(f.body_b), group.lanes - lane);
    if constexpr (kTwo) {
      a = {a.linear - s.shift_a * impulse, a.angular - g.get(f.turn_a) * turn};
      store_motion(a, view.bodies->velocity, g.indices(f.body_a), group.lanes - lane);
    }
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
