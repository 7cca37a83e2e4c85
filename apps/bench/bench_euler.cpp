// SPDX-License-Identifier: MIT
// cairn bench euler: elastic solids on a grid against known answers; the cylinders of J. A. Litven, A Parallel
// Active-Set Method for Solving Frictional Contact Problems, 2013, 7.2, by SCHURPA and by DIRECT; cost against cells,
// objects and threads.
//
// Protocol: times are of the processor, one thread, except where threads are compared. Each contact problem is solved
// by both methods from the same warm start, best of two.
#include "apps/bench/bench_euler.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "apps/cli/csv.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "scenes/elastic_scenes.h"

namespace cairn::cli {

namespace {

constexpr int kRounds = 2;
constexpr double kFieldBytes = 114;  // of a node: map, velocity, force, next, distance, mass, flags, marks

/// The faster of several solves of one problem.
AssembledStaggeredReport solve_timed(const ElasticWorld& world, bool schur) {
  AssembledStaggeredSettings settings = world.settings().staggered;
  settings.schur = schur;
  AssembledStaggeredReport best;
  for (int round = 0; round < kRounds; ++round) {
    DelassusSolution solution{world.warm_start(), {}};
    AssembledStaggered solver(settings);
    const AssembledStaggeredReport report = solver.solve(world.problem(), solution, nullptr);
    const auto cost = [](const AssembledStaggeredReport& r) { return r.contact.cpu_seconds + r.friction.cpu_seconds; };
    if (round == 0 || cost(report) < cost(best)) best = report;
  }
  return best;
}

/// Equal boxes side by side that fly along x, and do not touch.
ElasticWorld flying_boxes(int objects, int cells_across, int threads) {
  const double half = 0.5 * cells_across;
  const std::int32_t pitch = cells_across + 16;
  ElasticSettings settings;
  settings.grid = {{0, 0, 0}, 1, {pitch + 8, pitch, objects * pitch}};
  settings.gravity = {};
  settings.contact = false;
  settings.cfl = 0.8;
  settings.threads = threads;
  ElasticWorld world(settings);
  ElasticBodyDef def;
  def.shape = make_box({half, half, half});
  def.velocity.linear = {1, 0, 0};
  for (int i = 0; i < objects; ++i) {
    def.pose.position = {0.5 * pitch, 0.5 * pitch, (i + 0.5) * pitch};
    world.add_body(def);
  }
  return world;
}

EulerScaling measure_case(const char* kind, int objects, int cells_across, int threads, int sub_steps) {
  ElasticWorld world = flying_boxes(objects, cells_across, threads);
  EulerScaling row{.kind = kind, .objects = objects, .threads = threads};
  row.seconds = row.cpu_seconds = std::numeric_limits<double>::infinity();
  const double h = 0.9 * world.step_limit();
  for (int i = 0; i < sub_steps && !interrupted(); ++i) {
    const Timer timer;
    const CpuTimer cpu_timer;
    world.step(h);
    row.seconds = std::min(row.seconds, timer.seconds());
    row.cpu_seconds = std::min(row.cpu_seconds, cpu_timer.seconds());
  }
  row.sub_steps = sub_steps;
  row.cells = world.last_report().total.cells;
  for (int i = 0; i < objects; ++i) row.nodes += static_cast<std::int64_t>(world.body(i).blocks.node_count());
  row.field_bytes = kFieldBytes * static_cast<double>(row.nodes);
  return row;
}

/// Bytes read and written per second by a copy that is far larger than the caches.
double measure_copy() {
  constexpr std::size_t kNumbers = std::size_t{1} << 24;
  std::vector<double> from(kNumbers, 1.0), to(kNumbers, 0.0);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 5; ++round) {
    const CpuTimer timer;
    std::copy(from.begin(), from.end(), to.begin());
    best = std::min(best, timer.seconds());
    from[to_index(round)] = to[to_index(round + 1)];
  }
  return 2.0 * sizeof(double) * kNumbers / best;
}

}  // namespace

void run_cylinders(double spacing, Progress& progress, CylinderRun& run) {
  scenes::ElasticScene scene =
      scenes::make_elastic_scene("cylinders_3x3", {{"spacing", fmt::format("{}", spacing)}}, 1).value_or_throw();
  run.spacing = spacing;
  for (int i = 0; i < scene.world.body_count(); ++i) run.start_energy += scene.world.measures(i).kinetic_energy;
  for (int i = 0; i < scene.steps && !interrupted(); ++i) {
    const ElasticReport& report = scene.world.step(scene.dt);
    progress.update(fmt::format("cylinders, step {} of {}, {} rows", i + 1, scene.steps, report.contact.rows));
    run.cells = std::max(run.cells, report.total.cells);
    CylinderStep step;
    step.time = report.time;
    step.energy = report.total.kinetic_energy + report.total.elastic_energy;
    step.rows = report.contact.rows;
    step.touching = report.contact.touching;
    if (step.rows > 0) {
      step.schurpa = solve_timed(scene.world, true);
      step.direct = solve_timed(scene.world, false);
    }
    run.steps.push_back(step);
  }
}

void measure_scaling(bool quick, Progress& progress, EulerResults& results) {
  const auto add = [&](const char* kind, int objects, int across, int threads, int sub_steps) {
    progress.update(fmt::format("scaling, {} x {}^3 cells", objects, across));
    if (!interrupted()) results.scaling.push_back(measure_case(kind, objects, across, threads, sub_steps));
  };
  for (const int across : {16, 24, 32}) add("cells", 1, across, 1, 4);
  if (!quick) {
    add("cells", 1, 64, 1, 3);
    add("cells", 1, 100, 1, 2);  // a million
  }
  for (const int objects : {1, 4, 16}) add("objects", objects, 12, 1, 4);
  for (const int threads : {1, 2}) add("threads", 1, quick ? 32 : 48, threads, quick ? 6 : 10);
  results.bandwidth = measure_copy();
}

int run_bench_euler(const BenchEulerOptions& options) {
  for (const std::string& file : {options.html, options.csv, options.json})
    if (!file.empty() && file != "-" && !options.force) check_can_write(file).value_or_throw();
  EulerResults results;
  {
    Progress progress("bench euler");
    for (const int cells : options.cells.empty() ? std::vector<int>{48} : options.cells)
      verify_solids(cells, options.threads, progress, results.verification);
    run_cylinders(options.quick ? 0.5 : 0.25, progress, results.cylinders);
    measure_scaling(options.quick, progress, results);
    if (interrupted()) return kInterrupted;
  }
  print(results);
  write_euler(results, options);
  const bool fails = std::any_of(results.verification.begin(), results.verification.end(),
                                 [](const VerificationRow& row) { return !row.passes(); });
  return fails ? kCheckFailed : kDone;
}

}  // namespace cairn::cli
