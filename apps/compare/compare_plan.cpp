// SPDX-License-Identifier: MIT
// What `cairn compare` compares: the solvers of the command line, those that can take the scene, the captured steps.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "apps/commands/problem_source.h"
#include "apps/commands/scene_source.h"
#include "apps/compare/compare.h"
#include "apps/compare/step_costs.h"
#include "cairn/core/errors.h"

namespace cairn::cli {

namespace {

constexpr int kQuickCaptures = 2, kQuickSteps = 60, kQuickSweeps = 200, kQuickTurns = 3;
constexpr double kQuickRunLimit = 20, kQuickSlow = 0.5;  // s
// Parts of the time: of all for the run that is captured, and of what is left then for the captured steps.
constexpr double kCapturePart = 0.3, kFrozenPart = 0.5;
constexpr double kNever = std::numeric_limits<double>::infinity();

MeasurePlan make_plan(const CompareOptions& options) {
  MeasurePlan plan;
  plan.budget = options.budget_ms / 1000;
  plan.run_limit = options.run_limit;
  plan.time_limit = 60 * options.minutes;
  if (options.quality > 0) plan.qualities = {options.quality}, plan.run_quality = options.quality;
  if (options.quick) {
    plan.most_sweeps = kQuickSweeps, plan.turns = kQuickTurns, plan.slow = kQuickSlow;
    plan.run_limit = std::min(plan.run_limit, kQuickRunLimit);
  }
  return plan;
}

/// In the middles of as many equal parts of the run; fewer where there are fewer steps.
std::vector<int> capture_steps(int steps, int captures) {
  std::set<int> chosen;
  for (int k = 0; k < captures; ++k)
    chosen.insert(1 + static_cast<int>((2 * std::int64_t{k} + 1) * (steps - 1) / (2 * std::int64_t{captures})));
  return {chosen.begin(), chosen.end()};
}

/// Those that hold anything to solve. The bits do not depend on the threads, so all of them may work here.
std::vector<FrozenProblem> capture(const CompareOptions& options, Comparison& comparison, Progress& progress) {
  scenes::Scene scene = scene_for(options, "", 0, std::max(comparison.threads, available_processors()));
  comparison.scene = scene.name;
  comparison.steps = options.steps.value_or(options.quick ? std::min(kQuickSteps, scene.steps) : scene.steps);
  comparison.run_sweeps = std::max(1, scene.world.settings().iterations);
  comparison.bodies.emplace(scene.world);
  const int captures = options.quick ? std::min(options.captures, kQuickCaptures) : options.captures;
  const double limit = comparison.plan.time_limit > 0 ? kCapturePart * comparison.plan.time_limit : kNever;
  const std::vector<int> wanted = capture_steps(comparison.steps, captures);
  std::vector<FrozenProblem> frozen = freeze_steps(scene, wanted, progress, limit);
  comparison.last_step = static_cast<int>(scene.world.step_count());
  if (comparison.last_step < wanted.back() && !interrupted())
    comparison.note = fmt::format("The run that was captured was stopped at the limit after {} of {} steps.",
                                  comparison.last_step, wanted.back());
  if (comparison.plan.time_limit > 0) comparison.last_state = scene.world.save();
  StepCosts costs;
  costs.add(scene.world.last_report().times, comparison.threads == 1);
  comparison.other_ms = costs.all.front() - costs.solve.front();
  std::erase_if(frozen, [](const auto& f) { return f.problem.contacts.empty() && f.problem.joint_rows.empty(); });
  if (frozen.empty() && !interrupted())
    fail_input("nothing touches in the captured steps: choose more --steps or more --captures");
  for (const FrozenProblem& f : frozen)
    comparison.captures.push_back(
        {f.step, moving_bodies(f.problem), std::ssize(f.problem.contacts), std::ssize(f.problem.joint_rows)});
  return frozen;
}

/// Takes those of "all" out that cannot take the scene; InputError where one was named.
void refuse_rivals(Comparison& comparison, const CompareOptions& options, const FrozenProblem& frozen) {
  std::vector<Rival> able;
  for (const Rival& rival : comparison.rivals) try {
      scene_for(options, rival.spec.label, 0, comparison.threads);
      const Timer timer;
      solve_frozen(frozen, *make_solver(rival.spec.name, rival.spec.settings), {.sweeps = 1, .time_limit = 1});
      able.push_back(rival);
      able.back().first_solve = timer.seconds();
    } catch (const InputError& error) {
      if (!rival.from_all || error.kind() != ErrorKind::unsupported) throw;
      comparison.refusals.push_back({rival.spec.label, error.what()});
    }
  comparison.rivals = std::move(able);
}

}  // namespace

std::vector<std::string> split_solver_list(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, comma - start);
    const bool setting = part.find('=') < part.find(':');
    if (part.empty()) fail_input(fmt::format("'{}': solvers are written NAME,NAME:setting=value,...", text));
    if (setting && (names.empty() || names.back().find(':') == std::string::npos))
      fail_input(fmt::format("'{}': settings follow the name of a solver, NAME:{}", text, part));
    if (setting)
      names.back() += "," + part;
    else
      names.push_back(part);
    start = comma + 1;
  }
  return names;
}

