// SPDX-License-Identifier: MIT
// UnitConeProblem: an assembled problem in the variables in which every contact has the same cone and the same scale.
//
//   r = D x,   z = D y,   D_k = c_k diag(1, mu_s, mu_t, mu_spin),   c_k = (dim / trace W_kk)^(1/2)
//   y = W r + q   becomes   z = A x + D q,   A = D W D,   |x_t| <= x_n,   x_t opposite to z_t
//
// so that anisotropic friction and spin become the ball of coefficient one, and impulses and velocities of all
// contacts have comparable sizes. A row whose coefficient is zero is decoupled: A_ii = 1, q_i = 0, hence x_i = 0.
// Internal to the reference solver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/timer.h"
#include "cairn/problem/delassus.h"
#include "cairn/solvers/solver.h"

namespace cairn {

struct UnitConeProblem {
  BlockSparse a;              ///< D W D
  std::vector<double> q;      ///< D q, dim per contact
  std::vector<double> scale;  ///< diagonal of D, dim per contact
  std::vector<double> rho_n;  ///< 1 / A_nn per contact: step lengths of the projections in contact_newton
  std::vector<double> rho_t;  ///< 1 / largest eigenvalue of A_tt (bounded by its row sums)

  int dim() const { return a.dim; }
  std::int64_t contact_count() const { return a.rows(); }
  std::size_t row_count() const { return q.size(); }
};

UnitConeProblem to_unit_cone(const DelassusProblem& problem);

/// One Gauss-Seidel sweep over the contacts in order, each solved exactly (local_contact.h).
void sweep(const UnitConeProblem& problem, std::span<double> x);

double norm(std::span<const double> x);

/// Watches a solve made of several phases: measures every iterate with the ruler, keeps the best one ever seen and
/// says when to stop. One call of `record` is one iteration: a Gauss-Seidel sweep or a Newton step (a factorisation).
class SolveMonitor {
 public:
  SolveMonitor(const DelassusProblem& problem, const UnitConeProblem& cone, SolveContext& context, SolveReport& report);

  /// Measures the start, which is no iteration. True when there is nothing to do.
  bool start(std::span<const double> x);

  /// Measures x; true when the solve must stop (done() is then true as well).
  bool record(std::span<const double> x);
  void count_factorisation() { ++report_.factorisations; }

  bool done() const { return done_; }
  double best_residual() const { return best_; }
  std::span<const double> best_impulse() const { return best_impulse_; }
  double seconds() const;

 private:
  void measure(std::span<const double> x);
  bool must_stop();

  const DelassusProblem& problem_;
  const UnitConeProblem& cone_;
  SolveContext& context_;
  SolveReport& report_;
  Timer timer_;
  bool done_ = false;
  double best_;
  std::vector<double> best_impulse_, impulse_, velocity_;
};

}  // namespace cairn
