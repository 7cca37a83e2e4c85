// SPDX-License-Identifier: MIT
// cairn run: a scene by name, stepped and measured.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/run_outputs.h"
#include "apps/commands/run_report.h"
#include "apps/commands/scene_source.h"
#include "cairn/core/names.h"
#include "cairn/simd/simd.h"

namespace cairn::cli {

namespace {

constexpr std::int64_t kJitterSteps = 120;  // at the end of a run, unless other steps are to be measured

/// A scene under way.
struct Session {
  const RunOptions& options;
  SolverSpec solver;
  scenes::Scene scene;
  double dt;
  std::int64_t last_step;  ///< where the run ends, counted from the beginning of the scene
  MeasureWindow window;
  MeasureWindow jitter_window;
  JitterMeter jitter;
  Csv hashes{{"step", "hash"}};
  bool saved = false;

  std::FILE* out() const { return options.json == "-" ? stderr : stdout; }
};

std::string read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    fail_input(fmt::format("cannot read {}: there is no such file", path), ErrorKind::io);
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) fail_input(fmt::format("cannot read {}", path), ErrorKind::io);
  return text;
}

/// The scene and its parameters as they were written.
std::string source_words(const RunOptions& o) {
  std::string words = o.scene;
  for (const std::string& parameter : o.parameters) words += " --param " + parameter;
  return words;
}

/// After Ctrl-C: how to go on.
void print_resume(const RunOptions& o, std::int64_t step, std::int64_t last) {
  std::string command = fmt::format("cairn run {}", source_words(o));
  if (!o.checkpoint.empty())
    fmt::print(stderr, "interrupted at step {} of {}; to go on: {} --resume {} --checkpoint {}\n", step, last, command,
               o.checkpoint, o.checkpoint);
  else if (!o.save.empty())
    fmt::print(stderr, "interrupted at step {} of {}; to go on: {} --restore {} --steps {}\n", step, last, command,
               o.save, last - step);
  else
    fmt::print(stderr, "interrupted at step {} of {}; with --checkpoint FILE such a run can be gone on with\n", step,
               last);
}

/// The state of the file, under the settings of the command line.
void restore(scenes::Scene& scene, const BodyWatch& watch, const std::string& path) {
  if (path.empty()) return;
  const WorldSettings settings = scene.world.settings();
  if (const auto error = scene.world.restore(read_file(path)))
    fail_input(fmt::format("cannot restore {}: {}", path, error->message), error->kind);
  if (!watch.matches(scene.world))
    fail_input(fmt::format("{} was saved from another scene than {}, or with other parameters", path, scene.name));
  scene.world.set_settings(settings);
}

/// Whether anything that decides the steps was given beside the scene.
bool changes_physics(const RunOptions& o) {
  return !o.solver.empty() || !o.settings.empty() || o.dt || o.margin || o.slop || o.contact_rate ||
         !o.broad_phase.empty() || !o.integrator.empty() || o.sleep || o.no_sleep || !o.recycling || !o.warm_start ||
         !o.measure_residual;
}

/// Of a scene that was just made, from its own settings.
SceneIdentity identity_of(const scenes::Scene& scene, const WorldSettings& own) {
  SceneFile file;
  file.settings = own, file.dt = scene.dt, file.steps = scene.steps;
  return {scene.world.definition_hash(), write_scene(file)};
}

/// The state and the settings of a checkpoint; how far its run was to go.
std::optional<Checkpoint> resume(scenes::Scene& scene, const SceneIdentity& identity, const RunOptions& o) {
  if (o.resume.empty()) return std::nullopt;
  if (!o.restore.empty()) fail_input("--resume and --restore: a run can begin from one of them only");
  if (changes_physics(o))
    fail_input("--resume goes on with the settings of the checkpoint: leave the options that change them out");
  LoadedCheckpoint loaded = read_checkpoint(o.resume).value_or_throw();
  for (const std::string& note : loaded.notes) fmt::print(stderr, "warning: {}\n", printable(note));
  if (const std::string other = difference(loaded.checkpoint.identity, identity); !other.empty())
    fail_input(fmt::format(
        "{} was written by a run of '{}', and '{}' is another scene: {}; take the scene as it was then, or begin anew "
        "without --resume",
        loaded.file, loaded.checkpoint.scene, scene_label(o), other));
  if (const auto error = scene.world.restore(loaded.checkpoint.state))
    fail_input(fmt::format("cannot resume from {}: {}", loaded.file, error->message), error->kind);
  fmt::print(stderr, "resuming from {} at step {}\n", loaded.file, loaded.checkpoint.step);
  loaded.checkpoint.state.clear();
  return std::move(loaded.checkpoint);
}