std::vector<Rival> parse_rivals(const std::vector<std::string>& lists) {
  std::vector<Rival> rivals;
  const auto known = [&](const std::string& label) {
    return std::any_of(rivals.begin(), rivals.end(), [&](const Rival& r) { return r.spec.label == label; });
  };
  const auto add = [&](const std::string& text, bool from_all) {
    Rival rival{parse_solver(text, {}), has_own_iterations(text.substr(0, text.find(':'))), from_all};
    for (const auto& setting : rival.spec.settings) rival.own_sweeps |= setting.first == "iterations";
    rivals.push_back(std::move(rival));
  };
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::string& name : split_solver_list(list)) names.push_back(std::move(name));
  for (const std::string& name : names) {
    if (name == "all") continue;
    if (known(name)) fail_input(fmt::format("the solver {} is named twice", name));
    add(name, false);
  }
  if (std::find(names.begin(), names.end(), "all") != names.end())
    for (const SolverInfo& info : solver_table())
      if (!known(info.name)) add(info.name, true);
  return rivals;
}

Comparison compare(const CompareOptions& options) {
  Comparison comparison;
  comparison.rivals = parse_rivals(options.solvers);
  comparison.plan = make_plan(options);
  comparison.threads = options.threads > 0 ? options.threads : available_processors();
  const Timer timer;
  const double limit = comparison.plan.time_limit > 0 ? comparison.plan.time_limit : kNever;
  Progress progress("compare", comparison.plan.time_limit);
  const std::vector<FrozenProblem> frozen = capture(options, comparison, progress);
  if (interrupted()) return comparison;
  refuse_rivals(comparison, options, frozen.front());
  const std::unique_ptr<ThreadPool> pool = comparison.threads > 1 ? make_pool(comparison.threads) : nullptr;
  const double until = timer.seconds() + kFrozenPart * (limit - timer.seconds());
  for (std::size_t k = 0; k < 2 * frozen.size() && !interrupted(); ++k) {
    // What others leave of their shares goes to the steps that follow.
    const auto left = static_cast<double>((2 * frozen.size() - k) * comparison.rivals.size());
    const FrozenTask task{k / 2, k % 2 == 1, comparison.plan, pool.get(), (until - timer.seconds()) / left};
    for (CompareCurve& curve : compare_frozen(frozen[k / 2], task, comparison.rivals, progress))
      comparison.curves.push_back(std::move(curve));
  }
  if (!interrupted()) compare_runs(comparison, options, limit - timer.seconds(), progress);
  return comparison;
}

}  // namespace cairn::cli
