// SPDX-License-Identifier: MIT
// StaggeredSolver: contacts and friction as two quadratic programs in turn, solved exactly by active sets
// (staggered_island.h). Source: J. A. Litven, A Parallel Active-Set Method for Solving Frictional Contact Problems,
// 2013; staggered projections: Kaufman, Sueda, James, Pai 2008.
//
// When to use: small islands that stick, from a warm start, to an answer that is exact to round-off; `schurpa` for
// contacts without friction and for mechanisms with such contacts. Staggering may crawl or stall where friction carries
// the load (stacks of boxes that rock, card houses): the report says so, and the best iterate is returned.
//
// Islands are solved one by one. What the method cannot take goes to `fallback`, and the report says how many: islands
// of more than max_contacts, spin friction, and friction at all for `schurpa`.
#pragma once

#include <memory>

#include "cairn/solvers/island_parts.h"
#include "cairn/solvers/solver.h"
#include "cairn/solvers/staggered/staggered_island.h"

namespace cairn {

class StaggeredSolver : public Solver {
 public:
  StaggeredSolver(const StaggeredSettings& settings, std::unique_ptr<Solver> fallback);

  SolverTraits traits() const override { return {.holds_joints = true, .is_local = true}; }
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// Refused: the QPs need the bodies.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  bool can_take(const ContactProblem& island) const;

  StaggeredSettings settings_;
  std::unique_ptr<Solver> fallback_;
  StaggeredIsland island_;
  IslandParts parts_;
  ContactRuler ruler_;
};

}  // namespace cairn
