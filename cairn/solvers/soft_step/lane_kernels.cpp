// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cairn/solvers/soft_step/lane_kernels.cpp"
#include "cairn/simd/each_target.h"
//
#include "cairn/solvers/soft_step/lane_balls-inl.h"
#include "cairn/solvers/soft_step/lane_kernels.h"
#include "cairn/solvers/soft_step/lane_prepare-inl.h"
#include "cairn/solvers/soft_step/lane_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

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
        shift_a(kKindOf.two_bodies ? g.get(f.shift_a) : V(0.0f)),
        shifts(shift_b * shift_b + shift_a * shift_a) {
    b = load_motion(view.bodies->velocity, g.indices(f.body_b));
    relative = shift_b * b.linear;
    if constexpr (kKindOf.two_bodies) {
      a = load_motion(view.bodies->velocity, g.indices(f.body_a));
      relative = relative - shift_a * a.linear;
    }
    impulse = {0.0f, 0.0f, 0.0f};
  }

  /// Of a row whose turning parts begin at the given fields.
  HWY_INLINE V turning(int row_b, int row_a) const {
    V v = dot(g.get3(row_b), b.angular);
    if constexpr (kKindOf.two_bodies) v = v - dot(g.get3(row_a), a.angular);
    return v;
  }
  HWY_INLINE void turn(int row_b, int row_a, V change) {
    b.angular = b.angular + change * g.get3(row_b);
    if constexpr (kKindOf.two_bodies) a.angular = a.angular - change * g.get3(row_a);
  }
  HWY_INLINE void store(const LaneView& view, int lanes) {
    b.linear = b.linear + shift_b * impulse;
    store_motion(b, view.bodies->velocity, g.indices(f.body_b), lanes);
    if constexpr (kKindOf.two_bodies) {
      a.linear = a.linear - shift_a * impulse;
      store_motion(a, view.bodies->velocity, g.indices(f.body_a), lanes);
    }
  }
};

template <int kKind>
HWY_NOINLINE void warm_start_group(const LaneView& view, const LaneGroup& group) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  for (int lane = 0; lane < group.lanes; lane += V::kCount) {
    const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
    S s(view, g);
    V normal = 0.0f;
    for (int i = 0; i < S::kKindOf.points; ++i) {
      const int at = f.point + i * f.point_size;
      const V l = g.get(at + f.impulse);
      normal += l;
      s.turn(at + f.row_b, at + f.row_a, l);
    }
    const V l1 = g.get(f.tangent_impulse), l2 = g.get(f.tangent_impulse + 1);
    s.turn(f.tangent_b, f.tangent_a, l1), s.turn(f.tangent_b + 3, f.tangent_a + 3, l2);
    if constexpr (S::kKindOf.twists()) s.turn(f.twist_b, f.twist_a, g.get(f.twist_impulse));
    s.impulse = normal * s.n + (l1 * s.t1 + l2 * s.t2);
    s.store(view, group.lanes - lane);
  }
}

/// Turning about the normal, with r the mean distance of the points from their middle:
///   l <- clamp(l - v / K, -mu load r, mu load r)
template <bool kSums, int kKind>
HWY_INLINE void solve_twist(Solving<kKind>& s, V bound, LaneSum sum_of) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Fields& g = s.g;
  V v = s.turning(f.twist_b, f.twist_a);
  if constexpr (S::kKindOf.extra) v += g.get(f.twist_offset);
  const V old = g.get(f.twist_impulse), most = bound * g.get(f.twist_radius);
  const V now = larger(smaller(old - g.get(f.twist_mass) * v, most), -most);
  g.set(f.twist_impulse, now);
  if constexpr (kSums) sum_up(sum_of, g, f.twist_total, now);
  s.turn(f.twist_b, f.twist_a, now - old);
}

