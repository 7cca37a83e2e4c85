// SPDX-License-Identifier: MIT
// ProxSolver: projected Gauss-Seidel and Jacobi, composed from the independent choices of prox_settings.h.
//
//   lambda_k <- prox( lambda_k - R_k (A lambda + b)_k ),   doc 000, (2.74)
//
// When to use: Gauss-Seidel, factorised, by colours, is the workhorse for piles of any size; on assembled problems its
// local=exact form is the classic nonlinear Gauss-Seidel of the contact literature; Jacobi where order must not matter.
// Convergence slows with the height of a pile and with mass ratios; an acceleration then pays for itself.
#pragma once

#include "cairn/solvers/prox_settings.h"
#include "cairn/solvers/solver.h"

namespace cairn {

class ProxSolver : public Solver {
 public:
  explicit ProxSolver(const ProxSettings& settings) : settings_(settings) {}

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  ProxSettings settings_;
};

}  // namespace cairn
