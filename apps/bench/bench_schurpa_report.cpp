// SPDX-License-Identifier: MIT
// What bench schurpa tells: tables on the screen, CSV, JSON, a page.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "apps/bench/bench_report.h"
#include "apps/bench/bench_schurpa.h"
#include "apps/cli/csv.h"
#include "apps/plots/plot_page.h"

namespace cairn::cli {

namespace {

Series named(const char* name) {
  Series series;
  series.name = name, series.markers = true;
  return series;
}

std::string schurpa_ms(double value) { return value < 0 ? "-" : fmt::format("{:.1f}", value); }

std::string with_count(double ms, int count) { return fmt::format("{:.1f} ({})", ms, count); }

Table band_table(const SchurpaResults& results) {
  Table table;
  table.title = fmt::format("Banded Cholesky, bandwidth {} (fig. 5.3)", results.bandwidth);
  table.head = {"size", "factor, 1 thread", "2 threads", "LAPACK dpbtrf", "solve 10, 1 thread", "2 threads"};
  for (const BandTimes& t : results.band)
    table.rows.push_back({std::to_string(t.size), schurpa_ms(t.factor_1), schurpa_ms(t.factor_2), schurpa_ms(t.lapack),
                          schurpa_ms(t.solve_1), schurpa_ms(t.solve_2)});
  table.caption =
      "Milliseconds, best of several rounds. Ours reads the matrix and inverts its diagonal tiles, which LAPACK does "
      "not. The thesis: 193 ms for size 8000 on its GPU, 280 ms with the inverses.";
  return table;
}

Table perturbed_table(const SchurpaResults& results) {
  Table table;
  table.title = fmt::format("Table 7.1: size {}, bandwidth {}, {} variables free, {} threads", results.size,
                            results.bandwidth, results.free, results.threads);
  table.head = {"changes", "SCHURPA factor", "solves",     "total",           "DIRECT factor", "solves",
                "total",   "iterations",     "difference", "thesis: SCHURPA", "DIRECT",        "iterations"};
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const PerturbedRow& r = results.rows[i];
    const PublishedRow& p = published_rows()[i];
    table.rows.push_back({std::to_string(r.delta), with_count(r.schurpa.factor_ms, r.schurpa.factorisations),
                          with_count(r.schurpa.solve_ms, r.schurpa.solves), schurpa_ms(r.schurpa.total_ms),
                          with_count(r.direct.factor_ms, r.direct.factorisations),
                          with_count(r.direct.solve_ms, r.direct.solves), schurpa_ms(r.direct.total_ms),
                          r.iterations == r.direct_iterations
                              ? std::to_string(r.iterations)
                              : fmt::format("{} / {}", r.iterations, r.direct_iterations),
                          fmt::format("{:.1e}", r.difference), schurpa_ms(p.schurpa_total), schurpa_ms(p.direct_total),
                          std::to_string(p.iterations)});
  }
  table.caption =
      "Milliseconds, in brackets how many. Totals also hold the products with H. Difference: of x, largest over "
      "largest. The thesis ran on a GTX 580; the contents of its random matrices are not given.";
  return table;
}

Table frozen_table(const SchurpaResults& results) {
  Table table;
  table.title = "Frozen steps of rigid bodies, from the impulses of the step before";
  table.head = {"scene", "step",           "contacts",      "solver", "iterations",
                "sets",  "factorisations", "Schur columns", "ms",     "residual"};
  const auto count = [](int value) { return value > 0 ? std::to_string(value) : std::string("-"); };
  for (const FrozenRow& r : results.frozen)
    table.rows.push_back({r.scene, std::to_string(r.step), std::to_string(r.contacts), r.solver,
                          std::to_string(r.iterations), count(r.active_sets), count(r.factorisations),
                          count(r.schur_columns), fmt::format("{:.3f}", r.ms), fmt::format("{:.1e}", r.residual)});
  table.caption =
      "Milliseconds of the processor, one thread, best of several rounds. Iterations are turns of both quadratic "
      "programs, Newton steps, or sweeps (50 for gauss_seidel and nesterov). The runs were driven by exact.";
  return table;
}

Plot band_plot(const SchurpaResults& results, bool solve) {
  Plot plot;
  plot.title = solve ? "Fig. 5.3 (b): ten right-hand sides" : "Fig. 5.3 (a): factorisation";
  plot.x_label = "size", plot.y_label = "time (ms)";
  Series one = named("one thread"), two = named("two threads"), lapack = named("LAPACK");
  for (const BandTimes& t : results.band) {
    for (Series* s : {&one, &two, &lapack}) s->x.push_back(t.size);
    one.y.push_back(solve ? t.solve_1 : t.factor_1), two.y.push_back(solve ? t.solve_2 : t.factor_2);
    lapack.y.push_back(t.lapack);
  }
  plot.series = {one, two};
  if (!solve && results.band.back().lapack >= 0) plot.series.push_back(lapack);
  plot.y_min = 0;
  return plot;
}

Plot perturbed_plot(const SchurpaResults& results, bool parts) {
  Plot plot;
  plot.title = parts ? "Fig. 7.2: what SCHURPA's time is made of" : "Fig. 7.1: time against changes";
  plot.x_label = "variables on the wrong side at the start", plot.y_label = "time (ms)";
  Series a = named(parts ? "factor" : "SCHURPA"), b = named(parts ? "solves" : "DIRECT");
  Series c = named(parts ? "total" : "SCHURPA, thesis"), d = named("DIRECT, thesis");
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const PerturbedRow& r = results.rows[i];
    const PublishedRow& p = published_rows()[i];
    for (Series* s : {&a, &b, &c, &d}) s->x.push_back(r.delta);
    a.y.push_back(parts ? r.schurpa.factor_ms : r.schurpa.total_ms);
    b.y.push_back(parts ? r.schurpa.solve_ms : r.direct.total_ms);
    c.y.push_back(parts ? r.schurpa.total_ms : p.schurpa_total);
    d.y.push_back(p.direct_total);
  }
  c.dashed = d.dashed = !parts;
  plot.series = {a, b, c};
  if (!parts) plot.series.push_back(d);
  plot.y_min = 0;
  return plot;
}

