// SPDX-License-Identifier: MIT
// What is told of a comparison on the screen and in JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/commands/run_report.h"
#include "apps/compare/compare.h"

namespace cairn::cli {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// NaN if one is, or without any; an exact 0 makes it 0.
double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return values.empty() ? kNone : std::exp(sum / static_cast<double>(values.size()));
}

std::vector<const CompareCurve*> curves_of(const CompareSummary& s) {
  std::vector<const CompareCurve*> curves;
  for (const CompareCurve& c : s.comparison->curves)
    if (c.rival == s.rival && c.warm == s.warm) curves.push_back(&c);
  return curves;
}

/// Three digits, whole numbers as they are.
std::string number(double value, const char* none = "-") {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, value == std::floor(value) ? 6 : 3) : none;
}

void print_frozen(const Comparison& comparison, bool warm, std::back_insert_iterator<std::string> out) {
  std::size_t width = 6;
  for (const Rival& r : comparison.rivals) width = std::max(width, r.spec.label.size());
  fmt::format_to(out,
                 "\n{} starts: C1 after equal sweeps; equal time; equal quality (sweeps and ms, of solved steps)\n",
                 warm ? "Warm" : "Cold");
  fmt::format_to(out, "{:<{}}", "solver", width);
  for (const int sweeps : kTableSweeps) fmt::format_to(out, " {:>9}", sweeps);
  fmt::format_to(out, " | {:>6} {:>9} | {:>9} {:>6}", "sweeps", "in time", "lowest", "sweeps");
  for (const double q : comparison.plan.qualities) fmt::format_to(out, " | {:<20}", fmt::format("C1 <= {:g}", q));
  fmt::format_to(out, "\n");
  for (std::size_t i = 0; i < comparison.rivals.size(); ++i) {
    const CompareSummary s = summarise(comparison, i, warm);
    fmt::format_to(out, "{:<{}}", comparison.rivals[i].spec.label, width);
    for (const int sweeps : kTableSweeps) fmt::format_to(out, " {:>9}", number(s.at_sweeps(sweeps)));
    fmt::format_to(out, " | {:>6} {:>9}", number(s.budget_sweeps), number(s.budget_residual));
    fmt::format_to(out, " | {:>9} {:>6}", number(s.lowest), number(s.lowest_sweeps));
    for (std::size_t q = 0; q < s.reached.size(); ++q)
      fmt::format_to(out, " | {:>3}/{} {:>5} {:>8}", s.reached[q], comparison.captures.size(), number(s.sweeps_to[q]),
                     number(s.ms_to[q]));
    fmt::format_to(out, "{}\n", s.stopped > 0 ? "  " + stopped_text(s) : "");
  }
}

void print_runs(const Comparison& comparison, Protocol protocol, std::back_insert_iterator<std::string> out) {
  std::size_t width = 6;
  for (const Rival& r : comparison.rivals) width = std::max(width, r.spec.label.size());
  fmt::format_to(out, "\n{}, {}\n", runs_text(comparison), to_string(protocol));
  fmt::format_to(out, "{:<{}} {:>6} {:>9} {:>9} {:>11} {:>11} {:>5} {:>8} {:>8}\n", "solver", width, "sweeps", "J1",
                 "J1 max", "overlap mm", "energy + J", "gone", "ms/step", "solve");
  for (const CompareRun& r : comparison.runs) {
    if (r.protocol != protocol) continue;
    fmt::format_to(out, "{:<{}} ", comparison.rivals[r.rival].spec.label, width);
    if (r.jitter.empty()) {
      fmt::format_to(out, "not run: {}\n", r.why_not);
      continue;
    }
    fmt::format_to(out, "{:>6} {:>9.3g} {:>9.3g} {:>11.3g} {:>11.3g} {:>5} {:>8.3g} {:>8.3g}{}\n",
                   r.sweeps > 0 ? std::to_string(r.sweeps) : "own", r.measures.jitter, r.measures.jitter_max,
                   1e3 * r.max_overlap, r.energy_gain, r.gone, r.step_ms, r.solve_ms,
                   r.note.empty() ? "" : "  " + r.note);
  }
}

