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
#include <vector>

#include "cairn/solvers/exact/exact_island.h"
#include "cairn/solvers/island_parts.h"
#include "cairn/solvers/solver.h"

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
  struct Slot {
    explicit Slot(const ExactSettings& settings) : solver(settings) {}
    IslandPart part;
    ExactIsland solver;
    ExactIslandReport report;
  };

  IslandLimits limits(const SolveContext& context, const Timer& clock) const;
  void extract(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context);
  bool is_large(const IslandPart& part) const;
  void solve_large(Slot& slot, const StopSettings& stop, const SolveContext& context);
  void add(const ExactIslandReport& island, SolveReport& report) const;
  void add_notes(SolveReport& report) const;

  ExactSettings settings_;
  IslandParts parts_;
  std::vector<std::unique_ptr<Slot>> slots_;  ///< one per island at a time; the first `count_` are in use
  std::size_t count_ = 0;
  std::unique_ptr<Solver> large_;  ///< made when first needed
  ContactRuler ruler_;
};

}  // namespace cairn