/// What brings the tangent impulses l within their bound:
///   |l| <= mu load, or with two coefficients the ellipse (l1 / mu1)^2 + (l2 / mu2)^2 <= load^2
/// which times mu1 mu2 is the disc |(mu2 l1, mu1 l2)| <= mu1 mu2 load. Where mu1 = mu2 both give the same bits.
template <int kKind>
HWY_INLINE V shrink_tangents(const Fields& g, const V2& l, V mu, V bound) {
  if constexpr (lane_kind(kKind).extra) {
    const V mu2 = g.get(lane_fields(lane_kind(kKind)).anisotropy);
    const auto equal = mu == mu2;
    const V2 scaled{select(equal, l.x, l.x * mu2), select(equal, l.y, l.y * mu)};
    return shrink_to_disc(dot(scaled, scaled), select(equal, bound, bound * mu2));
  } else {
    return shrink_to_disc(dot(l, l), bound);
  }
}

/// Friction of a whole manifold: a twist, then a pair of rows at its middle. The bounds are those of the normal
/// impulses as they stand.
///   v = (t1, t2) (v_b - v_a),   l <- shrink(l - K^-1 v)
template <bool kSums, int kKind>
HWY_INLINE void solve_friction(Solving<kKind>& s, LaneSum sum_of) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Fields& g = s.g;
  V load = g.get(f.point + f.impulse);
  for (int i = 1; i < S::kKindOf.points; ++i) load += g.get(f.point + i * f.point_size + f.impulse);
  const V mu = g.get(f.friction), bound = mu * load;
  if constexpr (S::kKindOf.twists()) solve_twist<kSums>(s, bound, sum_of);

  V2 v{dot(s.t1, s.relative) + s.turning(f.tangent_b, f.tangent_a),
       dot(s.t2, s.relative) + s.turning(f.tangent_b + 3, f.tangent_a + 3)};
  if constexpr (S::kKindOf.extra) v = v + g.get2(f.tangent_offset);
  const V3 inverse = g.get3(f.tangent_mass);  // of K: 11, 12 and 22
  const V2 push{inverse.x * v.x + inverse.y * v.y, inverse.y * v.x + inverse.z * v.y};
  const V2 free = g.get2(f.tangent_impulse) - push;
  const V2 l = free * shrink_tangents<kKind>(g, free, mu, bound);
  const V2 change = change_tangent_impulses<kSums>(f, g, l, sum_of);
  s.turn(f.tangent_b, f.tangent_a, change.x), s.turn(f.tangent_b + 3, f.tangent_a + 3, change.y);
  s.impulse = change.x * s.t1 + change.y * s.t2;
}

/// s = gap + J' d': where the points are after the sub-steps so far.
template <int kKind>
HWY_INLINE void refresh_separations(const LaneView& view, Solving<kKind>& s) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Fields& g = s.g;
  const Motion b = load_motion(view.bodies->displacement, g.indices(f.body_b));
  V3 shift = s.shift_b * b.linear;
  Motion a{};
  if constexpr (S::kKindOf.two_bodies) {
    a = load_motion(view.bodies->displacement, g.indices(f.body_a));
    shift = shift - s.shift_a * a.linear;
  }
  const V closer = dot(s.n, shift);
  for (int i = 0; i < S::kKindOf.points; ++i) {
    const int at = f.point + i * f.point_size;
    V separation = g.get(at + f.gap) + (closer + dot(g.get3(at + f.row_b), b.angular));
    if constexpr (S::kKindOf.two_bodies) separation = separation - dot(g.get3(at + f.row_a), a.angular);
    g.set(at + f.separation, separation);
  }
}

