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
#include <span>
#include <vector>

#include "cairn/graph/edges.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"

namespace cairn {

/// Of an assembled problem, given y = W lambda + q.
double natural_map(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> velocity);

/// Of a matrix-free problem, measured many times: what does not change with the impulses is computed once. A ruler may
/// be reset to the next problem and keeps its memory.
class ContactRuler {
 public:
  ContactRuler() = default;
  explicit ContactRuler(const ContactProblem& problem, ThreadPool* pool = nullptr) { reset(problem, pool); }

  /// `problem` must outlive the measurements that follow.
  void reset(const ContactProblem& problem, ThreadPool* pool = nullptr);

  /// Reads the impulses of the solution only. Same bits for any pool.
  double natural_map(const ContactSolution& solution, ThreadPool* pool = nullptr);

 private:
  void list_contacts(ThreadPool* pool);
  void gather_contacts(const ContactSolution& solution, ThreadPool* pool);
  double joints(const ContactSolution& solution) const;

  const ContactProblem* problem_ = nullptr;
  int dim_ = 3;
  std::vector<std::array<double, 4>> q_;  ///< per contact: J u_free + b
  std::vector<double> joint_q_;           ///< per joint row: the same
  double q_norm_ = 0;
  std::vector<Velocity> w_;  ///< per body: M^-1 J^T lambda, scratch of a measurement
  std::vector<Edge> edges_;  ///< per contact: its bodies that can move; filled with at_body_
  Lists at_body_;            ///< per body that can move: its contacts; filled by the first measurement with a pool
  bool is_listed_ = false;   ///< at_body_ belongs to this problem
};

}  // namespace cairn
