// SPDX-License-Identifier: MIT
// cairn demo: what the engine is about, in a few seconds: one problem, many solvers, one ruler.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/commands.h"
#include "apps/commands/solve_report.h"

namespace cairn::cli {

namespace {

/// Residual on a logarithmic bar: one mark per power of ten below 1.
std::string bar(double residual) {
  const int decades = residual > 0 ? std::clamp(static_cast<int>(-std::log10(residual) + 0.5), 0, 16) : 16;
  std::string text;
  for (int i = 0; i < decades; ++i) text += "#";
  return text;
}

void show(const char* title, const std::string& problem, const std::vector<std::string>& solvers, StopSettings stop,
          ThreadPool* pool) {
  const LoadedProblem loaded = load(problem).value_or_throw();
  fmt::print("\n{}\n{}: {} moving bodies, {} contacts\n\n", title, loaded.name, loaded.moving_bodies(),
             loaded.contacts());
  fmt::print("  {:<44} {:>7} {:>9} {:>11} {}\n", "solver", "sweeps", "ms", "residual", "digits");
  for (const std::string& text : solvers) {
    SolveContext context;
    context.pool = pool;
    context.stop = stop;
    const SolveOutcome o = solve_and_measure(loaded, parse_solver(text, {}), context, {});
    fmt::print("  {:<44} {:>7} {:>9.1f} {:>11.1e} {}\n", o.solver, o.report.iterations, 1e3 * o.report.seconds,
               o.measures.residual, bar(o.measures.residual));
  }
}

}  // namespace

int run_demo(int threads) {
  const auto pool = make_pool(threads);
  fmt::print(
      "Any problem, any solver, one ruler that belongs to none of them. The residual is how far an answer is from one "
      "that "
      "solves the step exactly: 1e-2 looks right, 1e-4 is enough for most measurements, 1e-8 is a reference.\n");
  show("A lattice of spheres falls onto the ground: 60 sweeps each.", "ball_grid_24",
       {"gauss_seidel", "jacobi", "gauss_seidel:acceleration=nesterov", "gauss_seidel:acceleration=anderson"},
       {0, 60, 0}, pool.get());
  show("A pyramid of boxes, four contacts per face (rank deficient): solve to 1e-8.", "pyramid_10",
       {"gauss_seidel", "gauss_seidel:acceleration=nesterov", "gauss_seidel:acceleration=nncg", "reference"},
       {1e-8, 5000, 0}, pool.get());
  fmt::print("\n`./run solve ball_grid_24 --solver all` solves one problem with all of them.\n");
  return kDone;
}

}  // namespace cairn::cli
