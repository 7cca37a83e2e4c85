// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/sweep_fields.h"
#include "cairn/solvers/splitting/splitting.h"

namespace cairn {

namespace {

Fields<SplittingSettings> splitting_fields(SplittingMethod method) {
  using S = SplittingSettings;
  Fields<S> fields{iterations_field<S>("sweeps"), tolerance_field<S>()};
  if (method != SplittingMethod::line_search) {
    fields.push_back(friction_order_field<S>());
    fields.push_back(choice("update", &S::update,
                            {{"averaging", VelocityUpdate::averaging}, {"full_mass", VelocityUpdate::full_mass}},
                            "bodies take the mean of their copies, or u += W J^T dlambda: equal up to round-off"));
  }
  if (method == SplittingMethod::blocks)
    fields.push_back(number("cluster", &S::cluster, 1, 4096, "pairs of bodies per block; more: fewer sweeps"));
  fields.push_back(relaxation_field<S>());
  fields.push_back(acceleration_field<S>());
  fields.push_back(depth_field<S>());
  return fields;
}

SolverEntry entry(std::string name, std::string summary, SplittingMethod method) {
  SplittingSettings defaults;
  defaults.method = method;
  if (method == SplittingMethod::rows) defaults.friction_order = FrictionOrder::staggered;  // a third of the sweeps
  return solver_entry<SplittingSettings>(
      std::move(name), std::move(summary), {.assembled = false}, splitting_fields(method), defaults,
      [](const SplittingSettings& s) { return std::make_unique<SplittingSolver>(s); });
}

}  // namespace

void add_splitting_solvers(SolverEntries& table) {
  table.push_back(entry("mass_splitting", "every row on its own share of the mass: order-independent, slow to converge",
                        SplittingMethod::rows));
  table.push_back(entry("block_mass_splitting",
                        "pairs of bodies on their own shares of the mass: order-independent, fully parallel",
                        SplittingMethod::blocks));
  table.push_back(entry("jacobi_line_search", "projected Jacobi, as far as the energy falls: order-independent",
                        SplittingMethod::line_search));
}

}  // namespace cairn
