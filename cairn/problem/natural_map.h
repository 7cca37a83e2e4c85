// SPDX-License-Identifier: MIT
// The residual by which solvers stop: the natural map of the Coulomb cone with unit step, over |q| (Acary, Bremond,
// Huber 2018, eq. "error-1"):
//
//   | lambda - P_K( lambda - y - mu |y_t| n ) | / | q |
//
// Contacts with unequal friction axes or spin use the decoupled map, which has the same zeros; joint rows
// lambda - clamp(lambda - y). Part of the ruler: measured from the impulses alone.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"

namespace cairn {

/// Of an assembled problem, given y = W lambda + q.
double natural_map(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> velocity);

/// Of a matrix-free problem, measured many times: what does not change with the impulses is computed once.
class ContactRuler {
 public:
  /// `problem` must outlive the ruler.
  explicit ContactRuler(const ContactProblem& problem, ThreadPool* pool = nullptr);

  /// Reads the impulses of the solution only. Same bits for any pool.
  double natural_map(const ContactSolution& solution, ThreadPool* pool = nullptr) const;

 private:
  double joints(const ContactSolution& solution, const std::vector<Velocity>& w) const;

  const ContactProblem& problem_;
  int dim_;
  std::vector<std::array<double, 4>> q_;  ///< per contact: J u_free + b
  std::vector<double> joint_q_;           ///< per joint row: the same
  double q_norm_ = 0;
};

}  // namespace cairn