nlohmann::json point_json(const ComparePoint& p) {
  return {{"sweeps", p.sweeps}, {"seconds", p.seconds}, {"c1_rms", p.residual}, {"c2_violation", p.violation}};
}

nlohmann::json curve_json(const Comparison& comparison, const CompareCurve& c) {
  nlohmann::json json{{"solver", comparison.rivals[c.rival].spec.label},
                      {"step", comparison.captures[c.capture].step},
                      {"start", c.warm ? "warm" : "cold"},
                      {"budget_seconds", c.budget},
                      {"stopped_at_limit", c.stopped},
                      {"points", nlohmann::json::array()},
                      {"in_budget", c.in_budget ? point_json(*c.in_budget) : nlohmann::json()},
                      {"quality", nlohmann::json::array()}};
  for (const ComparePoint& p : c.points) json["points"].push_back(point_json(p));
  for (const QualityPoint& q : c.quality)
    json["quality"].push_back(
        {{"c1_rms", q.quality}, {"reached", q.reached ? point_json(*q.reached) : nlohmann::json()}});
  return json;
}

nlohmann::json run_json(const Comparison& comparison, const CompareRun& r) {
  nlohmann::json json{{"solver", comparison.rivals[r.rival].spec.label}, {"protocol", to_string(r.protocol)}};
  if (!r.why_not.empty()) json["not_run"] = r.why_not;
  if (!r.note.empty()) json["note"] = r.note;
  if (r.jitter.empty()) return json;
  json.update({{"sweeps", r.sweeps > 0 ? nlohmann::json(r.sweeps) : nlohmann::json("own")},
               {"j1", r.measures.jitter},
               {"j1_max", r.measures.jitter_max},
               {"j2", r.measures.visible},
               {"j3", r.measures.creep},
               {"max_overlap", r.max_overlap},
               {"energy_gain", r.energy_gain},
               {"gone", r.gone},
               {"step_ms", r.step_ms},
               {"solve_ms", r.solve_ms},
               {"frames", {{"j1", r.jitter}, {"energy", r.energy}, {"overlap", r.overlap}}}});
  return json;
}

}  // namespace

double CompareSummary::at_sweeps(int sweeps) const {
  std::vector<double> values;
  for (const CompareCurve* c : curves_of(*this)) {
    const auto at = std::find_if(c->points.begin(), c->points.end(), [&](const auto& p) { return p.sweeps == sweeps; });
    values.push_back(at == c->points.end() || comparison->rivals[rival].own_sweeps ? kNone : at->residual);
  }
  return geometric_mean(values);
}

CompareSummary summarise(const Comparison& comparison, std::size_t rival, bool warm) {
  CompareSummary s;
  s.comparison = &comparison, s.rival = rival, s.warm = warm;
  const std::vector<const CompareCurve*> curves = curves_of(s);
  std::vector<double> residuals, lowest, lowest_sweeps;
  for (const CompareCurve* c : curves) {
    residuals.push_back(c->in_budget ? c->in_budget->residual : kNone);
    s.budget_sweeps += (c->in_budget ? c->in_budget->sweeps : 0) / static_cast<double>(curves.size());
    const auto best = std::min_element(c->points.begin(), c->points.end(),
                                       [](const auto& a, const auto& b) { return a.residual < b.residual; });
    lowest.push_back(best == c->points.end() ? kNone : best->residual);
    if (best != c->points.end()) lowest_sweeps.push_back(best->sweeps);
    s.stopped += c->stopped ? 1 : 0;
  }
  s.budget_residual = geometric_mean(residuals);
  s.lowest = geometric_mean(lowest);
  s.lowest_sweeps = lowest_sweeps.empty() ? kNone : median(lowest_sweeps);
  for (std::size_t q = 0; q < comparison.plan.qualities.size(); ++q) {
    std::vector<double> sweeps, ms;
    for (const CompareCurve* c : curves)
      if (q < c->quality.size() && c->quality[q].reached)
        sweeps.push_back(c->quality[q].reached->sweeps), ms.push_back(1e3 * c->quality[q].reached->seconds);
    s.reached.push_back(static_cast<int>(sweeps.size()));
    s.sweeps_to.push_back(sweeps.empty() ? kNone : median(sweeps));
    s.ms_to.push_back(ms.empty() ? kNone : median(ms));
  }
  return s;
}

