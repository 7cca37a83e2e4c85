// SPDX-License-Identifier: MIT
#include "cairn/qp/band_cholesky.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/qp/band_kernels.h"

namespace cairn {

namespace {

constexpr int kSide = 96;              // rows of a tile: three of them fit into the second-level cache
constexpr double kLeastPivot = 1e-15;  // of the diagonal entry: below, it is round-off

/// row[0..end) of `sum` minus the products of l_k with rows k of `from`, k in [0, rows).
inline __attribute__((always_inline)) void subtract_rows(double* row, int end, const double* from, std::ptrdiff_t step,
                                                         const double* l, std::ptrdiff_t l_step, int rows) {
  constexpr int kChunk = 12;
  for (int at = 0; at < end; at += kChunk) {
    Double4 sum[3];
#pragma GCC unroll 3
    for (int v = 0; v < 3; ++v) get_lanes(row + at + 4 * v, sum[v]);
    for (int k = 0; k < rows; ++k) {
      Double4 factor;
      broadcast(l[k * l_step], factor);
#pragma GCC unroll 3
      for (int v = 0; v < 3; ++v) {
        Double4 x;
        get_lanes(from + k * step + at + 4 * v, x);
        sum[v] -= x * factor;
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < 3; ++v) put_lanes(sum[v], row + at + 4 * v);
  }
}

/// The lower triangle of a tile becomes its factor, column by column; the rest is left alone. False: not positive.
bool factor_tile(double* a, int side, const double* diagonal, double& ratio) {
  for (int c = 0; c < side; ++c) {
    double* column = a + static_cast<std::ptrdiff_t>(c) * side;
    const int first = c / kBandRows * kBandRows;  // whole panels, of which the part above the diagonal is not used
    run_wide([&] { subtract_rows(column + first, side - first, a + first, side, a + c, side, c); });
    const double pivot = column[c];
    if (!(pivot > kLeastPivot * diagonal[c])) return false;
    ratio = std::min(ratio, pivot / diagonal[c]);
    const double root = std::sqrt(pivot), scale = 1 / root;
    column[c] = root;
    for (int r = c + 1; r < side; ++r) column[r] *= scale;
  }
  for (int c = 1; c < side; ++c) std::fill_n(a + static_cast<std::ptrdiff_t>(c) * side, c, 0.0);
  return true;
}

/// D = L^-1, row by row: d_i = (e_i - sum_k<i l_ik d_k) / l_ii; stored by columns.
void invert_tile(const double* l, int side, double* rows, double* inverse) {
  std::fill_n(rows, static_cast<std::ptrdiff_t>(side) * side, 0.0);
  for (int i = 0; i < side; ++i) {
    double* row = rows + static_cast<std::ptrdiff_t>(i) * side;
    row[i] = 1;
    const int end = (i / kBandRows + 1) * kBandRows;
    run_wide([&] { subtract_rows(row, end, rows, side, l + i, side, i); });
    const double scale = 1 / l[static_cast<std::ptrdiff_t>(i) * side + i];
    for (int c = 0; c <= i; ++c) row[c] *= scale;
  }
  for (int c = 0; c < side; ++c)
    for (int r = 0; r < side; ++r)
      inverse[static_cast<std::ptrdiff_t>(c) * side + r] = rows[static_cast<std::ptrdiff_t>(r) * side + c];
}

}  // namespace

double* BandCholesky::tile(int row, int column) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(column) * (reach_ + 1) + (row - column);
  return values_.data() + at * side_ * side_;
}
int BandCholesky::last_row(int column) const { return std::min(tiles_ - 1, column + reach_); }
double* BandCholesky::panel(int p, int k) {
  return rhs_.data() + (static_cast<std::ptrdiff_t>(p) * tiles_ + k) * side_ * kBandRhs;
}

bool BandCholesky::factor(int size, int bandwidth, const BandColumns& columns, ThreadPool* pool) {
  size_ = size, bandwidth_ = std::clamp(bandwidth, 0, std::max(0, size - 1));
  side_ = std::min(kSide, (std::max(size, 1) + kBandRows - 1) / kBandRows * kBandRows);
  tiles_ = (size + side_ - 1) / side_;
  reach_ = std::min(std::max(0, tiles_ - 1), (bandwidth_ + side_ - 1) / side_);
  const std::size_t area = to_index(side_) * to_index(side_);
  values_.resize(to_index(tiles_) * to_index(reach_ + 1) * area);
  inverse_.resize(to_index(tiles_) * area);
  scratch_.resize(to_index(reach_ + 2) * area);
  diagonal_.assign(to_index(tiles_ * side_), 1.0);
  pivot_ratio_ = 1;
  if (size == 0) return true;
  load(columns, pool);
  if (!factor_diagonal(0)) return false;
  finish_column(0, pool);
  for (int k = 0; k + 1 < tiles_; ++k) {
    if (!update_all(k, pool)) return false;
    finish_column(k + 1, pool);
  }
  return true;
}

/// Rows and columns behind the last are those of the unit matrix.
void BandCholesky::load(const BandColumns& columns, ThreadPool* pool) {
  const std::size_t length = to_index(bandwidth_) + 1;
  entries_.resize(to_index(tiles_) * length);
  parallel_for(pool, tiles_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<int>(begin); k < static_cast<int>(end); ++k) {
      double* const entries = entries_.data() + to_index(k) * length;
      for (int c = k * side_; c < (k + 1) * side_; ++c) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(c - k * side_) * side_;
        std::span<double> out(entries, 1);
        out[0] = 1;
        if (c < size_) {
          out = {entries, to_index(std::min(bandwidth_ + 1, size_ - c))};
          columns.column(c, out);
          diagonal_[to_index(c)] = out[0];
        }
        const int last = c + static_cast<int>(out.size());
        std::fill_n(tile(k, k) + at, c - k * side_, 0.0);
        for (int i = k; i <= last_row(k); ++i) {
          double* const to = tile(i, k) + at - static_cast<std::ptrdiff_t>(i) * side_;
          const int first = std::max(c, i * side_), end_row = (i + 1) * side_,
                    middle = std::clamp(last, first, end_row);
          std::copy(out.data() + (first - c), out.data() + (middle - c), to + first);
          std::fill(to + middle, to + end_row, 0.0);
        }
      }
    }
  });
}

