// SPDX-License-Identifier: MIT
// The page and the CSV files of bench mass-splitting.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/bench/bench_mass_splitting.h"
#include "apps/cli/csv.h"
#include "apps/plots/plot_page.h"

namespace cairn::cli {

namespace {

std::string number(double value) { return fmt::format("{:.3g}", value); }

std::string sweeps_or_more(int sweeps) { return sweeps > 0 ? std::to_string(sweeps) : "not reached"; }

/// The mean over the frozen problems of a scene, point by point.
struct MeanCurve {
  std::vector<double> sweeps, seconds, violation, residual;
};

MeanCurve mean_curve(const SplitResults& r, const std::string& scene, const std::string& method) {
  MeanCurve mean;
  double count = 0;
  for (const Convergence& c : r.convergence) {
    if (c.scene != scene || c.method != method) continue;
    for (auto* values : {&mean.sweeps, &mean.seconds, &mean.violation, &mean.residual}) values->resize(c.points.size());
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      mean.sweeps[i] += c.points[i].sweeps;
      mean.seconds[i] += c.points[i].sweeps * c.cost.sweep;
      mean.violation[i] += c.points[i].violation;
      mean.residual[i] += c.points[i].residual;
    }
    ++count;
  }
  for (auto* values : {&mean.sweeps, &mean.seconds, &mean.violation, &mean.residual})
    for (double& value : *values) value /= count;
  return mean;
}

enum class Quantity { violation, residual, residual_by_time };

Plot convergence_plot(const SplitResults& r, const std::string& scene, Quantity quantity) {
  const bool by_time = quantity == Quantity::residual_by_time;
  Plot plot;
  plot.x_label = by_time ? "time of iterations (ms)" : "sweeps";
  plot.y_label = quantity == Quantity::violation ? "average violation C2" : "natural residual C1, rms";
  plot.title = fmt::format("{}: {} against {}", scene,
                           quantity == Quantity::violation ? "average violation" : "natural residual",
                           by_time ? "time" : "sweeps");
  plot.log_x = plot.log_y = true;
  for (const SplitMethod& method : split_methods()) {
    const MeanCurve curve = mean_curve(r, scene, method.name);
    Series series;
    series.name = method.name;
    series.markers = true;
    series.dashed = method.solver.starts_with("pgs");
    for (std::size_t i = 1; i < curve.sweeps.size(); ++i) {  // 0 sweeps have no place on a log axis
      series.x.push_back(by_time ? 1e3 * curve.seconds[i] : curve.sweeps[i]);
      series.y.push_back(quantity == Quantity::violation ? curve.violation[i] : curve.residual[i]);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Plot energy_plot(const SplitResults& r, const std::string& scene) {
  Plot plot;
  plot.title = scene + ": kinetic energy against frame";
  plot.x_label = "frame";
  plot.y_label = "kinetic energy per body (J)";
  plot.log_y = true;
  for (const FrameRun& run : r.frames) {
    if (run.scene != scene) continue;
    Series series;
    series.name = fmt::format("{}, {} sweeps", run.method, run.sweeps);
    series.dashed = run.method.starts_with("PGS");
    for (std::size_t i = 0; i < run.energy.size(); ++i) {
      series.x.push_back(static_cast<double>(i + 1));
      series.y.push_back(run.energy[i]);
    }
    plot.series.push_back(thinned(series));
  }
  return plot;
}

Plot colour_plot(const SplitResults& r) {
  Plot plot;
  plot.title = "Contacts per colour";
  plot.x_label = "colour";
  plot.y_label = "contacts";
  plot.log_y = true;
  plot.caption = "Figure 3 of Tonge et al. 2012: the last colours hold too few contacts to keep many threads busy.";
  for (const ColourHistogram& histogram : r.colours) {
    Series series;
    series.name = fmt::format("{}, step {}", histogram.scene, histogram.step);
    series.markers = true;
    for (std::size_t i = 0; i < histogram.sizes.size(); ++i) {
      series.x.push_back(static_cast<double>(i + 1));
      series.y.push_back(static_cast<double>(histogram.sizes[i]));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

const FrameRun* find_run(const SplitResults& r, const std::string& scene, const std::string& method) {
  const auto found = std::find_if(r.frames.begin(), r.frames.end(),
                                  [&](const FrameRun& run) { return run.scene == scene && run.method == method; });
  return found != r.frames.end() ? &*found : nullptr;
}

Table frame_time_table(const SplitResults& r) {
  Table table;
  table.title = "Table 1: ms per frame";
  table.head = {"scene",     "PGS, 5 sweeps",     "its solve",          "block, 30 sweeps",
                "its solve", "Tonge et al.: PGS", "Tonge et al.: block"};
  table.caption = fmt::format(
      "Median frame of the end of each run, collision detection included, {}. Tonge et al. 2012: whole frames on a GTX "
      "580 with "
      "512 cores.",
      r.threads == 1 ? "processor time of one thread" : fmt::format("by the clock with {} threads", r.threads));
  for (const SplitScene& scene : r.scenes) {
    const FrameRun* pgs = find_run(r, scene.name, "PGS");
    const FrameRun* split = find_run(r, scene.name, "block mass splitting");
    if (pgs == nullptr || split == nullptr) continue;
    table.rows.push_back({scene.name, number(pgs->frame_ms), number(pgs->solve_ms), number(split->frame_ms),
                          number(split->solve_ms), number(scene.paper_pgs_ms), number(scene.paper_split_ms)});
  }
  return table;
}

Table jitter_table(const SplitResults& r) {
  Table table;
  table.title = "Jitter over the last frames";
  table.head = {"scene", "solver", "sweeps", "J1 mean", "J1 max", "J2 visible", "J3 creep", "ms per frame"};
  for (const FrameRun& run : r.frames)
    table.rows.push_back({run.scene, run.method, std::to_string(run.sweeps), number(run.jitter.jitter),
                          number(run.jitter.jitter_max), number(run.jitter.visible), number(run.jitter.creep),
                          number(run.frame_ms)});
  return table;
}

Table order_table(const SplitResults& r) {
  Table table;
  table.title = "Order sensitivity D3 over ten random orders of the contacts";
  table.head = {"scene", "step", "solver", "sweeps", "D3", "residual of the yardstick"};
  for (const OrderRow& row : r.orders)
    table.rows.push_back({row.scene, std::to_string(row.step), row.method, std::to_string(row.sweeps),
                          number(row.sensitivity), number(row.reference_residual)});
  return table;
}

Table hundredth_table(const SplitResults& r) {
  Table table;
  table.title = "Sweeps to a hundredth of the residual at the start";
  table.head = {"scene", "step", "contacts"};
  const std::vector<SplitMethod> methods = split_methods();
  for (const SplitMethod& method : methods) table.head.push_back(method.name);
  for (const Convergence& c : r.convergence) {
    if (c.method == methods.front().name)
      table.rows.push_back({c.scene, std::to_string(c.step), std::to_string(c.contacts)});
    table.rows.back().push_back(sweeps_or_more(c.sweeps_to_hundredth));
  }
  for (auto& row : table.rows) row.resize(table.head.size());
  return table;
}

Table cost_table(const SplitResults& r) {
  Table table;
  table.title = "Cost of a sweep, and of the set-up of a solve";
  table.head = {"scene", "step", "contacts", "solver", "sweep, ns per contact", "set-up, sweeps"};
  for (const Convergence& c : r.convergence)
    table.rows.push_back({c.scene, std::to_string(c.step), std::to_string(c.contacts), c.method,
                          number(1e9 * c.cost.sweep / static_cast<double>(std::max<std::int64_t>(1, c.contacts))),
                          number(c.cost.setup / c.cost.sweep)});
  return table;
}

/// Of two measures that may both have come down to 0.
double log_ratio(double a, double b) {
  constexpr double kNothing = 1e-30;
  return std::log((a + kNothing) / (b + kNothing));
}

/// Geometric means over the frozen problems of a scene.
Table equal_time_table(const SplitResults& r) {
  Table table;
  table.title = "Equal time: residual C1 over that of PGS (below 1: better than PGS)";
  table.head = {"scene", "time of PGS sweeps", "solver", "sweeps", "residual over PGS", "violation over PGS"};
  table.caption = "Geometric mean over the frozen problems, cold start; set-up counted, colours given to PGS.";
  std::vector<const EqualTime*> heads;  // the first row of each group
  for (const EqualTime& e : r.equal_time)
    if (std::none_of(heads.begin(), heads.end(), [&](const EqualTime* h) {
          return h->scene == e.scene && h->method == e.method && h->pgs_sweeps == e.pgs_sweeps;
        }))
      heads.push_back(&e);
  for (const EqualTime* head : heads) {
    double residual = 0, violation = 0, sweeps = 0, count = 0;
    for (const EqualTime& e : r.equal_time) {
      if (e.scene != head->scene || e.method != head->method || e.pgs_sweeps != head->pgs_sweeps) continue;
      residual += log_ratio(e.residual, e.pgs_residual), violation += log_ratio(e.violation, e.pgs_violation);
      sweeps += e.sweeps, ++count;
    }
    table.rows.push_back({head->scene, std::to_string(head->pgs_sweeps), head->method, number(sweeps / count),
                          number(std::exp(residual / count)), number(std::exp(violation / count))});
  }
  return table;
}

Table proof_table(const SplitResults& r) {
  Table table;
  table.title = "Without friction: distance C8 to the solution";
  table.head = {"scene",  "step", "contacts",         "steps to u*",      "its gap",     "violation, m/s",
                "sweeps", "C8",   "Anderson's depth", "sweeps, Anderson", "C8, Anderson"};
  for (const ProofRow& p : r.proof)
    table.rows.push_back({p.scene, std::to_string(p.step), std::to_string(p.contacts),
                          std::to_string(p.reference_steps), number(p.reference_gap), number(p.violation),
                          std::to_string(p.sweeps), number(p.error), std::to_string(p.accelerated_depth),
                          std::to_string(p.accelerated_sweeps), number(p.accelerated_error)});
  return table;
}

std::string convergence_csv(const SplitResults& r) {
  Csv csv({"scene", "step", "contacts", "solver", "sweeps", "seconds", "setup_seconds", "violation", "residual",
           "sweeps_to_hundredth"});
  for (const Convergence& c : r.convergence)
    for (const CurvePoint& p : c.points) {
      csv.cell(c.scene).cell(c.step).cell(c.contacts).cell(c.method).cell(p.sweeps).cell(p.sweeps * c.cost.sweep);
      csv.cell(c.cost.setup).cell(p.violation).cell(p.residual).cell(c.sweeps_to_hundredth).end_row();
    }
  return std::string(csv.text());
}

std::string equal_time_csv(const SplitResults& r) {
  Csv csv(
      {"scene", "step", "solver", "pgs_sweeps", "sweeps", "residual", "pgs_residual", "violation", "pgs_violation"});
  for (const EqualTime& e : r.equal_time) {
    csv.cell(e.scene).cell(e.step).cell(e.method).cell(e.pgs_sweeps).cell(e.sweeps).cell(e.residual);
    csv.cell(e.pgs_residual).cell(e.violation).cell(e.pgs_violation).end_row();
  }
  return std::string(csv.text());
}

std::string energy_csv(const SplitResults& r) {
  Csv csv({"scene", "solver", "sweeps", "frame", "kinetic_energy_per_body"});
  for (const FrameRun& run : r.frames)
    for (std::size_t i = 0; i < run.energy.size(); ++i)
      csv.cell(run.scene).cell(run.method).cell(run.sweeps).cell(i + 1).cell(run.energy[i]).end_row();
  return std::string(csv.text());
}

std::string colour_csv(const SplitResults& r) {
  Csv csv({"scene", "step", "colour", "contacts"});
  for (const ColourHistogram& h : r.colours)
    for (std::size_t i = 0; i < h.sizes.size(); ++i)
      csv.cell(h.scene).cell(h.step).cell(i + 1).cell(h.sizes[i]).end_row();
  return std::string(csv.text());
}

/// A table of the page as it stands.
std::string table_csv(const Table& table) {
  Csv csv(table.head);
  for (const auto& row : table.rows) {
    for (const std::string& text : row) csv.cell(text);
    csv.end_row();
  }
  return std::string(csv.text());
}

void add_plots(PlotPage& page, const SplitResults& r) {
  page.paragraph(
      "Convergence: means over the frozen steps of a scene, from zero impulses, with friction; C1 and C2 are relative "
      "to "
      "the speed gained in one step, times are those of the sweeps alone. Trajectories: kinetic energy that does not "
      "go "
      "away is jitter; \"time of PGS\" are as many sweeps as cost what 5 sweeps of PGS do, by the costs measured on "
      "the "
      "frozen problems.");
  for (const SplitScene& scene : r.scenes) {
    page.heading(scene.name);
    for (const Quantity quantity : {Quantity::violation, Quantity::residual, Quantity::residual_by_time})
      page.add(convergence_plot(r, scene.name, quantity));
    if (scene.frames > 0) page.add(energy_plot(r, scene.name));
  }
}

void add_tables(PlotPage& page, const SplitResults& r) {
  page.heading("Jitter and time per frame");
  page.add(jitter_table(r));
  page.add(frame_time_table(r));
  page.heading("Sweeps and time to a quality");
  page.add(hundredth_table(r));
  page.add(equal_time_table(r));
  page.add(cost_table(r));
  page.heading("Order of the contacts, and colours");
  page.add(order_table(r));
  page.add(colour_plot(r));
}

std::string split_page(const SplitResults& r) {
  PlotPage page("Mass splitting, reproduced",
                fmt::format("Tonge et al. 2012 beside Cairn; {} thread{}", r.threads, r.threads > 1 ? "s" : ""));
  if (!r.convergence.empty()) add_plots(page, r), add_tables(page, r);
  if (!r.proof.empty()) page.add(proof_table(r));
  return page.html();
}

}  // namespace

std::vector<ResultFile> split_files(const SplitResults& r, bool proof) {
  if (proof) return {{"proof.csv", table_csv(proof_table(r))}, {"proof.html", split_page(r)}};
  return {{"convergence.csv", convergence_csv(r)},
          {"equal_time.csv", equal_time_csv(r)},
          {"energy.csv", energy_csv(r)},
          {"jitter.csv", table_csv(jitter_table(r))},
          {"frame_time.csv", table_csv(frame_time_table(r))},
          {"order.csv", table_csv(order_table(r))},
          {"colours.csv", colour_csv(r)},
          {"mass_splitting.html", split_page(r)}};
}

}  // namespace cairn::cli
