// SPDX-License-Identifier: MIT
// The residual: the one number that says how far an answer is from a solution, by which solvers stop and which stands
// in every table. The natural map of the contact law, in units of energy, over that of no impulses at all:
//
//   r = sqrt( sum_k w_k |F_k(lambda)|^2 / sum_k w_k |F_k(0)|^2 ),   w_k = trace(W_kk) / dim
//   F_k = lambda - P_K( lambda - (y + mu |y_t| n) / w_k )           contacts; y = J u' + b
//   F_k = lambda - clamp( lambda - y / w_k )                        joint rows; w_k = W_kk + G_k
//
// 1 is as bad as doing nothing, 0 a solution, whatever the units, the masses and the step: w_k |F_k| is a velocity.
// Contacts with unequal friction axes or spin use the decoupled map, which has the same zeros. Measured from the
// impulses alone. Of an answer by sub-steps, contacts that close on the way (gap > 0) are judged by where they end: y_n
// = (gap + J d) / dt.
//
// `natural_map` is the form of the literature, with unit steps over |q| (Acary, Bremond, Huber 2018, eq. "error-1"); it
// depends on units.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cairn/graph/edges.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"

namespace cairn {

/// The residual of an assembled problem, given y = W lambda + q.
double relative_residual(const DelassusProblem& problem, std::span<const double> impulse,
                         std::span<const double> velocity);
/// The natural map of the literature.
double natural_map(const DelassusProblem& problem, std::span<const double> impulse, std::span<const double> velocity);

/// Of a matrix-free problem, measured many times: what does not change with the impulses is computed once. A ruler may
/// be reset to the next problem and keeps its memory.
class ContactRuler {
 public:
  ContactRuler() = default;
  explicit ContactRuler(const ContactProblem& problem, ThreadPool* pool = nullptr) { reset(problem, pool); }

  /// `problem` must outlive the measurements that follow.
  void reset(const ContactProblem& problem, ThreadPool* pool = nullptr);

  /// The residual. Reads the impulses of the solution, and its velocities and displacements too if `has_sub_steps`.
  /// Same bits for any pool.
  double residual(const ContactSolution& solution, bool has_sub_steps = false, ThreadPool* pool = nullptr);

 private:
  void read_changes(const ContactSolution& solution);
  void list_contacts(ThreadPool* pool);
  void gather_contacts(const ContactSolution& solution, ThreadPool* pool);
  double scale_contacts(ThreadPool* pool);
  double scale_joints();
  double joints(const ContactSolution& solution) const;

  const ContactProblem* problem_ = nullptr;
  int dim_ = 3;
  std::vector<std::array<double, 4>> q_;  ///< per contact: J u_free + b
  std::vector<double> weight_;            ///< per contact: w_k
  std::vector<double> joint_q_;           ///< per joint row: J u_free + b
  std::vector<double> joint_weight_;      ///< per joint row: w_k
  double scale_ = 0;                      ///< of no impulses
  std::vector<Velocity> w_;               ///< per body: M^-1 J^T lambda, scratch of a measurement
  std::vector<Edge> edges_;               ///< per contact: its bodies that can move; filled with at_body_
  Lists at_body_;           ///< per body that can move: its contacts; filled by the first measurement with a pool
  bool is_listed_ = false;  ///< at_body_ belongs to this problem
};

}  // namespace cairn
