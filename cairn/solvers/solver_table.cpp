// SPDX-License-Identifier: MIT
#include "cairn/solvers/solver_table.h"

#include "cairn/solvers/solver_entry.h"

namespace cairn {

namespace {

/// A new family of solvers is one line here, and its declaration in solver_entry.h.
const SolverEntries& entries() {
  static const SolverEntries kEntries = [] {
    SolverEntries table;
    add_prox_solvers(table);
    add_ldl_solvers(table);
    add_splitting_solvers(table);
    add_soft_step_solver(table);
    add_staggered_solvers(table);
    add_exact_solver(table);
    add_ffd_solver(table);
    add_reference_solver(table);
    return table;
  }();
  return kEntries;
}

}  // namespace

std::vector<SolverInfo> solver_table() {
  std::vector<SolverInfo> table;
  for (const SolverEntry& entry : entries()) table.push_back(entry.info);
  return table;
}

std::unique_ptr<Solver> make_solver(std::string_view name, const NamedSettings& settings) {
  std::vector<std::string> names;
  for (const SolverEntry& entry : entries()) {
    if (entry.info.name == name) return entry.make(settings);
    names.push_back(entry.info.name);
  }
  fail_input(fmt::format("there is no solver '{}'{}; `cairn solvers` lists them all", name, did_you_mean(name, names)));
}

}  // namespace cairn
