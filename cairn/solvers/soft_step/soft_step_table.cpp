// SPDX-License-Identifier: MIT
#include "cairn/solvers/contract/contract.h"
#include "cairn/solvers/soft_step/soft_step.h"
#include "cairn/solvers/solver_entry.h"

namespace cairn {

namespace {

Fields<SoftStepSettings> soft_step_fields() {
  using S = SoftStepSettings;
  return {
      number("sub_steps", &S::sub_steps, 0, 1000,
             "per step; 0: 1 in islands that nothing touches, 8 where there are more joints than manifolds and in "
             "islands of up "
             "to 256 manifolds, most of them of several points, else 4"),
      number("iterations", &S::iterations, 1, 1000, "soft sweeps per sub-step"),
      number("relax", &S::relax, 0, 1000,
             "rigid sweeps per sub-step that take back the speed of the push-out (0: 2 where most manifolds are flat, "
             "else 1)"),
      number("cold_relax", &S::cold_relax, 0, 1000,
             "the same for islands in which nearly no contact has an impulse to start from; 0: as relax"),
      number("hertz", &S::hertz, 0.0, 1e6, "frequency of soft contacts; 0: a quarter of the rate of sub-steps"),
      number("damping_ratio", &S::damping_ratio, 0.0, 1000.0, "of soft contacts; higher: tall stacks rock longer"),
      number("still_factor", &S::still_factor, 0.1, 100.0, "frequency of contacts with bodies that cannot move"),
      number("push", &S::push, 0.0, 1000.0, "m/s, fastest push-out"),
      number("slop", &S::slop, 0.0, 1.0, "m, overlap left alone"),
      choice("joint_solve", &S::joint_solve,
             {{"auto", JointSolve::automatic}, {"direct", JointSolve::direct}, {"sweeps", JointSolve::sweeps}},
             "joints solved together, exactly, or swept like contacts; auto: by mechanism, what it costs and needs"),
      number("max_residual", &S::max_residual, 0.0, 1e6, "islands above are solved again by `stronger`; 0: never"),
      number("max_ms", &S::max_ms, 0.0, 1e9, "ms of a solve after which none is solved again; 0: no limit"),
      choice("stronger", &S::stronger,
             {{"nncg", "nncg"},
              {"anderson", "anderson"},
              {"nesterov", "nesterov"},
              {"gauss_seidel", "gauss_seidel"},
              {"ldl_pgs", "ldl_pgs"},
              {"exact", "exact"},
              {"reference", "reference"}},
             "what solves the islands that missed max_residual"),
  };
}

/// Alone, or with a contract around it if a largest residual is given.
std::unique_ptr<Solver> make(const SoftStepSettings& s) {
  auto quick = std::make_unique<SoftStepSolver>(s);
  require(s.max_ms == 0 || s.max_residual > 0, "max_ms ends a contract: give max_residual as well");
  if (s.max_residual == 0) return quick;
  return std::make_unique<ContractSolver>(ContractSettings{s.max_residual, s.max_ms}, std::move(quick),
                                          make_solver(s.stronger));
}

}  // namespace

void add_soft_step_solver(SolverEntries& table) {
  table.push_back(solver_entry<SoftStepSettings>("soft_step", "sub-steps of soft Gauss-Seidel in wide lanes: real time",
                                                 {.assembled = false}, soft_step_fields(), {}, make));
}

}  // namespace cairn
