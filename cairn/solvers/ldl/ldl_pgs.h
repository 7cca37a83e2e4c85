// SPDX-License-Identifier: MIT
// LdlPgsSolver: joints by a direct method, contacts by projected Gauss-Seidel (Mizerski 2020).
//
// When to use: mechanisms, above all with large mass ratios, long chains or loops, where sweeps alone leave joints that
// stretch. Rows without bounds are solved exactly; limits and motors join them while their bounds do not hold them;
// contacts, and what is held, are swept.
//
//   block  every sweep solves the joints, then visits the contacts: block Gauss-Seidel, converges to the solution
//   last   Mizerski 2020: sweeps over everything, one exact solve of the joints at the end
//
// A contact that carries a long mechanism sees only the body it touches, so block converges slowly there: many sweeps
// between a light link and a heavy chain behind it.
#pragma once

#include <memory>

#include "cairn/solvers/ldl/joint_elimination.h"
#include "cairn/solvers/ldl/ldl_settings.h"
#include "cairn/solvers/ldl/ldl_stage.h"
#include "cairn/solvers/prox/prox.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// The joints of a problem by the block LDL: rows without bounds always, rows with bounds while these do not hold them.
std::unique_ptr<LdlStage> make_ldl_stage(const LdlPgsSettings& settings);

/// Warm solves allocate nothing, under the conditions of ProxSolver and with mechanisms of known structure.
class LdlPgsSolver : public Solver {
 public:
  explicit LdlPgsSolver(const LdlPgsSettings& settings);

  SolverTraits traits() const override { return {.holds_joints = true, .is_local = prox_.traits().is_local}; }
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) override;
  SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) override;

 private:
  JointElimination elimination_;
  const int most_eliminated_;  ///< contacts
  ProxSolver prox_;
};

}  // namespace cairn
