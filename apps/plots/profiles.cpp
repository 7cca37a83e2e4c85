// SPDX-License-Identifier: MIT
#include "apps/plots/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "apps/plots/plot_axis.h"
#include "cairn/core/errors.h"

namespace cairn::cli {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

void check(const ProfileInput& input) {
  require(!input.solvers.empty(), "a performance profile needs at least one solver");
  require(input.floor >= 0, "the smallest cost of a performance profile must not be negative");
  for (std::size_t p = 0; p < input.cost.size(); ++p) {
    if (input.cost[p].size() != input.solvers.size())
      fail_input(fmt::format("problem {} of a performance profile has {} costs for {} solvers", p, input.cost[p].size(),
                             input.solvers.size()));
    for (const double cost : input.cost[p])
      if (cost < 0) fail_input(fmt::format("problem {} of a performance profile has the negative cost {}", p, cost));
  }
}

/// cost / best of one problem, kNever where it is not solved. Where the best costs nothing, only others that cost
/// nothing are within a factor of it.
std::vector<double> ratios(const std::vector<double>& costs, double floor) {
  std::vector<double> ratio;
  double best = kNever;
  for (const double cost : costs) {
    ratio.push_back(std::isfinite(cost) ? std::max(cost, floor) : kNever);
    best = std::min(best, ratio.back());
  }
  for (double& r : ratio) r = r == best && r < kNever ? 1 : (best > 0 && r < kNever ? r / best : kNever);
  return ratio;
}

/// The curve of the ratios of one solver over `problems` problems.
Profile make_profile(std::vector<double> ratio, int problems) {
  Profile profile;
  std::sort(ratio.begin(), ratio.end());
  const auto within = [&](double tau) {
    return static_cast<double>(std::upper_bound(ratio.begin(), ratio.end(), tau) - ratio.begin()) / problems;
  };
  profile.tau = {1};
  for (const double r : ratio)
    if (r < kNever && r > profile.tau.back()) profile.tau.push_back(r);
  for (const double tau : profile.tau) profile.fraction.push_back(problems > 0 ? within(tau) : 0);
  if (problems == 0) return profile;

  for (std::size_t i = 0; i < kProfileFactors.size(); ++i) profile.share[i] = within(kProfileFactors[i]);
  // A problem at ratio r adds to rho from r on: its part of the log axis is 1 - log r / log last.
  const double last = kProfileFactors.back();
  for (const double r : ratio)
    if (r < last) profile.area += (1 - std::log(r) / std::log(last)) / problems;
  return profile;
}

}  // namespace

Profiles performance_profiles(const ProfileInput& input) {
  check(input);
  Profiles result;
  result.problems = static_cast<int>(input.cost.size());
  std::vector<std::vector<double>> by_solver(input.solvers.size());
  std::vector<int> solved(input.solvers.size(), 0);
  for (const std::vector<double>& costs : input.cost) {
    const std::vector<double> ratio = ratios(costs, input.floor);
    bool any = false;
    for (std::size_t s = 0; s < costs.size(); ++s) {
      by_solver[s].push_back(ratio[s]);
      solved[s] += std::isfinite(costs[s]) ? 1 : 0;
      any = any || std::isfinite(costs[s]);
    }
    result.solved_by_none += any ? 0 : 1;
    result.tied += std::count(ratio.begin(), ratio.end(), 1.0) > 1 ? 1 : 0;
  }
  for (std::size_t s = 0; s < input.solvers.size(); ++s) {
    result.solvers.push_back(make_profile(std::move(by_solver[s]), result.problems));
    result.solvers.back().solver = input.solvers[s];
    result.solvers.back().solved = solved[s];
  }
  return result;
}

Plot profile_plot(const Profiles& profiles, const std::string& title, const std::string& cost_name) {
  Plot plot;
  plot.title = title;
  plot.x_label = fmt::format("\u03c4: {} relative to the best solver of the problem", cost_name);
  plot.y_label = "share of problems solved within \u03c4";
  plot.log_x = true;
  plot.y_min = 0;
  plot.y_max = 1;
  plot.caption = fmt::format(
      "{} problems{}. Higher is better; at \u03c4 = 1: how often no other solver was better. In {} problems several "
      "solvers tie; each of them counts.",
      profiles.problems, profiles.solved_by_none ? fmt::format(", {} solved by none", profiles.solved_by_none) : "",
      profiles.tied);
  double last = kProfileFactors.back();
  for (const Profile& profile : profiles.solvers) last = std::max(last, profile.tau.back());
  last = log_axis({1, last}).high;  // lines run to the edge of the plot
  for (const Profile& profile : profiles.solvers) {
    Series series;
    series.name = profile.solver;
    // Both ends of every stair, and the last one drawn out to the common end.
    for (std::size_t i = 0; i < profile.tau.size(); ++i) {
      const double next = i + 1 < profile.tau.size() ? profile.tau[i + 1] : last;
      series.x.insert(series.x.end(), {profile.tau[i], next});
      series.y.insert(series.y.end(), {profile.fraction[i], profile.fraction[i]});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string profile_text(const Profiles& profiles) {
  std::vector<std::size_t> order(profiles.solvers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return profiles.solvers[a].area > profiles.solvers[b].area; });
  std::size_t width = 6;
  for (const Profile& profile : profiles.solvers) width = std::max(width, profile.solver.size());

  std::string text = fmt::format("{:<{}}  {:>9}", "solver", width, "solved");
  for (const double factor : kProfileFactors) text += fmt::format("  {:>9}", fmt::format("within {}", factor));
  text += fmt::format("  {:>5}\n", "area");
  for (const std::size_t s : order) {
    const Profile& profile = profiles.solvers[s];
    text +=
        fmt::format("{:<{}}  {:>9}", profile.solver, width, fmt::format("{}/{}", profile.solved, profiles.problems));
    for (const double share : profile.share) text += fmt::format("  {:>8.0f}%", 100 * share);
    text += fmt::format("  {:>5.2f}\n", profile.area);
  }
  if (profiles.tied > 0) text += fmt::format("{} problems have several best solvers; each counts\n", profiles.tied);
  return text;
}

}  // namespace cairn::cli
