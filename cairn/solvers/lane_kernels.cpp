// SPDX-License-Identifier: MIT
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cairn/solvers/lane_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "cairn/solvers/lane_kernels.h"
#include "cairn/solvers/lane_records-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kLanes>;
using V = hn::Vec<Tag>;

constexpr int kBodyStride = sizeof(LaneBody) / sizeof(float);
constexpr int kMassStride = sizeof(LaneMass) / sizeof(float);

struct V3 {
  V x, y, z;
};

HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE V3 scaled(V s, const V3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
HWY_INLINE V3 sum(const V3& a, const V3& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE V3 difference(const V3& a, const V3& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }
/// The larger, and the smaller; the second where either is no number. Not Max and Min: their zeros differ by target.
HWY_INLINE V larger(V a, V b) { return hn::IfThenElse(hn::Gt(a, b), a, b); }
HWY_INLINE V smaller(V a, V b) { return hn::IfThenElse(hn::Lt(a, b), a, b); }
/// 1/x, 0 where x is not positive.
HWY_INLINE V inverse_or_zero(V x) {
  const Tag d;
  const auto positive = hn::Gt(x, hn::Zero(d));
  return hn::IfThenElseZero(positive, hn::Div(hn::Set(d, 1.0f), hn::IfThenElse(positive, x, hn::Set(d, 1.0f))));
}

/// Fields of one group, for Lanes(Tag) of its lanes from `lane`.
struct Fields {
  float* base;

  HWY_INLINE V get(int field) const { return hn::Load(Tag(), base + field * kLanes); }
  HWY_INLINE V3 get3(int field) const { return {get(field), get(field + 1), get(field + 2)}; }
  HWY_INLINE void set(int field, V value) const { hn::Store(value, Tag(), base + field * kLanes); }
  HWY_INLINE void set3(int field, const V3& v) const { set(field, v.x), set(field + 1, v.y), set(field + 2, v.z); }
  HWY_INLINE const std::int32_t* indices(int field) const {
    return reinterpret_cast<const std::int32_t*>(base + field * kLanes);
  }
};

/// Linear and angular part of something that bodies have, in the lanes of a group.
struct Motion {
  V3 linear, angular;
};

HWY_INLINE Motion load_motion(const float* records, const std::int32_t* index) {
  V f[8];
  load_records<6, kBodyStride>(Tag(), records, index, f);
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}
HWY_INLINE void store_motion(const Motion& m, float* records, const std::int32_t* index, int lanes) {
  const V f[6] = {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z};
  store_records6<kBodyStride>(Tag(), f, records, index, lanes);
}

/// L^T c: a turning row in scaled coordinates.
struct Factor {
  V l[6], shift;
  HWY_INLINE V3 apply(const V3& c) const {
    return {hn::Add(hn::Add(hn::Mul(l[0], c.x), hn::Mul(l[1], c.y)), hn::Mul(l[3], c.z)),
            hn::Add(hn::Mul(l[2], c.y), hn::Mul(l[4], c.z)), hn::Mul(l[5], c.z)};
  }
};
HWY_INLINE Factor load_factor(const LaneMass* masses, const std::int32_t* index) {
  V f[8];
  load_records<7, kMassStride>(Tag(), masses->turn, index, f);
  return {{f[0], f[1], f[2], f[3], f[4], f[5]}, f[6]};
}

/// The rows of one side of a manifold, arm by arm: on entry the arms stand where the rows go.
template <int kKind>
HWY_INLINE void prepare_side(const Fields& g, const Factor& factor, const V3& n, const V3& t1, const V3& t2, bool of_a,
                             V (&point_mass)[kMostPoints], V (&tangent_mass)[3], V& twist_mass, V& radius) {
  constexpr LaneKind kind = lane_kind(kKind);
  constexpr LaneFields f = lane_fields(kind);
  const Tag d;
  V3 arm[kMostPoints], centre{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (int i = 0; i < kind.points; ++i) {
    const int at = f.point + i * f.point_size + (of_a ? f.row_a : f.row_b);
    arm[i] = g.get3(at);
    centre = sum(centre, arm[i]);
    const V3 row = factor.apply(cross(arm[i], n));
    g.set3(at, row);
    point_mass[i] = hn::Add(point_mass[i], dot(row, row));
  }
  // Lanes with fewer points have their middle repeated by the packer, so that this is theirs, too.
  centre = scaled(hn::Set(d, 1.0f / static_cast<float>(kind.points)), centre);
  const V3 row1 = factor.apply(cross(centre, t1)), row2 = factor.apply(cross(centre, t2));
  g.set3(of_a ? f.tangent_a : f.tangent_b, row1), g.set3((of_a ? f.tangent_a : f.tangent_b) + 3, row2);
  tangent_mass[0] = hn::Add(tangent_mass[0], dot(row1, row1));
  tangent_mass[1] = hn::Add(tangent_mass[1], dot(row1, row2));
  tangent_mass[2] = hn::Add(tangent_mass[2], dot(row2, row2));
  if constexpr (kind.points > 1 || kind.extra) {
    const V3 row = factor.apply(n);
    g.set3(of_a ? f.twist_a : f.twist_b, row);
    twist_mass = hn::Add(twist_mass, dot(row, row));
    if (of_a) return;
    for (int i = 0; i < kind.points; ++i) {
      const V3 out = difference(arm[i], centre);
      radius = hn::Add(radius, hn::Sqrt(dot(out, out)));
    }
    radius = hn::Mul(radius, hn::Set(d, 1.0f / static_cast<float>(kind.points)));
  }
}

template <int kKind>
HWY_NOINLINE void prepare_group(const LaneView& view, const LaneGroup& group) {
  constexpr LaneKind kind = lane_kind(kKind);
  constexpr LaneFields f = lane_fields(kind);
  const Tag d;
  for (int lane = 0; lane < kLanes; lane += static_cast<int>(hn::Lanes(d))) {
    const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
    const V3 n = g.get3(f.normal), t1 = g.get3(f.tangent), t2 = cross(n, t1);
    const Factor b = load_factor(view.masses, g.indices(f.body_b));
    V shifts = hn::Mul(b.shift, b.shift);
    Factor a{};
    if constexpr (kind.two_bodies) {
      a = load_factor(view.masses, g.indices(f.body_a));
      shifts = hn::Add(shifts, hn::Mul(a.shift, a.shift));
    }
    V point_mass[kMostPoints] = {shifts, shifts, shifts, shifts};
    V tangent_mass[3] = {shifts, hn::Zero(d), shifts}, twist_mass = hn::Zero(d), radius = hn::Zero(d);
    prepare_side<kKind>(g, b, n, t1, t2, false, point_mass, tangent_mass, twist_mass, radius);
    if constexpr (kind.two_bodies)
      prepare_side<kKind>(g, a, n, t1, t2, true, point_mass, tangent_mass, twist_mass, radius);
    g.set(f.shift_b, b.shift);
    if constexpr (kind.two_bodies) g.set(f.shift_a, a.shift);
    for (int i = 0; i < kind.points; ++i) {
      // The packer leaves 1 where there is a point, 0 where a lane has fewer.
      const int at = f.point + i * f.point_size + f.mass;
      g.set(at, hn::Mul(g.get(at), inverse_or_zero(point_mass[i])));
    }
    const V det = hn::Sub(hn::Mul(tangent_mass[0], tangent_mass[2]), hn::Mul(tangent_mass[1], tangent_mass[1]));
    const V inverse = inverse_or_zero(det);
    g.set(f.tangent_mass, hn::Mul(tangent_mass[2], inverse));
    g.set(f.tangent_mass + 1, hn::Neg(hn::Mul(tangent_mass[1], inverse)));
    g.set(f.tangent_mass + 2, hn::Mul(tangent_mass[0], inverse));
    if constexpr (kind.points > 1 || kind.extra) {
      g.set(f.twist_mass, inverse_or_zero(twist_mass));
      g.set(f.twist_radius, hn::Add(g.get(f.twist_radius), radius));
    }
  }
}

/// The bodies of a manifold while it is solved: velocities in scaled coordinates, the impulse they get at the end.
template <int kKind>
struct Solving {
  static constexpr LaneKind kKindOf = lane_kind(kKind);
  static constexpr LaneFields f = lane_fields(kKindOf);

  const Fields g;
  const V3 n, t1, t2;
  const V shift_b, shift_a, shifts;
  Motion b, a;
  V3 relative;  ///< linear velocity of b less that of a
  V3 impulse;   ///< to be given to the linear velocities

  HWY_INLINE explicit Solving(const LaneView& view, const Fields& fields)
      : g(fields),
        n(g.get3(f.normal)),
        t1(g.get3(f.tangent)),
        t2(cross(n, t1)),
        shift_b(g.get(f.shift_b)),
        shift_a(kKindOf.two_bodies ? g.get(f.shift_a) : hn::Zero(Tag())),
        shifts(hn::Add(hn::Mul(shift_b, shift_b), hn::Mul(shift_a, shift_a))) {
    b = load_motion(view.bodies->velocity, g.indices(f.body_b));
    relative = scaled(shift_b, b.linear);
    if constexpr (kKindOf.two_bodies) {
      a = load_motion(view.bodies->velocity, g.indices(f.body_a));
      relative = difference(relative, scaled(shift_a, a.linear));
    }
    impulse = {hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag())};
  }

  /// Of a row whose turning parts begin at the given fields.
  HWY_INLINE V turning(int row_b, int row_a) const {
    V v = dot(g.get3(row_b), b.angular);
    if constexpr (kKindOf.two_bodies) v = hn::Sub(v, dot(g.get3(row_a), a.angular));
    return v;
  }
  HWY_INLINE void turn(int row_b, int row_a, V change) {
    b.angular = sum(b.angular, scaled(change, g.get3(row_b)));
    if constexpr (kKindOf.two_bodies) a.angular = difference(a.angular, scaled(change, g.get3(row_a)));
  }
  HWY_INLINE void store(const LaneView& view, int lanes) {
    b.linear = sum(b.linear, scaled(shift_b, impulse));
    store_motion(b, view.bodies->velocity, g.indices(f.body_b), lanes);
    if constexpr (kKindOf.two_bodies) {
      a.linear = difference(a.linear, scaled(shift_a, impulse));
      store_motion(a, view.bodies->velocity, g.indices(f.body_a), lanes);
    }
  }
};

template <int kKind>
HWY_NOINLINE void warm_start_group(const LaneView& view, const LaneGroup& group) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Tag d;
  for (int lane = 0; lane < group.lanes; lane += static_cast<int>(hn::Lanes(d))) {
    const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
    S s(view, g);
    V normal = hn::Zero(d);
    for (int i = 0; i < S::kKindOf.points; ++i) {
      const int at = f.point + i * f.point_size;
      const V l = g.get(at + f.impulse);
      normal = hn::Add(normal, l);
      s.turn(at + f.row_b, at + f.row_a, l);
    }
    const V l1 = g.get(f.tangent_impulse), l2 = g.get(f.tangent_impulse + 1);
    s.turn(f.tangent_b, f.tangent_a, l1), s.turn(f.tangent_b + 3, f.tangent_a + 3, l2);
    if constexpr (S::kKindOf.points > 1 || S::kKindOf.extra) s.turn(f.twist_b, f.twist_a, g.get(f.twist_impulse));
    s.impulse = sum(scaled(normal, s.n), sum(scaled(l1, s.t1), scaled(l2, s.t2)));
    s.store(view, group.lanes - lane);
  }
}

/// Friction of a whole manifold: a pair of rows at its middle, and turning about the normal. The bounds are those of
/// the normal impulses as they stand.
template <int kKind>
HWY_INLINE void solve_friction(Solving<kKind>& s, bool add_up) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Tag d;
  const Fields& g = s.g;
  V load = g.get(f.point + f.impulse);
  for (int i = 1; i < S::kKindOf.points; ++i) load = hn::Add(load, g.get(f.point + i * f.point_size + f.impulse));
  const V mu = g.get(f.friction), bound = hn::Mul(mu, load);

  if constexpr (S::kKindOf.points > 1 || S::kKindOf.extra) {
    V v = s.turning(f.twist_b, f.twist_a);
    if constexpr (S::kKindOf.extra) v = hn::Add(v, g.get(f.twist_offset));
    const V old = g.get(f.twist_impulse), most = hn::Mul(bound, g.get(f.twist_radius));
    const V now = larger(smaller(hn::Sub(old, hn::Mul(g.get(f.twist_mass), v)), most), hn::Neg(most));
    g.set(f.twist_impulse, now);
    if (add_up) g.set(f.twist_total, hn::Add(g.get(f.twist_total), now));
    s.turn(f.twist_b, f.twist_a, hn::Sub(now, old));
  }

  V v1 = hn::Add(dot(s.t1, s.relative), s.turning(f.tangent_b, f.tangent_a));
  V v2 = hn::Add(dot(s.t2, s.relative), s.turning(f.tangent_b + 3, f.tangent_a + 3));
  if constexpr (S::kKindOf.extra) {
    v1 = hn::Add(v1, g.get(f.tangent_offset)), v2 = hn::Add(v2, g.get(f.tangent_offset + 1));
  }
  const V m11 = g.get(f.tangent_mass), m12 = g.get(f.tangent_mass + 1), m22 = g.get(f.tangent_mass + 2);
  const V old1 = g.get(f.tangent_impulse), old2 = g.get(f.tangent_impulse + 1);
  V l1 = hn::Sub(old1, hn::Add(hn::Mul(m11, v1), hn::Mul(m12, v2)));
  V l2 = hn::Sub(old2, hn::Add(hn::Mul(m12, v1), hn::Mul(m22, v2)));
  V size2, most;
  if constexpr (S::kKindOf.extra) {  // the ellipse with half-axes mu load and mu2 load, scaled to a disc
    const V mu2 = g.get(f.anisotropy);
    const auto equal = hn::Eq(mu, mu2);  // a disc: then with the same bits as below
    const V x = hn::IfThenElse(equal, l1, hn::Mul(l1, mu2)), y = hn::IfThenElse(equal, l2, hn::Mul(l2, mu));
    size2 = hn::Add(hn::Mul(x, x), hn::Mul(y, y));
    most = hn::IfThenElse(equal, bound, hn::Mul(bound, mu2));
  } else {
    size2 = hn::Add(hn::Mul(l1, l1), hn::Mul(l2, l2)), most = bound;
  }
  const auto slides = hn::Gt(size2, hn::Mul(most, most));
  const V one = hn::Set(d, 1.0f);
  const V factor = hn::IfThenElse(slides, hn::Div(most, hn::Sqrt(hn::IfThenElse(slides, size2, one))), one);
  l1 = hn::Mul(l1, factor), l2 = hn::Mul(l2, factor);
  g.set(f.tangent_impulse, l1), g.set(f.tangent_impulse + 1, l2);
  if (add_up) {
    g.set(f.tangent_total, hn::Add(g.get(f.tangent_total), l1));
    g.set(f.tangent_total + 1, hn::Add(g.get(f.tangent_total + 1), l2));
  }
  const V d1 = hn::Sub(l1, old1), d2 = hn::Sub(l2, old2);
  s.turn(f.tangent_b, f.tangent_a, d1), s.turn(f.tangent_b + 3, f.tangent_a + 3, d2);
  s.impulse = sum(scaled(d1, s.t1), scaled(d2, s.t2));
}

