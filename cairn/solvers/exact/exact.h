// SPDX-License-Identifier: MIT
// Exact: every island of a time step solved until its residual is below 1e-9, and the proof in the report.
//
//   per island, side by side:  warm-started semismooth Newton in body space, (1 + G^T D G) ds = G^T h  (newton.h),
//   by stages from quick to sure (exact_island.h); the best iterate is kept, the start included
//
// Redundant contacts (four corners of a box) are regularised as a proximal point: of all impulses that do the same, the
// answer is near the warm start. Joints, spin friction, anisotropic friction, restitution and locked axes are rows like
// others. Islands above `max_contacts` go to the iterative solver named in the settings, and the report says so.
// Source: Alart, Curnier 1991; Acary, Bremond, Huber 2018 (RR-9118); in body space and with these stages ours.
// Use: time steps that must be right, up to some thousand contacts per island; as `stronger` of a contract.
#pragma once

#include <memory>

#include "cairn/solvers/exact/exact_island.h"
#include "cairn/solvers/side_by_side.h"

namespace cairn {

class ExactSolver : public Solver {
 public:
  explicit ExactSolver(const ExactSettings& settings = {});
  ~ExactSolver() override;

  SolverTraits traits() const override { return {.holds_joints = true, .is_local = true, .has_own_limits = true}; }
  /// SolveReport::iterations is that of the island with the most Newton steps and sweeps.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  /// Without bodies: one island, whose state is A x.
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  void add_notes(SolveReport& report) const;

  ExactSettings settings_;
  SideBySide<ExactIsland, ExactSettings> islands_;
  std::unique_ptr<Solver> large_;  ///< made when first needed
  ContactRuler ruler_;
};

}  // namespace cairn
