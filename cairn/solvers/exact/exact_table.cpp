// SPDX-License-Identifier: MIT
#include "cairn/solvers/exact/exact.h"
#include "cairn/solvers/solver_entry.h"

namespace cairn {

namespace {

Fields<ExactSettings> exact_fields() {
  using S = ExactSettings;
  return {
      iterations_field<S>("Newton steps and sweeps of an island"),
      number("tolerance", &S::tolerance, -1.0, 1.0,
             "residual of every island to stop at; 0: 1e-10; negative: as the caller says, 1e-10 where that is 0"),
      number("staggered_contacts", &S::staggered_contacts, 0, 4096,
             "islands of up to so many contacts and joint rows try staggered projections first; 0: none"),
      number("newton_steps", &S::newton_steps, 1, 1000, "Newton steps in impulses at a time"),
      number("eps", &S::eps, 1e-12, 1e-2, "proximal term of Newton in impulses: what holds redundant contacts"),
      number("first_eps", &S::first_eps, 1e-12, 1e3, "first proximal term of Newton in velocities"),
      number("last_eps", &S::last_eps, 1e-12, 1e3, "last one; smaller: round-off"),
      number("factor", &S::factor, 0.01, 0.9, "of the proximal term from one point to the next"),
      number("rounds", &S::rounds, 0, 1000, "of sweeps and Newton after that, as long as they help"),
      number("sweeps", &S::sweeps, 1, 1000000, "per round"),
      boolean("reference", &S::reference, "at last the phases of `reference`, on small islands without joints"),
      number("reference_contacts", &S::reference_contacts, 0, 1000000, "contacts up to which an island is small"),
      number("max_contacts", &S::max_contacts, 0, 1000000,
             "contacts and joint rows of an island above which `large` takes it"),
      choice("large", &S::large,
             {{"nncg", "nncg"},
              {"anderson", "anderson"},
              {"nesterov", "nesterov"},
              {"gauss_seidel", "gauss_seidel"},
              {"ldl_pgs", "ldl_pgs"}},
             "the iterative solver of islands above max_contacts"),
  };
}

}  // namespace

void add_exact_solver(SolverEntries& table) {
  table.push_back(solver_entry<ExactSettings>(
      "exact", "semismooth Newton per island in body space: exact time steps, and the proof in the report", {},
      exact_fields(), {}, [](const ExactSettings& s) { return std::make_unique<ExactSolver>(s); }));
}

}  // namespace cairn
