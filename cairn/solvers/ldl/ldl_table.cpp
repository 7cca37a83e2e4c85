// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_pgs.h"
#include "cairn/solvers/prox/sweep_fields.h"

namespace cairn {

namespace {

Fields<LdlPgsSettings> ldl_pgs_fields() {
  using S = LdlPgsSettings;
  return {
      iterations_field<S>("sweeps"),
      tolerance_field<S>(),
      choice("coupling", &S::coupling, {{"block", LdlCoupling::block}, {"last", LdlCoupling::last}},
             "joints solved in every sweep, or by sweeps and once at the end (Mizerski 2020)"),
      choice("hubs", &S::hubs, {{"plain", LdlHubs::plain}, {"shatter", LdlHubs::shatter}, {"hub", LdlHubs::hub}},
             "bodies with many joints: nothing special, split into shards (Mizerski 2020), kept as unknowns"),
      number("hub_rows", &S::hub_rows, 6, 1000000, "a body with more joint rows than this is a hub"),
      choice("ordering", &S::ordering,
             {{"automatic", LdlOrdering::automatic},
              {"minimum_fill", LdlOrdering::minimum_fill},
              {"minimum_degree", LdlOrdering::minimum_degree}},
             "which block is eliminated next; automatic: minimum_fill up to 500 blocks"),
      acceleration_field<S>(),
      number("depth", &S::depth, 1, kMostDepth, "sweeps that anderson looks back on"),
      number("eps", &S::eps, 0.0, 0.1, "regularisation, relative to the diagonal"),
      number("redundant", &S::redundant, 0.0, 0.1, "rows with smaller pivots, relative to the diagonal, are left out"),
      number("eliminate", &S::eliminate, 0, 5,
             "contacts on a mechanism up to which they are solved first with its joints eliminated; 0: never"),
      boolean("batching", &S::batching, "equal mechanisms are factored eight at a time (same bits)"),
  };
}

}  // namespace

void add_ldl_solvers(SolverEntries& table) {
  table.push_back(solver_entry<LdlPgsSettings>(
      "ldl_pgs", "mechanisms: joints by a sparse direct method, contacts by Gauss-Seidel (Mizerski 2020)", {},
      ldl_pgs_fields(), {}, [](const LdlPgsSettings& s) { return std::make_unique<LdlPgsSolver>(s); }));
}

}  // namespace cairn
