// SPDX-License-Identifier: MIT
#include "cairn/qp/qp_matrix.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/qp/band_cholesky.h"
#include "cairn/qp/sparse_ldl.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

namespace {

constexpr std::int64_t kMostEntries = std::int64_t{1} << 31;  // of a matrix: 16 GB
constexpr double kSymmetric = 1e-10;                          // of the diagonal: differences of a_ij and a_ji
constexpr std::int64_t kRowGrain = 64;                        // rows of a product per task

/// Eight sums side by side, added at the end in a fixed order.
double dot_of(const double* a, const double* b, int count) {
  double result = 0;
  run_wide([&] {
    Double8 sum{};
    int i = 0;
    for (; i + 8 <= count; i += 8) {
      Double8 x, y;
      get_lanes(a + i, x), get_lanes(b + i, y);
      sum += x * y;
    }
    double rest = 0;
    for (; i < count; ++i) rest += a[i] * b[i];
    for (int k = 0; k < 8; ++k) rest += sum[k];
    result = rest;
  });
  return result;
}

void add_scaled(const double* from, double factor, double* to, int count) {
  run_wide([&] {
    for (int i = 0; i < count; ++i) to[i] += factor * from[i];
  });
}

void check_size(int size, std::int64_t entries, std::size_t given) {
  require(size > 0, "a quadratic program needs at least one variable");
  require(entries <= kMostEntries, "the matrix of a quadratic program must not have more than 2^31 entries");
  if (static_cast<std::int64_t>(given) != entries)
    fail_input(fmt::format("a matrix of this size and bandwidth has {} entries, not {}", entries, given));
}

void check_finite(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) fail_input(fmt::format("entry {} of the matrix is not a finite number", i));
}

/// The free rows of a matrix as a band of its own: their order is kept, so the band does not grow.
template <class Matrix>
class BandFactor : public QpFactor, private BandColumns {
 public:
  explicit BandFactor(const Matrix& matrix) : matrix_(matrix) {}

  bool factor(std::span<const std::int32_t> free, ThreadPool* pool) override {
    order_.assign(free.begin(), free.end());
    bandwidth_ = arrange();
    return cholesky_.factor(static_cast<int>(free.size()), bandwidth_, *this, pool);
  }
  void solve(std::span<double> x, int count, ThreadPool* pool) override { cholesky_.solve(x, count, pool); }
  double factor_over_solve() const override { return std::max(1.0, 0.25 * bandwidth_); }  // n rho^2 over 4 n rho

 protected:
  /// Puts order_ into the order of factoring; the bandwidth in it.
  virtual int arrange() = 0;

  const Matrix& matrix_;
  BandCholesky cholesky_;
  std::vector<std::int32_t> order_;
  int bandwidth_ = 0;
};

class DenseFactor : public BandFactor<DenseMatrix> {
 public:
  using BandFactor::BandFactor;

 private:
  int arrange() override { return static_cast<int>(order_.size()) - 1; }
  double factor_over_solve() const override { return std::max(1.0, static_cast<double>(order_.size()) / 12); }
  void column(int c, std::span<double> out) const override {
    const std::int32_t* row = order_.data() + c;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = matrix_.at(row[0], row[k]);
  }
};

class BandedFactor : public BandFactor<BandedMatrix> {
 public:
  using BandFactor::BandFactor;

 private:
  int arrange() override {
    int widest = 0;
    for (std::size_t i = 0, j = 0; i < order_.size(); ++i) {
      while (order_[i] - order_[j] > matrix_.bandwidth()) ++j;
      widest = std::max(widest, static_cast<int>(i - j));
    }
    return widest;
  }
  void column(int c, std::span<double> out) const override {
    const std::int32_t* row = order_.data() + c;
    const double* from = matrix_.column(row[0]);
    if (row[out.size() - 1] - row[0] == static_cast<int>(out.size()) - 1) {  // none is missing
      std::copy_n(from, out.size(), out.data());
      return;
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
      const int away = row[k] - row[0];
      out[k] = away <= matrix_.bandwidth() ? from[away] : 0.0;
    }
  }
};

class SparseFactor : public BandFactor<SparseQpMatrix> {
 public:
  using BandFactor::BandFactor;

