// SPDX-License-Identifier: MIT
#include "apps/view/view_curves.h"

#include <utility>

#include "apps/compare/compare.h"
#include "cairn/core/errors.h"
#include "cairn/live/request.h"

namespace cairn::cli {

namespace {

constexpr double kSlow = 0.25;  // s: a curve ends with the solve that took longer

JsonValue named(const Rival& rival) {
  JsonValue curve = json_object();
  add_member(curve, "solver", json_text(rival.spec.label));
  return curve;
}

JsonValue to_json_curve(const Rival& rival, const CompareCurve& from) {
  JsonValue curve = named(rival);
  JsonValue sweeps = json_array(), residuals = json_array(), ms = json_array();
  for (const ComparePoint& point : from.points) {
    sweeps.items.push_back(json_number(point.sweeps));
    residuals.items.push_back(json_real(point.residual));
    ms.items.push_back(json_real(1e3 * point.seconds));
  }
  add_member(curve, "sweeps", std::move(sweeps));
  add_member(curve, "residual", std::move(residuals));
  add_member(curve, "ms", std::move(ms));
  return curve;
}

/// Those that take the problem; the others are told why not.
std::vector<Rival> able_rivals(const FrozenProblem& frozen, const std::vector<Rival>& rivals, JsonValue& curves) {
  std::vector<Rival> able;
  for (const Rival& rival : rivals) try {
      solve_frozen(frozen, *make_solver(rival.spec.name, rival.spec.settings), {.sweeps = 1, .time_limit = kSlow});
      able.push_back(rival);
    } catch (const InputError& error) {
      JsonValue refused = named(rival);
      add_member(refused, "error", json_text(error.what()));
      curves.items.push_back(std::move(refused));
    }
  return able;
}

}  // namespace

JsonValue view_curves(const World& stepped, const std::vector<std::string>& solvers, int sweeps) {
  const auto colours = stepped.contact_colours();
  const FrozenProblem frozen{"",
                             static_cast<int>(stepped.step_count()),
                             stepped.problem(),
                             stepped.warm_start(),
                             {colours.begin(), colours.end()}};
  const std::vector<std::string> all{"all"};
  const std::vector<Rival> rivals = parse_rivals(solvers.empty() ? all : solvers);
  if (frozen.problem.contacts.empty() && frozen.problem.joint_rows.empty())
    fail_input("nothing touches in this step: there is nothing to solve");
  JsonValue curves = json_array();
  const std::vector<Rival> able = able_rivals(frozen, rivals, curves);
  MeasurePlan plan;
  plan.most_sweeps = sweeps, plan.turns = 3, plan.slow = kSlow;
  plan.qualities.clear();
  ThreadPool alone(1);  // times by the clock: the processor works for the simulation too
  Progress progress("curves");
  if (!able.empty()) {
    const FrozenTask task{0, stepped.settings().warm_start, plan, &alone};
    for (const CompareCurve& curve : compare_frozen(frozen, task, able, progress))
      curves.items.push_back(to_json_curve(able[curve.rival], curve));
  }
  JsonValue result = json_object();
  add_member(result, "contacts", json_number(static_cast<double>(frozen.problem.contacts.size())));
  add_member(result, "curves", std::move(curves));
  return result;
}

}  // namespace cairn::cli
