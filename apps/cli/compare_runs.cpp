// SPDX-License-Identifier: MIT
// Runs of `cairn compare`: the scene from its beginning under every solver, with the sweeps that a protocol gives it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/cli/compare.h"
#include "apps/cli/run_report.h"
#include "apps/cli/scene_source.h"
#include "apps/cli/step_costs.h"

namespace cairn::cli {

namespace {

constexpr int kJitterFrames = 120;

/// The curves of one rival from zero impulses. Warm starts would not do: the run that was captured has already brought
/// them near the answer, and how many sweeps a solver needs to stay there says nothing of how many it needs to get
/// there.
std::vector<const CompareCurve*> cold_curves(const Comparison& comparison, std::size_t rival) {
  std::vector<const CompareCurve*> curves;
  for (const CompareCurve& c : comparison.curves)
    if (c.rival == rival && !c.warm) curves.push_back(&c);
  return curves;
}

/// The mean over captured steps of what a solve with so many sweeps costs, s; by the first and the last point.
double expected_cost(const std::vector<const CompareCurve*>& curves, int sweeps) {
  double sum = 0;
  for (const CompareCurve* c : curves) {
    const ComparePoint &first = c->points.front(), &last = c->points.back();
    const int between = last.sweeps - first.sweeps;
    const double sweep = between > 0 ? std::max(0.0, (last.seconds - first.seconds) / between) : 0;
    sum += first.seconds + std::max(0, sweeps - first.sweeps) * sweep;
  }
  return sum / static_cast<double>(curves.size());
}

/// Fills the sweeps of a run, or why there is none.
void plan_sweeps(const Comparison& comparison, CompareRun& run) {
  const std::vector<const CompareCurve*> curves = cold_curves(comparison, run.rival);
  const bool own = comparison.rivals[run.rival].own_sweeps;
  double sum = 0;
  int most = 0;
  for (const CompareCurve* c : curves) {
    if (c->points.empty()) {
      run.why_not = fmt::format("a solve takes more than {:g} s", 4 * comparison.plan.slow);
      return;
    }
    if (run.protocol == Protocol::time && !c->in_budget)
      run.why_not = own ? "takes longer than the budget" : "not one sweep fits into the budget";
    if (run.protocol == Protocol::time && c->in_budget) sum += c->in_budget->sweeps;
    if (run.protocol != Protocol::quality) continue;
    const auto at = std::find_if(c->quality.begin(), c->quality.end(),
                                 [&](const auto& q) { return q.quality == comparison.plan.run_quality; });
    if (at == c->quality.end() || !at->reached)
      run.why_not = fmt::format("C1 <= {:g} is not reached", comparison.plan.run_quality);
    else
      most = std::max(most, at->reached->sweeps);
  }
  if (!run.why_not.empty() && !own) return;
  run.note = std::exchange(run.why_not, "");  // with its own sweeps there is one run, which stands in all protocols
  if (run.protocol == Protocol::sweeps) run.sweeps = comparison.run_sweeps;
  if (run.protocol == Protocol::time)
    run.sweeps = std::max(1, static_cast<int>(sum / static_cast<double>(curves.size())));
  if (run.protocol == Protocol::quality) run.sweeps = most;
  if (own) run.sweeps = 0;
  const double seconds = comparison.steps * expected_cost(curves, own ? 0 : run.sweeps);
  if (seconds > comparison.plan.run_limit)
    run.why_not = fmt::format("would take about {:.0f} s (--run-limit)", seconds);
}

/// sum_b m v_ref^2 / 2 over the dynamic bodies that are still there, J.
double jitter_unit(const scenes::Scene& scene, const std::vector<BodyId>& gone) {
  double mass = 0;
  for (const BodyId body : scene.world.bodies()) mass += scene.world.view(body).mass;
  for (const BodyId body : gone) mass -= scene.world.view(body).mass;
  const double gravity = norm(scene.world.settings().gravity);
  const double speed = (gravity > 0 ? gravity : 9.81) * scene.dt;
  return 0.5 * mass * speed * speed;
}

/// Runs the scene and fills the measures.
void run_scene_with(scenes::Scene& scene, const Comparison& comparison, CompareRun& run, Progress& progress) {
  World& world = scene.world;
  BodyWatch watch(scene);
  JitterMeter meter;
  StepCosts costs;
  const int window = std::max(1, std::min(kJitterFrames, comparison.steps / 2)), from = comparison.steps - window;
  const double energy_start = total_energy(world);
  double unit = jitter_unit(scene, {});
  const auto leave_out_gone = [&] {
    for (const BodyId body : watch.gone()) meter.leave_out(body);
  };
  const Timer timer;
  for (int frame = 0; frame < comparison.steps && !interrupted(); ++frame) {
    if (frame == from) meter.begin(world, scene.dt, window), leave_out_gone();
    const StepReport& report = world.step(scene.dt);
    watch.look(world);
    const std::int64_t gone = watch.fell_through() + watch.left();
    if (gone > run.gone) unit = jitter_unit(scene, watch.gone()), run.gone = gone;
    if (gone > 0 && frame >= from) leave_out_gone();
    if (frame >= from) meter.add(world);
    run.jitter.push_back(unit > 0 ? (report.kinetic_energy - watch.kinetic_energy_gone(world)) / unit : 0);
    run.energy.push_back(report.kinetic_energy + report.potential_energy - energy_start);
    run.overlap.push_back(report.max_overlap);
    costs.add(report.times, comparison.threads == 1);
    progress.update(fmt::format("{}, {}: step {} of {}", comparison.rivals[run.rival].spec.label,
                                to_string(run.protocol), frame + 1, comparison.steps));
    if (timer.seconds() > comparison.plan.run_limit && frame + 1 < comparison.steps) {
      run.note = fmt::format("ended after {} steps (--run-limit)", frame + 1);
      break;
    }
  }
  run.measures = meter.result();
  for (const double e : run.energy) run.energy_gain = std::max(run.energy_gain, e);
  for (const double o : run.overlap) run.max_overlap = std::max(run.max_overlap, o);
  run.step_ms = median(costs.all), run.solve_ms = median(costs.solve);
  run.end = take_frame(world, world.bodies(), false);
}

}  // namespace

const char* to_string(Protocol protocol) {
  constexpr const char* kNames[] = {"equal sweeps", "equal time", "equal quality"};
  return kNames[static_cast<int>(protocol)];
}

scenes::Scene scene_for(const CompareOptions& options, const std::string& solver, int sweeps, int threads) {
  RunOptions run;
  run.scene = options.scene;
  run.parameters = options.parameters;
  run.source = options.source;
  run.solver = solver;
  if (sweeps > 0) run.settings.push_back(fmt::format("iterations={}", sweeps));
  run.threads = threads;
  run.no_sleep = true;
  run.measure_residual = false;
  scenes::Scene scene = build_scene(run, choose_scene(run));
  scene.world.measure_cpu_times(true);
  return scene;
}

void compare_runs(Comparison& comparison, const CompareOptions& options, Progress& progress) {
  for (std::size_t rival = 0; rival < comparison.rivals.size(); ++rival) {
    const std::size_t first = comparison.runs.size();
    for (const Protocol protocol : kProtocols) {
      if (interrupted()) return;
      CompareRun run;
      run.rival = rival, run.protocol = protocol;
      plan_sweeps(comparison, run);
      // The same sweeps give the same run, bit for bit.
      const auto done =
          std::find_if(comparison.runs.begin() + static_cast<std::ptrdiff_t>(first), comparison.runs.end(),
                       [&](const auto& r) { return r.sweeps == run.sweeps && !r.jitter.empty(); });
      if (run.why_not.empty() && done != comparison.runs.end()) {
        const std::string note = run.note.empty() ? done->note : run.note;
        run = *done;
        run.protocol = protocol, run.note = note;
      } else if (run.why_not.empty()) {
        scenes::Scene scene = scene_for(options, comparison.rivals[rival].spec.label, run.sweeps, comparison.threads);
        run_scene_with(scene, comparison, run, progress);
      }
      comparison.runs.push_back(std::move(run));
    }
  }
}

}  // namespace cairn::cli
