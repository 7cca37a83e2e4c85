// SPDX-License-Identifier: MIT
// Double4: four doubles at once, for the narrow phase. The vector types of GCC and Clang: two or one instruction each,
// as the processor has them (core/simd.h), and always the arithmetic of single numbers, lane by lane.
//
// Passed by reference only, since their calling convention depends on the instruction set.
#pragma once

#include "cairn/math/vec3.h"

namespace cairn {

using Double4 = double __attribute__((vector_size(32)));
/// What comparing two of them gives: all bits of a lane, or none.
using Mask4x64 = decltype(Double4{} > Double4{});

/// A vector in lanes 0 to 2, zero in lane 3.
inline void to_lanes(const Vec3& v, Double4& out) { out = Double4{v.x, v.y, v.z, 0}; }

/// |v|
inline void absolute(const Double4& v, Double4& out) {
  out = reinterpret_cast<Double4>(reinterpret_cast<Mask4x64>(v) & 0x7fffffffffffffff);
}

/// Lane k of `next` is lane k + 1 of v, of `last` lane k + 2, around the first three.
inline void rotate_lanes(const Double4& v, Double4& next, Double4& last) {
  next = __builtin_shufflevector(v, v, 1, 2, 0, 3), last = __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

/// out[k] = (x_k, y_k, z_k, 0).
inline void transpose(const Double4& x, const Double4& y, const Double4& z, Double4* out) {
  const Double4 zero{},
      xy02 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy13 = __builtin_shufflevector(x, y, 1, 5, 3, 7),
      z02 = __builtin_shufflevector(z, zero, 0, 4, 2, 6), z13 = __builtin_shufflevector(z, zero, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(xy02, z02, 0, 1, 4, 5), out[1] = __builtin_shufflevector(xy13, z13, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(xy02, z02, 2, 3, 6, 7), out[3] = __builtin_shufflevector(xy13, z13, 2, 3, 6, 7);
}

}  // namespace cairn
