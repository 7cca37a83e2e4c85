// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/acceleration.h"
#include "cairn/solvers/solver_entry.h"
#include "cairn/solvers/staggered/staggered.h"

namespace cairn {

namespace {

Fields<StaggeredSettings> staggered_fields(StaggeredMethod method) {
  using S = StaggeredSettings;
  Fields<S> fields{
      iterations_field<S>("turns of both quadratic programs"),
      tolerance_field<S>(),
      number("max_contacts", &S::max_contacts, 1, 4096, "of an island; larger ones go to `fallback`"),
      number("eps", &S::eps, 1e-12, 1e-2, "regularisation over the diagonal; vanishes in the end"),
      number("patience", &S::patience, 1, 1000000, "turns without a better answer before it is given up"),
      choice("fallback", &S::fallback,
             {{"ldl_pgs", "ldl_pgs"}, {"gauss_seidel", "gauss_seidel"}, {"nesterov", "nesterov"}, {"nncg", "nncg"}},
             "what solves islands that this method cannot take"),
  };
  if (method == StaggeredMethod::schurpa) return fields;
  fields.push_back(number("depth", &S::depth, 0, kMostDepth, "turns that Anderson's method looks back on; 0: none"));
  fields.push_back(boolean("realign", &S::realign, "corners of friction diamonds follow the direction of friction"));
  return fields;
}

SolverEntry entry(std::string name, std::string summary, StaggeredMethod method) {
  StaggeredSettings defaults;
  defaults.method = method;
  return solver_entry<StaggeredSettings>(
      std::move(name), std::move(summary), {.assembled = false}, staggered_fields(method), defaults,
      [](const StaggeredSettings& s) { return std::make_unique<StaggeredSolver>(s, make_solver(s.fallback)); });
}

}  // namespace

void add_staggered_solvers(SolverEntries& table) {
  table.push_back(entry("schurpa",
                        "contacts without friction and joints as one QP, exactly: active sets, one factorisation",
                        StaggeredMethod::schurpa));
  table.push_back(entry("staggered_schurpa",
                        "contact and friction QPs in turn, exactly, one factorisation each: small islands that stick",
                        StaggeredMethod::staggered_schurpa));
  table.push_back(entry("staggered_direct", "staggered_schurpa with a factorisation per active set: its rival",
                        StaggeredMethod::staggered_direct));
}

}  // namespace cairn
