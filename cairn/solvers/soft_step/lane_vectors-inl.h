// SPDX-License-Identifier: MIT
// Numbers and vectors of all lanes of a group at once, and the formula of a normal row.

// Included once per instruction set.
#if defined(CAIRN_SOLVERS_LANE_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_SOLVERS_LANE_VECTORS_INL_H_
#undef CAIRN_SOLVERS_LANE_VECTORS_INL_H_
#else
#define CAIRN_SOLVERS_LANE_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include "cairn/solvers/soft_step/lane_kernels.h"
#include "cairn/solvers/soft_step/lane_records-inl.h"

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

/// The records of the lanes of a group from `lane` into fields; separations begin with the gaps.
template <int kKind>
HWY_INLINE void unpack(const LaneView& view, const LaneGroup& group, int lane) {
  constexpr LaneKind kind = lane_kind(kKind);
  constexpr LaneFields f = lane_fields(kind);
  static constexpr LaneInputs kIn = lane_inputs(kind);
  static constexpr std::int32_t kOrder[kLanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Tag d;
  const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
  const float* records = view.records + group.record + lane * kIn.size;
  for (int k = 0; k < kIn.size; k += 4) {
    V numbers[4];
    load_records<4, kIn.size>(d, records + k, kOrder, numbers);
    for (int j = 0; j < 4; ++j)
      if (kIn.field[k + j] >= 0) g.set(kIn.field[k + j], numbers[j]);
  }
  for (int i = 0; i < kind.points; ++i) {
    const int at = f.point + i * f.point_size;
    g.set(at + f.separation, g.get(at + f.gap));
  }
}

/// The impulse l takes part in the sum that stands in `field`.
HWY_INLINE void sum_up(LaneSum sum, const Fields& g, int field, V l) {
  if (sum == LaneSum::add) l = hn::Add(g.get(field), l);
  g.set(field, sum == LaneSum::clear ? hn::Zero(Tag()) : l);
}

/// What brings a vector with the square size2 into the disc of the given radius.
HWY_INLINE V shrink_to_disc(V size2, V radius) {
  const V one = hn::Set(Tag(), 1.0f);
  const auto slides = hn::Gt(size2, hn::Mul(radius, radius));
  return hn::IfThenElse(slides, hn::Div(radius, hn::Sqrt(hn::IfThenElse(slides, size2, one))), one);
}

/// A normal row (soft rows with speculation).
///   s > 0:   y = v + s/h, rigid                    not there yet: may come as near as it is
///   s <= 0:  y = v + max(rate (s + slop), -push)   soft when biased; y = v, rigid, when relaxing
///   l <- max(0, l - mass_scale y / K - impulse_scale l)
struct NormalRow {
  const bool biased;
  const V zero, one, inverse_h, rate, slop, push, mass_scale, impulse_scale;

  HWY_INLINE NormalRow(const LanePass& pass, bool two_bodies)
      : biased(pass.biased),
        zero(hn::Zero(Tag())),
        one(hn::Set(Tag(), 1.0f)),
        inverse_h(hn::Set(Tag(), pass.inverse_h)),
        rate(hn::Set(Tag(), pass.rate[two_bodies ? 0 : 1])),
        slop(hn::Set(Tag(), pass.slop)),
        push(hn::Set(Tag(), -pass.push)),
        mass_scale(hn::Set(Tag(), pass.mass_scale[two_bodies ? 0 : 1])),
        impulse_scale(hn::Set(Tag(), pass.impulse_scale[two_bodies ? 0 : 1])) {}

  /// The impulse that follows `old` where the row's velocity is v.
  HWY_INLINE V solve(V v, V separation, V mass, V old) const {
    const auto apart = hn::Gt(separation, zero);
    const V ahead = hn::Mul(separation, inverse_h);
    if (!biased) return larger(hn::Sub(old, hn::Mul(mass, hn::Add(v, hn::IfThenElseZero(apart, ahead)))), zero);
    const V out = larger(hn::Mul(rate, smaller(hn::Add(separation, slop), zero)), push);
    const V y = hn::Add(v, hn::IfThenElse(apart, ahead, out));
    const V step = hn::Mul(hn::Mul(mass, hn::IfThenElse(apart, one, mass_scale)), y);
    return larger(hn::Sub(hn::Sub(old, step), hn::IfThenElse(apart, zero, hn::Mul(impulse_scale, old))), zero);
  }
};

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
