// SPDX-License-Identifier: MIT
// Runs of `cairn compare`: the scene from its beginning under every solver, with the sweeps that a protocol gives it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/commands/run_report.h"
#include "apps/commands/scene_source.h"
#include "apps/compare/compare.h"
#include "apps/compare/step_costs.h"
#include "cairn/core/errors.h"

namespace cairn::cli {

namespace {

constexpr int kJitterFrames = 120;
constexpr double kPlannedPart = 0.7;             // of the time of the runs: the rest is for a machine that is busy
constexpr int kLeastSteps = 30, kShortRun = 60;  // of runs that begin from a captured step: never fewer, always allowed

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
      run.why_not = "one solve takes longer than its share of the time";
      return;
    }
    if (run.protocol == Protocol::time && !c->in_budget)
      run.why_not = own ? "takes longer than the budget" : "not one sweep fits into the budget";
    if (run.protocol == Protocol::time && c->in_budget) sum += c->in_budget->sweeps;
    if (run.protocol != Protocol::quality) continue;
    const auto at = std::find_if(c->quality.begin(), c->quality.end(),
                                 [&](const auto& q) { return q.quality == comparison.plan.run_quality; });
    if (at == c->quality.end() || !at->reached)
      run.why_not = fmt::format("C1 <= {:g} is not reached{}", comparison.plan.run_quality,
                                c->stopped ? ": stopped at the limit" : "");
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
  run.expected = expected_cost(curves, own ? 0 : run.sweeps) + 1e-3 * comparison.other_ms;
}

/// Where all runs begin and how many steps they have, so that they fit into the time: the whole scene, or else from the
/// last captured step, whose state is the same for all.
void plan_length(Comparison& comparison, const std::vector<double>& costs, double seconds) {
  comparison.run_from = 0, comparison.run_steps = comparison.steps;
  if (comparison.last_state.empty() || costs.empty()) return;
  if (steps_within(costs, seconds, 1, comparison.steps) == comparison.steps) return;
  comparison.run_from = comparison.last_step;
  const int wanted = std::max(comparison.steps - comparison.last_step, kShortRun);
  comparison.run_steps = steps_within(costs, seconds, kLeastSteps, wanted);
}

/// The run did not get to its last frames: J1 of those it has, and nothing that needs all of them.
JitterMeasures stopped_measures(const std::vector<double>& jitter) {
  const std::size_t window = std::max<std::size_t>(1, std::min<std::size_t>(kJitterFrames, jitter.size() / 2));
  JitterMeasures measures;
  measures.jitter = measures.jitter_max = 0;
  for (std::size_t i = jitter.size() - window; i < jitter.size(); ++i) {
    measures.jitter += jitter[i] / static_cast<double>(window);
    measures.jitter_max = std::max(measures.jitter_max, jitter[i]);
  }
  measures.jitter_99 = measures.visible = measures.creep = std::numeric_limits<double>::quiet_NaN();
  return measures;
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

std::string both(const std::string& note, const std::string& other) {
  return note.empty() || other.empty() ? note + other : note + "; " + other;
}

/// The state of the run that was captured, under the solver of this one.
void begin_from(scenes::Scene& scene, const std::string& state) {
  const WorldSettings settings = scene.world.settings();
  if (const auto error = scene.world.restore(state)) fail_input(error->message, error->kind);
  scene.world.set_settings(settings);
  scene.world.measure_cpu_times(true);
}

/// Runs the scene for so many seconds at most and fills the measures.
void run_scene_with(scenes::Scene& scene, const Comparison& comparison, CompareRun& run, double limit,
                    Progress& progress) {
  World& world = scene.world;
  BodyWatch watch(scene);
  JitterMeter meter;
  StepCosts costs;
  const int steps = comparison.run_steps, window = std::max(1, std::min(kJitterFrames, steps / 2));
  const int from = steps - window;
  const double energy_start = total_energy(world);
  double unit = jitter_unit(scene, {});
  const auto leave_out_gone = [&] {
    for (const BodyId body : watch.gone()) meter.leave_out(body);
  };
  const Timer timer;
  for (int frame = 0; frame < steps && !interrupted(); ++frame) {
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
                                to_string(run.protocol), frame + 1, steps));
    if (timer.seconds() > limit && frame + 1 < steps) {
      run.note = both(run.note, fmt::format("stopped at the limit after {} of {}", frame + 1, steps));
      break;
    }
  }
  run.measures = std::ssize(run.jitter) == steps ? meter.result() : stopped_measures(run.jitter);
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

int steps_within(const std::vector<double>& costs, double seconds, int least, int wanted) {
  const double most = 2 * seconds / static_cast<double>(costs.size());
  const auto fits = [&](int steps) {
    double sum = 0;
    for (const double cost : costs) sum += std::min(steps * cost, most);
    return sum <= seconds;
  };
  int fit = std::min(least, wanted), beyond = wanted + 1;
  while (beyond - fit > 1) {
    const int middle = fit + (beyond - fit) / 2;
    (fits(middle) ? fit : beyond) = middle;
  }
  return fit;
}

void compare_runs(Comparison& comparison, const CompareOptions& options, double seconds, Progress& progress) {
  const Timer timer;
  // The same sweeps give the same run, bit for bit: it is done once.
  const auto same = [](const CompareRun& a, const CompareRun& b) {
    return a.rival == b.rival && a.sweeps == b.sweeps && b.why_not.empty();
  };
  std::vector<double> costs;
  for (std::size_t rival = 0; rival < comparison.rivals.size(); ++rival)
    for (const Protocol protocol : kProtocols) {
      CompareRun run;
      run.rival = rival, run.protocol = protocol;
      plan_sweeps(comparison, run);
      const bool known = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                     [&](const CompareRun& r) { return same(run, r); });
      if (run.why_not.empty() && !known) costs.push_back(run.expected);
      comparison.runs.push_back(std::move(run));
    }
  plan_length(comparison, costs, kPlannedPart * seconds);
  auto left = static_cast<double>(costs.size());
  for (auto run = comparison.runs.begin(); run != comparison.runs.end() && !interrupted(); ++run) {
    if (!run->why_not.empty()) continue;
    const auto done = std::find_if(comparison.runs.begin(), run, [&](const CompareRun& r) { return same(*run, r); });
    if (done != run) {
      const CompareRun planned = *run;
      *run = *done;
      run->protocol = planned.protocol;
      run->note = both(planned.note, done->note);
      continue;
    }
    scenes::Scene scene = scene_for(options, comparison.rivals[run->rival].spec.label, run->sweeps, comparison.threads);
    if (comparison.run_from > 0) begin_from(scene, comparison.last_state);
    const double rest = std::max(0.0, seconds - timer.seconds());
    run_scene_with(scene, comparison, *run, std::min({comparison.plan.run_limit, rest, 2 * rest / left--}), progress);
  }
}

}  // namespace cairn::cli
