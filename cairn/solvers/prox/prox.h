// SPDX-License-Identifier: MIT
// ProxSolver: projected Gauss-Seidel and Jacobi, composed from the independent choices of prox_settings.h.
//
//   lambda_k <- prox( lambda_k - R_k (A lambda + b)_k ),   Poulsen 2010, (2.74)
//
// When to use: Gauss-Seidel, factorised, by colours, is the workhorse for piles of any size; on assembled problems its
// local=exact form is the classic nonlinear Gauss-Seidel of the contact literature; Jacobi where order must not matter.
// Convergence slows with the height of a pile and with mass ratios; an acceleration then pays for itself.
#pragma once

#include <memory>

#include "cairn/solvers/joint_stage.h"
#include "cairn/solvers/prox/prox_settings.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// Called again and again with problems that are no larger than an earlier one, a solve allocates nothing: factorised
/// operator, r_factor local or diagonal, schedule automatic, sequential, greedy or split, any order and acceleration,
/// with SolveContext::details off and a solution that is reused. The result does not depend on the solves before. One
/// solve at a time per solver.
class ProxSolver : public Solver {
 public:
  /// `stage`: solves the joints of problems with bodies together, in every sweep or once at the end.
  explicit ProxSolver(const ProxSettings& settings, std::unique_ptr<JointStage> stage = nullptr);
  ~ProxSolver() override;

  SolverTraits traits() const override;
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  struct Workspace;

  SolveReport solve_assembled(const ContactProblem& problem, ContactSolution& solution, SolveContext& context);

  ProxSettings settings_;
  std::unique_ptr<JointStage> stage_;
  std::unique_ptr<Workspace> workspace_;  ///< memory kept between solves
};

}  // namespace cairn
