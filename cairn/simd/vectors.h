// SPDX-License-Identifier: MIT
// Vectors of a fixed size, as GCC and Clang know them: + - * / and comparisons work lane by lane, v[k] is lane k, and
// `mask ? a : b` chooses by lanes. Each operation takes the instructions there are (simd.h), and is always the
// arithmetic of single numbers. Kernels over these vectors run inside `run_wide`.
//
// Passed by reference only, since their calling convention depends on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cairn {

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Float16 = float __attribute__((vector_size(64)));
using Double4 = double __attribute__((vector_size(32)));
using Double8 = double __attribute__((vector_size(64)));
using Bits4 = std::uint32_t __attribute__((vector_size(16)));

/// What comparing two of them gives: all bits of a lane, or none.
using Mask4 = decltype(Float4{} > Float4{});
using Mask4x64 = decltype(Double4{} > Double4{});

/// From memory and back, whatever the alignment. For single numbers too, so that kernels may be written for both.
template <class Lanes>
inline void get_lanes(const void* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}
template <class Lanes>
inline void put_lanes(const Lanes& lanes, void* to, std::size_t bytes = sizeof(Lanes)) {
  std::memcpy(to, &lanes, bytes);
}

/// x in every lane.
template <class Lanes, class Number>
inline void broadcast(const Number& x, Lanes& lanes) {
  lanes = x - Lanes{};
}

/// Numbers of another kind: rounded to the nearest, or exact where `to` has more digits.
template <class From, class To>
inline void convert(const From& from, To& to) {
  to = __builtin_convertvector(from, To);
}

/// Lane k of `out` is lane `lane[k]` of v.
template <int... lane, class Lanes>
inline void shuffle(const Lanes& v, Lanes& out) {
  out = __builtin_shufflevector(v, v, lane...);
}
/// The same of two vectors: lanes of b are counted on from those of a.
template <int... lane, class Lanes>
inline void shuffle(const Lanes& a, const Lanes& b, Lanes& out) {
  out = __builtin_shufflevector(a, b, lane...);
}

/// |v|
inline void absolute(const Double4& v, Double4& out) {
  out = reinterpret_cast<Double4>(reinterpret_cast<Mask4x64>(v) & 0x7fffffffffffffff);
}

/// Bit k is set where lane k is.
inline std::uint32_t bits_of(const Mask4x64& mask) {
  const Mask4x64 bits = mask & Mask4x64{1, 2, 4, 8};
  return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
}
/// Bit k is set where lane k is, of the two halves together.
inline std::uint32_t bits_of(const Mask4& low, const Mask4& high) {
  const Mask4 bits = (low & Mask4{1, 2, 4, 8}) | (high & Mask4{16, 32, 64, 128});
  return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
}

// Rows become columns: lane j of row i changes places with lane i of row j. Each size goes the way that takes it the
// fewest instructions.
inline void transpose(Double4 (&row)[4]) {
  const Double4 even01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6),
                odd01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7),
                even23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6),
                odd23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  row[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  row[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
  row[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}
inline void transpose(Float4 (&row)[4]) {
  const Float4 low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
               high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
               low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
               high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  row[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  row[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  row[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}
/// Three times, the first and the second half of the rows are shuffled into each other.
inline void transpose(Double8 (&row)[8]) {
  for (int round = 0; round < 3; ++round) {
    Double8 next[8];
    for (int k = 0; k < 4; ++k) {
      next[2 * k] = __builtin_shufflevector(row[k], row[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * k + 1] = __builtin_shufflevector(row[k], row[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int k = 0; k < 8; ++k) row[k] = next[k];
  }
}

}  // namespace cairn
