// SPDX-License-Identifier: MIT
// ExactIsland: an island with bodies, solved by the stages of exact_stages.h in the space of body_space.h.
#pragma once

#include <memory>
#include <vector>

#include "cairn/solvers/exact/body_space.h"
#include "cairn/solvers/exact/exact_stages.h"
#include "cairn/solvers/solver.h"
#include "cairn/solvers/staggered/staggered_island.h"

namespace cairn {

class ExactIsland : private ExactHelper {
 public:
  explicit ExactIsland(const ExactSettings& settings) : settings_(settings), stages_(settings) {}
  ~ExactIsland() override;

  /// On entry the solution's impulses are the warm start; on return it is complete. Keeps its memory; no result depends
  /// on islands before.
  ExactIslandReport run(const ContactProblem& island, ContactSolution& solution, const IslandLimits& limits);

 private:
  ExactIslandReport stagger(const IslandLimits& limits, std::span<double> x) override;
  int sweep(int sweeps, const IslandLimits& limits, std::span<double> x) override;
  bool refer(const IslandLimits& limits, std::span<double> x) override;
  SolveContext context_of(const IslandLimits& limits, double tolerance, int iterations) const;

  ExactSettings settings_;
  ExactStages stages_;
  BodySpace space_;
  std::vector<double> x_;
  const ContactProblem* island_ = nullptr;
  ContactSolution scratch_;                          ///< of the helpers
  std::unique_ptr<Solver> sweeper_, joint_sweeper_;  ///< made when first needed
  std::unique_ptr<StaggeredIsland> staggered_;       ///< the same
};

}  // namespace cairn
