// SPDX-License-Identifier: MIT
// The largest eigenvalue of a symmetric matrix of order 1 to 3: the scale of a friction block.
#pragma once

#include <cmath>

namespace cairn {

/// `block` points at the first entry of the order x order matrix inside a row-major matrix of the given stride. Order 3
/// is found by power iteration, good to about 1e-6: a scale, not a spectrum.
inline double largest_eigenvalue(const double* block, int stride, int order) {
  if (order == 1) return block[0];
  const double a = block[0], b = 0.5 * (block[1] + block[stride]), c = block[stride + 1];
  if (order == 2) return 0.5 * (a + c) + std::sqrt(0.25 * (a - c) * (a - c) + b * b);
  double x[3] = {1, 0.9, 0.8}, value = 0;
  for (int step = 0; step < 60; ++step) {
    double z[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) z[i] += block[i * stride + j] * x[j];
    value = std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    if (!(value > 0)) return 0;
    for (int i = 0; i < 3; ++i) x[i] = z[i] / value;
  }
  return value;
}

}  // namespace cairn
