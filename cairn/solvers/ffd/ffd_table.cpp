// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/ffd.h"
#include "cairn/solvers/solver_entry.h"

namespace cairn {

namespace {

Fields<FfdSettings> ffd_fields() {
  using S = FfdSettings;
  return {
      choice("mode", &S::mode, {{"coulomb", FfdMode::coulomb}, {"pe", FfdMode::pe}},
             "coulomb: friction bounded by impulses; pe: by velocities, as in the pe engine"),
      number("sweeps", &S::sweeps, 1, 1000, "rounds of pairs and bodies; two carry support one layer further"),
      number("friction_sweeps", &S::friction_sweeps, 1, 1000, "over the contacts of one body, mode coulomb"),
  };
}

}  // namespace

void add_ffd_solver(SolverEntries& table) {
  table.push_back(
      solver_entry<FfdSettings>("ffd", "fast frictional dynamics: each body on its own, for crowds of loose bodies",
                                {.joints = false, .assembled = false}, ffd_fields(), {},
                                [](const FfdSettings& s) { return std::make_unique<FfdSolver>(s); }));
}

}  // namespace cairn
