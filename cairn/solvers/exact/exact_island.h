// SPDX-License-Identifier: MIT
// ExactIsland: one island, stage by stage, until its residual is below the tolerance or nothing helps.
//
//   start       measure the warm start
//   impulses    Newton in impulses from there
//   velocities  proximal Newton in velocities from the best iterate, then in impulses again
//   sweeps      rounds of accelerated sweeps and both Newtons, as long as a round helps
//   reference   on small islands without joints, the phases of reference.h
//
// A stage is a function that improves the best iterate and says whether the island is done; a cheaper one (staggered
// projections where they end quickly) takes its place in `run`, before `impulses`.
#pragma once

#include <memory>

#include "cairn/solvers/exact/best_iterate.h"
#include "cairn/solvers/exact/body_space.h"
#include "cairn/solvers/exact/exact_settings.h"
#include "cairn/solvers/exact/newton.h"
#include "cairn/solvers/solver.h"

namespace cairn {

class ExactIsland {
 public:
  explicit ExactIsland(const ExactSettings& settings) : settings_(settings) {}

  /// On entry the solution's impulses are the warm start; on return it is complete. Keeps its memory.
  ExactIslandReport run(const ContactProblem& island, ContactSolution& solution, const IslandLimits& limits);

 private:
  bool newton_stage(bool is_careful);
  bool sweep_stage(const ContactProblem& island, ContactSolution& solution);
  bool reference_stage(const ContactProblem& island, ContactSolution& solution);
  bool sweep(const ContactProblem& island, ContactSolution& solution, Solver& solver);

  ExactSettings settings_;
  BodySpace space_;
  ExactNewton newton_;
  BestIterate best_;
  std::vector<double> x_;
  std::unique_ptr<Solver> sweeper_, joint_sweeper_;  ///< made when first needed
  int sweeps_ = 0;
};

}  // namespace cairn
