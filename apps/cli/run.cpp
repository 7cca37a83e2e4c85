// SPDX-License-Identifier: MIT
// cairn run: a scene by name, stepped and measured.
#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/cli/run_report.h"
#include "apps/cli/solve_report.h"
#include "cairn/broad/broad_phase.h"
#include "cairn/solvers/lane_kernels.h"

namespace cairn::cli {

namespace {

/// A scene under way.
struct Session {
  const RunOptions& options;
  SolverSpec solver;
  scenes::Scene scene;
  double dt;
  std::int64_t last_step;  ///< where the run ends, counted from the beginning of the scene
  MeasureWindow window;
  Csv hashes{{"step", "hash"}};
  bool saved = false;

  std::FILE* out() const { return options.json == "-" ? stderr : stdout; }
};

template <class T>
T parse_number(const std::string& name, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    fail_input(
        fmt::format("setting {}={}: the value must be a {}number", name, text, std::is_integral_v<T> ? "whole " : ""));
  return value;
}

/// Whether a solver counts its iterations by itself, per sub-step for instance, and not up to the caller's limit.
bool has_own_iterations(const std::string& solver) {
  for (const SolverInfo& info : solver_table())
    for (const SettingInfo& setting : info.settings)
      if (info.name == solver && setting.name == "iterations") return setting.value != "0";
  return false;
}

/// Iterations and tolerance belong to the world, unless its solver has its own; the rest are the solver's.
void apply_solver(const SolverSpec& spec, WorldSettings& settings) {
  settings.solver = spec.name;
  settings.solver_settings.clear();
  for (const auto& [name, value] : spec.settings) {
    if (name == "iterations" && !has_own_iterations(spec.name))
      settings.iterations = parse_number<int>(name, value);
    else if (name == "tolerance")
      settings.tolerance = parse_number<double>(name, value);
    else
      settings.solver_settings.emplace_back(name, value);
  }
  make_solver(settings.solver, settings.solver_settings);  // refuses bad names and values
}

WorldSettings changed(WorldSettings settings, const RunOptions& o, const SolverSpec& solver) {
  apply_solver(solver, settings);
  settings.threads = o.threads;
  settings.recycling = settings.recycling && o.recycling;
  settings.warm_start = settings.warm_start && o.warm_start;
  settings.measure_residual = settings.measure_residual && o.measure_residual;
  if (o.sleep || o.no_sleep) settings.sleep.enabled = o.sleep;
  if (o.margin) settings.margin = *o.margin;
  if (o.slop) settings.stabilisation.slop = *o.slop;
  if (o.contact_rate) settings.stabilisation.contact_rate = *o.contact_rate;
  if (o.integrator == "velocity_verlet") settings.integrator = Integrator::velocity_verlet;
  if (o.integrator == "symplectic_euler") settings.integrator = Integrator::symplectic_euler;
  if (!o.broad_phase.empty()) settings.broad_phase = o.broad_phase;
  make_broad_phase(settings.broad_phase);  // refuses bad names
  return settings;
}

scenes::Scene build_scene(const RunOptions& o, const SolverSpec& solver) {
  NamedSettings parameters;
  for (const std::string& text : o.parameters) parameters.push_back(split_setting(text));
  return scenes::make_scene(o.scene, parameters,
                            [&](WorldSettings& settings) { settings = changed(settings, o, solver); })
      .value_or_throw();
}

std::string read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    fail_input(fmt::format("cannot read {}: there is no such file", path), ErrorKind::io);
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) fail_input(fmt::format("cannot read {}", path), ErrorKind::io);
  return text;
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

/// How far to run, and which steps count; checked before anything is computed.
void plan(Session& session) {
  const RunOptions& o = session.options;
  const std::int64_t done = session.scene.world.step_count();
  session.last_step = o.steps ? done + *o.steps : session.scene.steps;
  if (session.last_step <= done)
    fail_input(fmt::format("the saved state is already at step {}: say how many more with --steps", done));
  session.window = {session.scene.measure_from, session.scene.measure_to};
  if (!o.measure.empty()) {
    const std::size_t colon = o.measure.find(':');
    session.window = {parse_number<std::int64_t>("measure", o.measure.substr(0, colon)),
                      parse_number<std::int64_t>("measure", o.measure.substr(colon + 1))};
    if (session.window.from < done || session.window.to > session.last_step)
      fail_input(fmt::format("--measure {}: this run goes from step {} to {}", o.measure, done, session.last_step));
  }
  if (o.save_at && o.save.empty()) fail_input("--save-at needs --save FILE");
  if (o.save_at && (*o.save_at <= done || *o.save_at > session.last_step))
    fail_input(fmt::format("--save-at {}: this run goes from step {} to {}", *o.save_at, done, session.last_step));
}

/// Nothing is computed when a file could not be written in the end, and no state is overwritten by what comes of it.
void check_outputs(const RunOptions& o) {
  std::error_code error;
  for (const std::string& path : {o.json, o.hashes, o.save}) {
    if (path.empty() || path == "-") continue;
    if (!o.restore.empty() && std::filesystem::equivalent(path, o.restore, error))
      fail_input(fmt::format("{} is the state to begin from: give another name for the output", path));
    if (!o.force) check_can_write(path).value_or_throw();
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

void run_steps(Session& session, BodyWatch& watch, RunStatistics& statistics) {
  const RunOptions& o = session.options;
  World& world = session.scene.world;
  Progress progress(session.scene.name);
  while (world.step_count() < session.last_step && !interrupted()) {
    const Timer timer;
    const CpuTimer cpu_timer;
    const StepReport& report = world.step(session.dt);
    const StepCost cost{timer.seconds(), cpu_timer.seconds()};
    watch.look(world);
    statistics.add(report, cost, watch.kinetic_energy_gone(world));
    if (!o.hashes.empty() && (report.step % o.hash_every == 0 || report.step == session.last_step)) {
      session.hashes.cell(report.step).cell(world.state_hash().to_string());
      session.hashes.end_row();
    }
    if (o.save_at && report.step == *o.save_at) save(session);
    progress.update(fmt::format("step {} of {}, {} contacts, {:.3g} ms", report.step, session.last_step,
                                report.contacts, 1e3 * cost.wall));
  }
}

RunSummary summarise(const Session& session, const BodyWatch& watch, const RunStatistics& statistics) {
  const World& world = session.scene.world;
  RunSummary summary;
  statistics.summarise(summary);
  summary.scene = session.scene.name;
  summary.solver = session.solver.label;
  summary.dt = session.dt;
  summary.threads = world.settings().threads == 0 ? available_processors() : world.settings().threads;
  summary.bodies = static_cast<std::int64_t>(world.body_count());
  summary.dynamic_bodies = watch.dynamic_bodies();
  summary.fell_through = watch.fell_through();
  summary.left = watch.left();
  summary.energy_end = total_energy(world);
  summary.motion = watch.motion(world);
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
    write_file(o.json, text, o.force);
}

}  // namespace

int run_scene(const RunOptions& options) {
  force_simd(options.simd);
  check_outputs(options);
  SolverSpec solver = split_solver(options.solver.empty() ? WorldSettings{}.solver : options.solver, options.settings);
  scenes::Scene scene = build_scene(options, solver);
  BodyWatch watch(scene);
  restore(scene, watch, options.restore);
  const double dt = options.dt.value_or(scene.dt);
  Session session{options, std::move(solver), std::move(scene), dt, 0, {}};
  plan(session);
  RunStatistics statistics(session.window, session.scene.world.settings(), total_energy(session.scene.world));
  run_steps(session, watch, statistics);
  save(session);  // unless it was done on the way
  const RunSummary summary = summarise(session, watch, statistics);
  write_results(session, summary);
  if (interrupted()) return kInterrupted;
  return options.strict && summary.not_converged > 0 ? kNotConverged : kDone;
}

}  // namespace cairn::cli
