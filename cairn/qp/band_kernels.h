// SPDX-License-Identifier: MIT
// The arithmetic of the banded Cholesky on square tiles of doubles, column by column.
//
//   C <- C - A B^T        products of tiles: nearly all of the work
//   C <- C - A X, A^T X   a tile on right-hand sides that stand eight by eight
//
// Every entry is a sum over k in ascending order, product by product. Products of tiles are fused with their sum (one
// rounding, cairn/simd/fused.h), everything else is not. What differs between instruction sets is only how many entries
// are summed at once, so that all of them give the same bits.
#pragma once

#include <cstddef>

#include "cairn/simd/fused.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

inline constexpr int kBandRows = 24;  ///< rows of a panel: tiles have a multiple of them
inline constexpr int kBandRhs = 8;    ///< right-hand sides that stand side by side

/// What a panel of a product needs: first rows of A and of B, and the columns that are not zero.
struct TileProduct {
  const double* a = nullptr;
  const double* b = nullptr;
  double* c = nullptr;
  int size = 0;            ///< of the tiles: rows, columns and stride
  int skip_a = 0;          ///< row r of A is zero in columns below r + skip_a
  int skip_b = 0;          ///< the same of B
  bool lower = false;      ///< only panels that reach the lower triangle of C are wanted
  bool b_lower = false;    ///< B is lower triangular: row r is zero in columns above r
  bool overwrite = false;  ///< C <- A B^T instead
};

/// As many rows at a time as `Fused` has lanes, Vectors of them, by Columns columns of C.
template <class Fused, int Vectors, int Columns>
inline __attribute__((always_inline)) void multiply_panel(const TileProduct& p, int row, int column, int first,
                                                          int end) {
  using Wide = typename Fused::Widest;
  constexpr int kWidth = sizeof(Wide) / sizeof(double);
  Wide sum[Columns][Vectors];
#pragma GCC unroll 8
  for (int j = 0; j < Columns; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) sum[j][v] = Wide{};
  const double* a = p.a + static_cast<std::ptrdiff_t>(first) * p.size + row;
  const double* b = p.b + static_cast<std::ptrdiff_t>(first) * p.size + column;
  for (int k = first; k < end; ++k, a += p.size, b += p.size) {
    Wide x[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) get_lanes(a + v * kWidth, x[v]);
#pragma GCC unroll 8
    for (int j = 0; j < Columns; ++j) {
      Wide y;
      Fused::broadcast(b[j], y);
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) Fused::multiply_add(x[v], y, sum[j][v]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < Columns; ++j) {
    double* c = p.c + static_cast<std::ptrdiff_t>(column + j) * p.size + row;
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      Wide old{};
      if (!p.overwrite) get_lanes(c + v * kWidth, old);
      old = p.overwrite ? sum[j][v] : old - sum[j][v];
      put_lanes(old, c + v * kWidth);
    }
  }
}

/// A whole tile by panels of that shape.
template <class Fused, int Vectors, int Columns>
inline __attribute__((always_inline)) void multiply_panels(const TileProduct& p) {
  constexpr int kHeight = Vectors * static_cast<int>(sizeof(typename Fused::Widest) / sizeof(double));
  for (int row = 0; row < p.size; row += kHeight)
    for (int column = 0; column < p.size; column += Columns) {
      if (p.lower && row + kHeight <= column) break;
      // Aligned to what the widest shape takes, so that every set leaves out the same zeros.
      const int from_a = row / kBandRows * kBandRows + p.skip_a, from_b = column / kBandRhs * kBandRhs + p.skip_b;
      const int first = from_a > from_b ? from_a : from_b;
      const int end = p.b_lower ? column / kBandRhs * kBandRhs + kBandRhs : p.size;
      if (first < end || p.overwrite)
        multiply_panel<Fused, Vectors, Columns>(p, row, column, first > 0 ? first : 0, end);
    }
}

/// C <- C - A B^T for tiles. The columns are as many as registers hold sums: 24 vectors of 32, or 12 of 16.
inline void multiply_tiles(const TileProduct& p) {
  run_fused([&](auto fused) {
    constexpr int kColumns = sizeof(typename decltype(fused)::Widest) == sizeof(Double8) ? 8 : 4;
    multiply_panels<decltype(fused), 3, kColumns>(p);
  });
}

/// A tile on eight right-hand sides: C[i][0..8) -= sum_k A(i, k) X[k][0..8), with A(i, k) = a[i step_i + k step_k].
struct TileApply {
  const double* a = nullptr;
  std::ptrdiff_t step_i = 1, step_k = 1;
  const double* x = nullptr;
  double* c = nullptr;
  int size = 0;
  bool overwrite = false;  ///< C <- A X instead
};

template <class Wide, int Rows>
inline __attribute__((always_inline)) void apply_rows(const TileApply& p) {
  constexpr int kWidth = sizeof(Wide) / sizeof(double), kParts = kBandRhs / kWidth;
  for (int i = 0; i < p.size; i += Rows)
    for (int part = 0; part < kParts; ++part) {
      Wide sum[Rows];
      for (int r = 0; r < Rows; ++r) sum[r] = Wide{};
      const double* a = p.a + i * p.step_i;
      const double* from = p.x + part * kWidth;
      for (int k = 0; k < p.size; ++k, a += p.step_k, from += kBandRhs) {
        Wide x;
        get_lanes(from, x);
#pragma GCC unroll 24
        for (int r = 0; r < Rows; ++r) sum[r] += x * a[r * p.step_i];
      }
      for (int r = 0; r < Rows; ++r) {
        double* c = p.c + (i + r) * kBandRhs + part * kWidth;
        Wide old{};
        if (!p.overwrite) get_lanes(c, old);
        old = p.overwrite ? sum[r] : old - sum[r];
        put_lanes(old, c);
      }
    }
}

inline void apply_tile(const TileApply& p) {
  if (chosen_simd() == Simd::avx512)
    run_wide([&] { apply_rows<Double8, 24>(p); });
  else
    run_wide([&] { apply_rows<Double4, 12>(p); });
}

}  // namespace cairn
