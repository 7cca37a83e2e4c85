// SPDX-License-Identifier: MIT
// cairn bench detect: what detection costs (broad, narrow, cache, graph), in processor time per step.
//
// Ball grids of growing size, at rest and with every ball leaving its fat box in every step, and settled boxes on a
// mesh with and without recycling; one thread and two. Figures are medians over steps and over turns; one and two
// threads take turns on the same world, so that a busy machine harms both alike.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "scenes/scene.h"

namespace cairn::cli {

namespace {

/// Milliseconds of a step's detection.
struct Cost {
  double cpu = 0, wall = 0;
  double stage[4] = {};  ///< cpu of broad, narrow, cache, graph
  double contacts = 0;
};

struct Case {
  std::string name, scene;
  bool moving = false;  ///< every body goes further than its fat box in every step
  bool recycling = true;
  int settle = 0;  ///< steps before anything is measured; 0: a grid without weight, which needs none
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// A grid without weight keeps its shape at any speed: nothing but detection is left to do.
scenes::Scene make_case(const Case& c) {
  const bool grid = c.settle == 0;
  scenes::Scene scene = scenes::make_scene(c.scene, {}, [&](WorldSettings& settings) {
                          settings.measure_residual = false;
                          if (grid) settings.gravity = {}, settings.iterations = 1;
                        }).value_or_throw();
  scene.world.measure_cpu_times(true);
  constexpr double kWay = 0.4;  // m per step; fat boxes are smaller
  if (c.moving)
    for (const BodyId body : scene.world.bodies())
      if (scene.world.view(body).kind == BodyKind::dynamic)
        scene.world.set_velocity(body, {{kWay / scene.dt, 0, 0}, {}});
  return scene;
}

void use(World& world, int threads, bool recycling) {
  WorldSettings settings = world.settings();
  settings.threads = threads, settings.recycling = recycling;
  world.set_settings(settings);
}

Cost measure(scenes::Scene& scene, int steps) {
  std::vector<double> cpu, wall, stage[4];
  Cost cost;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = scene.world.step(scene.dt);
    double cpu_sum = 0, wall_sum = 0;
    for (int k = 0; k < 4; ++k) {
      cpu_sum += 1e3 * report.times.cpu[k], wall_sum += 1e3 * report.times.wall[k];
      stage[k].push_back(1e3 * report.times.cpu[k]);
    }
    cpu.push_back(cpu_sum), wall.push_back(wall_sum);
    cost.contacts = static_cast<double>(report.contacts);
  }
  cost.cpu = median(cpu), cost.wall = median(wall);
  for (int k = 0; k < 4; ++k) cost.stage[k] = median(stage[k]);
  return cost;
}

std::vector<Case> make_cases(bool quick) {
  std::vector<Case> cases;
  for (const int n : {16, 24, 32, 40, 56}) {
    if (quick && n > 24) continue;
    for (const bool moving : {false, true})
      cases.push_back({fmt::format("ball_grid_{} {}", n, moving ? "moving" : "at rest"), fmt::format("ball_grid_{}", n),
                       moving, true, 0});
  }
  const int settle = quick ? 120 : 900;
  cases.push_back({"boxes_on_mesh settled", "boxes_on_mesh", false, true, settle});
  cases.push_back({"boxes_on_mesh, no recycling", "boxes_on_mesh", false, false, settle});
  return cases;
}

/// What one case costs with one thread, and how much faster it is with two.
struct Result {
  Cost one, two;
  double speed_up = 0, bodies = 0;
};

scenes::Scene settled(const Case& c, Progress& progress) {
  scenes::Scene scene = make_case(c);
  for (int i = 0; i < c.settle; ++i) {
    scene.world.step(scene.dt);
    progress.update(fmt::format("{}: settling, step {} of {}", c.name, i + 1, c.settle));
  }
  return scene;
}

/// One and two threads take turns; the median turn counts.
Result run_case(const Case& c, scenes::Scene& scene, Progress& progress) {
  constexpr int kTurns = 5, kWarm = 4, kSteps = 12;
  std::vector<Result> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    progress.update(fmt::format("{}: turn {} of {}", c.name, turn + 1, kTurns));
    Result result;
    for (const int threads : {1, 2}) {
      use(scene.world, threads, c.recycling);
      measure(scene, kWarm);
      (threads == 1 ? result.one : result.two) = measure(scene, kSteps);
    }
    result.speed_up = result.one.wall / result.two.wall;
    result.bodies = static_cast<double>(scene.world.body_count());
    turns.push_back(result);
  }
  std::vector<double> ratios;
  for (const Result& result : turns) ratios.push_back(result.speed_up);
  std::sort(turns.begin(), turns.end(), [](const Result& a, const Result& b) { return a.one.cpu < b.one.cpu; });
  turns[kTurns / 2].speed_up = median(ratios);
  return turns[kTurns / 2];
}

}  // namespace

int run_bench_detect(const BenchDetectOptions& o) {
  if (!o.csv.empty() && !o.force) check_can_write(o.csv).value_or_throw();
  Csv csv({"case", "bodies", "contacts", "cpu_ms", "broad_ms", "narrow_ms", "cache_ms", "graph_ms", "speed_up_2"});
  fmt::print("Detection, ms of processor time per step on one thread; how much faster by the clock on two.\n\n");
  fmt::print("{:<28} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "case", "contacts", "total", "broad", "narrow",
             "cache", "graph", "us/body", "speed-up");
  Progress progress("bench detect");
  std::optional<scenes::Scene> scene;
  for (const Case& c : make_cases(o.quick)) {
    const bool goes_on = scene && c.settle > 0 && scene->name == c.scene;  // boxes need to settle only once
    if (!goes_on) scene = settled(c, progress);
    const Result r = run_case(c, *scene, progress);
    const Cost& one = r.one;
    fmt::print("{:<28} {:>9.0f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.3f} {:>9.2f}\n", c.name, one.contacts,
               one.cpu, one.stage[0], one.stage[1], one.stage[2], one.stage[3], 1e3 * one.cpu / r.bodies, r.speed_up);
    std::fflush(stdout);
    csv.cell(c.name).cell(r.bodies).cell(one.contacts).cell(one.cpu);
    for (const double stage : one.stage) csv.cell(stage);
    csv.cell(r.speed_up).end_row();
  }
  if (!o.csv.empty()) write_text_file(o.csv, csv.text(), o.force).value_or_throw();
  return kDone;
}

}  // namespace cairn::cli