/// s = gap + J' d': where the points are after the sub-steps so far.
template <int kKind>
HWY_INLINE void refresh_separations(const LaneView& view, Solving<kKind>& s) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Fields& g = s.g;
  const Motion b = load_motion(view.bodies->displacement, g.indices(f.body_b));
  V3 shift = scaled(s.shift_b, b.linear);
  Motion a{};
  if constexpr (S::kKindOf.two_bodies) {
    a = load_motion(view.bodies->displacement, g.indices(f.body_a));
    shift = difference(shift, scaled(s.shift_a, a.linear));
  }
  const V closer = dot(s.n, shift);
  for (int i = 0; i < S::kKindOf.points; ++i) {
    const int at = f.point + i * f.point_size;
    V separation = hn::Add(g.get(at + f.gap), hn::Add(closer, dot(g.get3(at + f.row_b), b.angular)));
    if constexpr (S::kKindOf.two_bodies) separation = hn::Sub(separation, dot(g.get3(at + f.row_a), a.angular));
    g.set(at + f.separation, separation);
  }
}

/// Normal rows, point after point (algorithms: soft rows with speculation).
///   s > 0:   y = v + s/h, rigid                    not there yet: may come as near as it is
///   s <= 0:  y = v + max(rate (s + slop), -push)   soft when biased; y = v, rigid, when relaxing
///   l <- max(0, l - mass_scale y / K - impulse_scale l)
template <int kKind>
HWY_INLINE void solve_normals(Solving<kKind>& s, const LanePass& pass, bool last) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  constexpr int kSide = S::kKindOf.two_bodies ? 0 : 1;
  const Tag d;
  const Fields& g = s.g;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f), inverse_h = hn::Set(d, pass.inverse_h);
  const V rate = hn::Set(d, pass.rate[kSide]), slop = hn::Set(d, pass.slop), push = hn::Set(d, -pass.push);
  const V mass_scale = hn::Set(d, pass.mass_scale[kSide]), impulse_scale = hn::Set(d, pass.impulse_scale[kSide]);
  V along = dot(s.n, s.relative), given = zero;
  for (int j = 0; j < S::kKindOf.points; ++j) {
    const int i = pass.biased ? j : S::kKindOf.points - 1 - j;
    const int at = f.point + i * f.point_size;
    const V separation = g.get(at + f.separation), old = g.get(at + f.impulse);
    V y = hn::Add(along, s.turning(at + f.row_b, at + f.row_a));
    if constexpr (S::kKindOf.extra) y = hn::Add(y, g.get(at + f.offset));
    const auto apart = hn::Gt(separation, zero);
    const V ahead = hn::Mul(separation, inverse_h);
    V now;
    if (pass.biased) {
      const V out = larger(hn::Mul(rate, smaller(hn::Add(separation, slop), zero)), push);
      y = hn::Add(y, hn::IfThenElse(apart, ahead, out));
      const V step = hn::Mul(hn::Mul(g.get(at + f.mass), hn::IfThenElse(apart, one, mass_scale)), y);
      now = hn::Sub(hn::Sub(old, step), hn::IfThenElse(apart, zero, hn::Mul(impulse_scale, old)));
    } else {
      y = hn::Add(y, hn::IfThenElseZero(apart, ahead));
      now = hn::Sub(old, hn::Mul(g.get(at + f.mass), y));
    }
    now = larger(now, zero);
    g.set(at + f.impulse, now);
    if (last && (pass.totals || S::kKindOf.extra)) g.set(at + f.total, hn::Add(g.get(at + f.total), now));
    const V change = hn::Sub(now, old);
    given = hn::Add(given, change);
    along = hn::Add(along, hn::Mul(s.shifts, change));
    s.turn(at + f.row_b, at + f.row_a, change);
  }
  s.impulse = sum(s.impulse, scaled(given, s.n));
}

