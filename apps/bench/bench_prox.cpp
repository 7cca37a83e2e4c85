// SPDX-License-Identifier: MIT
// cairn bench prox: the experiments of Poulsen 2010 on its own problems, its published figures beside ours.
//
// Protocol (Poulsen 2010, chapters 3, 6 and 7): 50 sweeps of sequential factorised Gauss-Seidel set the quality gamma
// (equation 3.32, R = 100); every other scheme runs until it reaches that gamma; then that number of sweeps is timed
// without any measuring, for 1..N threads, best of a few runs. All schemes use the same step rho / A_ii.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/bench/thesis_figures.h"
#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/plots/plot_page.h"
#include "cairn/core/index.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/problems.h"

namespace cairn::cli {

namespace {

constexpr double kGammaR = 100;
constexpr int kBaseSweeps = 50, kMostSweeps = 200;
// The thesis does not print its steps. 0.6 is our choice: of the steps tried (0.25 to 0.6 and 1) it is the one with
// which Jacobi needs 60-70 sweeps on all five problems; 0.5, one halving by nu, gives 58-64 (docs/benchmarks.md). Both
// are printed.
constexpr double kThesisStep = 0.6;

struct Scheme {
  std::string name, solver;
  NamedSettings settings;
  bool thesis = true;  ///< part of the thesis; the others show what came after
};

std::vector<Scheme> schemes() {
  const auto gs = [](std::string name, const char* op, const char* schedule) {
    return Scheme{std::move(name), "gauss_seidel", {{"operator", op}, {"schedule", schedule}, {"local", "prox"}}};
  };
  std::vector<Scheme> list{
      gs("GS sequential", "factorised", "sequential"),
      {"Jacobi factorised", "jacobi", {{"operator", "factorised"}, {"r_factor", "diagonal"}}},
      {"Jacobi T", "jacobi", {{"operator", "T"}, {"r_factor", "diagonal"}}},
      gs("GS sequential T", "T", "sequential"),
      gs("GS naive split", "factorised", "naive"),
      gs("GS greedy", "factorised", "greedy"),
      gs("GS greedy T", "T", "greedy"),
      gs("GS balanced", "factorised", "balanced"),
      gs("GS balanced T", "T", "balanced"),
      gs("GS relaxed", "factorised", "relaxed"),
      gs("GS partitions", "factorised", "partitions"),
  };
  for (Scheme& scheme : list) scheme.settings.emplace_back("relaxation", fmt::format("{}", kThesisStep));
  list.push_back({"GS greedy, full step", "gauss_seidel", {{"schedule", "greedy"}}, false});
  list.push_back(
      {"GS greedy + Nesterov", "gauss_seidel", {{"schedule", "greedy"}, {"acceleration", "nesterov"}}, false});
  list.push_back(
      {"GS greedy + Anderson", "gauss_seidel", {{"schedule", "greedy"}, {"acceleration", "anderson"}}, false});
  return list;
}

struct Measurement {
  std::string problem, scheme;
  bool thesis = true;
  int sweeps = -1;  ///< to the quality of the base run; -1: not within kMostSweeps
  std::vector<HistoryPoint> history;
  std::vector<double> seconds;  ///< of those sweeps, per thread count 1..N
  double setup_seconds = 0;
  std::int64_t contacts = 0;
  std::vector<std::int64_t> colours;
};

SolveReport run(const ContactProblem& problem, const Scheme& scheme, int sweeps, ThreadPool* pool, bool history) {
  ContactSolution solution;
  SolveContext context;
  context.pool = pool;
  context.stop = {0, sweeps, 0};
  context.history = history;
  context.gamma_r = history ? kGammaR : 0;
  context.interrupt = &interrupted();
  return make_solver(scheme.solver, scheme.settings)->solve(problem, solution, context);
}

int sweeps_to(const std::vector<HistoryPoint>& history, double gamma) {
  for (const HistoryPoint& h : history)
    if (h.gamma <= gamma) return h.iteration;
  return -1;
}

/// Best of a few runs: the machine can only make a run slower.
double best_seconds(const ContactProblem& problem, const Scheme& scheme, int sweeps, ThreadPool* pool, double& setup) {
  double best = INFINITY, spent = 0;
  for (int repeat = 0; repeat < 5 && (repeat < 2 || spent < 1.0); ++repeat) {
    const SolveReport report = run(problem, scheme, sweeps, pool, false);
    best = std::min(best, report.seconds);
    setup = repeat == 0 ? report.setup_seconds : std::min(setup, report.setup_seconds);
    spent += report.seconds + report.setup_seconds;
  }
  return best;
}

Measurement measure(const std::string& name, const ContactProblem& problem, const Scheme& scheme, double gamma,
                    int threads) {
  Measurement m;
  m.problem = name;
  m.scheme = scheme.name;
  m.thesis = scheme.thesis;
  m.contacts = static_cast<std::int64_t>(problem.contacts.size());
  const SolveReport curve = run(problem, scheme, kMostSweeps, nullptr, true);
  m.history = curve.history;
  m.colours = curve.sweep.colour_sizes;
  m.sweeps = sweeps_to(curve.history, gamma);
  const int sweeps = m.sweeps > 0 ? m.sweeps : kBaseSweeps;
  for (int t = 1; t <= threads && !interrupted(); ++t) {
    const auto pool = make_pool(t);
    m.seconds.push_back(best_seconds(problem, scheme, sweeps, pool.get(), m.setup_seconds));
  }
  return m;
}

/// Table 3.3 and 3.5: Jacobi against Gauss-Seidel, with one halving, with our fit to the thesis, and with the full
/// step.
void print_iterations(const ContactProblem& problem) {
  for (const char* step : {"0.5", "0.6", "1"}) {
    const NamedSettings relaxation{{"relaxation", step}};
    Scheme gs{"", "gauss_seidel", relaxation}, jacobi{"", "jacobi", relaxation};
    gs.settings.emplace_back("schedule", "sequential");
    jacobi.settings.emplace_back("r_factor", "diagonal");
    jacobi.settings.emplace_back("nu", "0.9");
    const SolveReport base = run(problem, gs, kBaseSweeps, nullptr, true);
    const SolveReport other = run(problem, jacobi, kMostSweeps, nullptr, true);
    const int sweeps = sweeps_to(other.history, base.history.back().gamma);
    fmt::print("  step {:>3}/A: Jacobi {} sweeps for {} of Gauss-Seidel (gamma {:.4g}), {} rollbacks\n", step,
               sweeps > 0 ? std::to_string(sweeps) : fmt::format("> {}", kMostSweeps), kBaseSweeps,
               base.history.back().gamma, other.sweep.rollbacks);
  }
}

std::string thesis_note(const std::string& problem, const std::string& scheme) {
  const ThesisFigure* figure = find_thesis_figure(problem, scheme);
  return figure != nullptr ? fmt::format("{} sweeps, {}", figure->sweeps, figure->remark) : "";
}

void print_table(const std::vector<Measurement>& all, const std::string& problem, int threads) {
  fmt::print("  {:<22} {:>7} {:>10} {:>10}", "scheme", "sweeps", "set-up ms", "1 thread");
  for (int t = 2; t <= threads; ++t) fmt::print(" {:>8}", fmt::format("x{} thr.", t));
  fmt::print(" {:>9} {:>8}  {}\n", "M sweeps/s", "against", "thesis");
  double base = 0;
  for (const Measurement& m : all) {
    if (m.problem != problem || m.seconds.empty()) continue;
    if (base == 0) base = m.seconds[0];
    const double fastest = *std::min_element(m.seconds.begin(), m.seconds.end());
    const int counted = m.sweeps > 0 ? m.sweeps : kBaseSweeps;
    fmt::print("  {:<22} {:>7} {:>10.1f} {:>8.1f}ms", m.scheme,
               m.sweeps > 0 ? std::to_string(m.sweeps) : fmt::format(">{}", kMostSweeps), 1e3 * m.setup_seconds,
               1e3 * m.seconds[0]);
    for (std::size_t t = 1; t < m.seconds.size(); ++t) fmt::print(" {:>8.2f}", m.seconds[0] / m.seconds[t]);
    fmt::print(" {:>9.1f} {:>7.2f}x  {}\n", static_cast<double>(m.contacts) * counted / m.seconds[0] * 1e-6,
               base / fastest, thesis_note(problem, m.scheme));
  }
}

Plot curve_plot(const std::vector<Measurement>& all, const std::string& problem, bool by_time) {
  Plot plot;
  plot.title = problem + (by_time ? ": residual against time, one thread" : ": residual against sweeps");
  plot.x_label = by_time ? "seconds" : "sweeps";
  plot.y_label = "residual (natural map over |q|)";
  plot.log_y = true;
  for (const Measurement& m : all) {
    if (m.problem != problem) continue;
    Series series;
    series.name = m.scheme;
    series.dashed = !m.thesis;
    for (const HistoryPoint& h : m.history) {
      series.x.push_back(by_time ? h.seconds : h.iteration);
      series.y.push_back(h.residual);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Plot speed_plot(const std::vector<Measurement>& all, const std::string& problem) {
  Plot plot;
  plot.title = problem + ": speed-up over sequential Gauss-Seidel at equal quality";
  plot.x_label = "threads";
  plot.y_label = "speed-up";
  double base = 0;
  for (const Measurement& m : all) {
    if (m.problem != problem || m.seconds.empty()) continue;
    if (base == 0) base = m.seconds[0];
    if (m.sweeps < 0) continue;
    Series series;
    series.name = m.scheme;
    series.markers = true;
    series.dashed = !m.thesis;
    for (std::size_t t = 0; t < m.seconds.size(); ++t) {
      series.x.push_back(static_cast<double>(t + 1));
      series.y.push_back(base / m.seconds[t]);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Table table_of(const std::vector<Measurement>& all, const std::string& problem, int threads) {
  Table table;
  table.title = problem;
  table.head = {"scheme", "sweeps", "set-up ms"};
  for (int t = 1; t <= threads; ++t) table.head.push_back(fmt::format("ms, {} thread{}", t, t > 1 ? "s" : ""));
  table.head.insert(table.head.end(), {"M contact sweeps/s, 1 thread", "colours", "thesis"});
  for (const Measurement& m : all) {
    if (m.problem != problem) continue;
    std::vector<std::string> row{m.scheme, m.sweeps > 0 ? std::to_string(m.sweeps) : fmt::format("> {}", kMostSweeps),
                                 fmt::format("{:.1f}", 1e3 * m.setup_seconds)};
    for (const double s : m.seconds) row.push_back(fmt::format("{:.2f}", 1e3 * s));
    row.resize(to_index(3 + threads));
    const int counted = m.sweeps > 0 ? m.sweeps : kBaseSweeps;
    row.push_back(m.seconds.empty()
                      ? ""
                      : fmt::format("{:.1f}", static_cast<double>(m.contacts) * counted / m.seconds[0] * 1e-6));
    row.push_back(m.colours.empty() ? "" : std::to_string(m.colours.size()));
    row.push_back(thesis_note(problem, m.scheme));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string csv_of(const std::vector<Measurement>& all) {
  Csv csv({"problem", "scheme", "contacts", "sweeps_to_quality", "threads", "seconds", "setup_seconds", "colours"});
  for (const Measurement& m : all)
    for (std::size_t t = 0; t < m.seconds.size(); ++t) {
      csv.cell(m.problem).cell(m.scheme).cell(m.contacts).cell(m.sweeps).cell(t + 1).cell(m.seconds[t]);
      csv.cell(m.setup_seconds).cell(m.colours.size());
      csv.end_row();
    }
  return std::string(csv.text());
}

std::string page_of(const std::vector<Measurement>& all, const std::vector<std::string>& problems, int threads) {
  PlotPage page(
      "Parallel proximal Jacobi and Gauss-Seidel, reproduced",
      fmt::format("Poulsen 2010 beside Cairn; 1 to {} threads; step {}/A; quality = gamma of {} sequential sweeps",
                  threads, kThesisStep, kBaseSweeps));
  page.paragraph(
      "Solid lines are schemes of the thesis, dashed ones came after it. Sweeps are counted to the quality that 50 "
      "sweeps of "
      "sequential Gauss-Seidel reach; times are for that many sweeps, without set-up and without measuring.");
  for (const std::string& problem : problems) {
    page.heading(problem);
    page.add(table_of(all, problem, threads));
    page.add(curve_plot(all, problem, false));
    page.add(curve_plot(all, problem, true));
    page.add(speed_plot(all, problem));
  }
  Table published;
  published.title = "What the thesis printed";
  published.head = {"problem", "scheme", "sweeps", "figure"};
  for (const ThesisFigure& f : thesis_figures()) published.rows.push_back({f.problem, f.scheme, f.sweeps, f.remark});
  page.heading("Published figures");
  page.add(published);
  return page.html();
}

}  // namespace

int run_bench_prox(const BenchProxOptions& options) {
  const int threads = options.threads > 0 ? options.threads : available_processors();
  const std::vector<std::string> names =
      options.quick
          ? std::vector<std::string>{"ball_grid_8", "ball_pile_40"}
          : std::vector<std::string>{"ball_grid_8", "ball_grid_24", "ball_grid_40", "ball_pile_40", "ball_pile_80"};
  const std::filesystem::path folder = std::filesystem::path(options.out).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  for (const char* ending : {".csv", ".html"})
    if (!options.force) check_can_write(options.out + ending).value_or_throw();
  std::vector<Measurement> all;
  for (const std::string& name : names) {
    const ContactProblem problem = scenes::make_problem(name).value_or_throw();
    fmt::print("\n{}: {} bodies, {} contacts\n", name, problem.bodies.size(), problem.contacts.size());
    print_iterations(problem);
    double gamma = 0;
    Progress progress("bench prox, " + name);
    for (const Scheme& scheme : schemes()) {
      if (interrupted()) return kInterrupted;
      progress.update(scheme.name);
      if (gamma == 0) gamma = run(problem, scheme, kBaseSweeps, nullptr, true).history.back().gamma;
      all.push_back(measure(name, problem, scheme, gamma, threads));
    }
    print_table(all, name, threads);
    std::fflush(stdout);
  }
  write_text_file(options.out + ".csv", csv_of(all), options.force).value_or_throw();
  write_text_file(options.out + ".html", page_of(all, names, threads), options.force).value_or_throw();
  fmt::print("\nwrote {0}.csv and {0}.html\n", options.out);
  return kDone;
}

}  // namespace cairn::cli