bool BandCholesky::factor_diagonal(int k) {
  if (!factor_tile(tile(k, k), side_, diagonal_.data() + static_cast<std::ptrdiff_t>(k) * side_, pivot_ratio_))
    return false;
  const std::ptrdiff_t area = static_cast<std::ptrdiff_t>(side_) * side_;
  invert_tile(tile(k, k), side_, scratch_.data() + (reach_ + 1) * area, inverse_.data() + k * area);
  return true;
}

/// L_ik = H_ik D_k^T.
void BandCholesky::finish_column(int k, ThreadPool* pool) {
  const std::ptrdiff_t area = static_cast<std::ptrdiff_t>(side_) * side_;
  parallel_for(pool, last_row(k) - k, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto n = static_cast<int>(begin); n < static_cast<int>(end); ++n) {
      const int i = k + 1 + n;
      double* result = scratch_.data() + n * area;
      multiply_tiles({.a = tile(i, k),
                      .b = inverse_.data() + k * area,
                      .c = result,
                      .size = side_,
                      .skip_a = skip(i, k),
                      .skip_b = -side_,
                      .b_lower = true,
                      .overwrite = true});
      std::copy_n(result, area, tile(i, k));
    }
  });
}

/// H_ij <- H_ij - L_ik L_jk^T.
void BandCholesky::update(int i, int j, int k) {
  multiply_tiles({.a = tile(i, k),
                  .b = tile(j, k),
                  .c = tile(i, j),
                  .size = side_,
                  .skip_a = skip(i, k),
                  .skip_b = skip(j, k),
                  .lower = i == j});
}

