// SPDX-License-Identifier: MIT
// The slow oracle of the block LDL: H = J M^-1 J^T + G of all joints as a dense matrix, solved by elimination with
// pivoting.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

using DenseMatrix = std::vector<std::vector<double>>;

/// Column by column: what a unit impulse in row k does to every row.
inline DenseMatrix dense_joint_matrix(const ContactProblem& problem) {
  const std::size_t n = problem.joint_rows.size();
  DenseMatrix h(n, std::vector<double>(n, 0.0));
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k) {
      std::vector<Velocity> u(problem.bodies.size());
      const JointRow& row = problem.joint_rows[to_index(k)];
      apply_joint_impulse(problem, joint, row, 1.0, u[to_index(joint.body_a)], u[to_index(joint.body_b)]);
      for (const JointBlock& other : problem.joints)
        for (std::int32_t i = other.first_row; i < other.first_row + other.row_count; ++i)
          h[to_index(i)][to_index(k)] =
              joint_velocity(problem.joint_rows[to_index(i)], u[to_index(other.body_a)], u[to_index(other.body_b)]);
      h[to_index(k)][to_index(k)] += joint_softness(problem, row);
    }
  return h;
}

inline std::vector<double> solve_dense(DenseMatrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

}  // namespace cairn
