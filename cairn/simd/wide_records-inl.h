// SPDX-License-Identifier: MIT
// Records into lanes and back: floats side by side in a record, loaded by quarters of 128 bits and transposed, which is
// faster than gathering number by number. Record number k begins at records[k kStride].

// Included once per instruction set (each_target.h).
#if defined(CAIRN_SIMD_WIDE_RECORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_SIMD_WIDE_RECORDS_INL_H_
#undef CAIRN_SIMD_WIDE_RECORDS_INL_H_
#else
#define CAIRN_SIMD_WIDE_RECORDS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "cairn/simd/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

/// out[k] = number k of the record of each lane, for the first kCount numbers.
template <int kCount, int kStride, int kMost>
HWY_INLINE void load_records(const float* records, const std::int32_t* index, Wide<kMost>* out) {
  const float* record = records + std::ptrdiff_t{*index} * kStride;
  for (int k = 0; k < kCount; ++k) out[k] = Wide<kMost>(record[k]);
}

/// The first four numbers of the records of the first `lanes` lanes.
template <int kStride, int kMost>
HWY_INLINE void store_records4(const Wide<kMost>* in, float* records, const std::int32_t* index, int) {
  float* record = records + std::ptrdiff_t{*index} * kStride;
  for (int k = 0; k < 4; ++k) record[k] = hn::GetLane(in[k].raw);
}

/// The first six numbers; the other two become zero.
template <int kStride, int kMost>
HWY_INLINE void store_records6(const Wide<kMost>* in, float* records, const std::int32_t* index, int) {
  float* record = records + std::ptrdiff_t{*index} * kStride;
  for (int k = 0; k < 6; ++k) record[k] = hn::GetLane(in[k].raw);
  record[6] = record[7] = 0;
}

#else

/// Four floats of every fourth record: block b of the vector is that of index[4 b].
template <int kStride, class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const float* from, const std::int32_t* index) {
  constexpr int kCount = static_cast<int>(hn::MaxLanes(d));
  if constexpr (kCount == 4) {
    return hn::LoadU(d, from + std::ptrdiff_t{*index} * kStride);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks<kStride>(half, from, index + kCount / 2),
                       load_blocks<kStride>(half, from, index));
  }
}

template <int kStride, class D>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, float* to, const std::int32_t* index, int lanes) {
  constexpr int kCount = static_cast<int>(hn::MaxLanes(d));
  if constexpr (kCount == 4) {
    if (lanes > 0) hn::StoreU(v, d, to + std::ptrdiff_t{*index} * kStride);
  } else {
    const hn::Half<D> half;
    store_blocks<kStride>(half, hn::LowerHalf(half, v), to, index, lanes);
    store_blocks<kStride>(half, hn::UpperHalf(half, v), to, index + kCount / 2, lanes - kCount / 2);
  }
}

/// Within every block of four lanes rows become columns.
template <class D>
HWY_INLINE void transpose4(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e, hn::Vec<D> (&out)[4]) {
  const auto ac_low = hn::InterleaveLower(d, a, c), be_low = hn::InterleaveLower(d, b, e);
  const auto ac_high = hn::InterleaveUpper(d, a, c), be_high = hn::InterleaveUpper(d, b, e);
  out[0] = hn::InterleaveLower(d, ac_low, be_low), out[1] = hn::InterleaveUpper(d, ac_low, be_low);
  out[2] = hn::InterleaveLower(d, ac_high, be_high), out[3] = hn::InterleaveUpper(d, ac_high, be_high);
}

template <int kCount, int kStride, int kMost>
HWY_INLINE void load_records(const float* records, const std::int32_t* index, Wide<kMost>* out) {
  const typename Wide<kMost>::Tag d;
  for (int quarter = 0; quarter < (kCount + 3) / 4; ++quarter) {
    const float* from = records + 4 * quarter;
    typename Wide<kMost>::Raw column[4];
    transpose4(d, load_blocks<kStride>(d, from, index), load_blocks<kStride>(d, from, index + 1),
               load_blocks<kStride>(d, from, index + 2), load_blocks<kStride>(d, from, index + 3), column);
    for (int k = 0; k < 4; ++k) out[4 * quarter + k] = Wide<kMost>(column[k]);
  }
}

template <int kStride, int kMost>
HWY_INLINE void store_records4(const Wide<kMost>* in, float* records, const std::int32_t* index, int lanes) {
  const typename Wide<kMost>::Tag d;
  typename Wide<kMost>::Raw out[4];
  transpose4(d, in[0].raw, in[1].raw, in[2].raw, in[3].raw, out);
  for (int j = 0; j < 4; ++j) store_blocks<kStride>(d, out[j], records, index + j, lanes - j);
}

template <int kStride, int kMost>
HWY_INLINE void store_records6(const Wide<kMost>* in, float* records, const std::int32_t* index, int lanes) {
  const typename Wide<kMost>::Tag d;
  const auto zero = hn::Zero(d);
  typename Wide<kMost>::Raw low[4], high[4];
  transpose4(d, in[0].raw, in[1].raw, in[2].raw, in[3].raw, low);
  transpose4(d, in[4].raw, in[5].raw, zero, zero, high);
  for (int j = 0; j < 4; ++j) {
    store_blocks<kStride>(d, low[j], records, index + j, lanes - j);
    store_blocks<kStride>(d, high[j], records + 4, index + j, lanes - j);
  }
}

#endif

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
