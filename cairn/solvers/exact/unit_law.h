// SPDX-License-Identifier: MIT
// The law of one contact in the unit cone, and of one joint row: projection and its generalised derivative.
//
//   P(tau) = ([tau_n]_+,  projection of tau_t on the ball of radius [tau_n]_+),   S = dP/dtau
//   slide:  dP_t = d [tau_n]_+ + radius / |tau_t| (1 - d d^T) dtau_t,   d = tau_t / |tau_t|
//
// The zeros of x - P(x - rho z) are the solutions of the law for every rho > 0 (Alart, Curnier 1991). Internal to
// `exact`.
#pragma once

#include <algorithm>
#include <cmath>

namespace cairn {

/// x = P(tau) of a contact; slope, D x D row major, unless it is null.
template <int D>
inline void project_unit(const double* tau, double* x, double* slope) {
  const double radius = std::max(tau[0], 0.0);
  double length2 = 0;
  for (int i = 1; i < D; ++i) length2 += tau[i] * tau[i];
  const bool sticks = length2 <= radius * radius;
  x[0] = radius;
  const double ratio = sticks ? 1.0 : radius / std::sqrt(length2);
  for (int i = 1; i < D; ++i) x[i] = ratio * tau[i];
  if (slope == nullptr) return;
  std::fill(slope, slope + D * D, 0.0);
  if (!(tau[0] > 0)) return;
  slope[0] = 1;
  if (sticks) {
    for (int i = 1; i < D; ++i) slope[i * D + i] = 1;
    return;
  }
  const double inverse = 1 / std::sqrt(length2);
  for (int i = 1; i < D; ++i) {
    slope[i * D] = tau[i] * inverse;
    for (int j = 1; j < D; ++j)
      slope[i * D + j] = ratio * ((i == j ? 1.0 : 0.0) - tau[i] * inverse * (tau[j] * inverse));
  }
}

/// The same for a joint row between its bounds.
inline void project_row(double tau, double lower, double upper, double* x, double* slope) {
  *x = std::clamp(tau, lower, upper);
  if (slope != nullptr) *slope = tau > lower && tau < upper ? 1.0 : 0.0;
}

/// right <- matrix^-1 right by elimination with row pivots; `columns` of them, row major. Destroys the matrix. False
/// where it is singular.
template <int D>
inline bool solve_small(double* matrix, double* right, int columns) {
  for (int p = 0; p < D; ++p) {
    int best = p;
    for (int i = p + 1; i < D; ++i)
      if (std::fabs(matrix[i * D + p]) > std::fabs(matrix[best * D + p])) best = i;
    if (!(std::fabs(matrix[best * D + p]) > 0)) return false;
    if (best != p) {
      std::swap_ranges(matrix + p * D, matrix + (p + 1) * D, matrix + best * D);
      std::swap_ranges(right + p * columns, right + (p + 1) * columns, right + best * columns);
    }
    const double inverse = 1 / matrix[p * D + p];
    for (int i = p + 1; i < D; ++i) {
      const double factor = matrix[i * D + p] * inverse;
      if (factor == 0) continue;
      for (int j = p + 1; j < D; ++j) matrix[i * D + j] -= factor * matrix[p * D + j];
      for (int j = 0; j < columns; ++j) right[i * columns + j] -= factor * right[p * columns + j];
    }
  }
  for (int p = D - 1; p >= 0; --p) {
    const double inverse = 1 / matrix[p * D + p];
    for (int j = 0; j < columns; ++j) {
      double sum = right[p * columns + j];
      for (int i = p + 1; i < D; ++i) sum -= matrix[p * D + i] * right[i * columns + j];
      right[p * columns + j] = sum * inverse;
    }
  }
  return true;
}

}  // namespace cairn
