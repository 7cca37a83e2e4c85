// SPDX-License-Identifier: MIT
// The instruction set of this process: found once, forced by name, and asked by every kernel that has more than one
// form: `run_wide` below and the lanes of soft_step (lane_kernels.h).
//
// Only the width of the instructions differs, never the arithmetic: no contraction to fused operations (fused.h asks
// for them by name) and no reordering of sums (see the compiler flags), so the bits are those of the plain build. Code
// over vectors of a fixed size (vectors.h) that is compiled for the baseline alone, outside run_wide, is the same for
// all sets.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Worst first. What is below avx2 is the baseline for `run_wide`.
enum class Simd { scalar, sse4, avx2, avx512 };

namespace detail {
extern std::atomic<int> simd_choice;  ///< a Simd; -1: not asked yet
Simd choose_simd();
}  // namespace detail

/// The best of this machine, or the one that was forced. In the header, since kernels ask for every pair of boxes.
inline Simd chosen_simd() {
  const int set = detail::simd_choice.load(std::memory_order_relaxed);
  return set >= 0 ? static_cast<Simd>(set) : detail::choose_simd();
}

/// "scalar", "sse4", "avx2", "avx512": those this machine has, best last.
std::vector<std::string> simd_names();
/// One of simd_names(), or "auto". Throws InputError for others. Not while a solver runs.
void force_simd(std::string_view name);

#if defined(__x86_64__) && defined(__GNUC__)

template <class Body>
[[gnu::target("avx512f"), gnu::flatten, gnu::noinline]] void run_avx512(Body& body) {
  body();
}

template <class Body>
[[gnu::target("avx2"), gnu::flatten, gnu::noinline]] void run_avx2(Body& body) {
  body();
}

/// Calls body(), compiled for the chosen instruction set. What it calls in turn must be inlinable to profit.
template <class Body>
void run_wide(Body&& body) {
  switch (chosen_simd()) {
    case Simd::avx512: return run_avx512(body);
    case Simd::avx2: return run_avx2(body);
    default: return body();
  }
}

#else

template <class Body>
void run_wide(Body&& body) {
  body();
}

#endif

}  // namespace cairn
