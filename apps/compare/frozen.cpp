// SPDX-License-Identifier: MIT
#include "apps/compare/frozen.h"

#include <fmt/core.h>

namespace cairn::cli {

std::vector<FrozenProblem> freeze_steps(scenes::Scene& scene, const std::vector<int>& steps, Progress& progress,
                                        double time_limit) {
  World& world = scene.world;
  const Timer timer;
  std::vector<FrozenProblem> problems;
  for (std::size_t k = 0; k < steps.size() && (k == 0 || timer.seconds() < time_limit); ++k) {
    bool last = false;  // the warm start is kept from before the step
    while (world.step_count() < steps[k] && !last && !interrupted()) {
      last = timer.seconds() >= time_limit;
      world.keep_warm_start(last || world.step_count() + 1 == steps[k]);
      world.step(scene.dt);
      progress.update(fmt::format("{}: step {} of {}", scene.name, world.step_count(), steps.back()));
    }
    if (interrupted()) break;
    const auto colours = world.contact_colours();
    const int step = static_cast<int>(world.step_count());
    problems.push_back({scene.name, step, world.problem(), world.warm_start(), {colours.begin(), colours.end()}});
  }
  return problems;
}

ContactSolution zero_impulses(const ContactProblem& problem) {
  ContactSolution solution;
  solution.contact_impulse.resize(problem.contacts.size());
  solution.joint_impulse.resize(problem.joint_rows.size());
  solution.velocity = velocities_from_impulses(problem, solution);
  return solution;
}

FrozenAnswer solve_frozen(const FrozenProblem& frozen, Solver& solver, const FrozenRun& run) {
  FrozenAnswer answer;
  if (run.warm) answer.solution = frozen.warm_start;
  SolveContext context;
  context.pool = run.pool;
  context.stop = {0, run.sweeps, run.time_limit};
  context.interrupt = &interrupted();
  context.contact_colour = frozen.colours;
  context.details = false;
  // Processor time where one thread works: other programs do not lengthen it much.
  const Timer timer;
  const CpuTimer cpu_timer;
  answer.report = solver.solve(frozen.problem, answer.solution, context);
  answer.seconds = run.pool == nullptr ? cpu_timer.seconds() : timer.seconds();
  return answer;
}

}  // namespace cairn::cli
