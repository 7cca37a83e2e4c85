// SPDX-License-Identifier: MIT
// RotatedMatrix: Q^T H Q, where Q turns pairs of variables by an angle each. The friction diamond |b_1| + |b_2| <= a is
// a box in axes at 45 degrees to its corners, so that friction is a bounded QP; when a diamond is realigned only Q
// changes, and a factor of whole pairs holds: (Q^T H Q)_FF^-1 = Q_F^T H_FF^-1 Q_F.
#pragma once

#include <vector>

#include "cairn/core/index.h"
#include "cairn/qp/qp_matrix.h"

namespace cairn {

class RotatedMatrix : public QpMatrix {
 public:
  /// Variables 2k and 2k + 1 are a pair for k < pairs; the others are never turned. `h` must outlive it.
  explicit RotatedMatrix(const DenseMatrix& h, int pairs = 0);
  /// H is another matrix at the same place: so many pairs, none of them turned. Keeps its memory.
  void reset(int pairs);

  /// The first axis of pair k in the coordinates of H.
  void set_axis(int k, double x, double y);
  double axis_x(int k) const { return axis_[2 * to_index(k)]; }
  double axis_y(int k) const { return axis_[2 * to_index(k) + 1]; }
  int pairs() const { return pairs_; }
  /// x <- Q x, to the coordinates of H, and Q^T x.
  void to_fixed(std::span<double> x) const;
  void to_turned(std::span<double> x) const;

  int size() const override { return h_.size(); }
  double diagonal(int i) const override { return entry(i, i); }
  void multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool) const override;
  void add_row(int i, double factor, std::span<double> to) const override;
  double row_dot(int i, std::span<const double> x) const override;
  void complete_free(std::span<std::uint8_t> is_free) const override;
  std::unique_ptr<QpFactor> make_factor() const override;

  const DenseMatrix& fixed() const { return h_; }
  double entry(int i, int j) const;

 private:
  /// Column i of Q: what of H it is made of.
  struct Mix {
    int first, second;
    double a, b;
  };
  Mix mix(int i) const;

  const DenseMatrix& h_;
  int pairs_ = 0;
  std::vector<double> axis_;
  mutable std::vector<double> turned_;
};

}  // namespace cairn
