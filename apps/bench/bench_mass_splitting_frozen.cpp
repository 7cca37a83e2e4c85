// SPDX-License-Identifier: MIT
// Frozen problems of bench mass-splitting: how fast methods converge on them, by sweeps and by time, and how much the
// answer depends on the order of the contacts.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/bench/bench_mass_splitting.h"
#include "cairn/core/errors.h"
#include "cairn/measures/order_sensitivity.h"
#include "cairn/problem/residual.h"
#include "scenes/scene.h"

namespace cairn::cli {

namespace {

constexpr int kCurveSweeps[] = {1, 2, 5, 10, 20, 50, 100, 200};
constexpr int kPgsBudgets[] = {5, 20, 50, 200};  // sweeps of PGS whose time the others get

SolveContext make_context(ThreadPool* pool, double tolerance, int sweeps) {
  SolveContext context;
  context.pool = pool;
  context.stop = {tolerance, sweeps, 0};
  context.interrupt = &interrupted();
  return context;
}

/// Exactly so many sweeps from zero impulses.
ContactSolution solve_cold(const FrozenProblem& frozen, Solver& solver, int sweeps, ThreadPool* pool) {
  return solve_frozen(frozen, solver, {.sweeps = sweeps, .pool = pool}).solution;
}

/// A long and a short solve differ by sweeps alone. All methods take turns; the best of each counts, since the machine
/// can only make a run slower.
std::vector<SweepCost> measure_costs(const FrozenProblem& frozen, std::vector<std::unique_ptr<Solver>>& solvers,
                                     ThreadPool* pool) {
  constexpr int kShort = 2, kLong = 22, kTurns = 5;
  std::vector<double> brief(solvers.size(), INFINITY), full(solvers.size(), INFINITY);
  for (int turn = 0; turn < kTurns && !interrupted(); ++turn)
    for (std::size_t i = 0; i < solvers.size(); ++i)
      for (const int sweeps : {kShort, kLong}) {
        const double spent = solve_frozen(frozen, *solvers[i], {.sweeps = sweeps, .pool = pool}).seconds;
        double& best = sweeps == kShort ? brief[i] : full[i];
        best = std::min(best, spent);
      }
  std::vector<SweepCost> costs(solvers.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    costs[i].sweep = std::max(1e-9, (full[i] - brief[i]) / (kLong - kShort));
    costs[i].setup = std::max(0.0, brief[i] - kShort * costs[i].sweep);
  }
  return costs;
}

/// Until the residual is a hundredth of that of zero impulses.
int sweeps_to_hundredth(const FrozenProblem& frozen, Solver& solver, double start, int most, ThreadPool* pool) {
  ContactSolution solution;
  SolveContext context = make_context(pool, 0.01 * start, most);
  context.contact_colour = frozen.colours;
  context.history = true;  // judged after every sweep
  context.details = false;
  const SolveReport report = solver.solve(frozen.problem, solution, context);
  return report.reason == StopReason::converged ? report.iterations : -1;
}

NamedSettings accelerated(const char* how) { return {{"acceleration", how}}; }

}  // namespace

// Frozen steps: while things hit each other, and when they rest. In the order of table 1.
std::vector<SplitScene> split_scenes(bool quick) {
  if (quick)
    return {{"boxes_on_mesh", {30}, 40, 17.7, 15.7}, {"chain_25", {60}, 80, 12.4, 5.2},
            {"chess_1000", {30}, 40, 24.9, 25.5},    {"card_house_58", {60}, 80, 4.8, 3.5},
            {"fracture_277", {60}, 80, 7.8, 7.0},    {"pyramid_20", {60}, 0}};
  return {
      {"boxes_on_mesh", {60, 120, 240, 360}, 600, 17.7, 15.7}, {"chain_25", {60, 180, 480, 900}, 1200, 12.4, 5.2},
      {"chess_1000", {60, 120, 240, 360}, 600, 24.9, 25.5},    {"card_house_58", {60, 240, 330, 600}, 900, 4.8, 3.5},
      {"fracture_277", {30, 90, 240, 480}, 900, 7.8, 7.0},     {"pyramid_20", {30, 120, 240, 480}, 0}};
}

std::vector<SplitMethod> split_methods() {
  return {{"PGS", "pgs", {}},
          {"PGS staggered", "pgs_staggered", {}},
          {"Jacobi line search", "jacobi_line_search", {}},
          {"mass splitting", "mass_splitting", {}},
          {"block mass splitting", "block_mass_splitting", {}},
          {"block + Nesterov", "block_mass_splitting", accelerated("nesterov")},
          {"block + Anderson", "block_mass_splitting", accelerated("anderson")}};
}

const SplitMethod& find_method(const std::vector<SplitMethod>& methods, const std::string& name) {
  const auto found = std::find_if(methods.begin(), methods.end(), [&](const auto& m) { return m.name == name; });
  CAIRN_ASSERT(found != methods.end());
  return *found;
}

std::vector<FrozenProblem> freeze(const SplitScene& scene, int threads, Progress& progress) {
  scenes::Scene run = scenes::make_scene(scene.name, {}, [&](WorldSettings& settings) {
                        settings.threads = threads;
                        settings.measure_residual = false;
                      }).value_or_throw();
  return freeze_steps(run, scene.frozen, progress);
}

std::vector<Convergence> converge(const FrozenProblem& frozen, int threads, int most_sweeps, Progress& progress) {
  const auto pool = threads > 1 ? make_pool(threads) : nullptr;
  const std::vector<SplitMethod> methods = split_methods();
  std::vector<std::unique_ptr<Solver>> solvers;
  for (const SplitMethod& method : methods) solvers.push_back(make_solver(method.solver, method.settings));
  const std::vector<SweepCost> costs = measure_costs(frozen, solvers, pool.get());
  const Measures start = residual(frozen.problem, zero_impulses(frozen.problem));
  std::vector<Convergence> results;
  for (std::size_t i = 0; i < methods.size() && !interrupted(); ++i) {
    progress.update(fmt::format("{}, step {}: {}", frozen.scene, frozen.step, methods[i].name));
    Convergence result{frozen.scene, methods[i].name, frozen.step, std::ssize(frozen.problem.contacts), costs[i], {}};
    result.points.push_back({0, start.c2_violation, start.c1_rms});
    for (const int sweeps : kCurveSweeps) {
      const Measures m = residual(frozen.problem, solve_cold(frozen, *solvers[i], sweeps, pool.get()));
      result.points.push_back({sweeps, m.c2_violation, m.c1_rms});
    }
    result.sweeps_to_hundredth = sweeps_to_hundredth(frozen, *solvers[i], start.residual, most_sweeps, pool.get());
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<EqualTime> compare_equal_time(const FrozenProblem& frozen, const std::vector<Convergence>& measured,
                                          int threads) {
  const auto pool = threads > 1 ? make_pool(threads) : nullptr;
  const std::vector<SplitMethod> methods = split_methods();
  const SweepCost& pgs = measured.front().cost;
  const auto judge = [&](const SplitMethod& method, int sweeps) {
    const auto solver = make_solver(method.solver, method.settings);
    return residual(frozen.problem, solve_cold(frozen, *solver, sweeps, pool.get()));
  };
  std::vector<EqualTime> rows;
  for (const int budget : kPgsBudgets) {
    const Measures base = judge(methods.front(), budget);
    for (std::size_t i = 1; i < measured.size() && !interrupted(); ++i) {
      const SweepCost& own = measured[i].cost;
      const double time = pgs.setup + budget * pgs.sweep - own.setup;
      const int sweeps = std::max(1, static_cast<int>(time / own.sweep));
      const Measures m = judge(find_method(methods, measured[i].method), sweeps);
      rows.push_back({frozen.scene, measured[i].method, frozen.step, budget, sweeps, m.c1_rms, base.c1_rms,
                      m.c2_violation, base.c2_violation});
    }
  }
  return rows;
}

std::vector<OrderRow> compare_orders(const FrozenProblem& frozen, int threads, bool quick, Progress& progress) {
  const auto pool = make_pool(threads);
  OrderSettings settings;
  settings.reference_sweeps = quick ? 300 : 1000;
  struct Run {
    const char* method;
    int sweeps;
  };
  const std::vector<SplitMethod> methods = split_methods();
  std::vector<OrderRow> rows;
  for (const Run run : {Run{"PGS", 5}, Run{"block mass splitting", 30}, Run{"block + Nesterov", 30}}) {
    if (interrupted()) break;
    progress.update(fmt::format("{}: ten orders, {}", frozen.scene, run.method));
    const SplitMethod& method = find_method(methods, run.method);
    const auto solver = make_solver(method.solver, method.settings);
    const SolveContext context = make_context(pool.get(), 0, run.sweeps);
    const OrderReport report = order_sensitivity(frozen.problem, frozen.warm_start, *solver, context, settings);
    rows.push_back({frozen.scene, run.method, frozen.step, run.sweeps, report.sensitivity, report.reference_residual});
  }
  return rows;
}

ColourHistogram colour_histogram(const FrozenProblem& frozen) {
  ContactSolution solution;
  SolveContext context = make_context(nullptr, 0, 1);
  const SolveReport report = make_solver("pgs")->solve(frozen.problem, solution, context);
  return {frozen.scene, frozen.step, report.sweep.colour_sizes};
}

}  // namespace cairn::cli
