// SPDX-License-Identifier: MIT
// Trajectories of bench mass-splitting: kinetic energy against frame (figure 6), jitter at the end, ms per frame (table
// 1). Every run begins with the scene as it is built.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/bench/bench_mass_splitting.h"
#include "apps/commands/run_report.h"
#include "apps/compare/step_costs.h"
#include "scenes/scene.h"

namespace cairn::cli {

namespace {

constexpr int kPgsSweeps = 5, kSplitSweeps = 30;  // Tonge et al. 2012, section 7
constexpr int kJitterFrames = 120;

/// Sweeps that cost, with their set-up, as much as those of PGS in a step: by the measured costs, in the mean over the
/// frozen problems, since a scene needs one number.
int equal_time_sweeps(const std::vector<Convergence>& measured, const std::string& scene, const std::string& method) {
  double pgs = 0, setup = 0, sweep = 0;
  for (const Convergence& c : measured) {
    if (c.scene != scene) continue;
    if (c.method == "PGS") pgs += c.cost.setup + kPgsSweeps * c.cost.sweep;
    if (c.method == method) setup += c.cost.setup, sweep += c.cost.sweep;
  }
  return sweep > 0 ? std::max(1, static_cast<int>(std::floor((pgs - setup) / sweep))) : kPgsSweeps;
}

FrameRun run_method(const SplitScene& scene, const std::string& label, const SplitMethod& method, int sweeps,
                    int threads, Progress& progress) {
  scenes::Scene run = scenes::make_scene(scene.name, {}, [&](WorldSettings& settings) {
                        settings.solver = method.solver;
                        settings.solver_settings = method.settings;
                        settings.iterations = sweeps;
                        settings.threads = threads;
                        settings.measure_residual = false;
                      }).value_or_throw();
  run.world.measure_cpu_times(true);
  FrameRun result{scene.name, label, sweeps, {}, {}};
  BodyWatch watch(run);
  JitterMeter meter;
  StepCosts costs;
  const int window = std::min(kJitterFrames, scene.frames / 2), from = scene.frames - window;
  const auto leave_out_gone = [&] {
    for (const BodyId body : watch.gone()) meter.leave_out(body);
  };
  for (int frame = 0; frame < scene.frames && !interrupted(); ++frame) {
    if (frame == from) meter.begin(run.world, run.dt, window), leave_out_gone();
    const StepReport& report = run.world.step(run.dt);
    const std::int64_t gone_before = watch.fell_through() + watch.left();
    watch.look(run.world);
    const std::int64_t gone = watch.fell_through() + watch.left();
    const double energy = report.kinetic_energy - watch.kinetic_energy_gone(run.world);
    result.energy.push_back(energy / static_cast<double>(std::max<std::int64_t>(1, watch.dynamic_bodies() - gone)));
    if (frame >= from) {
      if (gone > gone_before) leave_out_gone();
      meter.add(run.world);
      costs.add(report.times, threads == 1);
    }
    progress.update(fmt::format("{}, {}: frame {} of {}", scene.name, label, frame + 1, scene.frames));
  }
  result.jitter = meter.result();
  result.frame_ms = median(costs.all), result.solve_ms = median(costs.solve);
  return result;
}

}  // namespace

std::vector<FrameRun> run_frames(const SplitScene& scene, const std::vector<Convergence>& measured, int threads,
                                 Progress& progress) {
  struct Plan {
    const char *label, *method;
    int sweeps;
  };
  const auto in_time_of_pgs = [&](const char* method) { return equal_time_sweeps(measured, scene.name, method); };
  const std::vector<Plan> plans{
      {"PGS", "PGS", kPgsSweeps},
      {"PGS staggered", "PGS staggered", kPgsSweeps},
      {"block mass splitting", "block mass splitting", kSplitSweeps},
      {"block + Nesterov", "block + Nesterov", kSplitSweeps},
      {"block, time of PGS", "block mass splitting", in_time_of_pgs("block mass splitting")},
      {"block + Nesterov, time of PGS", "block + Nesterov", in_time_of_pgs("block + Nesterov")},
  };
  const std::vector<SplitMethod> methods = split_methods();
  std::vector<FrameRun> runs;
  for (const Plan& plan : plans) {
    if (interrupted()) break;
    runs.push_back(run_method(scene, plan.label, find_method(methods, plan.method), plan.sweeps, threads, progress));
  }
  return runs;
}

}  // namespace cairn::cli
