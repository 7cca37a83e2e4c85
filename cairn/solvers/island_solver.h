// SPDX-License-Identifier: MIT
// IslandSolver: any solver such that each island gets the bits that it would get alone. Solvers that are local
// (SolverTraits::is_local) see the whole problem at once. The others (accelerations, line searches, Newton's method),
// and all where a solve stops by the residual, see one island after the other, so that each has its own acceleration
// and its own stop. So do problems with spin friction: a fourth row per contact, even an empty one, rounds differently.
// A solver that divides by itself (SolverTraits::has_own_limits) is left alone.
#pragma once

#include <memory>

#include "cairn/solvers/island_parts.h"
#include "cairn/solvers/solver.h"

namespace cairn {

class IslandSolver : public Solver {
 public:
  explicit IslandSolver(std::unique_ptr<Solver> solver) : solver_(std::move(solver)) {}

  SolverTraits traits() const override;
  /// The report has the counts of all islands together, the most iterations and the worst end of any.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// As the solver itself: an assembled problem is solved as a whole.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  bool must_divide(const ContactProblem& problem, const SolveContext& context) const;
  void add(SolveReport report, SolveReport& total) const;

  std::unique_ptr<Solver> solver_;
  IslandParts parts_;
};

}  // namespace cairn
