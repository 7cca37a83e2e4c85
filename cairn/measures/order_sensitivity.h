// SPDX-License-Identifier: MIT
// Order sensitivity: how much an answer depends on the order in which contacts are numbered (measure D3).
//
//   D3 = max over pairs i, j of |u_i - u_j|_M / |u_free - u*|_M
//
// with u_i the velocities that a solver returns for the contacts in the i-th random order, u* those of an accurate
// solution, |x|_M^2 = x . M x. 0: order-independent, up to rounding. Where iterations are few, a Gauss-Seidel sweep
// leaves its error with whom it visited first, and that changes from step to step: jitter.
#pragma once

#include <cstdint>

#include "cairn/problem/contact_problem.h"
#include "cairn/solvers/solver.h"

namespace cairn {

struct OrderSettings {
  int orders = 10;
  std::uint64_t seed = 1;
  int reference_sweeps = 5000;            ///< of Gauss-Seidel at most, to find u*
  std::int64_t reference_contacts = 500;  ///< up to so many the reference solver goes on where they did not do
};

struct OrderReport {
  double sensitivity = 0;         ///< D3
  double reference_residual = 0;  ///< Measures::residual of u*: how good the yardstick is
};

/// `warm_start` are the impulses every order begins from; empty: zero. `context.contact_colour` is not used: colours
/// belong to an order. Slow; for judging solvers, not for time steps.
OrderReport order_sensitivity(const ContactProblem& problem, const ContactSolution& warm_start, Solver& solver,
                              const SolveContext& context, const OrderSettings& settings = {});

}  // namespace cairn
