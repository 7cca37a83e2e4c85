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
      number("tolerance", &S::tolerance, -1.0, 1.0,
             "residual of every island to stop at; 0: 1e-10; negative: as the caller says, 1e-10 where that is 0"),
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
  fields.push_back(
      number("facets", &S::facets, 4, 64, "of friction polygons, a multiple of 4; more than 4: they stay"));
  return fields;
}

SolverEntry entry(std::string name, std::string summary, StaggeredMethod method) {
  StaggeredSettings defaults;
  defaults.method = method;
  return solver_entry<StaggeredSettings>(
      std::move(name), std::move(summary), {}, staggered_fields(method), defaults,
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
