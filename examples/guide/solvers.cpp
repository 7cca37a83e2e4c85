// SPDX-License-Identifier: MIT
// Guide, chapter 9: choosing a solver, for a world and for one step as a value.
#include <cstdio>

#include "cairn/cairn.h"

int main() {
  using namespace cairn;

  // A world with another solver. `cairn solvers` lists all names and settings.
  WorldSettings settings;
  choose_solver(settings, "gauss_seidel", {{"iterations", "100"}, {"acceleration", "nesterov"}});
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int i = 0; i < 10; ++i) world.add_body({.pose = {{0, 0, 0.5 + i}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);

  // The last step as a value, and every solver on it from a cold start.
  const ContactProblem problem = world.problem();
  std::printf("%zu bodies, %zu contacts\n", problem.bodies.size(), problem.contacts.size());
  for (const char* name : {"gauss_seidel", "anderson", "block_mass_splitting", "exact"}) {
    ContactSolution solution;  // empty: no warm start
    SolveContext context;
    context.stop = {.tolerance = 1e-6, .max_iterations = 2000};
    const SolveReport report = make_solver(name)->solve(problem, solution, context);
    // The residual belongs to no solver: the same function judges all.
    const double residual = cairn::residual(problem, solution).residual;
    std::printf("%-22s %-15s residual at most 1e-6: %s\n", name, to_string(report.reason),
                residual <= 1e-6 ? "yes" : "no");
  }
}
