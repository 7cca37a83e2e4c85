// SPDX-License-Identifier: MIT
// Captured steps of `cairn compare`: curves of residual against sweeps and time, and the three protocols on them.
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
  std::unique_ptr<Solver> solver;
  bool own_sweeps;
  bool warm;
  const MeasurePlan& plan;
  ThreadPool* pool;

  /// None when it was cut short by the time, which is many times what counts as slow.
  std::optional<ComparePoint> solve(int sweeps) const {
    const FrozenAnswer answer =
        solve_frozen(frozen, *solver, {.sweeps = sweeps, .warm = warm, .pool = pool, .time_limit = 4 * plan.slow});
    if (answer.report.reason == StopReason::time_limit || interrupted()) return std::nullopt;
    const Measures m = residual(frozen.problem, answer.solution);
    const int done = own_sweeps ? std::max(1, answer.report.iterations) : sweeps;
    return ComparePoint{done, answer.seconds, m.c1_rms, m.c2_violation};
  }
  /// The same again, for its time alone: the machine can only make a solve slower.
  void time_again(ComparePoint& point, int sweeps) const {
    const FrozenAnswer answer = solve_frozen(frozen, *solver, {.sweeps = sweeps, .warm = warm, .pool = pool});
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
                int sweeps) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!goes_on[i]) continue;
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

/// What fits into the time, by the costs that the curve shows: time = set-up + sweeps * cost of one.
int sweeps_within(const std::vector<ComparePoint>& points, double seconds) {
  const ComparePoint &first = points.front(), &last = points.back();
  if (first.seconds > seconds) return 0;
  if (points.size() == 1) return first.sweeps;
  const double sweep = std::max(1e-9, (last.seconds - first.seconds) / (last.sweeps - first.sweeps));
  const double fit = first.sweeps + (seconds - first.seconds) / sweep;
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

/// The time of kBudgetSweeps of pgs, from the same start.
double pgs_time(const FrozenProblem& frozen, bool warm, const MeasurePlan& plan, ThreadPool* pool) {
  const Trial pgs{frozen, make_solver("pgs"), false, warm, plan, pool};
  const std::optional<ComparePoint> point = pgs.solve_timed(kBudgetSweeps);
  return point ? point->seconds : 0;
}

}  // namespace

std::vector<CompareCurve> compare_frozen(const FrozenProblem& frozen, std::size_t capture, bool warm,
                                         const std::vector<Rival>& rivals, const MeasurePlan& plan, ThreadPool* pool) {
  std::vector<Trial> trials;
  std::vector<CompareCurve> curves(rivals.size());
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const SolverSpec& spec = rivals[i].spec;
    trials.push_back({frozen, make_solver(spec.name, spec.settings), rivals[i].own_sweeps, warm, plan, pool});
    curves[i].capture = capture, curves[i].rival = i, curves[i].warm = warm;
  }
  if (trials.empty()) return curves;
  std::vector<bool> goes_on(rivals.size(), true);
  for (const int sweeps : kCurveSweeps)
    if (sweeps <= plan.most_sweeps && !interrupted()) add_points(trials, curves, goes_on, sweeps);
  const double budget = plan.budget > 0 ? plan.budget : pgs_time(frozen, warm, plan, pool);
  for (std::size_t i = 0; i < rivals.size() && !interrupted(); ++i) {
    fill_budget(trials[i], curves[i], budget);
    for (const double quality : plan.qualities)
      curves[i].quality.push_back({quality, reach(trials[i], curves[i].points, quality)});
  }
  return curves;
}

}  // namespace cairn::cli
