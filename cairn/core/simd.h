// SPDX-License-Identifier: MIT
// run_wide: the same code compiled for wider vectors, where the processor has them.
//
// Only the width of the instructions differs, never the arithmetic: no contraction to fused operations and no
// reordering of sums (see the compiler flags), so the bits are those of the plain build.
#pragma once

namespace cairn {

#if defined(__x86_64__) && defined(__GNUC__)

template <class Body>
[[gnu::target("avx512f"), gnu::flatten, gnu::noinline]] void run_avx512(Body& body) {
  body();
}

template <class Body>
[[gnu::target("avx2"), gnu::flatten, gnu::noinline]] void run_avx2(Body& body) {
  body();
}

/// Calls body(). What it calls in turn must be inlinable to profit.
template <class Body>
void run_wide(Body&& body) {
  if (__builtin_cpu_supports("avx512f")) return run_avx512(body);
  if (__builtin_cpu_supports("avx2")) return run_avx2(body);
  body();
}

#else

template <class Body>
void run_wide(Body&& body) {
  body();
}

#endif

}  // namespace cairn
