// SPDX-License-Identifier: MIT
// What bench euler tells: tables on the screen, CSV, JSON, a page.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "apps/bench/bench_euler.h"
#include "apps/bench/bench_report.h"
#include "apps/cli/csv.h"
#include "apps/plots/plot_page.h"

namespace cairn::cli {

namespace {

using Pick = std::function<double(const CylinderStep&)>;

constexpr int kStages = 6;  // velocity, its band, map, its band, cells, agglomeration

Series curve(const char* name, const CylinderRun& run, const Pick& pick) {
  Series series;
  series.name = name;
  for (const CylinderStep& step : run.steps) {
    if (step.rows == 0) continue;
    series.x.push_back(step.time), series.y.push_back(pick(step));
  }
  return series;
}

Plot figure(const char* title, const char* y_label, std::vector<Series> series) {
  Plot plot;
  plot.title = title, plot.x_label = "time (s)", plot.y_label = y_label;
  plot.series = std::move(series);
  plot.y_min = 0;
  return plot;
}

std::vector<Plot> figures(const CylinderRun& run) {
  using Step = const CylinderStep&;
  return {figure("Fig. 7.3: iterations", "count",
                 {curve("staggered", run, [](Step s) { return s.schurpa.iterations; }),
                  curve("active sets, contact", run, [](Step s) { return s.schurpa.contact.most_sets; }),
                  curve("active sets, friction", run, [](Step s) { return s.schurpa.friction.most_sets; })}),
          figure("Fig. 7.4: share of the first active set that is right", "share",
                 {curve("contact", run, [](Step s) { return s.schurpa.contact.right_at_start; }),
                  curve("friction", run, [](Step s) { return s.schurpa.friction.right_at_start; })}),
          figure("Fig. 7.5: contacts and sizes of the systems", "count",
                 {curve("rows", run, [](Step s) { return static_cast<double>(s.rows); }),
                  curve("touching", run, [](Step s) { return static_cast<double>(s.touching); }),
                  curve("free in contact", run, [](Step s) { return s.schurpa.contact.free; }),
                  curve("free in friction", run, [](Step s) { return s.schurpa.friction.free; })}),
          figure("Fig. 7.6: solves with a factor", "count",
                 {curve("SCHURPA, contact", run, [](Step s) { return s.schurpa.contact.linear_solves; }),
                  curve("SCHURPA, friction", run, [](Step s) { return s.schurpa.friction.linear_solves; }),
                  curve("DIRECT, contact", run, [](Step s) { return s.direct.contact.linear_solves; }),
                  curve("DIRECT, friction", run, [](Step s) { return s.direct.friction.linear_solves; })}),
          figure("Fig. 7.7: time in contact", "ms of the processor",
                 {curve("SCHURPA", run, [](Step s) { return 1e3 * s.schurpa.contact.cpu_seconds; }),
                  curve("DIRECT", run, [](Step s) { return 1e3 * s.direct.contact.cpu_seconds; })}),
          figure("Fig. 7.8: time in friction", "ms of the processor",
                 {curve("SCHURPA", run, [](Step s) { return 1e3 * s.schurpa.friction.cpu_seconds; }),
                  curve("DIRECT", run, [](Step s) { return 1e3 * s.direct.friction.cpu_seconds; })})};
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

Table verification_table(const EulerResults& results) {
  Table table;
  table.title = "Solids with known answers";
  table.head = {"test", "quantity", "cells per m", "value", "limit", "passes"};
  for (const VerificationRow& r : results.verification)
    table.rows.push_back({r.test, r.quantity, std::to_string(r.cells), number(r.value),
                          fmt::format("{} {}", r.is_least ? ">=" : "<=", number(r.limit)), r.passes() ? "yes" : "NO"});
  table.caption = "Limits are those for 48 cells per metre.";
  return table;
}

/// What the steps of the cylinders amount to.
struct CylinderSums {
  std::int64_t rows = 0;
  int steps = 0, turns = 0, contact_sets = 0, friction_sets = 0, factorisations = 0, refactored = 0, unsettled = 0;
  double turns_mean = 0, right_contact = 1, right_friction = 1, energy = 0;
  double schurpa[2]{}, direct[2]{};            ///< s of the processor, contact and friction, of all steps
  double schurpa_peak[2]{}, direct_peak[2]{};  ///< of the tenth of the steps with most rows
};

void add_times(const CylinderStep& s, double (&schurpa)[2], double (&direct)[2]) {
  schurpa[0] += s.schurpa.contact.cpu_seconds, schurpa[1] += s.schurpa.friction.cpu_seconds;
  direct[0] += s.direct.contact.cpu_seconds, direct[1] += s.direct.friction.cpu_seconds;
}

CylinderSums sums_of(const CylinderRun& run) {
  CylinderSums sums;
  std::vector<const CylinderStep*> by_rows;
  for (const CylinderStep& s : run.steps) {
    sums.energy = std::max(sums.energy, s.energy / run.start_energy);
    if (s.rows == 0) continue;
    by_rows.push_back(&s);
    const AssembledStaggeredReport& r = s.schurpa;
    ++sums.steps;
    sums.rows = std::max(sums.rows, s.rows);
    sums.turns = std::max(sums.turns, r.iterations);
    sums.turns_mean += r.iterations;
    sums.unsettled += r.settled ? 0 : 1;
    sums.contact_sets = std::max(sums.contact_sets, r.contact.most_sets);
    sums.friction_sets = std::max(sums.friction_sets, r.friction.most_sets);
    sums.factorisations = std::max({sums.factorisations, r.contact.factorisations, r.friction.factorisations});
    sums.refactored += r.contact.refactorings + r.friction.refactorings > 0 ? 1 : 0;
    if (by_rows.size() > 1) {  // the first solve has no warm start
      sums.right_contact = std::min(sums.right_contact, r.contact.right_at_start);
      sums.right_friction = std::min(sums.right_friction, r.friction.right_at_start);
    }
    add_times(s, sums.schurpa, sums.direct);
  }
  sums.turns_mean /= std::max(1, sums.steps);
  std::stable_sort(by_rows.begin(), by_rows.end(), [](auto* a, auto* b) { return a->rows > b->rows; });
  for (std::size_t i = 0; i < (by_rows.size() + 9) / 10; ++i)
    add_times(*by_rows[i], sums.schurpa_peak, sums.direct_peak);
  return sums;
}

double over(double a, double b) { return b > 0 ? a / b : 0; }

Table cylinder_table(const EulerResults& results) {
  const CylinderRun& run = results.cylinders;
  const CylinderSums s = sums_of(run);
  Table table;
  table.title = fmt::format("Nine cylinders, cells of {:g} m", run.spacing);
  table.head = {"quantity", "here", "thesis"};
  table.rows = {{"cells", std::to_string(run.cells), "not given"},
                {"rows, most", std::to_string(s.rows), "not given"},
                {"staggered turns, mean and most", fmt::format("{:.2f}, {}", s.turns_mean, s.turns), "at most 2"},
                {"steps that did not settle", std::to_string(s.unsettled), "-"},
                {"active sets in contact, most", std::to_string(s.contact_sets), "8"},
                {"active sets in friction, most", std::to_string(s.friction_sets), "11"},
                {"factorisations of a QP per step, most", std::to_string(s.factorisations), "1"},
                {"steps with refactoring", std::to_string(s.refactored), "8"},
                {"first set right, least: contact, friction",
                 fmt::format("{:.2f}, {:.2f}", s.right_contact, s.right_friction), "0.8"},
                {"DIRECT over SCHURPA at the peak, contact",
                 fmt::format("{:.2f}", over(s.direct_peak[0], s.schurpa_peak[0])), "4"},
                {"DIRECT over SCHURPA at the peak, friction",
                 fmt::format("{:.2f}", over(s.direct_peak[1], s.schurpa_peak[1])), "3"},
                {"largest energy over the start", fmt::format("{:.5f}", s.energy), "-"}};
  table.caption =
      "Litven 2013, 7.2; the thesis names no material and no grid. The peak is the tenth of the steps with most rows. "
      "First set: that of the warm start, before any sweep; the first step has none.";
  return table;
}

/// The time in which the fields of all nodes could be read or written once per stage, s.
double streaming_seconds(const EulerResults& results, const EulerScaling& row) {
  return kStages * row.field_bytes / results.bandwidth;
}

Table scaling_table(const EulerResults& results) {
  Table table;
  table.title = "Cost of the stages of solids, without contact";
  table.head = {"what grows",    "objects",     "threads",       "cells",
                "ms a sub-step", "ns per cell", "s per million", "over streaming"};
  for (const EulerScaling& r : results.scaling)
    table.rows.push_back({r.kind, std::to_string(r.objects), std::to_string(r.threads), std::to_string(r.cells),
                          fmt::format("{:.2f}", 1e3 * r.seconds), fmt::format("{:.0f}", r.nanoseconds()),
                          fmt::format("{:.2f}", 1e-3 * r.nanoseconds()),
                          fmt::format("{:.1f}", r.cpu_seconds / streaming_seconds(results, r))});
  table.caption = fmt::format(
      "Best sub-step. ms are of the clock, the rest of the processor. Streaming: all fields of all nodes once per "
      "stage, "
      "{} stages, at {:.1f} GB/s that a copy by one thread reaches here.",
      kStages, 1e-9 * results.bandwidth);
  return table;
}

nlohmann::ordered_json json_of_step(const CylinderStep& s) {
  const auto side = [](const QpTally& t) {
    return nlohmann::ordered_json{{"active_sets", t.most_sets},
                                  {"factorisations", t.factorisations},
                                  {"solves", t.linear_solves},
                                  {"columns", t.columns},
                                  {"free", t.free},
                                  {"right_at_start", t.right_at_start},
                                  {"cpu_ms", 1e3 * t.cpu_seconds}};
  };
  return {{"time", s.time},
          {"rows", s.rows},
          {"touching", s.touching},
          {"staggered", s.schurpa.iterations},
          {"settled", s.schurpa.settled},
          {"schurpa", {{"contact", side(s.schurpa.contact)}, {"friction", side(s.schurpa.friction)}}},
          {"direct", {{"contact", side(s.direct.contact)}, {"friction", side(s.direct.friction)}}}};
}

std::string json_of_euler(const EulerResults& results) {
  nlohmann::ordered_json json;
  json["verification"] = nlohmann::ordered_json::array();
  for (const VerificationRow& r : results.verification)
    json["verification"].push_back({{"test", r.test},
                                    {"quantity", r.quantity},
                                    {"value", r.value},
                                    {"limit", r.limit},
                                    {"pass", r.passes()},
                                    {"relation", r.is_least ? ">=" : "<="},
                                    {"cells", r.cells}});
  const CylinderSums s = sums_of(results.cylinders);
  json["cylinders_3x3"] = {{"spacing", results.cylinders.spacing},
                           {"cells", results.cylinders.cells},
                           {"rows_max", s.rows},
                           {"staggered_mean", s.turns_mean},
                           {"staggered_max", s.turns},
                           {"not_settled", s.unsettled},
                           {"active_set_iterations_contact_max", s.contact_sets},
                           {"active_set_iterations_friction_max", s.friction_sets},
                           {"factorisations_per_step_max", s.factorisations},
                           {"refactored_steps", s.refactored},
                           {"direct_over_schurpa_contact_peak", over(s.direct_peak[0], s.schurpa_peak[0])},
                           {"direct_over_schurpa_friction_peak", over(s.direct_peak[1], s.schurpa_peak[1])},
                           {"energy_max_over_start", s.energy}};
  for (const CylinderStep& step : results.cylinders.steps) json["cylinders_3x3"]["steps"].push_back(json_of_step(step));
  json["scaling"] = nlohmann::ordered_json::array();
  for (const EulerScaling& r : results.scaling)
    json["scaling"].push_back({{"kind", r.kind},
                               {"objects", r.objects},
                               {"threads", r.threads},
                               {"cells", r.cells},
                               {"seconds", r.seconds},
                               {"cpu_seconds", r.cpu_seconds},
                               {"seconds_per_million_cells", 1e-3 * r.nanoseconds()},
                               {"over_streaming", r.cpu_seconds / streaming_seconds(results, r)}});
  json["bandwidth"] = results.bandwidth;
  return json.dump(2) + "\n";
}

/// The figures of the cylinders, a line per step.
std::string csv_of_euler(const EulerResults& results) {
  Csv csv({"time", "rows", "touching", "staggered", "contact_sets", "friction_sets", "contact_right", "friction_right",
           "contact_free", "friction_free", "schurpa_contact_solves", "schurpa_friction_solves",
           "direct_contact_solves", "direct_friction_solves", "schurpa_contact_ms", "schurpa_friction_ms",
           "direct_contact_ms", "direct_friction_ms"});
  for (const CylinderStep& s : results.cylinders.steps) {
    const QpTally &c = s.schurpa.contact, &f = s.schurpa.friction, &dc = s.direct.contact, &df = s.direct.friction;
    csv.cell(s.time).cell(s.rows).cell(s.touching).cell(s.schurpa.iterations).cell(c.most_sets).cell(f.most_sets);
    csv.cell(c.right_at_start).cell(f.right_at_start).cell(c.free).cell(f.free);
    csv.cell(c.linear_solves).cell(f.linear_solves).cell(dc.linear_solves).cell(df.linear_solves);
    csv.cell(1e3 * c.cpu_seconds).cell(1e3 * f.cpu_seconds).cell(1e3 * dc.cpu_seconds).cell(1e3 * df.cpu_seconds);
    csv.end_row();
  }
  return std::string(csv.text());
}

}  // namespace

void print(const EulerResults& results) {
  for (const Table& table : {verification_table(results), cylinder_table(results), scaling_table(results)})
    fmt::print("{}{}\n\n", text_of(table, CellSide::left), table.caption);
}

void write_euler(const EulerResults& results, const BenchEulerOptions& options) {
  PlotPage page("Elastic solids on a grid",
                "Known answers, and J. A. Litven, A Parallel Active-Set Method for Solving Frictional Contact Problems "
                "(2013), 7.2, beside Cairn");
  page.add(verification_table(results));
  page.add(cylinder_table(results));
  for (const Plot& plot : figures(results.cylinders)) page.add(plot);
  page.add(scaling_table(results));
  write_report(options.html, page.html(), options.force);
  write_report(options.csv, csv_of_euler(results), options.force);
  write_report(options.json, json_of_euler(results), options.force);
}

}  // namespace cairn::cli