/// How far to run, and which steps count; checked before anything is computed.
void plan(Session& session, std::int64_t scene_steps) {
  const RunOptions& o = session.options;
  const std::int64_t done = session.scene.world.step_count();
  session.last_step = o.steps ? done + *o.steps : scene_steps;
  // A run that was killed behind its last step has nothing left to do but to tell what came of it.
  if (session.last_step < done || (session.last_step == done && o.resume.empty()))
    fail_input(fmt::format("the saved state is already at step {}: say how many more with --steps", done));
  session.window = {session.scene.measure_from, session.scene.measure_to};
  if (!o.measure.empty()) {
    const std::size_t colon = o.measure.find(':');
    session.window = {parse_number<std::int64_t>("measure", o.measure.substr(0, colon)),
                      parse_number<std::int64_t>("measure", o.measure.substr(colon + 1))};
    if (session.window.from < done || session.window.to > session.last_step)
      fail_input(fmt::format("--measure {}: this run goes from step {} to {}", o.measure, done, session.last_step));
  }
  session.jitter_window = {std::max(done, session.last_step - kJitterSteps), session.last_step};
  if (!o.measure.empty()) session.jitter_window = session.window;
  if (o.save_at && o.save.empty()) fail_input("--save-at needs --save FILE");
  if (o.save_at && (*o.save_at <= done || *o.save_at > session.last_step))
    fail_input(fmt::format("--save-at {}: this run goes from step {} to {}", *o.save_at, done, session.last_step));
}

/// Nothing is computed when a file could not be written in the end, and no state is overwritten by what comes of it.
void check_outputs(const RunOptions& o) {
  std::error_code error;
  for (const std::string& path : {o.json, o.hashes, o.save, o.out, o.csv}) {
    if (path.empty() || path == "-") continue;
    if (!o.restore.empty() && std::filesystem::equivalent(path, o.restore, error))
      fail_input(fmt::format("{} is the state to begin from: give another name for the output", path));
    if (std::filesystem::equivalent(path, o.scene, error) || std::filesystem::equivalent(path, o.resume, error))
      fail_input(fmt::format("{} is what is to be read: give another name for the output", path));
    if (!o.force && !(path == o.json && is_json_result(path))) check_can_write(path).value_or_throw();
  }
}

void write_file(const std::string& path, std::string_view text, bool force) {
  std::move(write_text_file(path, text, force)).value_or_throw();
  fmt::print(stderr, "wrote {}\n", path);
}

void save(Session& session) {
  if (session.options.save.empty() || session.saved) return;
  write_file(session.options.save, session.scene.world.save(), session.options.force);
  session.saved = true;
}

/// The meter begins with the state before the first step that it measures. Who is gone falls for ever and does not
/// count.
void begin_jitter(Session& session, const BodyWatch& watch) {
  const World& world = session.scene.world;
  if (world.step_count() != session.jitter_window.from) return;
  session.jitter.begin(world, session.dt, session.jitter_window.to - session.jitter_window.from);
  for (const BodyId body : watch.gone()) session.jitter.leave_out(body);
}

void measure_jitter(Session& session, const BodyWatch& watch, std::int64_t gone_before) {
  if (!session.jitter_window.contains(session.scene.world.step_count())) return;
  if (watch.fell_through() + watch.left() > gone_before)
    for (const BodyId body : watch.gone()) session.jitter.leave_out(body);
  session.jitter.add(session.scene.world);
}