/// Normals, friction, normals: friction is bounded by what the bodies press with now, and has the last word nowhere. In
/// an impact, which is over in one sub-step, the first visit finds the load and the last what rubbing made of it.
template <int kKind>
HWY_INLINE void solve_all(Solving<kKind>& s, const LanePass& pass) {
  solve_normals(s, pass, false);
  s.relative = sum(s.relative, scaled(s.shifts, s.impulse));
  const V3 first = s.impulse;
  s.impulse = {hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag())};
  solve_friction(s, pass.last && pass.totals);
  solve_normals(s, pass, pass.last);
  s.impulse = sum(s.impulse, first);
}

template <int kKind>
HWY_NOINLINE void sweep_group(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  const Tag d;
  for (int lane = 0; lane < group.lanes; lane += static_cast<int>(hn::Lanes(d))) {
    Solving<kKind> s(view, {view.data + std::size_t{group.first} * kLanes + lane});
    if (pass.refresh) refresh_separations(view, s);
    if (pass.biased)
      solve_normals(s, pass, pass.last);
    else
      solve_all(s, pass);
    s.store(view, group.lanes - lane);
  }
}

/// Newton's law for points that came in fast and were pushed: v' = -e v, once, after the last sub-step.
template <int kKind>
HWY_NOINLINE void bounce_group(const LaneView& view, float bounce_speed, const LaneGroup& group) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Tag d;
  if constexpr (S::kKindOf.extra) {
    for (int lane = 0; lane < group.lanes; lane += static_cast<int>(hn::Lanes(d))) {
      const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
      S s(view, g);
      V along = dot(s.n, s.relative), given = hn::Zero(d);
      for (int i = 0; i < S::kKindOf.points; ++i) {
        const int at = f.point + i * f.point_size;
        const V total = g.get(at + f.total), approach = g.get(at + f.approach), e = g.get(at + f.restitution);
        const V v = hn::Add(hn::Add(along, s.turning(at + f.row_b, at + f.row_a)), g.get(at + f.offset));
        const V wanted = hn::Sub(total, hn::Mul(g.get(at + f.mass), hn::Add(v, hn::Mul(e, approach))));
        const auto bounces = hn::And(hn::And(hn::Gt(e, hn::Zero(d)), hn::Gt(total, hn::Zero(d))),
                                     hn::Lt(approach, hn::Set(d, -bounce_speed)));
        const V now = hn::IfThenElse(bounces, larger(wanted, hn::Zero(d)), total);
        g.set(at + f.total, now);
        const V change = hn::Sub(now, total);
        given = hn::Add(given, change);
        along = hn::Add(along, hn::Mul(s.shifts, change));
        s.turn(at + f.row_b, at + f.row_a, change);
      }
      s.impulse = scaled(given, s.n);
      s.store(view, group.lanes - lane);
    }
  }
}

