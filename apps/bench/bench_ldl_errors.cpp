// SPDX-License-Identifier: MIT
#include "apps/bench/bench_ldl_errors.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/progress.h"
#include "cairn/core/timer.h"
#include "scenes/scene.h"

namespace cairn::cli {

namespace {

constexpr double kLeastShown = 1e-9;  // m: a joint without error has no place on a logarithmic axis

struct Contestant {
  std::string name, solver;
  int sweeps = 0;
};

JointErrorRun run_one(const std::string& scene_name, const Contestant& contestant, double seconds) {
  JointErrorRun run{scene_name, contestant.name, {}, {}, 0, 0};
  scenes::Scene scene = scenes::make_scene(scene_name, {}, [&](WorldSettings& settings) {
                          settings.solver = contestant.solver;
                          settings.iterations = contestant.sweeps;
                          settings.measure_residual = false;
                        }).value_or_throw();
  const int steps = static_cast<int>(seconds / scene.dt + 0.5);
  const CpuTimer timer;
  for (int k = 0; k < steps && !interrupted(); ++k) {
    const StepReport& report = scene.world.step(scene.dt);
    run.time.push_back(report.time - scene.dt);
    run.error.push_back(std::max(report.max_joint_error, kLeastShown));
    run.largest = std::max(run.largest, report.max_joint_error);
  }
  run.milliseconds = 1e3 * timer.seconds() / std::max(steps, 1);
  return run;
}

}  // namespace

std::vector<JointErrorRun> run_joint_errors(bool quick) {
  const Contestant contestants[] = {{"Gauss-Seidel, 10 sweeps", "gauss_seidel", 10},
                                    {"Gauss-Seidel, 50 sweeps", "gauss_seidel", 50},
                                    {"Gauss-Seidel, 200 sweeps", "gauss_seidel", 200},
                                    {"ldl_pgs, 50 sweeps", "ldl_pgs", 50}};
  std::vector<JointErrorRun> runs;
  Progress progress("joint errors");
  for (const char* scene : {"heavy_chain_100", "heavy_chain_1000", "hinge_chains"})
    for (const Contestant& contestant : contestants) {
      progress.update(fmt::format("{}, {}", scene, contestant.name));
      runs.push_back(run_one(scene, contestant, quick ? 1 : 10));
      if (interrupted()) return {};
    }
  return runs;
}

std::vector<Plot> joint_error_plots(const std::vector<JointErrorRun>& runs) {
  std::vector<Plot> plots;
  for (const JointErrorRun& run : runs) {
    if (plots.empty() || plots.back().title != run.scene + ": joints apart") {
      Plot& plot = plots.emplace_back();
      plot.title = run.scene + ": joints apart";
      plot.x_label = "time (s)";
      plot.y_label = "largest separation (m)";
      plot.log_y = true;
    }
    Series series;
    series.name = run.solver;
    series.x = run.time, series.y = run.error;
    plots.back().series.push_back(thinned(series));
  }
  return plots;
}

}  // namespace cairn::cli