std::string json_of(const SchurpaResults& results) {
  nlohmann::ordered_json json;
  const BandTimes& t = results.band.back();
  json["cholesky"] = {
      {"n", t.size},          {"bandwidth", t.bandwidth},   {"ms_1", t.factor_1},        {"ms_2", t.factor_2},
      {"lapack_ms", nullptr}, {"solve_10_ms_1", t.solve_1}, {"solve_10_ms_2", t.solve_2}};
  if (t.lapack >= 0) json["cholesky"]["lapack_ms"] = t.lapack;
  json["problem"] = {
      {"n", results.size}, {"bandwidth", results.bandwidth}, {"free", results.free}, {"threads", results.threads}};
  json["table_7_1"] = nlohmann::ordered_json::array();
  for (const PerturbedRow& r : results.rows)
    json["table_7_1"].push_back({{"delta", r.delta},
                                 {"schurpa_ms", r.schurpa.total_ms},
                                 {"direct_ms", r.direct.total_ms},
                                 {"schurpa_factorisations", r.schurpa.factorisations},
                                 {"schurpa_solves", r.schurpa.solves},
                                 {"iterations", r.iterations},
                                 {"difference", r.difference},
                                 {"direct_factorisations", r.direct.factorisations},
                                 {"residual", r.residual}});
  json["frozen"] = nlohmann::ordered_json::array();
  for (const FrozenRow& r : results.frozen)
    json["frozen"].push_back({{"scene", r.scene},
                              {"step", r.step},
                              {"contacts", r.contacts},
                              {"solver", r.solver},
                              {"iterations", r.iterations},
                              {"active_sets", r.active_sets},
                              {"factorisations", r.factorisations},
                              {"schur_columns", r.schur_columns},
                              {"ms", r.ms},
                              {"residual", r.residual}});
  return json.dump(2) + "\n";
}

/// One line per row of table 7.1 and method, then one per frozen step and solver; cells that do not apply are empty.
std::string csv_of_schurpa(const SchurpaResults& results) {
  Csv csv({"delta", "method", "factor_ms", "factorisations", "solve_ms", "solves", "total_ms", "iterations", "scene",
           "step", "contacts", "active_sets", "schur_columns", "residual"});
  const auto line = [&](const PerturbedRow& r, std::string_view method, const PerturbedRow::Side& s, int iterations) {
    csv.cell(r.delta).cell(method).cell(s.factor_ms).cell(s.factorisations).cell(s.solve_ms).cell(s.solves);
    csv.cell(s.total_ms).cell(iterations).cell("").cell("").cell("").cell("").cell("").cell(r.residual);
    csv.end_row();
  };
  for (const PerturbedRow& r : results.rows) {
    line(r, "schurpa", r.schurpa, r.iterations);
    line(r, "direct", r.direct, r.direct_iterations);
  }
  for (const FrozenRow& r : results.frozen) {
    csv.cell("").cell(r.solver).cell("").cell(r.factorisations).cell("").cell("").cell(r.ms).cell(r.iterations);
    csv.cell(r.scene).cell(r.step).cell(r.contacts).cell(r.active_sets).cell(r.schur_columns).cell(r.residual);
    csv.end_row();
  }
  return std::string(csv.text());
}

}  // namespace

void print(const SchurpaResults& results) {
  fmt::print("{}\n", text_of(band_table(results), CellSide::right));
  fmt::print("{}\n", text_of(perturbed_table(results), CellSide::right));
  fmt::print("{}\n", text_of(frozen_table(results), CellSide::right));
}

void write_schurpa(const SchurpaResults& results, const BenchSchurpaOptions& options) {
  PlotPage page(
      "SCHURPA: active sets with one factorisation",
      "J. A. Litven, A Parallel Active-Set Method for Solving Frictional Contact Problems (2013), beside Cairn");
  page.add(perturbed_table(results));
  page.add(perturbed_plot(results, false));
  page.add(perturbed_plot(results, true));
  page.add(frozen_table(results));
  page.add(band_table(results));
  page.add(band_plot(results, false));
  page.add(band_plot(results, true));
  write_report(options.html, page.html(), options.force);
  write_report(options.csv, csv_of_schurpa(results), options.force);
  write_report(options.json, json_of(results), options.force);
}

}  // namespace cairn::cli
