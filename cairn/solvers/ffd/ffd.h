// SPDX-License-Identifier: MIT
// FfdSolver: fast frictional dynamics. Each body answers its contacts on its own, with the others as they were.
//
//   1. pairs    per contact: the impulse p that the two bodies would exchange if there were no others (pair_impulses.h)
//   2. bodies   per body: u' = the velocity nearest to u that p allows at all contacts, then friction (body_response.h)
//
// repeated `sweeps` times. Contacts are independent in the first part and bodies in the second, so both run on all
// threads, and so does the sorting of contacts by body in between (contact_lists.h). The cost is linear in contacts,
// and a step has no start value and no memory.
//
// Source: Kaufman, Edmunds, Pai 2005, as in the pe engine (pe thesis 2008, 4.6 to 4.9). A world detects at the
// beginning of the step and contacts may close their gap within it, where the pe engine moves all bodies by half a step
// first.
//
// When to use: crowds of loose bodies and debris that must be cheap. It is exact, without friction, for a
// body on what cannot move and for a pair of bodies. In clusters momentum is not kept: the impulses on the two bodies
// of a contact differ, the solution has their mean, and velocities do not follow from it (measure C7). Two sweeps carry
// support one layer further, so stacks sink and are then pushed out. Joints are refused.
#pragma once

#include <memory>

#include "cairn/solvers/ffd/ffd_settings.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// Same bits for any pool and any order of the contacts. A kept solver allocates nothing when warm.
class FfdSolver : public Solver {
 public:
  explicit FfdSolver(const FfdSettings& settings = {});
  ~FfdSolver() override;

  /// Neither a tolerance nor a limit of iterations is looked at: the work of a step is fixed by the settings alone, so
  /// that islands need not be told apart.
  SolverTraits traits() const override { return {.is_local = true, .has_own_limits = true}; }

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// Refused: it moves bodies.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  struct Workspace;

  FfdSettings settings_;
  std::unique_ptr<Workspace> workspace_;  ///< memory kept between solves
};

}  // namespace cairn
