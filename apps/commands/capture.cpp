// SPDX-License-Identifier: MIT
// cairn capture: the problem of one step of a scene or a recording as a file, as it was given to the solver.
#include <fmt/core.h>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/problem_source.h"
#include "apps/commands/scene_source.h"
#include "cairn/core/index.h"
#include "cairn/io/problem_file.h"
#include "cairn/record/recording.h"

namespace cairn::cli {

namespace {

/// The last step of a world that keeps its warm starts.
ProblemFile captured(const World& world) {
  ProblemFile file{.problem = world.problem()};
  set_warm_start(file, world.warm_start());
  file.contact_colour.assign(world.contact_colours().begin(), world.contact_colours().end());
  return file;
}

std::string description(const World& world, const std::string& solver, double dt) {
  const WorldSettings& s = world.settings();
  return fmt::format("dt = {:.17g} s, solver {}, {} iterations, tolerance {:g}; state {} after the step", dt, solver,
                     s.iterations, s.tolerance, world.state_hash().to_string());
}

/// Steps a world on to the one that was asked for; false: interrupted.
bool step_to(InputReplay& run, std::int64_t last, const std::string& name) {
  Progress progress(name);
  World& world = run.world();
  while (world.step_count() < last && !interrupted()) {
    world.keep_warm_start(world.step_count() + 1 == last);
    run.step();
    progress.update(fmt::format("step {} of {}", world.step_count(), last));
  }
  return !interrupted();
}

int write_capture(const CaptureOptions& options, const World& world, ProblemFile file) {
  const WriteReport report = write_problem(file, options.file, {options.run.force}).value_or_throw();
  fmt::print("wrote {}: {}, {} moving bodies, {} contacts, {} joint rows\n", options.file, printable(file.title),
             moving_bodies(world.problem()), world.problem().contacts.size(), world.problem().joint_rows.size());
  for (const std::string& note : report.notes) fmt::print("  note: {}\n", note);
  return kDone;
}

/// A step of a recording: computed again from its beginning, which gives the same bits.
int capture_recording(const CaptureOptions& options) {
  const RunOptions& run = options.run;
  if (!run.solver.empty() || !run.settings.empty() || !run.parameters.empty() || run.dt || run.sub_steps)
    fail_input("a recording is computed again as it was: leave the options of the run out");
  const RecordingInfo info = read_recording(run.scene).value_or_throw();
  const std::int64_t last = info.first_step + std::ssize(info.hashes);
  if (options.step <= info.first_step || options.step > last)
    fail_input(fmt::format("--step {}: {} has the steps {} to {}", options.step, run.scene, info.first_step + 1, last));
  InputReplay replay = replay_of(info, run.scene);
  World& world = replay.world();
  if (!step_to(replay, options.step, info.meta.scene)) return kInterrupted;
  const Hash128 recorded = info.hashes[to_index(options.step - info.first_step - 1)];
  if (!(world.state_hash() == recorded))
    fmt::print(stderr, "warning: the state after this step is not the recorded one: was the file made elsewhere?\n");
  ProblemFile file = captured(world);
  file.title = fmt::format("{}, step {}", info.meta.scene, options.step);
  file.description = description(world, info.meta.solver, replay.dt());
  return write_capture(options, world, std::move(file));
}

}  // namespace

int run_capture(const CaptureOptions& options) {
  if (!options.run.force) check_can_write(options.file).value_or_throw();
  if (options.run.scene.ends_with(".h5")) return capture_recording(options);
  const SceneChoice choice = choose_scene(options.run);
  scenes::Scene scene = build_scene(options.run, choice);
  InputReplay run(std::move(scene.world), options.run.dt.value_or(scene.dt), {});
  World& world = run.world();
  if (!step_to(run, options.step, scene.name)) return kInterrupted;
  ProblemFile file = captured(world);
  file.title = fmt::format("{}, step {}", scene.name, options.step);
  file.description = description(world, choice.solver.label, run.dt());
  return write_capture(options, world, std::move(file));
}

}  // namespace cairn::cli
