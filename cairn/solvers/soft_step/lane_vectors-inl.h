// SPDX-License-Identifier: MIT
// Numbers and vectors of all lanes of a group at once, and the formula of a normal row.

// Included once per instruction set.
#if defined(CAIRN_SOLVERS_LANE_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_SOLVERS_LANE_VECTORS_INL_H_
#undef CAIRN_SOLVERS_LANE_VECTORS_INL_H_
#else
#define CAIRN_SOLVERS_LANE_VECTORS_INL_H_
#endif

#include "cairn/simd/wide-inl.h"
#include "cairn/simd/wide_records-inl.h"
#include "cairn/solvers/soft_step/lane_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

using V = Wide<kLanes>;

constexpr int kBodyStride = sizeof(LaneBody) / sizeof(float);
constexpr int kMassStride = sizeof(LaneMass) / sizeof(float);

/// Along the two tangents of a contact.
struct V2 {
  V x, y;

  friend HWY_INLINE V2 operator+(const V2& a, const V2& b) { return {a.x + b.x, a.y + b.y}; }
  friend HWY_INLINE V2 operator-(const V2& a, const V2& b) { return {a.x - b.x, a.y - b.y}; }
  friend HWY_INLINE V2 operator*(const V2& a, V s) { return {a.x * s, a.y * s}; }
};

struct V3 {
  V x, y, z;

  friend HWY_INLINE V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend HWY_INLINE V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend HWY_INLINE V3 operator*(V s, const V3& a) { return {s * a.x, s * a.y, s * a.z}; }
};

HWY_INLINE V dot(const V2& a, const V2& b) { return a.x * b.x + a.y * b.y; }
HWY_INLINE V dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// 1/x, 0 where x is not positive.
HWY_INLINE V inverse_or_zero(V x) {
  const auto positive = x > 0.0f;
  return select_or_zero(positive, 1.0f / select(positive, x, 1.0f));
}

/// Fields of one group, for V::kCount of its lanes from `lane`.
struct Fields {
  float* base;

  HWY_INLINE V get(int field) const { return V::load(base + field * kLanes); }
  HWY_INLINE V2 get2(int field) const { return {get(field), get(field + 1)}; }
  HWY_INLINE V3 get3(int field) const { return {get(field), get(field + 1), get(field + 2)}; }
  HWY_INLINE void set(int field, V value) const { value.store(base + field * kLanes); }
  HWY_INLINE void set2(int field, const V2& v) const { set(field, v.x), set(field + 1, v.y); }
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
  load_records<6, kBodyStride>(records, index, f);
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}
HWY_INLINE void store_motion(const Motion& m, float* records, const std::int32_t* index, int lanes) {
  const V f[6] = {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z};
  store_records6<kBodyStride>(f, records, index, lanes);
}

/// The records of the lanes of a group from `lane` into fields; separations begin with the gaps.
template <int kKind>
HWY_INLINE void unpack(const LaneView& view, const LaneGroup& group, int lane) {
  constexpr LaneKind kind = lane_kind(kKind);
  constexpr LaneFields f = lane_fields(kind);
  static constexpr LaneInputs kIn = lane_inputs(kind);
  static constexpr std::int32_t kOrder[kLanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Fields g{view.data + std::size_t{group.first} * kLanes + lane};
  const float* records = view.records + group.record + lane * kIn.size;
  for (int k = 0; k < kIn.size; k += 4) {
    V numbers[4];
    load_records<4, kIn.size>(records + k, kOrder, numbers);
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
  if (sum == LaneSum::add) l = g.get(field) + l;
  g.set(field, sum == LaneSum::clear ? V(0.0f) : l);
}

/// What brings a vector with the square size2 into the disc of the given radius.
HWY_INLINE V shrink_to_disc(V size2, V radius) {
  const V one = 1.0f;
  const auto slides = size2 > radius * radius;
  return select(slides, radius / sqrt(select(slides, size2, one)), one);
}

/// The tangent impulses of a contact become l. Returns what they have changed by.
template <bool kSums>
HWY_INLINE V2 change_tangent_impulses(const LaneFields& f, const Fields& g, const V2& l, LaneSum sum) {
  const V2 old = g.get2(f.tangent_impulse);
  g.set2(f.tangent_impulse, l);
  if constexpr (kSums) sum_up(sum, g, f.tangent_total, l.x), sum_up(sum, g, f.tangent_total + 1, l.y);
  return l - old;
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
        zero(0.0f),
        one(1.0f),
        inverse_h(pass.inverse_h),
        rate(pass.rate[two_bodies ? 0 : 1]),
        slop(pass.slop),
        push(-pass.push),
        mass_scale(pass.mass_scale[two_bodies ? 0 : 1]),
        impulse_scale(pass.impulse_scale[two_bodies ? 0 : 1]) {}

  /// The impulse that follows `old` where the row's velocity is v.
  HWY_INLINE V solve(V v, V separation, V mass, V old) const {
    const auto apart = separation > zero;
    const V ahead = separation * inverse_h;
    if (!biased) return larger(old - mass * (v + select_or_zero(apart, ahead)), zero);
    const V out = larger(rate * smaller(separation + slop, zero), push);
    const V y = v + select(apart, ahead, out);
    const V step = mass * select(apart, one, mass_scale) * y;
    return larger(old - step - select(apart, zero, impulse_scale * old), zero);
  }
};

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
