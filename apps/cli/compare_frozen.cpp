// SPDX-License-Identifier: MIT
// Captured steps of `cairn compare`: curves of residual against sweeps and time, and the three protocols on them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/compare.h"
#include "cairn/problem/residual.h"

namespace cairn::cli {

namespace {

constexpr int kCurveSweeps[] = {1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000};
constexpr int kMostBudgetSweeps = 10000;  // where one costs next to nothing
constexpr double kShortSolve = 0.05;      // s: longer ones are timed once, since noise is a small part of them

/// A solver on a problem from one start.
struct Trial {
  const FrozenProblem& frozen;
  const FrozenTask& task;
  const MeasurePlan& plan;
  std::string label;
  std::unique_ptr<Solver> solver;
  bool own_sweeps;

  std::string state(const std::string& what) const {
    return fmt::format("step {}, {} start: {}, {}", frozen.step, task.warm ? "warm" : "cold", label, what);
  }
  /// None when it was cut short by the time, which is many times what counts as slow.
  std::optional<ComparePoint> solve(int sweeps) const {
    const FrozenAnswer answer = solve_frozen(
        frozen, *solver, {.sweeps = sweeps, .warm = task.warm, .pool = task.pool, .time_limit = 4 * plan.slow});
    if (answer.report.reason == StopReason::time_limit || interrupted()) return std::nullopt;
    const Measures m = residual(frozen.problem, answer.solution);
    const int done = own_sweeps ? std::max(1, answer.report.iterations) : sweeps;
    return ComparePoint{done, answer.seconds, m.c1_rms, m.c2_violation};
  }
  /// The same again, for its time alone: the machine can only make a solve slower.
  void time_again(ComparePoint& point, int sweeps) const {
    const FrozenAnswer answer = solve_frozen(frozen, *solver, {.sweeps = sweeps, .warm = task.warm, .pool = task.pool});
    point.seconds = std::min(point.seconds, answer.seconds);
  }
  std::optional<ComparePoint> solve_timed(int sweeps) const {
    std::optional<ComparePoint> point = solve(sweeps);
    for (int turn = 1; point && turn < plan.turns && point->seconds < kShortSolve; ++turn) time_again(*point, sweeps);
    return point;
  }
};

/// The next point of every curve that goes on. The solvers take turns, so that a busy minute of the machine falls on
/// all of them.
void add_points(const std::vector<Trial>& trials, std::vector<CompareCurve>& curves, std::vector<bool>& goes_on,
                int sweeps, Progress& progress) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!goes_on[i]) continue;
    progress.update(trials[i].state(fmt::format("{} sweeps", sweeps)));
    const std::optional<ComparePoint> point = trials[i].solve(sweeps);
    goes_on[i] = point && !trials[i].own_sweeps && point->seconds < trials[i].plan.slow;
    if (point) curves[i].points.push_back(*point);
  }
  for (int turn = 1; turn < trials.front().plan.turns; ++turn)
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (curves[i].points.empty()) continue;
      ComparePoint& last = curves[i].points.back();
      const bool own_first = trials[i].own_sweeps && sweeps == kCurveSweeps[0];
      if ((own_first || last.sweeps == sweeps) && last.seconds < kShortSolve) trials[i].time_again(last, sweeps);
    }
}

/// What fits into the time: between two points of the curve by a straight line, after the last by the mean slope.
int sweeps_within(const std::vector<ComparePoint>& points, double seconds) {
  const auto fits = [&](const ComparePoint& p) { return p.seconds <= seconds; };
  const auto last = std::find_if(points.rbegin(), points.rend(), fits);
  if (last == points.rend()) return 0;
  const bool inside = last != points.rbegin();
  const ComparePoint& from = inside ? *last : points.front();
  const ComparePoint& to = inside ? *std::prev(last) : points.back();
  if (from.sweeps == to.sweeps) return from.sweeps;
  const double sweep = std::max(1e-9, (to.seconds - from.seconds) / (to.sweeps - from.sweeps));
  const double fit = last->sweeps + (seconds - last->seconds) / sweep;
  return static_cast<int>(std::min<double>(fit, kMostBudgetSweeps));
}

void fill_budget(const Trial& trial, CompareCurve& curve, double budget) {
  curve.budget = budget;
  if (curve.points.empty()) return;
  if (trial.own_sweeps) {
    if (curve.points.front().seconds <= budget) curve.in_budget = curve.points.front();
    return;
  }
  const int sweeps = sweeps_within(curve.points, budget);
  if (sweeps > 0) curve.in_budget = trial.solve_timed(sweeps);
}

/// Fewest sweeps found: between the first point of the curve that is good enough and the one before it, to 5 %.
std::optional<ComparePoint> reach(const Trial& trial, const std::vector<ComparePoint>& points, double quality) {
  const auto good = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.residual <= quality; });
  if (good == points.end()) return std::nullopt;
  if (trial.own_sweeps) return *good;
  int below = good == points.begin() ? 0 : std::prev(good)->sweeps;
  ComparePoint best = *good;
  while (best.sweeps - below > std::max(1, below / 20)) {
    const int middle = below + (best.sweeps - below) / 2;
    const std::optional<ComparePoint> point = trial.solve(middle);
    if (!point) break;
    if (point->residual <= quality)
      best = *point;
    else
      below = middle;
  }
  if (best.sweeps == good->sweeps) return *good;
  const std::optional<ComparePoint> timed = trial.solve_timed(best.sweeps);
  return timed ? timed : best;
}

/// The time of kBudgetSweeps of pgs from the same start, 0 without one.
double pgs_time(const std::vector<ComparePoint>& points) {
  for (const ComparePoint& p : points)
    if (p.sweeps == kBudgetSweeps) return p.seconds;
  return 0;
}

}  // namespace

std::vector<CompareCurve> compare_frozen(const FrozenProblem& frozen, const FrozenTask& task,
                                         const std::vector<Rival>& rivals, Progress& progress) {
  const MeasurePlan& plan = task.plan;
  std::vector<Trial> trials;
  std::vector<CompareCurve> curves(rivals.size());
  std::size_t pgs = rivals.size();  // the clock of equal time takes its turns with the others
  const auto add = [&](const SolverSpec& spec, bool own_sweeps) {
    trials.push_back({frozen, task, plan, spec.label, make_solver(spec.name, spec.settings), own_sweeps});
  };
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    add(rivals[i].spec, rivals[i].own_sweeps);
    curves[i].capture = task.capture, curves[i].rival = i, curves[i].warm = task.warm;
    if (rivals[i].spec.label == "pgs") pgs = i;
  }
  if (pgs == rivals.size()) add({"pgs", "pgs", {}}, false), curves.emplace_back();
  std::vector<bool> goes_on(trials.size(), true);
  for (const int sweeps : kCurveSweeps)
    if (sweeps <= plan.most_sweeps && !interrupted()) add_points(trials, curves, goes_on, sweeps, progress);
  const double budget = plan.budget > 0 ? plan.budget : pgs_time(curves[pgs].points);
  curves.resize(rivals.size());
  for (std::size_t i = 0; i < rivals.size() && !interrupted(); ++i) {
    progress.update(trials[i].state("equal time and quality"));
    fill_budget(trials[i], curves[i], budget);
    for (const double quality : plan.qualities)
      curves[i].quality.push_back({quality, reach(trials[i], curves[i].points, quality)});
  }
  return curves;
}

}  // namespace cairn::cli
