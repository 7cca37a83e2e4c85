// SPDX-License-Identifier: MIT
// AssembledStaggered: staggered projections on an assembled problem with a sparse W (Litven 2013, algorithms 4.1, 4.2).
//
//   contact   min 1/2 a^T W_nn a + (q_n + W_nt b)^T a,   a >= 0
//   friction  min 1/2 b^T W_tt b + (q_t + W_tn a)^T b,   |b_1| + |b_2| <= mu a                     (F2, (4.27))
//
// in turn, until the impulses change by less than a share of themselves in the norm of W. Along axes at 45 degrees to
// the tangents the diamond is a box, so that both are bounded QPs. A few sweeps of projected Gauss-Seidel guess the
// active sets, and again where the sets of a QP do not end; the primal-dual active-set method solves them, with one
// factorisation for the whole solve (SCHURPA) or one per set. W_nn and W_tt have eps of their diagonal added as a
// proximal term around the last iterate, which vanishes in the end.
//
// Turns may go round in circles. From the fifth on, the next one begins from the mean of the last two answers, which is
// feasible because the sets are convex. The criterion looks at the answers themselves.
//
// When to use: problems of elastic solids on a grid, whose contacts are many, couple to neighbours only, and change
// little from step to step. Staggering settles there in a few turns; rigid piles are for the other solvers.
#pragma once

#include <memory>
#include <vector>

#include "cairn/problem/delassus.h"
#include "cairn/solvers/staggered/assembled_staggered_settings.h"

namespace cairn {

/// How the solves of one kind of QP went.
struct QpTally {
  int solves = 0;     ///< QPs
  int most_sets = 0;  ///< active sets of the QP that took most
  int factorisations = 0;
  int refactorings = 0;       ///< factorisations after the first one
  int linear_solves = 0;      ///< right-hand sides that were solved with a factor
  int columns = 0;            ///< most columns of the Schur complement at a time
  int free = 0;               ///< variables between their bounds at the end
  double right_at_start = 1;  ///< share of the variables whose state in the warm start is that of the end
  int rescues = 0;            ///< QPs whose sets did not end before Gauss-Seidel was asked again
  int unfinished = 0;         ///< QPs of which the best iterate was taken
  double seconds = 0, cpu_seconds = 0;
};

struct AssembledStaggeredReport {
  int iterations = 0;
  bool settled = true;
  QpTally contact, friction;
};

class AssembledStaggered {
 public:
  explicit AssembledStaggered(const AssembledStaggeredSettings& settings) : settings_(settings) {}

  /// Blocks of three, friction the same in all directions. On entry `impulse` is the warm start (empty: zero).
  AssembledStaggeredReport solve(const DelassusProblem& problem, DelassusSolution& solution, ThreadPool* pool);

 private:
  using Vector = std::vector<double>;
  struct Program;

  void relax();
  void read_start(const DelassusProblem& problem, const DelassusSolution& solution);
  void solve_contact(const DelassusProblem& problem, Program& program, QpTally& tally, ThreadPool* pool);
  void solve_friction(const DelassusProblem& problem, Program& program, QpTally& tally, ThreadPool* pool);
  void solve_program(Program& program, QpTally& tally, ThreadPool* pool) const;
  bool has_settled(const DelassusProblem& problem);

  AssembledStaggeredSettings settings_;
  Vector impulse_, last_, velocity_;  ///< 3 per contact: now, one iteration ago, W impulse + q
};

}  // namespace cairn
