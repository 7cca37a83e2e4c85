// SPDX-License-Identifier: MIT
// LaneSolver: what a solver can do that takes contacts in lanes, packed by whoever has them (lane_problem.h). A world
// asks its solver for this (Solver::lane_solver) and packs its contact cache; the solver keeps no problem of its own.
#pragma once

#include <cstdint>
#include <span>

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
  /// Which joints of the problem are swept, so that they do not hold to round-off: 1 per joint that is; empty: none.
  /// To be called before solve_lanes, with the same joints.
  virtual std::span<const std::uint8_t> choose_joints(const ContactProblem& problem, ThreadPool* pool) = 0;
  /// The last answer of choose_joints.
  virtual std::span<const std::uint8_t> swept_joints() const = 0;
};

}  // namespace cairn
