// SPDX-License-Identifier: MIT
// The arithmetic of the block LDL, written once for one mechanism and for eight side by side.
//
//   N = l D l^T,  X = E l^-T,  L = X D^-1,  S <- S - L X^T            one pivot (Mizerski 2020, block elimination)
//
// with the unit lower factor l of the pivot left inside L: half the multiply-adds of Mizerski's L = E N^-1. A mode says
// what is done at once: LdlSingle takes four rows of a column, LdlBatch one row of eight mechanisms. Every number is
// the result of the same operations in the same order in both, so the answers have the same bits.
//
// A pivot that is not above its threshold is dropped: its inverse counts as zero, which leaves its unknown zero and
// the others as if its row were not there. So are redundant rows, and rows masked by an infinite threshold.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/simd/vectors.h"
#include "cairn/solvers/ldl/ldl_program.h"

namespace cairn {

struct LdlSingle {
  using Entry = double;             ///< one number of the matrix
  using Chunk = Double4;            ///< what is done at once
  static constexpr int kRows = 4;   ///< rows in a chunk
  static constexpr int kLanes = 1;  ///< mechanisms
};

struct LdlBatch {
  using Entry = Double8;
  using Chunk = Double8;
  static constexpr int kRows = 1;
  static constexpr int kLanes = 8;
};

/// 1 / pivot where it is above its threshold, else 0; counts what is dropped without being masked.
inline void invert_pivot(const double& pivot, const double& threshold, double& inverse, double& dropped) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  inverse = pivot > threshold ? 1 / pivot : 0.0;
  if (!(pivot > threshold) && threshold < kInfinity) dropped += 1;
}
inline void invert_pivot(const Double8& pivot, const Double8& threshold, Double8& inverse, Double8& dropped) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Double8 zero{}, one = zero + 1, infinite = zero + kInfinity;
  inverse = pivot > threshold ? one / pivot : zero;
  const Double8 counted = threshold < infinite ? one : zero;
  dropped += pivot > threshold ? zero : counted;
}

/// What the kernels work on. Offsets of the program count entries: kLanes doubles each.
struct LdlNumbers {
  double* values = nullptr;           ///< the matrix, then the factor
  double* inverse = nullptr;          ///< D^-1 per unknown
  const double* threshold = nullptr;  ///< per unknown
  double* x = nullptr;                ///< right-hand side, then solution; one more than unknowns
  double* scratch = nullptr;          ///< twelve columns of the tallest stride
};

/// to[i] -= from[i].
template <class Mode>
inline void subtract(const double* from, int count, double* to) {
  constexpr int kLanes = Mode::kLanes, kRows = Mode::kRows;
  typename Mode::Chunk a, b;
  int i = 0;
  for (; i + kRows <= count; i += kRows) {
    get_lanes(to + kLanes * i, a);
    get_lanes(from + kLanes * i, b);
    a -= b;
    put_lanes(a, to + kLanes * i);
  }
  for (; i < count; ++i) to[i] -= from[i];  // of a chunk that is not full, hence of one mechanism
}

/// S <- S - L X^T for the columns of one neighbour: first all products, then to their places, because a processor is
/// slow to read what it has just written in other pieces.
template <class Mode, int D>
inline void update_columns(const LdlPivot& p, const LdlColumn& column, const LdlRun* runs, const LdlNumbers& n) {
  constexpr int kLanes = Mode::kLanes, kRows = Mode::kRows;
  const double* l = n.values + kLanes * p.edge;
  double* products = n.scratch + kLanes * 6 * p.stride;
  const int first = column.row / kRows * kRows;
  typename Mode::Entry x[D];
  typename Mode::Chunk sum, part;
  for (int k = 0; k < column.count; ++k) {
    for (int m = 0; m < D; ++m) get_lanes(n.scratch + kLanes * (m * p.stride + column.row + k), x[m]);
    for (int row = first; row < p.height; row += kRows) {
      get_lanes(l + kLanes * row, part);
      sum = part * x[0];
      for (int m = 1; m < D; ++m) {
        get_lanes(l + kLanes * (m * p.stride + row), part);
        sum += part * x[m];
      }
      put_lanes(sum, products + kLanes * (k * p.stride + row));
    }
  }
  for (const LdlRun* run = runs + column.first_run; run != runs + column.end_run; ++run)
    for (int k = 0; k < column.count; ++k)
      subtract<Mode>(products + kLanes * (k * p.stride + run->row), run->count,
                     n.values + kLanes * (run->target + k * run->stride));
}

