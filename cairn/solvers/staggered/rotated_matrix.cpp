// SPDX-License-Identifier: MIT
#include "cairn/solvers/staggered/rotated_matrix.h"

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// H_FF of whole pairs is turned from outside; any other list is factored entry by entry.
class RotatedFactor : public QpFactor {
 public:
  explicit RotatedFactor(const RotatedMatrix& matrix)
      : matrix_(matrix), of_whole_(matrix.fixed().make_factor()), of_part_(part_.make_factor()) {}

  bool factor(std::span<const std::int32_t> free, ThreadPool* pool) override {
    free_.assign(free.begin(), free.end());
    whole_ = true;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const int i = free_[k];
      if (i >= 2 * matrix_.pairs()) break;
      const bool first = i % 2 == 0;
      whole_ = whole_ && (first ? k + 1 < free_.size() && free_[k + 1] == i + 1 : k > 0 && free_[k - 1] == i - 1);
    }
    if (whole_) return inner().factor(free, pool);
    const std::size_t n = free_.size();
    const std::span<double> values = part_.reset(static_cast<int>(n));
    all_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      all_[i] = static_cast<std::int32_t>(i);
      for (std::size_t j = 0; j <= i; ++j) values[i * n + j] = values[j * n + i] = matrix_.entry(free_[i], free_[j]);
    }
    return inner().factor(all_, pool);
  }

  void solve(std::span<double> x, int count, ThreadPool* pool) override {
    if (whole_) turn(x, count, true);
    inner().solve(x, count, pool);
    if (whole_) turn(x, count, false);
  }
  double factor_over_solve() const override { return (whole_ ? of_whole_ : of_part_)->factor_over_solve(); }

 private:
  QpFactor& inner() { return whole_ ? *of_whole_ : *of_part_; }

  void turn(std::span<double> x, int count, bool to_fixed) const {
    const std::size_t n = free_.size();
    for (std::size_t c = 0; c < to_index(count); ++c)
      for (std::size_t k = 0; k + 1 < n && free_[k] < 2 * matrix_.pairs(); k += 2) {
        const double ax = matrix_.axis_x(free_[k] / 2),
                     ay = to_fixed ? matrix_.axis_y(free_[k] / 2) : -matrix_.axis_y(free_[k] / 2);
        double &p = x[c * n + k], &q = x[c * n + k + 1];
        const double fixed_p = ax * p - ay * q, fixed_q = ay * p + ax * q;
        p = fixed_p, q = fixed_q;
      }
  }

  const RotatedMatrix& matrix_;
  std::vector<std::int32_t> free_, all_;
  bool whole_ = true;
  DenseMatrix part_;  ///< where the list is not of whole pairs
  std::unique_ptr<QpFactor> of_whole_, of_part_;
};

}  // namespace

RotatedMatrix::RotatedMatrix(const DenseMatrix& h, int pairs) : h_(h) { reset(pairs); }

void RotatedMatrix::reset(int pairs) {
  pairs_ = pairs;
  axis_.resize(2 * to_index(pairs));
  for (int k = 0; k < pairs; ++k) set_axis(k, 1, 0);
}

void RotatedMatrix::set_axis(int k, double x, double y) { axis_[2 * to_index(k)] = x, axis_[2 * to_index(k) + 1] = y; }

void RotatedMatrix::to_fixed(std::span<double> x) const {
  for (int k = 0; k < pairs_; ++k) {
    double &p = x[2 * to_index(k)], &q = x[2 * to_index(k) + 1];
    const double fixed_p = axis_x(k) * p - axis_y(k) * q, fixed_q = axis_y(k) * p + axis_x(k) * q;
    p = fixed_p, q = fixed_q;
  }
}
void RotatedMatrix::to_turned(std::span<double> x) const {
  for (int k = 0; k < pairs_; ++k) {
    double &p = x[2 * to_index(k)], &q = x[2 * to_index(k) + 1];
    const double turned_p = axis_x(k) * p + axis_y(k) * q, turned_q = axis_x(k) * q - axis_y(k) * p;
    p = turned_p, q = turned_q;
  }
}

RotatedMatrix::Mix RotatedMatrix::mix(int i) const {
  if (i >= 2 * pairs_) return {i, i, 1, 0};
  const int k = i / 2;
  return i % 2 == 0 ? Mix{2 * k, 2 * k + 1, axis_x(k), axis_y(k)} : Mix{2 * k, 2 * k + 1, -axis_y(k), axis_x(k)};
}

double RotatedMatrix::entry(int i, int j) const {
  const Mix p = mix(i), q = mix(j);
  return p.a * (q.a * h_.at(p.first, q.first) + q.b * h_.at(p.first, q.second)) +
         p.b * (q.a * h_.at(p.second, q.first) + q.b * h_.at(p.second, q.second));
}

void RotatedMatrix::multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const {
  turned_.assign(x.begin(), x.end());
  to_fixed(turned_);
  h_.multiply(turned_, y, pool);
  to_turned(y);
}

void RotatedMatrix::add_row(int i, double factor, std::span<double> to) const {
  const Mix m = mix(i);
  turned_.assign(to.size(), 0.0);
  h_.add_row(m.first, factor * m.a, turned_);
  if (m.second != m.first) h_.add_row(m.second, factor * m.b, turned_);
  to_turned(turned_);
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += turned_[k];
}

double RotatedMatrix::row_dot(int i, std::span<const double> x) const {
  turned_.assign(x.begin(), x.end());
  to_fixed(turned_);
  const Mix m = mix(i);
  return m.a * h_.row_dot(m.first, turned_) + (m.second != m.first ? m.b * h_.row_dot(m.second, turned_) : 0.0);
}

void RotatedMatrix::complete_free(std::span<std::uint8_t> is_free) const {
  for (std::size_t k = 0; k < to_index(pairs_); ++k)
    is_free[2 * k] = is_free[2 * k + 1] = is_free[2 * k] | is_free[2 * k + 1];
}

std::unique_ptr<QpFactor> RotatedMatrix::make_factor() const { return std::make_unique<RotatedFactor>(*this); }

}  // namespace cairn
