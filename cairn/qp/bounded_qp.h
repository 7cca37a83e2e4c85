// SPDX-License-Identifier: MIT
// BoundedQp: a strictly convex quadratic program with bounds as a value, and the ruler of its answers.
//
//   minimise 1/2 x^T H x - c^T x   subject to   l <= x <= u          (Litven 2013, (P), with bounds as constraints)
//   lambda = c - H x:  lambda_i = 0 between the bounds, <= 0 at l_i, >= 0 at u_i      (2.1)
//
// The residual is the natural map in units of energy, over the size of the problem and of the answer:
//
//   r = |D^1/2 (x - clamp(x + D^-1 lambda, l, u))| / (|D^-1/2 c| + |D^1/2 x|),   D = diag(H)
//
// It does not change with the unit of any variable nor with that of the value. 0 is a solution.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/qp/qp_matrix.h"

namespace cairn {

struct BoundedQp {
  const QpMatrix* h = nullptr;       ///< must outlive the solve
  std::vector<double> c;             ///< per variable
  std::vector<double> lower, upper;  ///< per variable; may be infinite, may be equal
};

enum class BoundState : std::uint8_t { free, lower, upper };

/// On entry `state` is the active set to start from (empty: all free); on return all fields are complete.
struct QpSolution {
  std::vector<double> x;           ///< within the bounds
  std::vector<double> multiplier;  ///< lambda = c - H x
  std::vector<BoundState> state;
};

enum class QpEnd {
  converged,  ///< no variable violates a bound and no multiplier its sign, or the residual is at most wanted
  cycled,     ///< the active sets come back; only without the safeguard
  stalled,    ///< round-off decides which variables are bound; the best iterate is returned
  not_positive_definite,  ///< a factorisation failed
  max_iterations,
  time_limit,
  interrupted,
};
const char* to_string(QpEnd end);

struct QpReport {
  QpEnd end = QpEnd::max_iterations;
  int iterations = 0;  ///< active sets that were solved for
  int factorisations = 0;
  int solves = 0;         ///< right-hand sides that were solved with a factor
  int schur_columns = 0;  ///< most columns of U at a time
  int refactorings = 0;   ///< factorisations after the first
  int refinement_steps = 0;
  int single_exchanges = 0;  ///< of the safeguard
  double residual = 0;       ///< of what is returned
  double factor_seconds = 0, solve_seconds = 0, seconds = 0;
};

struct QpContext {
  ThreadPool* pool = nullptr;
  double tolerance = 1e-14;  ///< residual at which to stop though some variables are on the wrong side by round-off
  int max_iterations = 10000;
  double time_limit = 0;  ///< s; 0: none
  const std::atomic<bool>* interrupt = nullptr;
};

/// InputError where sizes disagree, a number is not finite, bounds cross or the diagonal is not positive.
void validate(const BoundedQp& qp);

/// The residual of x, from x alone.
double kkt_residual(const BoundedQp& qp, std::span<const double> x, ThreadPool* pool = nullptr);
/// The same, with lambda = c - H x given.
double kkt_residual(const BoundedQp& qp, std::span<const double> x, std::span<const double> multiplier);

/// A bound that a state stands for.
inline double bound_of(const BoundedQp& qp, std::size_t i, BoundState state) {
  return state == BoundState::lower ? qp.lower[i] : qp.upper[i];
}

}  // namespace cairn
