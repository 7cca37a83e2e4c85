// SPDX-License-Identifier: MIT
// StaggeredSolver: contacts and friction as two quadratic programs in turn, solved exactly by active sets
// (staggered_island.h). Source: J. A. Litven, A Parallel Active-Set Method for Solving Frictional Contact Problems,
// 2013; staggered projections: Kaufman, Sueda, James, Pai 2008.
//
// When to use: small islands that stick, from a warm start, whose answer must be exact to round-off. `schurpa` is for
// contacts without friction, and for mechanisms with such contacts. Staggering may crawl or stall where friction
// carries the load (stacks of boxes that rock, card houses). The report then says so, and the best iterate is returned.
//
// Islands are solved side by side. What the method cannot take goes to `fallback`, and the report says how many:
// islands of more than max_contacts, spin friction, and friction at all for `schurpa`.
#pragma once

#include <memory>
#include <vector>

#include "cairn/solvers/side_by_side.h"
#include "cairn/solvers/staggered/staggered_island.h"

namespace cairn {

class StaggeredSolver : public Solver {
 public:
  /// InputError where the settings do not fit together.
  StaggeredSolver(const StaggeredSettings& settings, std::unique_ptr<Solver> fallback);

  SolverTraits traits() const override { return {.holds_joints = true, .is_local = true, .has_own_limits = true}; }
  /// SolveReport::iterations is that of the island with the most turns.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// Without bodies: one island.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  bool takes(std::size_t contacts, bool has_friction, bool has_spin) const;
  bool takes(const ContactProblem& island) const;
  bool takes(const DelassusProblem& problem) const;
  void add_notes(SolveReport& report) const;

  StaggeredSettings settings_;
  std::unique_ptr<Solver> fallback_;
  SideBySide<StaggeredIsland, StaggeredSettings> islands_;
  std::unique_ptr<StaggeredIsland> assembled_;  ///< made when first needed
  ContactRuler ruler_;
};

}  // namespace cairn
