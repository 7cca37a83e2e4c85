// SPDX-License-Identifier: MIT
// SplittingSolver: the solvers of Tonge et al. 2012, whose result does not depend on the order of the contacts.
//
// When to use: where the order of contacts is arbitrary and must not show (jitter at few sweeps, contacts found in
// parallel), or where bodies touch so many others that colours run out. Without acceleration it needs several times
// the sweeps of Gauss-Seidel, with `nesterov` about twice.
#pragma once

#include <memory>

#include "cairn/solvers/solver.h"
#include "cairn/solvers/splitting/splitting_settings.h"

namespace cairn {

/// The result has the same bits for any pool and, unless a tolerance decides where to stop, for any order of the
/// contacts and of the two bodies of each. Called again and again with problems that are no larger than an earlier one,
/// a solve allocates nothing, with SolveContext::details off and a solution that is reused. One solve at a time.
class SplittingSolver : public Solver {
 public:
  explicit SplittingSolver(const SplittingSettings& settings);
  ~SplittingSolver() override;

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// Refused: masses are split where there are bodies.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  struct Workspace;

  SplittingSettings settings_;
  std::unique_ptr<Workspace> workspace_;  ///< memory kept between solves
};

}  // namespace cairn
