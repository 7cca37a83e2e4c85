// SPDX-License-Identifier: MIT
// LaneSolver: what a solver can do that takes contacts in lanes, packed by whoever has them (lane_problem.h). A world
// asks its solver for this (Solver::lane_solver) and packs its contact cache; the solver keeps no problem of its own.
#pragma once

#include "cairn/problem/lanes/lane_source.h"
#include "cairn/solvers/solver.h"

namespace cairn {

class LaneSolver : public LaneBatching {
 public:
  /// Solves what stands in `lanes`, with the joints of `problem`, whose contacts are not looked at. `velocity`,
  /// `displacement` and `joint_impulse` (on entry the warm start) of the solution are complete on return; the impulses
  /// of contacts stay in the lanes.
  virtual SolveReport solve_lanes(LaneProblem& lanes, const ContactProblem& problem, ContactSolution& solution,
                                  SolveContext& context) = 0;
};

}  // namespace cairn