/// One pivot of degree D.
template <class Mode, int D>
inline void eliminate_pivot(const LdlProgram& program, const LdlPivot& p, const LdlNumbers& n,
                            typename Mode::Entry& dropped) {
  using Entry = typename Mode::Entry;
  using Chunk = typename Mode::Chunk;
  constexpr int kLanes = Mode::kLanes;
  // N = l D l^T; below the diagonal `a` holds X = l D until its column is done.
  Entry a[D][D], l[D][D]{}, inverse[D], threshold;
  double* diagonal = n.values + kLanes * p.diagonal;
  for (int k = 0; k < D; ++k)
    for (int i = k; i < D; ++i) get_lanes(diagonal + kLanes * (k * D + i), a[i][k]);
  for (int k = 0; k < D; ++k) {
    get_lanes(n.threshold + kLanes * (p.x + k), threshold);
    invert_pivot(a[k][k], threshold, inverse[k], dropped);
    put_lanes(inverse[k], n.inverse + kLanes * (p.x + k));
    for (int j = k + 1; j < D; ++j) {
      l[j][k] = a[j][k] * inverse[k];
      put_lanes(l[j][k], diagonal + kLanes * (k * D + j));
      for (int i = j; i < D; ++i) a[i][j] -= a[i][k] * l[j][k];
    }
  }
  // X = E l^-T to scratch, L = X D^-1 in place.
  double* edge = n.values + kLanes * p.edge;
  for (int row = 0; row < p.height; row += Mode::kRows) {
    Chunk x[D];
    for (int k = 0; k < D; ++k) get_lanes(edge + kLanes * (k * p.stride + row), x[k]);
    for (int k = 0; k < D; ++k) {
      for (int j = k + 1; j < D; ++j) x[j] -= x[k] * l[j][k];
      put_lanes(x[k], n.scratch + kLanes * (k * p.stride + row));
      x[k] = x[k] * inverse[k];
      put_lanes(x[k], edge + kLanes * (k * p.stride + row));
    }
  }
  const LdlRun* runs = program.runs().data();
  for (int c = p.first_column; c < p.end_column; ++c) {
    update_columns<Mode, D>(p, program.columns()[to_index(c)], runs, n);
  }
}

/// x[at] -= from.
template <class Mode>
inline void scatter_subtract(const typename Mode::Chunk& from, const std::int32_t* at, double* x) {
  if constexpr (Mode::kRows > 1) {
    for (int i = 0; i < Mode::kRows; ++i) x[at[i]] -= from[i];
  } else {
    typename Mode::Entry value;
    get_lanes(x + Mode::kLanes * at[0], value);
    value -= from;
    put_lanes(value, x + Mode::kLanes * at[0]);
  }
}

/// x <- l^-1 x of the pivot, then its neighbours: x_j <- x_j - L x.
template <class Mode, int D>
inline void forward_pivot(const LdlProgram& program, const LdlPivot& p, const LdlNumbers& n) {
  constexpr int kLanes = Mode::kLanes, kRows = Mode::kRows;
  typename Mode::Entry y[D], l;
  double* x = n.x + kLanes * p.x;
  const double* diagonal = n.values + kLanes * p.diagonal;
  for (int k = 0; k < D; ++k) get_lanes(x + kLanes * k, y[k]);
  for (int j = 1; j < D; ++j)
    for (int k = 0; k < j; ++k) {
      get_lanes(diagonal + kLanes * (k * D + j), l);
      y[j] -= l * y[k];
    }
  for (int k = 0; k < D; ++k) put_lanes(y[k], x + kLanes * k);
  const double* edge = n.values + kLanes * p.edge;
  const std::int32_t* at = program.column_x().data() + p.first_column_x;
  typename Mode::Chunk sum, part;
  for (int row = 0; row < p.height; row += kRows) {
    get_lanes(edge + kLanes * row, part);
    sum = part * y[0];
    for (int k = 1; k < D; ++k) {
      get_lanes(edge + kLanes * (k * p.stride + row), part);
      sum += part * y[k];
    }
    scatter_subtract<Mode>(sum, at + row, n.x);
  }
}

