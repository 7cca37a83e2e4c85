// SPDX-License-Identifier: MIT
// BorderMatrix: a square matrix that grows by a last row and column and loses any of them, in memory that is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cairn {

class BorderMatrix {
 public:
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  double& at(std::size_t i, std::size_t j) { return values_[i * stride_ + j]; }
  double at(std::size_t i, std::size_t j) const { return values_[i * stride_ + j]; }

  /// One row and column more, whose entries are the caller's to write.
  void append() {
    if (size_ == stride_) widen(std::max<std::size_t>(16, 2 * stride_));
    ++size_;
  }

  /// Row and column k leave; those behind them move up.
  void erase(std::size_t k) {
    for (std::size_t i = 0; i < size_; ++i) {
      double* row = values_.data() + i * stride_;
      std::copy(row + k + 1, row + size_, row + k);
      if (i > k) std::copy(row, row + size_ - 1, row - stride_);
    }
    --size_;
  }

 private:
  void widen(std::size_t stride) {
    std::vector<double> wider(stride * stride);
    for (std::size_t i = 0; i < size_; ++i) std::copy_n(values_.data() + i * stride_, size_, wider.data() + i * stride);
    values_.swap(wider), stride_ = stride;
  }

  std::size_t size_ = 0, stride_ = 0;
  std::vector<double> values_;
};

}  // namespace cairn