/// Calls the function of each group's kind.
#define CAIRN_BY_KIND(call)      \
  switch (view.groups[i].kind) { \
    case 0: call(0); break;      \
    case 1: call(1); break;      \
    case 2: call(2); break;      \
    case 3: call(3); break;      \
    case 4: call(4); break;      \
    case 5: call(5); break;      \
    case 6: call(6); break;      \
    case 7: call(7); break;      \
    case 8: call(8); break;      \
    case 9: call(9); break;      \
    case 10: call(10); break;    \
    default: call(11); break;    \
  }

void prepare(const LaneView& view, std::int64_t begin, std::int64_t end) {
#define CAIRN_CALL(k) prepare_group<k>(view, view.groups[i]), warm_start_group<k>(view, view.groups[i])
  for (std::int64_t i = begin; i < end; ++i) CAIRN_BY_KIND(CAIRN_CALL)
#undef CAIRN_CALL
}
void sweep(const LaneView& view, const LanePass& pass, std::int64_t begin, std::int64_t end) {
#define CAIRN_CALL(k) sweep_group<k>(view, pass, view.groups[i])
  for (std::int64_t i = begin; i < end; ++i) CAIRN_BY_KIND(CAIRN_CALL)
#undef CAIRN_CALL
}
void bounce(const LaneView& view, float bounce_speed, std::int64_t begin, std::int64_t end) {
#define CAIRN_CALL(k) bounce_group<k>(view, bounce_speed, view.groups[i])
  for (std::int64_t i = begin; i < end; ++i) CAIRN_BY_KIND(CAIRN_CALL)
#undef CAIRN_CALL
}
#undef CAIRN_BY_KIND