  void solve(std::span<double> x, int count, ThreadPool* pool) override {
    const std::size_t n = given_.size();
    moved_.resize(x.size());
    for (std::size_t k = 0; k < to_index(count); ++k)
      for (std::size_t i = 0; i < n; ++i) moved_[k * n + i] = x[k * n + to_index(given_[i])];
    cholesky_.solve(moved_, count, pool);
    for (std::size_t k = 0; k < to_index(count); ++k)
      for (std::size_t i = 0; i < n; ++i) x[k * n + to_index(given_[i])] = moved_[k * n + i];
  }

 private:
  int arrange() override {
    const std::vector<std::int32_t> free = order_;
    order_ = reverse_cuthill_mckee(matrix_, free);
    place_.assign(to_index(matrix_.size()), -1);
    for (std::size_t i = 0; i < free.size(); ++i) place_[to_index(free[i])] = static_cast<std::int32_t>(i);
    given_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) given_[i] = place_[to_index(order_[i])];
    for (std::size_t i = 0; i < order_.size(); ++i) place_[to_index(order_[i])] = static_cast<std::int32_t>(i);
    int widest = 0;
    for (const std::int32_t i : order_)
      for (const std::int32_t j : matrix_.columns(i))
        if (place_[to_index(j)] >= 0) widest = std::max(widest, place_[to_index(i)] - place_[to_index(j)]);
    return widest;
  }
  void column(int c, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    const int i = order_[to_index(c)];
    const auto columns = matrix_.columns(i);
    const auto values = matrix_.values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const int at = place_[to_index(columns[k])] - c;
      if (at >= 0) out[to_index(at)] = values[k];
    }
  }

  std::vector<std::int32_t> place_;  ///< per row of the matrix: in the order of factoring; -1: not free
  std::vector<std::int32_t> given_;  ///< per place: where it stands in the list that was given
  std::vector<double> moved_;
};

}  // namespace

void QpMatrix::multiply_all(std::span<const double> x, int count, std::span<double> y, ThreadPool* pool) const {
  const auto n = to_index(size());
  for (std::size_t k = 0; k < to_index(count); ++k) multiply(x.subspan(k * n, n), y.subspan(k * n, n), pool);
}

DenseMatrix::DenseMatrix(int size, std::vector<double> values) : size_(size), values_(std::move(values)) {
  check_size(size, static_cast<std::int64_t>(size) * size, values_.size());
  check_finite(values_);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < i; ++j)
      if (std::fabs(at(i, j) - at(j, i)) > kSymmetric * std::sqrt(std::fabs(at(i, i) * at(j, j))))
        fail_input(fmt::format("the matrix is not symmetric: entries ({0}, {1}) and ({1}, {0}) differ", i, j));
}

std::span<double> DenseMatrix::reset(int size) {
  size_ = size;
  values_.assign(to_index(size) * to_index(size), 0.0);
  return values_;
}

void DenseMatrix::multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const {
  parallel_for(pool, size_, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[to_index(i)] = row_dot(static_cast<int>(i), x);
  });
}
void DenseMatrix::add_row(int i, double factor, std::span<double> to) const {
  add_scaled(values_.data() + static_cast<std::ptrdiff_t>(i) * size_, factor, to.data(), size_);
}
double DenseMatrix::row_dot(int i, std::span<const double> x) const {
  return dot_of(values_.data() + static_cast<std::ptrdiff_t>(i) * size_, x.data(), size_);
}
std::unique_ptr<QpFactor> DenseMatrix::make_factor() const { return std::make_unique<DenseFactor>(*this); }

BandedMatrix::BandedMatrix(int size, int bandwidth, std::vector<double> values)
    : size_(size), bandwidth_(bandwidth), values_(std::move(values)) {
  require(bandwidth >= 0 && bandwidth < std::max(size, 1), "the bandwidth of a matrix must lie in [0, size)");
  check_size(size, static_cast<std::int64_t>(size) * (bandwidth + 1), values_.size());
  check_finite(values_);
}

