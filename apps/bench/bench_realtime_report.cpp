// SPDX-License-Identifier: MIT
// What bench realtime tells: tables on the screen, CSV, JSON, a page.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/bench/bench_realtime.h"
#include "apps/cli/csv.h"
#include "apps/plots/plot_page.h"

namespace cairn::cli {

namespace {

std::string number(double value) { return fmt::format("{:.3g}", value); }

std::string ms_text(const EngineResult& r, int threads) {
  const EngineTiming* timing = r.timing(threads);
  return timing == nullptr ? "-" : number(timing->median_ms);
}

std::string lost_text(const PoseQuality& q) {
  return q.left == 0 ? std::to_string(q.fell_through) : fmt::format("{} + {} left", q.fell_through, q.left);
}

std::vector<std::string> scenes_of(const RealtimeResults& results) {
  std::vector<std::string> names;
  for (const EngineResult& r : results.engines)
    if (std::find(names.begin(), names.end(), r.scene) == names.end()) names.push_back(r.scene);
  return names;
}

/// The same columns on the screen and on the page.
Table table_of(const RealtimeResults& results, const std::string& scene) {
  Table table;
  table.title = scene;
  table.head = {"engine", "steps", "contacts"};
  for (const int threads : results.threads) {
    table.head.push_back(fmt::format("ms, {} thr.", threads));
    table.head.emplace_back("slower");
  }
  for (const char* name : {"J/body", "overlap mm", "mean mm", "drift m", "sag m", "joints mm", "lost"})
    table.head.emplace_back(name);
  for (const EngineResult& r : results.engines) {
    if (r.scene != scene) continue;
    std::vector<std::string> row{r.engine};
    if (r.cannot.empty()) {
      const PoseQuality& q = r.quality;
      row.push_back(fmt::format("{}-{}", r.first, r.last));
      row.push_back(std::to_string(r.contacts));
      for (const int threads : results.threads) {
        row.push_back(ms_text(r, threads));
        const double slower = times_slower(results, r, threads);
        row.push_back(slower > 0 ? number(slower) : "-");
      }
      for (const double value : {q.kinetic_energy, 1e3 * q.max_overlap, 1e3 * q.mean_overlap, q.drift, q.sag})
        row.push_back(number(value));
      row.push_back(q.joint_error > 0 ? number(1e3 * q.joint_error) : "-");
      row.push_back(lost_text(q));
    } else {
      row.push_back(r.cannot);
    }
    row.resize(table.head.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table roofline_table(const RealtimeResults& results) {
  Table table;
  table.title = "The contact sweep against the machine";
  table.head = {"scene",    "lanes", "threads", "contacts", "MB", "bytes/contact", "flops/contact",
                "sweep ms", "GB/s",  "of",      "GFLOP/s",  "of", "% of the limit"};
  for (const Roofline& r : results.rooflines)
    for (const Roofline::Point& p : r.points)
      table.rows.push_back({r.scene, r.simd, std::to_string(p.threads), std::to_string(r.contacts), number(r.megabytes),
                            number(r.bytes_per_contact), number(r.flops_per_contact), number(1e3 * p.seconds),
                            number(p.gigabytes), number(p.bandwidth), number(p.gflops), number(p.peak),
                            fmt::format("{:.0f}", 100 * p.fraction)});
  table.caption =
      "Bytes and flops of the mean sweep, counted from the layout of the lanes and from the formulas. The limits are "
      "measured: a stream over as many bytes, read and written in the proportion of the sweep, and multiplications and "
      "additions without fusing on registers. The nearer of the two is the limit.";
  return table;
}

/// Times of all engines, scene by scene, with one number of threads.
Plot time_plot(const RealtimeResults& results, int threads) {
  Plot plot;
  plot.title = fmt::format("Milliseconds per step, {} thread{}", threads, threads == 1 ? "" : "s");
  plot.x_label = "scene, in the order of the tables";
  plot.y_label = "ms per step (median)";
  plot.log_y = true;
  plot.caption = "An engine that has fewer threads is drawn with the most it has.";
  const std::vector<std::string> scenes = scenes_of(results);
  for (const EngineResult& r : results.engines) {
    const EngineTiming* timing = r.timing(threads);
    if (timing == nullptr && !r.timings.empty()) timing = &r.timings.back();
    if (timing == nullptr) continue;
    auto series =
        std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& s) { return s.name == r.engine; });
    if (series == plot.series.end()) {
      plot.series.push_back({r.engine, {}, {}, r.peer, true});
      series = plot.series.end() - 1;
    }
    series->x.push_back(static_cast<double>(std::find(scenes.begin(), scenes.end(), r.scene) - scenes.begin()) + 1);
    series->y.push_back(timing->median_ms);
  }
  return plot;
}

void print(const Table& table) {
  std::vector<std::size_t> width(table.head.size());
  for (std::size_t i = 0; i < width.size(); ++i) {
    width[i] = table.head[i].size();
    for (const auto& row : table.rows)
      if (!row[2].empty()) width[i] = std::max(width[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    fmt::print("  {:<{}}", cells[0], std::max(width[0], cells[0].size()));
    for (std::size_t i = 1; i < cells.size(); ++i)
      if (!cells[i].empty()) fmt::print("  {:>{}}", cells[i], width[i]);
    fmt::print("\n");
  };
  fmt::print("\n{}\n", table.title);
  line(table.head);
  for (const auto& row : table.rows) line(row);
  std::fflush(stdout);
}

nlohmann::json to_json(const EngineResult& r) {
  if (!r.cannot.empty()) return {{"scene", r.scene}, {"engine", r.engine}, {"cannot", r.cannot}};
  nlohmann::json timings = nlohmann::json::array();
  for (const EngineTiming& t : r.timings)
    timings.push_back({{"threads", t.threads}, {"median_ms", t.median_ms}, {"mean_ms", t.mean_ms}, {"steps", t.steps}});
  const PoseQuality& q = r.quality;
  return {{"scene", r.scene},
          {"engine", r.engine},
          {"first_step", r.first},
          {"last_step", r.last},
          {"contacts", r.contacts},
          {"timings", timings},
          {"kinetic_energy_per_body", q.kinetic_energy},
          {"max_overlap_m", q.max_overlap},
          {"mean_overlap_m", q.mean_overlap},
          {"max_joint_error_m", q.joint_error},
          {"max_drift_m", q.drift},
          {"max_sag_m", q.sag},
          {"fell_through", q.fell_through},
          {"left_scene", q.left}};
}

nlohmann::json to_json(const Roofline& r) {
  nlohmann::json points = nlohmann::json::array();
  for (const Roofline::Point& p : r.points)
    points.push_back({{"threads", p.threads},
                      {"sweep_seconds", p.seconds},
                      {"bandwidth_gb_s", p.bandwidth},
                      {"peak_gflops", p.peak},
                      {"reached_gb_s", p.gigabytes},
                      {"reached_gflops", p.gflops},
                      {"fraction", p.fraction}});
  return {{"scene", r.scene},
          {"simd", r.simd},
          {"contacts", r.contacts},
          {"megabytes", r.megabytes},
          {"bytes_per_contact", r.bytes_per_contact},
          {"flops_per_contact", r.flops_per_contact},
          {"points", points}};
}

}  // namespace

const EngineTiming* EngineResult::timing(int threads) const {
  const auto found =
      std::find_if(timings.begin(), timings.end(), [&](const EngineTiming& t) { return t.threads == threads; });
  return found == timings.end() ? nullptr : &*found;
}

double times_slower(const RealtimeResults& results, const EngineResult& engine, int threads) {
  double ours = 0;
  for (const EngineResult& r : results.engines) {
    const EngineTiming* timing = r.timing(threads);
    if (r.scene == engine.scene && !r.peer && timing != nullptr && (ours == 0 || timing->median_ms < ours))
      ours = timing->median_ms;
  }
  const EngineTiming* its = engine.timing(threads);
  if (its == nullptr)  // the most it has below that
    for (const EngineTiming& t : engine.timings)
      if (t.threads < threads && (its == nullptr || t.threads > its->threads)) its = &t;
  return ours > 0 && its != nullptr ? its->median_ms / ours : 0;
}

void print_scene(const RealtimeResults& results, const std::string& scene) { print(table_of(results, scene)); }

void print_rooflines(const RealtimeResults& results) {
  if (!results.rooflines.empty()) print(roofline_table(results));
}

std::string realtime_csv(const RealtimeResults& results) {
  Csv csv({"scene", "engine", "threads", "first_step", "last_step", "contacts", "median_ms", "mean_ms", "times_slower",
           "kinetic_energy_per_body", "max_overlap_m", "mean_overlap_m", "max_joint_error_m", "max_drift_m",
           "max_sag_m", "fell_through", "left_scene", "cannot"});
  for (const EngineResult& r : results.engines) {
    const auto line = [&](const EngineTiming& t) {
      const PoseQuality& q = r.quality;
      csv.cell(r.scene).cell(r.engine).cell(t.threads).cell(r.first).cell(r.last).cell(r.contacts);
      csv.cell(t.median_ms).cell(t.mean_ms).cell(times_slower(results, r, t.threads)).cell(q.kinetic_energy);
      csv.cell(q.max_overlap).cell(q.mean_overlap).cell(q.joint_error).cell(q.drift).cell(q.sag);
      csv.cell(q.fell_through).cell(q.left).cell(r.cannot).end_row();
    };
    if (!r.cannot.empty()) line({});
    for (const EngineTiming& t : r.timings) line(t);
  }
  return std::string(csv.text());
}

std::string realtime_json(const RealtimeResults& results) {
  nlohmann::json json{{"engines", nlohmann::json::array()}, {"roofline", nlohmann::json::array()}};
  for (const EngineResult& r : results.engines) json["engines"].push_back(to_json(r));
  for (const Roofline& r : results.rooflines) json["roofline"].push_back(to_json(r));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string realtime_page(const RealtimeResults& results) {
  PlotPage page("Real time", "Speed and quality beside other engines, all measured in one run by the same ruler");
  page.paragraph(
      "Median wall time of a step. Slower: by which factor than the fastest of ours with as many threads; an engine "
      "without them counts with the most it has. Kinetic energy, overlap, drift and sag are measured from poses and "
      "velocities by Cairn's own detection, for every engine alike. Lost: bodies that fell through something.");
  for (const int threads : results.threads) page.add(time_plot(results, threads));
  for (const std::string& scene : scenes_of(results)) page.add(table_of(results, scene));
  if (!results.rooflines.empty()) page.add(roofline_table(results));
  return page.html();
}

}  // namespace cairn::cli