const LaneKernels* kernels() {
  static const LaneKernels kTable{hwy::TargetName(HWY_TARGET), prepare, sweep, bounce};
  return &kTable;
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

HWY_EXPORT(kernels);

constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kTargets{
    {{"scalar", HWY_SCALAR}, {"sse4", HWY_SSE4}, {"avx2", HWY_AVX2}, {"avx512", HWY_AVX3}}};

}  // namespace

const LaneKernels& lane_kernels() { return *HWY_DYNAMIC_DISPATCH(kernels)(); }

std::vector<std::string> simd_names() {
  static const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;  // before anything is forced
  std::vector<std::string> names;
  for (const auto& [name, target] : kTargets)
    if ((supported & target) != 0) names.emplace_back(name);
  return names;
}

void force_simd(std::string_view name) {
  std::vector<std::string> names = simd_names();
  names.emplace_back("auto");
  if (std::find(names.begin(), names.end(), name) == names.end())
    fail_input(
        fmt::format("this machine has no instruction set \"{}\" for lanes; it has {}", name, fmt::join(names, ", ")));
  std::int64_t target = 0;
  for (const auto& [known, bit] : kTargets)
    if (known == name) target = bit;
  hwy::SetSupportedTargetsForTest(target == 0 ? 0 : target | HWY_STATIC_TARGET);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace cairn
#endif
