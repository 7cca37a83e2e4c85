// SPDX-License-Identifier: MIT
// The page of `cairn compare`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/compare/compare.h"
#include "apps/plots/plot_page.h"

namespace cairn::cli {

namespace {

/// Three digits, whole numbers as they are.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, value == std::floor(value) ? 6 : 3) : "\u2013";
}

std::string label_of(const Comparison& comparison, std::size_t rival) { return comparison.rivals[rival].spec.label; }

void add_overview(PlotPage& page, const Comparison& comparison) {
  page.heading("What is compared");
  page.paragraph(
      "All solvers get the same captured steps, from zero impulses (cold) and from those that the step began with "
      "(warm), "
      "and run the same scene, with sleep off. C1 is the natural-map residual in units of the speed "
      "that gravity gives in one step, judged outside the solvers. A solver with sub-steps obeys another law within "
      "the "
      "step, so C1 tells little of it: look at its runs.");
  page.paragraph(fmt::format(
      "Equal sweeps: {} in the runs. Equal time: {}, set-up included; runs get the sweeps that fit into it in "
      "the mean over the captured steps, cold. Equal quality: runs get the sweeps after which every captured "
      "step has C1 \u2264 {:g}, cold.",
      comparison.run_sweeps, budget_text(comparison), comparison.plan.run_quality));
  page.paragraph(fmt::format("{}, best of {}.",
                             comparison.threads == 1
                                 ? "Times are of the processor, with one thread"
                                 : fmt::format("Times are by the clock, with {} threads", comparison.threads),
                             comparison.plan.turns));
  if (comparison.plan.time_limit > 0)
    page.paragraph(fmt::format(
        "At most {:g} minutes for all of it (--minutes), in equal shares of the solvers. Curves and runs that were "
        "stopped at that limit are marked: what they show is what was reached until then.{}{}",
        comparison.plan.time_limit / 60,
        comparison.run_from == 0 ? ""
                                 : " Whole runs would have taken longer: all solvers go on from the same state of the "
                                   "run that was captured, for "
                                   "the same number of steps.",
        comparison.note.empty() ? "" : " " + comparison.note));
  Table captures{"Captured steps", {"step", "moving bodies", "contacts", "joint rows"}, {}, ""};
  for (const CaptureInfo& c : comparison.captures)
    captures.rows.push_back(
        {std::to_string(c.step), std::to_string(c.bodies), std::to_string(c.contacts), std::to_string(c.joint_rows)});
  page.add(captures);
  if (comparison.refusals.empty()) return;
  Table refusals{"Solvers that cannot take this scene", {"solver", "why"}, {}, ""};
  for (const Refusal& r : comparison.refusals) refusals.rows.push_back({r.solver, r.reason});
  page.add(refusals);
}

void add_sweeps_table(PlotPage& page, const Comparison& comparison, bool warm) {
  Table table{fmt::format("Equal sweeps and equal time, {} starts", warm ? "warm" : "cold"), {"solver"}, {}, ""};
  table.caption =
      "C1, geometric mean over the captured steps; lowest: the best points of the curves, with their median sweeps. A "
      "dash: a solve would take too long, not one sweep fits, or the solver chooses its sweeps by itself.";
  for (const int sweeps : kTableSweeps) table.head.push_back(fmt::format("C1 after {}", sweeps));
  table.head.insert(table.head.end(), {"in equal time", "sweeps", "lowest", "sweeps"});
  bool stopped = false;
  for (std::size_t i = 0; i < comparison.rivals.size(); ++i)
    stopped = stopped || summarise(comparison, i, warm).stopped > 0;
  if (stopped) table.head.push_back("note");
  for (std::size_t i = 0; i < comparison.rivals.size(); ++i) {
    const CompareSummary s = summarise(comparison, i, warm);
    std::vector<std::string> row{label_of(comparison, i)};
    for (const int sweeps : kTableSweeps) row.push_back(number(s.at_sweeps(sweeps)));
    for (const double value : {s.budget_residual, s.budget_sweeps, s.lowest, s.lowest_sweeps})
      row.push_back(number(value));
    if (stopped) row.push_back(s.stopped > 0 ? stopped_text(s) : "");
    table.rows.push_back(std::move(row));
  }
  page.add(table);
}

void add_quality_table(PlotPage& page, const Comparison& comparison, bool warm) {
  Table table{fmt::format("Equal quality, {} starts", warm ? "warm" : "cold"), {"solver"}, {}, ""};
  table.caption =
      "On how many of the captured steps the quality was reached; sweeps and time to it, median over those steps.";
  for (const double q : comparison.plan.qualities)
    table.head.insert(table.head.end(), {fmt::format("C1 \u2264 {:g}", q), "sweeps", "ms"});
  for (std::size_t i = 0; i < comparison.rivals.size(); ++i) {
    const CompareSummary s = summarise(comparison, i, warm);
    std::vector<std::string> row{label_of(comparison, i)};
    for (std::size_t q = 0; q < s.reached.size(); ++q) {
      row.push_back(fmt::format("{} / {}", s.reached[q], comparison.captures.size()));
      row.push_back(number(s.sweeps_to[q])), row.push_back(number(s.ms_to[q]));
    }
    table.rows.push_back(std::move(row));
  }
  page.add(table);
}

/// One captured step from one start: against sweeps, or against time.
Plot convergence_plot(const Comparison& comparison, std::size_t capture, bool warm, bool against_time) {
  Plot plot;
  plot.title = fmt::format("Step {}, {} start", comparison.captures[capture].step, warm ? "warm" : "cold");
  plot.x_label = against_time ? "time (ms)" : "sweeps";
  plot.y_label = "C1";
  plot.log_x = plot.log_y = true;
  for (const CompareCurve& c : comparison.curves) {
    if (c.capture != capture || c.warm != warm) continue;
    Series series{label_of(comparison, c.rival), {}, {}, false, true};
    for (const ComparePoint& p : c.points) {
      series.x.push_back(against_time ? 1e3 * p.seconds : p.sweeps);
      series.y.push_back(p.residual);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void add_frozen(PlotPage& page, const Comparison& comparison) {
  page.heading("Captured steps");
  for (const bool warm : {false, true}) {
    add_sweeps_table(page, comparison, warm);
    add_quality_table(page, comparison, warm);
  }
  for (const bool warm : {false, true}) {
    page.heading(fmt::format("Convergence from {} starts", warm ? "warm" : "cold"));
    for (std::size_t k = 0; k < comparison.captures.size(); ++k)
      for (const bool against_time : {false, true}) page.add(convergence_plot(comparison, k, warm, against_time));
  }
}

void add_profiles(PlotPage& page, const Comparison& comparison) {
  page.heading("Performance profiles");
  page.paragraph(
      "The share of problems that a solver brings to the quality within a factor of what the best one needs. A problem "
      "is a captured step with one of the qualities.");
  for (const bool warm : {false, true})
    for (const bool by_sweeps : {false, true}) {
      const std::string title = fmt::format("{} starts, by {}", warm ? "Warm" : "Cold", by_sweeps ? "sweeps" : "time");
      page.add(profile_plot(performance_profiles(compare_profile(comparison, warm, by_sweeps)), title,
                            by_sweeps ? "sweeps" : "time"));
    }
}

Plot frames_plot(const Comparison& comparison, Protocol protocol, const std::string& title,
                 std::vector<double> CompareRun::*values) {
  Plot plot;
  plot.title = title;
  plot.x_label = "step";
  plot.y_label = title;
  for (const CompareRun& run : comparison.runs) {
    if (run.protocol != protocol) continue;
    Series series{label_of(comparison, run.rival), {}, run.*values};
    for (std::size_t i = 0; i < series.y.size(); ++i)
      series.x.push_back(static_cast<double>(comparison.run_from) + static_cast<double>(i + 1));
    plot.series.push_back(thinned(series));
  }
  return plot;
}

void add_run_table(PlotPage& page, const Comparison& comparison, Protocol protocol) {
  Table table{
      "",
      {"solver", "sweeps", "J1", "J1 max", "J2", "J3", "overlap mm", "gain J", "gone", "step ms", "solve ms", "note"},
      {},
      ""};
  table.caption =
      "J1, J2 and J3 over the last frames (at most 120). Overlap: the deepest. Gain: the most energy above the start. "
      "Gone: bodies that fell through the floor or left; they do not count for J1.";
  for (const CompareRun& r : comparison.runs) {
    if (r.protocol != protocol) continue;
    std::vector<std::string> row{label_of(comparison, r.rival)};
    if (r.jitter.empty())
      row.resize(table.head.size() - 1, "\u2013");
    else
      row.insert(row.end(), {r.sweeps > 0 ? std::to_string(r.sweeps) : "own", number(r.measures.jitter),
                             number(r.measures.jitter_max), number(r.measures.visible), number(r.measures.creep),
                             number(1e3 * r.max_overlap), number(r.energy_gain), std::to_string(r.gone),
                             number(r.step_ms), number(r.solve_ms)});
    row.push_back(r.jitter.empty() ? "not run: " + r.why_not : r.note);
    table.rows.push_back(std::move(row));
  }
  page.add(table);
}

void add_runs(PlotPage& page, const Comparison& comparison) {
  for (const Protocol protocol : kProtocols) {
    page.heading(fmt::format("{}, {}", runs_text(comparison), to_string(protocol)));
    add_run_table(page, comparison, protocol);
    Plot jitter = frames_plot(comparison, protocol, "J1 (kinetic energy / energy at v_ref)", &CompareRun::jitter);
    jitter.log_y = true;
    page.add(jitter);
    page.add(frames_plot(comparison, protocol, "energy above the start (J)", &CompareRun::energy));
    page.add(frames_plot(comparison, protocol, "deepest overlap (m)", &CompareRun::overlap));
  }
}

/// The ends of the runs in equal time, all from the same place.
void add_stills(PlotPage& page, const Comparison& comparison) {
  std::vector<const MotionFrame*> frames;
  for (const CompareRun& r : comparison.runs)
    if (r.protocol == Protocol::time && !r.jitter.empty()) frames.push_back(&r.end);
  if (frames.empty() || !comparison.bodies) return;
  const StillView view = still_view(*comparison.bodies, frames);
  page.heading("Stills: the ends of the runs in equal time");
  for (const CompareRun& r : comparison.runs) {
    if (r.protocol != Protocol::time || r.jitter.empty()) continue;
    const std::string sweeps = r.sweeps > 0 ? fmt::format("{} sweeps", r.sweeps) : "its own sweeps";
    page.add(Picture{label_of(comparison, r.rival), base64(still_png(paint_still(*comparison.bodies, r.end, view))),
                     fmt::format("Step {}, {}, J1 {}.", r.end.step, sweeps, number(r.measures.jitter))});
  }
}

}  // namespace

std::string compare_page(const Comparison& comparison) {
  PlotPage page(fmt::format("{} under {} solvers", comparison.scene, comparison.rivals.size()),
                fmt::format("Cairn {}; {} thread{}; steps captured: {}. {}", kProgramVersion, comparison.threads,
                            comparison.threads == 1 ? "" : "s", comparison.captures.size(), runs_text(comparison)));
  add_overview(page, comparison);
  add_frozen(page, comparison);
  add_profiles(page, comparison);
  add_runs(page, comparison);
  add_stills(page, comparison);
  return page.html();
}

}  // namespace cairn::cli
