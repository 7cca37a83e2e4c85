// SPDX-License-Identifier: MIT
#include "apps/commands/exact_sums.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace cairn::cli {

namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1.0;
}

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

double per_step(std::int64_t sum, const ExactSums& sums) {
  return static_cast<double>(sum) / static_cast<double>(std::max<std::int64_t>(sums.steps, 1));
}

}  // namespace

void ExactSums::add(const StepReport& report) {
  const ExactReport& now = report.solve.exact;
  ++steps;
  // Without a measure of the whole step, that of its worst island, which is no smaller.
  const double residual = report.solve.residual >= 0 ? report.solve.residual : now.worst.residual;
  total.is_given = total.is_given || now.is_given;
  const bool holds = now.islands == 0 || residual <= kExactResidual;
  exact_steps += holds ? 1 : 0;
  if (now.islands == 0) return;
  worst = std::max(worst, std::isnan(residual) ? HUGE_VAL : residual);
  if (!holds && misses.size() < kMostMisses) misses.push_back({report.step, residual, now.worst});
  if (total.islands == 0) first = now;
  total.islands += now.islands, total.exact += now.exact;
  total.small += now.small, total.small_exact += now.small_exact;
  total.fallbacks += now.fallbacks, total.newton_steps += now.newton_steps;
  total.factorisations += now.factorisations, total.sweeps += now.sweeps;
  total.turns += now.turns, total.active_sets += now.active_sets, total.schur_columns += now.schur_columns;
  total.unfinished += now.unfinished;
  for (std::size_t i = 0; i < kExactStages; ++i) total.ended[i] += now.ended[i];
}

void add_json(const ExactSums& s, nlohmann::json& json) {
  if (!s.is_used()) return;
  json["exact_steps"] = s.exact_steps;
  json["exact_worst"] = finite_or_null(s.worst);
  json["exact_islands"] = share(s.total.exact, s.total.islands);
  json["exact_small_islands"] = share(s.total.small_exact, s.total.small);
  // Of every count what a step has on average, and what the first one had, which is cold.
  const auto count = [&](const std::string& name, std::int64_t ExactReport::*field) {
    json["exact_" + name] = per_step(s.total.*field, s);
    json["exact_first_" + name] = s.first.*field;
  };
  count("newton_steps", &ExactReport::newton_steps), count("factorisations", &ExactReport::factorisations);
  count("turns", &ExactReport::turns), count("active_sets", &ExactReport::active_sets);
  count("schur_columns", &ExactReport::schur_columns);
  json["exact_unfinished"] = s.total.unfinished;
  json["exact_fallbacks"] = s.total.fallbacks;
  nlohmann::json stages, misses = nlohmann::json::array();
  for (std::size_t i = 0; i < kExactStages; ++i) stages[to_string(static_cast<ExactStage>(i))] = s.total.ended[i];
  for (const ExactSums::Miss& miss : s.misses)
    misses.push_back({{"step", miss.step},
                      {"residual", finite_or_null(miss.residual)},
                      {"island_contacts", miss.island.contacts},
                      {"island_residual", finite_or_null(miss.island.residual)},
                      {"stage", to_string(miss.island.stage)},
                      {"reason", to_string(miss.island.reason)}});
  json["exact_stages"] = stages;
  json["exact_misses"] = misses;
}

std::string to_text(const ExactSums& s) {
  std::string text = fmt::format("{} of {} steps, worst {:.1e}; {} of {} islands", s.exact_steps, s.steps, s.worst,
                                 s.total.exact, s.total.islands);
  const auto count = [&](std::string_view name, std::int64_t total, std::int64_t first) {
    if (total > 0) text += fmt::format("; {:.1f} {} per step, {} in the first", per_step(total, s), name, first);
  };
  count("Newton steps", s.total.newton_steps, s.first.newton_steps);
  count("turns", s.total.turns, s.first.turns);
  count("active sets", s.total.active_sets, s.first.active_sets);
  count("Schur columns", s.total.schur_columns, s.first.schur_columns);
  for (std::size_t i = 0; i < kExactStages; ++i)
    if (s.total.ended[i] > 0)
      text += fmt::format("; {} by {}", s.total.ended[i], to_string(static_cast<ExactStage>(i)));
  return text;
}

}  // namespace cairn::cli
