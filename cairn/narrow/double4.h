// SPDX-License-Identifier: MIT
// Double4: four doubles at once, for the narrow phase. The vector types of GCC and Clang: two or one instruction each,
// as the processor has them (core/simd.h), and always the arithmetic of single numbers, lane by lane.
//
// Passed by reference only, since their calling convention depends on the instruction set.
#pragma once

#include <cstdint>

#include "cairn/core/vector_types.h"
#include "cairn/math/vec3.h"

namespace cairn {

/// What comparing two of them gives: all bits of a lane, or none.
using Mask4x64 = decltype(Double4{} > Double4{});

/// A vector in lanes 0 to 2, zero in lane 3.
inline void to_lanes(const Vec3& v, Double4& out) { out = Double4{v.x, v.y, v.z, 0}; }

/// |v|
inline void absolute(const Double4& v, Double4& out) {
  out = reinterpret_cast<Double4>(reinterpret_cast<Mask4x64>(v) & 0x7fffffffffffffff);
}

/// Bit k is set where lane k is.
inline std::uint32_t bits_of(const Mask4x64& mask) {
  const Mask4x64 bits = mask & Mask4x64{1, 2, 4, 8};
  return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
}

/// Lane k of `next` is lane k + 1 of v, of `last` lane k + 2, around the first three.
inline void rotate_lanes(const Double4& v, Double4& next, Double4& last) {
  next = __builtin_shufflevector(v, v, 1, 2, 0, 3), last = __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

/// Turns four rows of four into four columns: lane j of row i changes places with lane i of row j.
inline void transpose(Double4 (&row)[4]) {
  const Double4 even01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6),
                odd01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7),
                even23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6),
                odd23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  row[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5),
  row[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  row[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7),
  row[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

}  // namespace cairn