/// First the column that comes next; then its diagonal tile is factored beside all the others.
bool BandCholesky::update_all(int k, ThreadPool* pool) {
  const int next = k + 1, last = last_row(k), others = last - next;
  parallel_for(pool, last - k, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto n = static_cast<int>(begin); n < static_cast<int>(end); ++n) update(next + n, next, k);
  });
  bool is_positive = true;
  const std::int64_t pairs = static_cast<std::int64_t>(others) * (others + 1) / 2;
  parallel_for(pool, pairs + 1, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      if (n == 0) {
        is_positive = factor_diagonal(next);
        continue;
      }
      // Pair n - 1 of the lower triangle, row by row.
      auto row = static_cast<int>((std::sqrt(8.0 * static_cast<double>(n - 1) + 1) - 1) / 2);
      while (static_cast<std::int64_t>(row + 1) * (row + 2) / 2 <= n - 1) ++row;
      while (static_cast<std::int64_t>(row) * (row + 1) / 2 > n - 1) --row;
      const int column = static_cast<int>(n - 1 - static_cast<std::int64_t>(row) * (row + 1) / 2);
      update(next + 1 + row, next + 1 + column, k);
    }
  });
  return is_positive;
}

void BandCholesky::solve(std::span<double> x, int count, ThreadPool* pool) {
  if (size_ == 0 || count == 0) return;
  const int panels = (count + kBandRhs - 1) / kBandRhs;
  const std::size_t rows = to_index(tiles_ * side_);
  rhs_.assign(to_index(panels) * rows * kBandRhs, 0.0);
  const auto n = to_index(size_);
  const auto each = [&](auto&& move) {
    parallel_for(pool, panels, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto p = static_cast<int>(begin); p < static_cast<int>(end); ++p) {
        double* const to = panel(p, 0);
        for (int lane = 0; lane < std::min(kBandRhs, count - p * kBandRhs); ++lane)
          for (std::size_t i = 0; i < n; ++i)
            move(x[to_index(p * kBandRhs + lane) * n + i], to[i * kBandRhs + to_index(lane)]);
      }
    });
  };
  each([](double given, double& mine) { mine = given; });
  forward(panels, pool);
  backward(panels, pool);
  each([](double& given, double mine) { given = mine; });
}

void BandCholesky::apply_diagonal(int k, int p, bool transposed) {
  double part[kSide * kBandRhs];
  const double* d = inverse_.data() + static_cast<std::ptrdiff_t>(k) * side_ * side_;
  apply_tile({d, transposed ? side_ : 1, transposed ? 1 : side_, panel(p, k), part, side_, true});
  std::copy_n(part, side_ * kBandRhs, panel(p, k));
}

/// Y_k = D_k B_k, then what it adds to the rows below.
void BandCholesky::forward(int panels, ThreadPool* pool) {
  for (int k = 0; k < tiles_; ++k) {
    parallel_for(pool, panels, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto p = static_cast<int>(begin); p < static_cast<int>(end); ++p) apply_diagonal(k, p, false);
    });
    parallel_for(pool, last_row(k) - k, 1, [&](std::int64_t begin, std::int64_t end) {
      for (int i = k + 1 + static_cast<int>(begin); i < k + 1 + static_cast<int>(end); ++i)
        for (int p = 0; p < panels; ++p) apply_tile({tile(i, k), 1, side_, panel(p, k), panel(p, i), side_, false});
    });
  }
}

/// X_k = D_k^T Y_k, then what it adds to the rows above.
void BandCholesky::backward(int panels, ThreadPool* pool) {
  for (int k = tiles_ - 1; k >= 0; --k) {
    parallel_for(pool, panels, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto p = static_cast<int>(begin); p < static_cast<int>(end); ++p) apply_diagonal(k, p, true);
    });
    const int first = std::max(0, k - reach_);
    parallel_for(pool, k - first, 1, [&](std::int64_t begin, std::int64_t end) {
      for (int j = first + static_cast<int>(begin); j < first + static_cast<int>(end); ++j)
        for (int p = 0; p < panels; ++p) apply_tile({tile(k, j), side_, 1, panel(p, k), panel(p, j), side_, false});
    });
  }
}

}  // namespace cairn
