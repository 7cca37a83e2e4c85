// SPDX-License-Identifier: MIT
// sum + x y with one rounding, in lanes of double: the one place where products are fused.
//
// A fused product is defined to the last bit (IEEE 754, fusedMultiplyAdd), so every instruction set gives the same
// ones: AVX2 and AVX-512 have an instruction for it, the others ask `fma` of the C library, lane by lane. That is slow,
// so only kernels that live on the rate of multiplication and do not need speed below AVX2 may use it. All other code
// is compiled without contraction.
//
//   run_fused([&](auto fused) { ... fused.multiply_add(x, y, sum); ... });
#pragma once

#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace cairn {

/// For sets without the instruction. `Widest` is what a kernel should count by.
struct FusedByLanes {
  using Widest = Double4;

  static inline void multiply_add(const Double4& x, const Double4& y, Double4& sum) {
    for (int k = 0; k < 4; ++k) sum[k] = __builtin_fma(x[k], y[k], sum[k]);
  }
  static inline void broadcast(const double& x, Double4& lanes) { lanes = x - Double4{}; }
};

#if defined(__x86_64__) && defined(__GNUC__)

struct FusedAvx2 {
  using Widest = Double4;

  [[gnu::target("avx2,fma")]] static inline void multiply_add(const Double4& x, const Double4& y, Double4& sum) {
    sum = _mm256_fmadd_pd(x, y, sum);
  }
  [[gnu::target("avx2,fma")]] static inline void broadcast(const double& x, Double4& lanes) {
    lanes = _mm256_broadcast_sd(&x);
  }
};

struct FusedAvx512 {
  using Widest = Double8;

  [[gnu::target("avx512f")]] static inline void multiply_add(const Double8& x, const Double8& y, Double8& sum) {
    sum = _mm512_fmadd_pd(x, y, sum);
  }
  [[gnu::target("avx512f")]] static inline void broadcast(const double& x, Double8& lanes) {
    lanes = _mm512_broadcastsd_pd(_mm_load_sd(&x));
  }
};

template <class Body>
[[gnu::target("avx512f"), gnu::flatten, gnu::noinline]] void run_fused_avx512(Body& body) {
  body(FusedAvx512{});
}

template <class Body>
[[gnu::target("avx2,fma"), gnu::flatten, gnu::noinline]] void run_fused_avx2(Body& body) {
  body(FusedAvx2{});
}

/// Calls body(fused), compiled for the chosen instruction set. What it calls in turn must be inlinable to profit.
template <class Body>
void run_fused(Body&& body) {
  switch (chosen_simd()) {
    case Simd::avx512: return run_fused_avx512(body);
    case Simd::avx2: return run_fused_avx2(body);
    default: return body(FusedByLanes{});
  }
}

#else

template <class Body>
void run_fused(Body&& body) {
  body(FusedByLanes{});
}

#endif

}  // namespace cairn
