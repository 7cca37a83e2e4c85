// SPDX-License-Identifier: MIT
// What the thesis did not do: active sets on real steps of rigid bodies. Runs driven by `exact` are frozen, and solvers
// start from the impulses that the step began with. One thread, processor time, the best of several rounds in turn.
#include <fmt/core.h>

#include <algorithm>

#include "apps/bench/bench_schurpa.h"
#include "apps/compare/frozen.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/solver_table.h"

namespace cairn::cli {

namespace {

struct FrozenScene {
  const char* name;
  std::vector<int> steps;
};

std::vector<FrozenScene> frozen_scenes(bool quick) {
  if (quick) return {{"arch", {10}}, {"box_stack_20", {10}}};
  return {{"arch", {3, 30, 120}},
          {"box_stack_20", {3, 30, 120}},
          {"pyramid_10", {3, 30, 120}},
          {"card_house_48", {3, 30, 120}},
          {"chain_25", {3, 30, 120}}};
}

struct FrozenMethod {
  const char* name;
  NamedSettings settings;
  int iterations;  ///< of the caller; solvers that have their own ignore it
};

const std::vector<FrozenMethod>& frozen_methods() {
  static const std::vector<FrozenMethod> kMethods{{"exact", {}, 0},
                                                  {"staggered_schurpa", {{"max_contacts", "1000"}}, 100},
                                                  {"staggered_direct", {{"max_contacts", "1000"}}, 100},
                                                  {"gauss_seidel", {}, 50},
                                                  {"nesterov", {}, 50},
                                                  {"reference", {{"tolerance", "1e-10"}}, 20000}};
  return kMethods;
}

FrozenRow measure_frozen(const FrozenProblem& frozen, const FrozenMethod& method, int rounds) {
  FrozenRow row;
  row.scene = frozen.scene, row.step = frozen.step, row.contacts = static_cast<int>(frozen.problem.contacts.size());
  row.solver = method.name;
  const auto solver = make_solver(method.name, method.settings);
  for (int round = 0; round < rounds && !interrupted(); ++round) {
    const FrozenAnswer answer = solve_frozen(frozen, *solver, {.sweeps = method.iterations, .warm = true});
    const double ms = 1e3 * answer.seconds;
    row.ms = round == 0 ? ms : std::min(row.ms, ms);
    row.iterations = answer.report.iterations, row.factorisations = answer.report.factorisations;
    row.active_sets = static_cast<int>(answer.report.exact.active_sets);
    row.schur_columns = static_cast<int>(answer.report.exact.schur_columns);
    ContactRuler ruler(frozen.problem);
    row.residual = ruler.residual(answer.solution);
  }
  return row;
}

}  // namespace

std::vector<FrozenRow> measure_frozen_steps(bool quick, Progress& progress) {
  std::vector<FrozenRow> rows;
  for (const FrozenScene& frozen : frozen_scenes(quick)) {
    scenes::Scene scene = scenes::make_scene(frozen.name, {}, [](WorldSettings& settings) {
                            choose_solver(settings, "exact", {});
                            settings.threads = 1;
                          }).value_or_throw();
    for (const FrozenProblem& problem : freeze_steps(scene, frozen.steps, progress))
      for (const FrozenMethod& method : frozen_methods()) {
        progress.update(fmt::format("{}, step {}: {}", problem.scene, problem.step, method.name));
        if (interrupted()) return rows;
        rows.push_back(measure_frozen(problem, method, quick ? 1 : 3));
      }
  }
  return rows;
}

}  // namespace cairn::cli