void run_steps(Session& session, BodyWatch& watch, RunStatistics& statistics, RunOutputs& outputs) {
  const RunOptions& o = session.options;
  World& world = session.scene.world;
  Progress progress(session.scene.name);
  while (world.step_count() < session.last_step && !interrupted()) {
    begin_jitter(session, watch);
    world.keep_warm_start(o.order_sensitivity && world.step_count() + 1 == session.last_step);
    const std::int64_t gone = watch.fell_through() + watch.left();
    const Timer timer;
    const CpuTimer cpu_timer;
    const StepReport& report = world.step(session.dt);
    const StepCost cost{timer.seconds(), cpu_timer.seconds()};
    watch.look(world);
    measure_jitter(session, watch, gone);
    statistics.add(report, cost, watch.kinetic_energy_gone(world));
    if (!o.hashes.empty() && (report.step % o.hash_every == 0 || report.step == session.last_step)) {
      session.hashes.cell(report.step).cell(world.state_hash().to_string());
      session.hashes.end_row();
    }
    if (o.save_at && report.step == *o.save_at) save(session);
    if (!outputs.add(world)) fail_input("stopped, because no checkpoint could be written", ErrorKind::io);
    progress.update(fmt::format("step {} of {}, {} contacts, {:.3g} ms", report.step, session.last_step,
                                report.contacts, 1e3 * cost.wall));
  }
}

/// D3 of the last step's problem, with the solver, the iterations and the warm start that the step had.
std::optional<OrderReport> measure_order(const Session& session) {
  if (!session.options.order_sensitivity || interrupted()) return std::nullopt;
  const World& world = session.scene.world;
  const WorldSettings& settings = world.settings();
  const std::unique_ptr<ThreadPool> pool = make_pool(settings.threads);
  SolveContext context;
  context.pool = pool.get();
  context.stop = {settings.tolerance, settings.iterations, 0};
  context.interrupt = &interrupted();
  return order_sensitivity(world.problem(), world.warm_start(), *make_solver(settings.solver, settings.solver_settings),
                           context);
}

RunSummary summarise(const Session& session, const BodyWatch& watch, const RunStatistics& statistics) {
  const World& world = session.scene.world;
  RunSummary summary;
  statistics.summarise(summary);
  summary.scene = session.scene.name;
  summary.solver = session.solver.label;
  summary.source = source_words(session.options);
  summary.dt = session.dt;
  summary.threads = world.settings().threads == 0 ? available_processors() : world.settings().threads;
  summary.bodies = static_cast<std::int64_t>(world.body_count());
  summary.dynamic_bodies = watch.dynamic_bodies();
  summary.tolerance = world.settings().tolerance;
  summary.fell_through = watch.fell_through();
  summary.left = watch.left();
  summary.energy_end = total_energy(world);
  summary.motion = watch.motion(world);
  summary.jitter = session.jitter.result();
  summary.order = measure_order(session);
  summary.state_hash = world.state_hash().to_string();
  return summary;
}

void write_results(Session& session, const RunSummary& summary) {
  const RunOptions& o = session.options;
  print_summary(session.out(), summary);
  if (!o.hashes.empty()) write_file(o.hashes, session.hashes.text(), o.force);
  if (o.json.empty()) return;
  const std::string text = to_json(summary).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (o.json == "-")
    fmt::print("{}", text);
  else
    write_file(o.json, text, o.force || is_json_result(o.json));
}

}  // namespace

int run_scene(const RunOptions& options) {
  if (is_elastic(options.scene)) return run_elastic(options);
  force_simd(options.simd);
  check_outputs(options);
  const SceneChoice choice = choose_scene(options);
  WorldSettings own;
  SceneLook look;
  scenes::Scene scene = build_scene(options, choice, &own, &look);
  const bool known_again = !options.checkpoint.empty() || !options.resume.empty();
  const SceneIdentity identity = known_again ? identity_of(scene, own) : SceneIdentity{};
  scene.world.measure_cpu_times(true);
  BodyWatch watch(scene);
  restore(scene, watch, options.restore);
  const std::optional<Checkpoint> resumed = resume(scene, identity, options);
  const double dt = resumed ? resumed->dt : options.dt.value_or(scene.dt);
  Session session{options, choice.solver, std::move(scene), dt, 0, {}, {}, {}};
  plan(session, resumed ? resumed->last_step : session.scene.steps);
  RunStatistics statistics(session.window, session.scene.world.settings(), total_energy(session.scene.world));
  RunOutputs outputs(options, session.scene, choice, {scene_label(options), identity, dt, session.last_step, look});
  run_steps(session, watch, statistics, outputs);
  outputs.finish(session.scene.world, interrupted());
  save(session);  // unless it was done on the way
  const RunSummary summary = summarise(session, watch, statistics);
  write_results(session, summary);
  if (interrupted()) {
    print_resume(options, session.scene.world.step_count(), session.last_step);
    return interrupt_code();
  }
  return options.strict && summary.not_converged > 0 ? kNotConverged : kDone;
}

}  // namespace cairn::cli