/// Normal rows, point after point.
template <bool kSums, int kKind>
HWY_INLINE void solve_normals(Solving<kKind>& s, const LanePass& pass, LaneSum sum_of = LaneSum::none) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  const Fields& g = s.g;
  const NormalRow row(pass, S::kKindOf.two_bodies);
  V along = dot(s.n, s.relative), given = 0.0f;
  for (int j = 0; j < S::kKindOf.points; ++j) {
    const int i = (j ^ pass.order) & (S::kKindOf.points - 1);
    const int at = f.point + i * f.point_size;
    const V separation = g.get(at + f.separation), old = g.get(at + f.impulse);
    V y = along + s.turning(at + f.row_b, at + f.row_a);
    if constexpr (S::kKindOf.extra) y += g.get(at + f.offset);
    const V now = row.solve(y, separation, g.get(at + f.mass), old);
    g.set(at + f.impulse, now);
    if constexpr (kSums) sum_up(sum_of, g, at + f.total, now);
    const V change = now - old;
    given += change;
    along += s.shifts * change;
    s.turn(at + f.row_b, at + f.row_a, change);
  }
  s.impulse = s.impulse + given * s.n;
}

/// Normals, friction, normals: friction is bounded by what the bodies press with now, and has the last word nowhere. In
/// an impact, which is over in one sub-step, the first visit finds the load and the last what rubbing made of it.
template <bool kSums, int kKind>
HWY_INLINE void solve_all(Solving<kKind>& s, const LanePass& pass) {
  const LaneSum sum_of = lane_kind(kKind).extra ? pass.bouncing_sum : pass.sum;
  solve_normals<false>(s, pass);
  s.relative = s.relative + s.shifts * s.impulse;
  const V3 first = s.impulse;
  s.impulse = {0.0f, 0.0f, 0.0f};
  solve_friction<kSums>(s, sum_of);
  solve_normals<kSums>(s, pass, sum_of);
  s.impulse = s.impulse + first;
}

/// Separations if asked for, then what `solve` does.
template <int kKind, class Solve>
HWY_INLINE void sweep_group(const LaneView& view, const LanePass& pass, const LaneGroup& group, Solve&& solve) {
  for (int lane = 0; lane < group.lanes; lane += V::kCount) {
    Solving<kKind> s(view, {view.data + std::size_t{group.first} * kLanes + lane});
    if (pass.refresh) refresh_separations(view, s);
    solve(s);
    s.store(view, group.lanes - lane);
  }
}
template <int kKind>
HWY_NOINLINE void sweep_group_soft(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  sweep_group<kKind>(view, pass, group, [&](Solving<kKind>& s) HWY_ATTR { solve_normals<false>(s, pass); });
}
template <bool kSums, int kKind>
HWY_NOINLINE void sweep_group_rigid(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  sweep_group<kKind>(view, pass, group, [&](Solving<kKind>& s) HWY_ATTR { solve_all<kSums>(s, pass); });
}

/// Newton's law for points that came in fast and were pushed: v' = -e v, once, after the last sub-step.
template <int kKind>
HWY_NOINLINE void bounce_group(const LaneView& view, float bounce_speed, const LaneGroup& group) {
  using S = Solving<kKind>;
  constexpr LaneFields f = S::f;
  if constexpr (S::kKindOf.extra) {
    for (int lane = 0; lane < group.lanes; lane += V::kCount) {
      const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
      S s(view, g);
      V along = dot(s.n, s.relative), given = 0.0f;
      for (int i = 0; i < S::kKindOf.points; ++i) {
        const int at = f.point + i * f.point_size;
        const V total = g.get(at + f.total), approach = g.get(at + f.approach), e = g.get(at + f.restitution);
        const V v = along + s.turning(at + f.row_b, at + f.row_a) + g.get(at + f.offset);
        const V wanted = total - g.get(at + f.mass) * (v + e * approach);
        const auto bounces = (e > 0.0f) & (total > 0.0f) & (approach < -bounce_speed);
        const V now = select(bounces, larger(wanted, 0.0f), total);
        g.set(at + f.total, now);
        const V change = now - total;
        given += change;
        along += s.shifts * change;
        s.turn(at + f.row_b, at + f.row_a, change);
      }
      s.impulse = given * s.n;
      s.store(view, group.lanes - lane);
    }
  }
}

