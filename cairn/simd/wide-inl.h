// SPDX-License-Identifier: MIT
// Wide<kMost>: as many floats as an instruction takes at once, kMost at most, with operators, so that kernels read like
// their formulas. A wrapper around Highway's vectors that costs nothing: every function is inlined.
//
// All sets give the same bits: no fused multiply-add, real division and square root, nothing summed across lanes. There
// is no minimum and no maximum, whose zeros differ by set: `larger` and `smaller` are comparisons.

// Included once per instruction set (each_target.h).
#if defined(CAIRN_SIMD_WIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_SIMD_WIDE_INL_H_
#undef CAIRN_SIMD_WIDE_INL_H_
#else
#define CAIRN_SIMD_WIDE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// What comparing two Wide gives: yes or no per lane.
template <int kMost>
struct WideMask {
  hn::Mask<hn::CappedTag<float, kMost>> raw;

  friend HWY_INLINE WideMask operator&(WideMask a, WideMask b) { return {hn::And(a.raw, b.raw)}; }
};

template <int kMost>
struct Wide {
  using Tag = hn::CappedTag<float, kMost>;
  using Raw = hn::Vec<Tag>;
  using Mask = WideMask<kMost>;
  static constexpr int kCount = static_cast<int>(hn::MaxLanes(Tag()));  ///< lanes of this instruction set

  Raw raw;

  Wide() = default;
  HWY_INLINE explicit Wide(Raw vector) : raw(vector) {}
  /// The same number in every lane. Implicit, so that numbers stand beside vectors in a formula.
  HWY_INLINE Wide(float x) : raw(hn::Set(Tag(), x)) {}  // NOLINT

  /// kCount numbers of memory that is aligned to as many.
  static HWY_INLINE Wide load(const float* from) { return Wide(hn::Load(Tag(), from)); }
  HWY_INLINE void store(float* to) const { hn::Store(raw, Tag(), to); }

  friend HWY_INLINE Wide operator+(Wide a, Wide b) { return Wide(hn::Add(a.raw, b.raw)); }
  friend HWY_INLINE Wide operator-(Wide a, Wide b) { return Wide(hn::Sub(a.raw, b.raw)); }
  friend HWY_INLINE Wide operator*(Wide a, Wide b) { return Wide(hn::Mul(a.raw, b.raw)); }
  friend HWY_INLINE Wide operator/(Wide a, Wide b) { return Wide(hn::Div(a.raw, b.raw)); }
  friend HWY_INLINE Wide operator-(Wide a) { return Wide(hn::Neg(a.raw)); }
  HWY_INLINE Wide& operator+=(Wide b) { return *this = *this + b; }
  HWY_INLINE Wide& operator-=(Wide b) { return *this = *this - b; }

  friend HWY_INLINE Mask operator>(Wide a, Wide b) { return {hn::Gt(a.raw, b.raw)}; }
  friend HWY_INLINE Mask operator<(Wide a, Wide b) { return {hn::Lt(a.raw, b.raw)}; }
  friend HWY_INLINE Mask operator==(Wide a, Wide b) { return {hn::Eq(a.raw, b.raw)}; }

  /// a where the mask says yes, else b.
  friend HWY_INLINE Wide select(Mask mask, Wide a, Wide b) { return Wide(hn::IfThenElse(mask.raw, a.raw, b.raw)); }
  friend HWY_INLINE Wide select_or_zero(Mask mask, Wide a) { return Wide(hn::IfThenElseZero(mask.raw, a.raw)); }
  friend HWY_INLINE Wide sqrt(Wide a) { return Wide(hn::Sqrt(a.raw)); }
  /// The larger, and the smaller; the second where either is no number.
  friend HWY_INLINE Wide larger(Wide a, Wide b) { return select(a > b, a, b); }
  friend HWY_INLINE Wide smaller(Wide a, Wide b) { return select(a < b, a, b); }
};

/// Asks for the cache line of an address that is needed soon.
HWY_INLINE void fetch_line(const float* at) { hwy::Prefetch(at); }

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
