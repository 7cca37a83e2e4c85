// SPDX-License-Identifier: MIT
// cairn capture: the problem of one step of a scene as a file, as it was given to the solver.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/scene_source.h"
#include "cairn/io/problem_file.h"

namespace cairn::cli {

namespace {

/// The last step of a world that keeps its warm starts.
ProblemFile captured(const World& world) {
  ProblemFile file{.problem = world.problem()};
  set_warm_start(file, world.warm_start());
  file.contact_colour.assign(world.contact_colours().begin(), world.contact_colours().end());
  return file;
}

std::string description(const World& world, const SolverSpec& solver, double dt) {
  const WorldSettings& s = world.settings();
  return fmt::format("dt = {:.17g} s, solver {}, {} iterations, tolerance {:g}; state {} after the step", dt,
                     solver.label, s.iterations, s.tolerance, world.state_hash().to_string());
}

}  // namespace

int run_capture(const CaptureOptions& options) {
  if (!options.run.force) check_can_write(options.file).value_or_throw();
  const SceneChoice choice = choose_scene(options.run);
  scenes::Scene scene = build_scene(options.run, choice);
  World& world = scene.world;
  const double dt = options.run.dt.value_or(scene.dt);
  {
    Progress progress(scene.name);
    while (world.step_count() < options.step && !interrupted()) {
      world.keep_warm_start(world.step_count() + 1 == options.step);
      world.step(dt);
      progress.update(fmt::format("step {} of {}", world.step_count(), options.step));
    }
  }
  if (interrupted()) return kInterrupted;
  ProblemFile file = captured(world);
  file.title = fmt::format("{}, step {}", scene.name, options.step);
  file.description = description(world, choice.solver, dt);
  const WriteReport report = write_problem(file, options.file, {options.run.force}).value_or_throw();
  fmt::print("wrote {}: {}, {} bodies, {} contacts, {} joint rows\n", options.file, file.title, world.body_count(),
             world.problem().contacts.size(), world.problem().joint_rows.size());
  for (const std::string& note : report.notes) fmt::print("  note: {}\n", note);
  return kDone;
}

}  // namespace cairn::cli
