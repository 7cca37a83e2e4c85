// SPDX-License-Identifier: MIT
// Captured steps of `cairn compare`: curves of residual against sweeps and time, and the three protocols on them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/compare/compare.h"
#include "cairn/problem/residual.h"

namespace cairn::cli {

namespace {

constexpr int kCurveSweeps[] = {1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000};
constexpr int kMostBudgetSweeps = 10000;  // where one costs next to nothing
constexpr double kShortSolve = 0.05;      // s: longer ones are timed once, since noise is a small part of them
constexpr double kCurvePart = 0.5, kTimingPart = 0.7;  // of a rival's share; the rest is for equal time and quality

/// A solver on a problem from one start.
struct Trial {
  const FrozenProblem& frozen;
  const FrozenTask& task;
  const MeasurePlan& plan;
  std::string label;
  std::unique_ptr<Solver> solver;
  bool own_sweeps;
  double spent = 0;  ///< s by the clock, judging included

  std::string state(const std::string& what) const {
    return fmt::format("step {}, {} start: {}, {}", frozen.step, task.warm ? "warm" : "cold", label, what);
  }
  /// Whether a solve of so many seconds fits into a part of the share.
  bool affords(double seconds, double part = 1) const { return spent + seconds <= part * task.share; }

  /// None when it was cut short by the time, which is many times what counts as slow, or by its share.
  std::optional<ComparePoint> solve(int sweeps) {
    const Timer timer;
    const double limit = std::min(4 * plan.slow, std::max(plan.slow, task.share - spent));
    const FrozenAnswer answer =
        solve_frozen(frozen, *solver, {.sweeps = sweeps, .warm = task.warm, .pool = task.pool, .time_limit = limit});
    std::optional<ComparePoint> point;
    if (answer.report.reason != StopReason::time_limit && !interrupted()) {
      const Measures m = residual(frozen.problem, answer.solution);
      const int done = own_sweeps ? std::max(1, answer.report.iterations) : sweeps;
      point = ComparePoint{done, answer.seconds, m.c1_rms, m.c2_violation};
    }
    spent += timer.seconds();
    return point;
  }
  void time_again(ComparePoint& point, int sweeps) {
    const Timer timer;
    const FrozenAnswer answer = solve_frozen(frozen, *solver, {.sweeps = sweeps, .warm = task.warm, .pool = task.pool});
    point.seconds = std::min(point.seconds, answer.seconds);
    spent += timer.seconds();
  }
  std::optional<ComparePoint> solve_timed(int sweeps) {
    std::optional<ComparePoint> point = solve(sweeps);
    for (int turn = 1; point && turn < plan.turns && point->seconds < kShortSolve && affords(point->seconds); ++turn)
      time_again(*point, sweeps);
    return point;
  }
};

/// What so many sweeps will cost, s: by the line through the first and the last point.
double cost_of(const std::vector<ComparePoint>& points, int sweeps) {
  if (points.empty()) return 0;
  const ComparePoint &first = points.front(), &last = points.back();
  const int between = last.sweeps - first.sweeps;
  const double sweep = between > 0 ? (last.seconds - first.seconds) / between : first.seconds / first.sweeps;
  return last.seconds + std::max(0.0, sweep) * (sweeps - last.sweeps);
}

/// The next point of every curve that goes on. The solvers take turns, so that a busy minute of the machine falls on
/// all of them.
void add_points(std::vector<Trial>& trials, std::vector<CompareCurve>& curves, std::vector<bool>& goes_on, int sweeps,
                Progress& progress) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!goes_on[i]) continue;
    progress.update(trials[i].state(fmt::format("{} sweeps", sweeps)));
    const bool affords = trials[i].affords(cost_of(curves[i].points, sweeps), kCurvePart);
    const std::optional<ComparePoint> point = affords ? trials[i].solve(sweeps) : std::nullopt;
    goes_on[i] = point && !trials[i].own_sweeps && point->seconds < trials[i].plan.slow;
    if (point) curves[i].points.push_back(*point);
    curves[i].stopped = !point || (!goes_on[i] && !trials[i].own_sweeps && sweeps < trials[i].plan.most_sweeps);
  }
}

/// All points again, for their times alone: the machine can only make a solve slower.
void time_points(std::vector<Trial>& trials, std::vector<CompareCurve>& curves, Progress& progress) {
  for (int turn = 1; turn < trials.front().plan.turns; ++turn)
    for (const int sweeps : kCurveSweeps)
      for (std::size_t i = 0; i < trials.size() && !interrupted(); ++i)
        for (ComparePoint& p : curves[i].points) {
          const bool due = trials[i].own_sweeps ? sweeps == kCurveSweeps[0] : p.sweeps == sweeps;
          if (!due || p.seconds >= kShortSolve || !trials[i].affords(p.seconds, kTimingPart)) continue;
          progress.update(trials[i].state(fmt::format("{} sweeps once more", p.sweeps)));
          trials[i].time_again(p, sweeps);
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

void fill_budget(Trial& trial, CompareCurve& curve, double budget) {
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
/// Where the share does not suffice for that, the first point that is good enough.
std::optional<ComparePoint> reach(Trial& trial, const std::vector<ComparePoint>& points, double quality) {
  const auto good = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.residual <= quality; });
  if (good == points.end()) return std::nullopt;
  if (trial.own_sweeps) return *good;
  int below = good == points.begin() ? 0 : std::prev(good)->sweeps;
  ComparePoint best = *good;
  while (best.sweeps - below > std::max(1, below / 20)) {
    const int middle = below + (best.sweeps - below) / 2;
    if (!trial.affords(best.seconds)) break;
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
  // One whose first solve is longer than its share is not begun: it could not be stopped.
  std::vector<bool> goes_on(trials.size(), true);
  for (std::size_t i = 0; i < rivals.size(); ++i)
    if (rivals[i].first_solve > task.share) goes_on[i] = false, curves[i].stopped = true;
  for (const int sweeps : kCurveSweeps)
    if (sweeps <= plan.most_sweeps && !interrupted()) add_points(trials, curves, goes_on, sweeps, progress);
  time_points(trials, curves, progress);
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
