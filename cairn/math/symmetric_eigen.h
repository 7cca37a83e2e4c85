// SPDX-License-Identifier: MIT
// All eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi rotations: principal moments of inertia.
#pragma once

#include <algorithm>
#include <array>

#include "cairn/math/mat3.h"

namespace cairn {

/// S = sum value[i] vector[i] vector[i]^T, values in no order.
struct SymmetricEigen {
  std::array<double, 3> value{};
  std::array<Vec3, 3> vector{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
};

/// Cyclic sweeps; each rotation makes one off-diagonal entry zero, and ten sweeps are more than any matrix needs.
inline SymmetricEigen symmetric_eigen(const SymMat3& s) {
  double a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < 10; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        // tan of the angle that zeroes a_pq (Golub, Van Loan, section 8.5.2)
        const double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (tau >= 0 ? 1.0 : -1.0) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
        const double c = 1 / std::sqrt(1 + t * t), sine = t * c;
        for (int k = 0; k < 3; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - sine * kq, a[k][q] = sine * kp + c * kq;
        }
        for (int k = 0; k < 3; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - sine * qk, a[q][k] = sine * pk + c * qk;
          const double vp = v[k][p], vq = v[k][q];
          v[k][p] = c * vp - sine * vq, v[k][q] = sine * vp + c * vq;
        }
        a[p][q] = a[q][p] = 0;
      }
  SymmetricEigen result;
  for (std::size_t i = 0; i < 3; ++i) {
    result.value[i] = a[i][i];
    result.vector[i] = {v[0][i], v[1][i], v[2][i]};
  }
  return result;
}

/// Ascending.
inline std::array<double, 3> symmetric_eigenvalues(const SymMat3& s) {
  std::array<double, 3> value = symmetric_eigen(s).value;
  std::sort(value.begin(), value.end());
  return value;
}

inline SymMat3 recompose(const SymmetricEigen& eigen) {
  SymMat3 s;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& v = eigen.vector[i];
    const double e = eigen.value[i];
    s.xx += e * v.x * v.x, s.yy += e * v.y * v.y, s.zz += e * v.z * v.z;
    s.xy += e * v.x * v.y, s.xz += e * v.x * v.z, s.yz += e * v.y * v.z;
  }
  return s;
}

}  // namespace cairn
