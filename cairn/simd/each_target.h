// SPDX-License-Identifier: MIT
// Compiles the file that includes it once per instruction set. That file says its own path first, and includes this
// before anything else:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "cairn/solvers/soft_step/lane_kernels.cpp"
//   #include "cairn/simd/each_target.h"
//
// What stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE in cairn::HWY_NAMESPACE is compiled for each set;
// what stands in #if HWY_ONCE is compiled once.
#pragma once

// What these sets have beyond the next lower one is of no use to us.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "cairn/simd/simd.h"

namespace cairn {

namespace {

/// The place of the chosen set in a table that HWY_EXPORT made; the baseline's where nothing else fits.
[[maybe_unused]] std::size_t index_of_chosen_set() {
  std::int64_t target = HWY_STATIC_TARGET;
#if HWY_ARCH_X86
  switch (chosen_simd()) {
    case Simd::sse4: target = HWY_SSE4; break;
    case Simd::avx2: target = HWY_AVX2; break;
    case Simd::avx512: target = HWY_AVX3; break;
    default: break;
  }
#endif
  hwy::ChosenTarget chosen;  // of our own: Highway's is shared by everything in the process
  chosen.Update(target);
  return chosen.GetIndex();
}

}  // namespace

}  // namespace cairn