/// sum[k] = sum over rows of L[row][k] x[row]: four partial sums, rows i, i + 4, ..., added in pairs.
template <class Mode, int D>
inline void dot_columns(const LdlPivot& p, const LdlNumbers& n, const std::int32_t* at,
                        typename Mode::Entry (&sum)[D]) {
  const double* edge = n.values + Mode::kLanes * p.edge;
  if constexpr (Mode::kRows == 4) {
    Double4 total[D]{}, l;
    for (int row = 0; row < p.height; row += 4) {  // one by one, as they were written
      const Double4 z{n.x[at[row]], n.x[at[row + 1]], n.x[at[row + 2]], n.x[at[row + 3]]};
      for (int k = 0; k < D; ++k) {
        get_lanes(edge + k * p.stride + row, l);
        total[k] += l * z;
      }
    }
    for (int k = 0; k < D; ++k) sum[k] = (total[k][0] + total[k][1]) + (total[k][2] + total[k][3]);
  } else {
    const int full = p.height / 4 * 4;
    for (int k = 0; k < D; ++k) {
      typename Mode::Entry total[4]{}, l, z;
      const auto add = [&](int row, int lane) {
        get_lanes(edge + Mode::kLanes * (k * p.stride + row), l);
        get_lanes(n.x + Mode::kLanes * at[row], z);
        total[lane] += l * z;
      };
      for (int row = 0; row < full; row += 4) add(row, 0), add(row + 1, 1), add(row + 2, 2), add(row + 3, 3);
      for (int row = full; row < p.height; ++row) add(row, row - full);
      sum[k] = (total[0] + total[1]) + (total[2] + total[3]);
    }
  }
}

/// x <- l^-T (D^-1 x - L^T x_neighbours).
template <class Mode, int D>
inline void backward_pivot(const LdlProgram& program, const LdlPivot& p, const LdlNumbers& n) {
  constexpr int kLanes = Mode::kLanes;
  typename Mode::Entry y[D], value, sum[D];
  dot_columns<Mode, D>(p, n, program.column_x().data() + p.first_column_x, sum);
  const double* diagonal = n.values + kLanes * p.diagonal;
  double* x = n.x + kLanes * p.x;
  for (int k = 0; k < D; ++k) {
    get_lanes(x + kLanes * k, y[k]);
    get_lanes(n.inverse + kLanes * (p.x + k), value);
    y[k] = y[k] * value - sum[k];
  }
  for (int k = D; k-- > 0;)
    for (int j = k + 1; j < D; ++j) {
      get_lanes(diagonal + kLanes * (k * D + j), value);
      y[k] -= value * y[j];
    }
  for (int k = 0; k < D; ++k) put_lanes(y[k], x + kLanes * k);
}

/// Calls work.template operator()<D>() with D the degree: the loops inside are unrolled.
template <class Work>
inline void with_degree(std::int32_t degree, Work&& work) {
  switch (degree) {
    case 1: work.template operator()<1>(); break;
    case 2: work.template operator()<2>(); break;
    case 3: work.template operator()<3>(); break;
    case 4: work.template operator()<4>(); break;
    case 5: work.template operator()<5>(); break;
    default: work.template operator()<6>(); break;
  }
}

/// The whole factorisation: values hold the matrix before and the factor after.
template <class Mode>
inline void factor_all(const LdlProgram& program, const LdlNumbers& n, typename Mode::Entry& dropped) {
  for (const LdlPivot& p : program.pivots())
    with_degree(p.degree, [&]<int D>() { eliminate_pivot<Mode, D>(program, p, n, dropped); });
}

/// x <- (L D L^T)^-1 x. Rows of the padding have a spare unknown, which must be zero on the way back.
template <class Mode>
inline void solve_all(const LdlProgram& program, const LdlNumbers& n) {
  const std::vector<LdlPivot>& pivots = program.pivots();
  for (const LdlPivot& p : pivots) with_degree(p.degree, [&]<int D>() { forward_pivot<Mode, D>(program, p, n); });
  const typename Mode::Entry zero{};
  put_lanes(zero, n.x + Mode::kLanes * program.unknowns());
  for (std::size_t i = pivots.size(); i-- > 0;)
    with_degree(pivots[i].degree, [&]<int D>() { backward_pivot<Mode, D>(program, pivots[i], n); });
}

}  // namespace cairn