ProfileInput compare_profile(const Comparison& comparison, bool warm, bool by_sweeps) {
  const std::size_t qualities = comparison.plan.qualities.size();
  ProfileInput input;
  input.floor = by_sweeps ? 1 : 1e-6;
  for (const Rival& r : comparison.rivals) input.solvers.push_back(r.spec.label);
  input.cost.assign(comparison.captures.size() * qualities,
                    std::vector<double>(comparison.rivals.size(), std::numeric_limits<double>::infinity()));
  for (const CompareCurve& c : comparison.curves)
    for (std::size_t q = 0; q < c.quality.size(); ++q)
      if (const auto& reached = c.quality[q].reached; reached && c.warm == warm)
        input.cost[c.capture * qualities + q][c.rival] = by_sweeps ? reached->sweeps : reached->seconds;
  return input;
}

std::string compare_text(const Comparison& comparison) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}; steps captured: {}; {} thread{}; in time: {}\n", comparison.scene,
                 comparison.captures.size(), comparison.threads, comparison.threads == 1 ? "" : "s",
                 budget_text(comparison));
  for (const CaptureInfo& c : comparison.captures)
    fmt::format_to(out, "  step {}: {} moving bodies, {} contacts, {} joint rows\n", c.step, c.bodies, c.contacts,
                   c.joint_rows);
  for (const Refusal& r : comparison.refusals) fmt::format_to(out, "  {} cannot: {}\n", r.solver, r.reason);
  if (!comparison.note.empty()) fmt::format_to(out, "  {}\n", comparison.note);
  for (const bool warm : {false, true}) print_frozen(comparison, warm, out);
  for (const Protocol protocol : kProtocols) print_runs(comparison, protocol, out);
  fmt::format_to(out, "\nPerformance profiles by time, warm starts\n{}",
                 profile_text(performance_profiles(compare_profile(comparison, true, false))));
  return text;
}

std::string stopped_text(const CompareSummary& s) {
  return fmt::format("stopped at the limit, {} of {}", s.stopped, s.comparison->captures.size());
}

std::string runs_text(const Comparison& comparison) {
  return comparison.run_from == 0
             ? fmt::format("Runs of {} steps", comparison.run_steps)
             : fmt::format("Runs of {} steps from the state after step {}", comparison.run_steps, comparison.run_from);
}

std::string budget_text(const Comparison& comparison) {
  return comparison.plan.budget > 0 ? fmt::format("{:g} ms per solve", 1e3 * comparison.plan.budget)
                                    : fmt::format("the time of {} sweeps of pgs", kBudgetSweeps);
}

nlohmann::json to_json(const Comparison& comparison) {
  nlohmann::json json{{"scene", comparison.scene},         {"threads", comparison.threads},
                      {"steps", comparison.steps},         {"sweeps", comparison.run_sweeps},
                      {"run_from", comparison.run_from},   {"run_steps", comparison.run_steps},
                      {"note", comparison.note},           {"seconds_at_most", comparison.plan.time_limit},
                      {"budget", budget_text(comparison)}, {"solvers", nlohmann::json::array()},
                      {"cannot", nlohmann::json::array()}, {"captures", nlohmann::json::array()},
                      {"curves", nlohmann::json::array()}, {"runs", nlohmann::json::array()}};
  for (const Rival& r : comparison.rivals) json["solvers"].push_back(r.spec.label);
  for (const Refusal& r : comparison.refusals) json["cannot"].push_back({{"solver", r.solver}, {"reason", r.reason}});
  for (const CaptureInfo& c : comparison.captures)
    json["captures"].push_back(
        {{"step", c.step}, {"bodies", c.bodies}, {"contacts", c.contacts}, {"joint_rows", c.joint_rows}});
  for (const CompareCurve& c : comparison.curves) json["curves"].push_back(curve_json(comparison, c));
  for (const CompareRun& r : comparison.runs) json["runs"].push_back(run_json(comparison, r));
  return json;
}

}  // namespace cairn::cli
