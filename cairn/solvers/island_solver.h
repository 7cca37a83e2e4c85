// SPDX-License-Identifier: MIT
// IslandSolver: any solver, island by island. For solvers that look at a problem as a whole (accelerations, line searches,
// Newton's method, stopping by the residual): each island gets the bits that it would get alone, its own acceleration and
// its own stop. Solvers that are local (SolverTraits::is_local) do not need it.
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
  void add(SolveReport report, SolveReport& total) const;

  std::unique_ptr<Solver> solver_;
  IslandParts parts_;
};

}  // namespace cairn