template <int kKind>
HWY_INLINE void prepare_kind(const LaneView& view, const LaneGroup& group) {
  if constexpr (lane_kind(kKind).round)
    prepare_balls<lane_kind(kKind).two_bodies>(view, group);
  else
    prepare_group<kKind>(view, group), warm_start_group<kKind>(view, group);
}
template <int kKind>
HWY_INLINE void sweep_kind(const LaneView& view, const LanePass& pass, const LaneGroup& group) {
  constexpr LaneKind kind = lane_kind(kKind);
  const bool sums = (kind.extra ? pass.bouncing_sum : pass.sum) != LaneSum::none;
  if constexpr (kind.round) {
    if (pass.biased)
      sweep_balls_soft<kind.two_bodies>(view, pass, group);
    else if (sums)
      sweep_balls_rigid<true, kind.two_bodies>(view, pass, group);
    else
      sweep_balls_rigid<false, kind.two_bodies>(view, pass, group);
  } else {
    if (pass.biased)
      sweep_group_soft<kKind>(view, pass, group);
    else if (sums)
      sweep_group_rigid<true, kKind>(view, pass, group);
    else
      sweep_group_rigid<false, kKind>(view, pass, group);
  }
}

/// Fields of groups to come, on their way before they are needed: the hardware's own foresight ends with every page,
/// and a page holds two or three groups. Records of bodies are not worth it: they were used by the groups before.
constexpr std::int64_t kGroupsAhead = 4;
struct FetchSizes {
  std::int8_t soft[kLaneKinds] = {}, rigid[kLaneKinds] = {};
  std::int8_t record[kLaneKinds] = {};  ///< lines of the records of a group
};
constexpr FetchSizes kFetch = [] {
  FetchSizes sizes;
  for (int k = 0; k < kLaneKinds; ++k) {
    sizes.soft[k] = static_cast<std::int8_t>(lane_fields(lane_kind(k)).soft_size);
    sizes.rigid[k] = static_cast<std::int8_t>(lane_fields(lane_kind(k)).rigid_size);
    sizes.record[k] = static_cast<std::int8_t>(lane_inputs(lane_kind(k)).size);
  }
  return sizes;
}();
HWY_INLINE void fetch_ahead(const LaneView& view, const LaneGroup& group, bool soft) {
  const float* base = view.data + std::size_t{group.first} * kLanes;
  const int fields = (soft ? kFetch.soft : kFetch.rigid)[group.kind];
  for (int k = 0; k < fields; ++k) fetch_line(base + k * kLanes);
}

HWY_INLINE void fetch_records(const LaneView& view, const LaneGroup& group) {
  const int lines = kFetch.record[group.kind];
  for (int k = 0; k < lines; ++k) fetch_line(view.records + group.record + k * kLanes);
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
    case 11: call(11); break;    \
    case 12: call(12); break;    \
    default: call(13); break;    \
  }

void prepare(const LaneView& view, std::int64_t begin, std::int64_t end) {
#define CAIRN_CALL(k) prepare_kind<k>(view, view.groups[i])
  for (std::int64_t i = begin; i < end; ++i) {
    if (i + kGroupsAhead < end) {
      fetch_ahead(view, view.groups[i + kGroupsAhead], false);
      fetch_records(view, view.groups[i + kGroupsAhead]);
    }
    CAIRN_BY_KIND(CAIRN_CALL)
  }
#undef CAIRN_CALL
}
void sweep(const LaneView& view, const LanePass& pass, std::int64_t begin, std::int64_t end) {
#define CAIRN_CALL(k) sweep_kind<k>(view, pass, view.groups[i])
  for (std::int64_t i = begin; i < end; ++i) {
    if (i + kGroupsAhead < end) fetch_ahead(view, view.groups[i + kGroupsAhead], pass.biased);
    CAIRN_BY_KIND(CAIRN_CALL)
  }
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
namespace cairn {

namespace {

HWY_EXPORT(kernels);

}  // namespace

const LaneKernels& lane_kernels() { return *HWY_DISPATCH_TABLE(kernels)[index_of_chosen_set()](); }

}  // namespace cairn
#endif
