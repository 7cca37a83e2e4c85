// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/reference.h"
#include "cairn/solvers/solver_entry.h"

namespace cairn {

namespace {

Fields<ReferenceSettings> reference_fields() {
  using S = ReferenceSettings;
  return {
      iterations_field<S>("sweeps and Newton steps"),
      tolerance_field<S>(),
      number("sweeps", &S::sweeps, 0, 1000000, "Gauss-Seidel sweeps before Newton"),
      number("cold_alpha", &S::cold_alpha, 1e-9, 1e9, "first proximal parameter; smaller fails more often"),
      number("first_try_m", &S::first_try_m, 1e-12, 1.0,
             "how far the smoothing path is followed before Newton is tried"),
      number("try_factor", &S::try_factor, 0.01, 0.99, "fall along the path between tries"),
      number("max_rounds", &S::max_rounds, 0, 100000, "rounds of sweeps and Newton at the end"),
      number("round_sweeps", &S::round_sweeps, 1, 1000000, "Gauss-Seidel sweeps per round"),
  };
}

}  // namespace

void add_reference_solver(SolverEntries& table) {
  table.push_back(solver_entry<ReferenceSettings>(
      "reference", "proximal Newton and a smoothing path: slow, accurate, the oracle", {.joints = false},
      reference_fields(), {}, [](const ReferenceSettings& s) { return std::make_unique<ReferenceSolver>(s); }));
}

}  // namespace cairn
