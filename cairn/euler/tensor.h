// SPDX-License-Identifier: MIT
// General 3x3 matrices of continuum mechanics: deformation gradients and their inverses. Mat3 holds them by rows.
#pragma once

#include "cairn/math/quat.h"

namespace cairn {

inline constexpr Mat3 kZeroMatrix{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

/// M += a b^T.
constexpr void add_outer(Mat3& m, const Vec3& a, const Vec3& b) {
  m.row0 += a.x * b;
  m.row1 += a.y * b;
  m.row2 += a.z * b;
}

constexpr double determinant(const Mat3& m) { return dot(m.row0, cross(m.row1, m.row2)); }

constexpr Mat3 transposed(const Mat3& m) {
  return {{m.row0.x, m.row1.x, m.row2.x}, {m.row0.y, m.row1.y, m.row2.y}, {m.row0.z, m.row1.z, m.row2.z}};
}

/// The inverse by cofactors, given the determinant, which must not be zero.
constexpr Mat3 inverse(const Mat3& m, double det) {
  const double s = 1.0 / det;
  return transposed({s * cross(m.row1, m.row2), s * cross(m.row2, m.row0), s * cross(m.row0, m.row1)});
}

constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {multiply_transposed(b, a.row0), multiply_transposed(b, a.row1), multiply_transposed(b, a.row2)};
}

/// M M^T.
constexpr SymMat3 times_transposed(const Mat3& m) {
  return {dot(m.row0, m.row0), dot(m.row1, m.row1), dot(m.row2, m.row2),
          dot(m.row0, m.row1), dot(m.row0, m.row2), dot(m.row1, m.row2)};
}

constexpr double trace(const SymMat3& m) { return m.xx + m.yy + m.zz; }
/// M : M, the sum of the squares of all nine entries.
constexpr double square_sum(const SymMat3& m) {
  return m.xx * m.xx + m.yy * m.yy + m.zz * m.zz + 2 * (m.xy * m.xy + m.xz * m.xz + m.yz * m.yz);
}
constexpr SymMat3 operator+(const SymMat3& a, const SymMat3& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
/// s on the diagonal.
constexpr SymMat3 isotropic(double s) { return SymMat3::diagonal(s, s, s); }

}  // namespace cairn