/// Blocks of rows: below the diagonal by pieces of columns, above it as products of a column with x.
void BandedMatrix::multiply_all(std::span<const double> x, int count, std::span<double> y, ThreadPool* pool) const {
  parallel_for(pool, size_, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    const int first = static_cast<int>(begin), last = static_cast<int>(end);
    const auto each = [&](auto&& body) {
      for (int k = 0; k < count; ++k)
        body(x.data() + static_cast<std::ptrdiff_t>(k) * size_, y.data() + static_cast<std::ptrdiff_t>(k) * size_);
    };
    each([&](const double*, double* to) { std::fill(to + first, to + last, 0.0); });
    for (int j = std::max(0, first - bandwidth_); j < last; ++j) {
      const int row = std::max(first, j), end_row = std::min(last, j + bandwidth_ + 1);
      if (end_row > row)
        each([&](const double* from, double* to) {
          add_scaled(column(j) + (row - j), from[j], to + row, end_row - row);
        });
    }
    for (int i = first; i < last; ++i)
      each([&](const double* from, double* to) {
        to[i] += dot_of(column(i) + 1, from + i + 1, std::min(bandwidth_, size_ - 1 - i));
      });
  });
}
void BandedMatrix::add_row(int i, double factor, std::span<double> to) const {
  for (int j = std::max(0, i - bandwidth_); j < i; ++j) to[to_index(j)] += factor * column(j)[i - j];
  add_scaled(column(i), factor, to.data() + i, std::min(bandwidth_ + 1, size_ - i));
}
double BandedMatrix::row_dot(int i, std::span<const double> x) const {
  double sum = dot_of(column(i), x.data() + i, std::min(bandwidth_ + 1, size_ - i));
  for (int j = std::max(0, i - bandwidth_); j < i; ++j) sum += column(j)[i - j] * x[to_index(j)];
  return sum;
}
std::unique_ptr<QpFactor> BandedMatrix::make_factor() const { return std::make_unique<BandedFactor>(*this); }

SparseQpMatrix::SparseQpMatrix(int size, std::vector<MatrixEntry> entries, SparseMethod method) : method_(method) {
  require(size > 0, "a quadratic program needs at least one variable");
  for (const MatrixEntry& e : entries) {
    require(e.row >= 0 && e.row < size && e.column >= 0 && e.column < size, "an entry lies outside of the matrix");
    require(std::isfinite(e.value), "an entry of the matrix is not a finite number");
  }
  std::stable_sort(entries.begin(), entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  first_.assign(to_index(size) + 1, 0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const bool again = k > 0 && entries[k].row == entries[k - 1].row && entries[k].column == entries[k - 1].column;
    if (again) {
      value_.back() += entries[k].value;
      continue;
    }
    column_.push_back(entries[k].column), value_.push_back(entries[k].value);
    ++first_[to_index(entries[k].row) + 1];
  }
  for (std::size_t i = 0; i < to_index(size); ++i) first_[i + 1] += first_[i];
  std::vector<double> other(to_index(size), 0.0);
  for (int i = 0; i < size; ++i)
    for (std::size_t k = 0; k < columns(i).size(); ++k) {
      const int j = columns(i)[k];
      const auto theirs = columns(j);
      const auto at = std::lower_bound(theirs.begin(), theirs.end(), i);
      const double mirrored = at != theirs.end() && *at == i ? values(j)[to_index(at - theirs.begin())] : 0.0;
      if (std::fabs(mirrored - values(i)[k]) > kSymmetric * std::sqrt(std::fabs(diagonal(i) * diagonal(j))))
        fail_input(fmt::format("the matrix is not symmetric: entries ({0}, {1}) and ({1}, {0}) differ", i, j));
    }
}

std::span<const std::int32_t> SparseQpMatrix::columns(int i) const {
  const auto k = to_index(i);
  return {column_.data() + first_[k], to_index(first_[k + 1] - first_[k])};
}
std::span<const double> SparseQpMatrix::values(int i) const {
  const auto k = to_index(i);
  return {value_.data() + first_[k], to_index(first_[k + 1] - first_[k])};
}
double SparseQpMatrix::diagonal(int i) const {
  const auto mine = columns(i);
  const auto at = std::lower_bound(mine.begin(), mine.end(), i);
  return at != mine.end() && *at == i ? values(i)[to_index(at - mine.begin())] : 0.0;
}
void SparseQpMatrix::multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const {
  parallel_for(pool, size(), kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[to_index(i)] = row_dot(static_cast<int>(i), x);
  });
}
void SparseQpMatrix::add_row(int i, double factor, std::span<double> to) const {
  for (std::size_t k = 0; k < columns(i).size(); ++k) to[to_index(columns(i)[k])] += factor * values(i)[k];
}
double SparseQpMatrix::row_dot(int i, std::span<const double> x) const {
  double sum = 0;
  for (std::size_t k = 0; k < columns(i).size(); ++k) sum += values(i)[k] * x[to_index(columns(i)[k])];
  return sum;
}
std::unique_ptr<QpFactor> SparseQpMatrix::make_factor() const {
  if (method_ == SparseMethod::ldl) return make_sparse_ldl(*this);
  return std::make_unique<SparseFactor>(*this);
}

}  // namespace cairn
