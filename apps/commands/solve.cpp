// SPDX-License-Identifier: MIT
// cairn solve: any problems with any solvers, judged by one ruler.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.h"
#include "apps/cli/csv.h"
#include "apps/cli/progress.h"
#include "apps/commands/problem_source.h"
#include "apps/commands/siconos_peer.h"
#include "apps/commands/solve_report.h"
#include "apps/plots/plot_page.h"
#include "apps/plots/profiles.h"

namespace cairn::cli {

namespace {

constexpr int kMostIterations = 1000;  // where none are given

/// Everything a run of `solve` accumulates.
struct Session {
  const SolveOptions& options;
  std::vector<SolverSpec> solvers;
  bool all = false;
  std::unique_ptr<ThreadPool> pool;
  std::vector<SolveOutcome> outcomes;

  /// Where the text for people goes: stdout, unless the JSON for programs is there.
  std::FILE* out() const { return options.json == "-" ? stderr : stdout; }
};

std::vector<SolverSpec> parse_solvers(const SolveOptions& options, bool& all) {
  std::vector<SolverSpec> specs;
  for (const std::string& text : options.solvers) {
    if (text != "all") {
      specs.push_back(parse_solver(text, options.settings));
      continue;
    }
    if (!options.settings.empty())
      fail_input("--set cannot be combined with --solver all: name the solvers, NAME:setting=value");
    all = true;
    for (const std::string& each : all_solvers()) specs.push_back(parse_solver(each, {}));
  }
  return specs;
}

SolveContext make_context(const Session& session, const std::string& name, Progress& progress) {
  SolveContext context;
  context.pool = session.pool.get();
  const bool ends = name == "reference";  // what is held against others runs until it ends
  context.stop = {session.options.tolerance,
                  session.options.max_iterations.value_or(ends ? kReferenceIterations : kMostIterations),
                  session.options.time_limit_ms / 1000};
  context.history = !session.options.history.empty() || !session.options.html.empty();
  context.interrupt = &interrupted();
  context.progress = [&progress](int iteration, double residual) {
    progress.update(residual >= 0 ? fmt::format("iteration {}, residual {:.2e}", iteration, residual)
                                  : fmt::format("iteration {}", iteration));
  };
  return context;
}

void print_problem(std::FILE* out, const LoadedProblem& loaded) {
  fmt::print(out, "\n{}: ", printable(loaded.name));
  if (loaded.bodies() > 0) fmt::print(out, "{} moving bodies, ", loaded.moving_bodies());
  if (loaded.degrees_of_freedom > 0) fmt::print(out, "{} degrees of freedom, ", loaded.degrees_of_freedom);
  fmt::print(out, "{} contacts\n", loaded.contacts());
  for (const std::string& note : loaded.notes) fmt::print(out, "  note: {}\n", printable(note));
}

SolveOutcome siconos_outcome(const LoadedProblem& loaded, const SiconosResult& result, double tolerance) {
  const auto& problem = std::get<DelassusProblem>(loaded.problem);
  SolveOutcome outcome;
  outcome.problem = loaded.name;
  outcome.solver = "siconos " + result.name;
  outcome.contacts = loaded.contacts();
  outcome.report.iterations = result.iterations;
  outcome.report.seconds = result.seconds;
  if (!result.impulse.empty()) outcome.measures = residual(problem, result.impulse);
  if (result.impulse.empty()) outcome.measures.residual = std::numeric_limits<double>::infinity();
  outcome.report.reason = outcome.measures.residual <= tolerance    ? StopReason::converged
                          : result.status == SiconosStatus::timeout ? StopReason::time_limit
                          : result.status == SiconosStatus::crashed ? StopReason::diverged
                                                                    : StopReason::max_iterations;
  if (!result.detail.empty()) outcome.report.notes.push_back(result.detail);
  return outcome;
}

/// Siconos' solvers, judged by our ruler. They stop by a measure of their own, so those that stopped too early by ours
/// are run again with a tighter tolerance, and only the run that reaches ours is counted.
std::vector<SolveOutcome> solve_with_siconos(const SolveOptions& options, const LoadedProblem& loaded) {
  constexpr double kSeconds = 25;  // where no time limit is given: some of its solvers hang
  constexpr int kRounds = 3;
  const double limit = options.time_limit_ms > 0 ? options.time_limit_ms / 1000 : kSeconds;
  std::vector<SolveOutcome> outcomes;
  double tolerance = options.tolerance;
  for (int round = 0; round < kRounds && tolerance > 0; ++round) {
    const auto results = run_siconos(std::get<DelassusProblem>(loaded.problem), tolerance,
                                     options.max_iterations.value_or(kMostIterations), limit, &interrupted());
    if (!results) return outcomes;
    outcomes.resize(results->size());
    double worst = 0;
    for (std::size_t i = 0; i < results->size(); ++i) {
      if (round > 0 && outcomes[i].report.reason == StopReason::converged) continue;
      outcomes[i] = siconos_outcome(loaded, (*results)[i], options.tolerance);
      const bool early =
          (*results)[i].status == SiconosStatus::solved && outcomes[i].report.reason != StopReason::converged;
      if (early) worst = std::max(worst, outcomes[i].measures.residual);
    }
    if (worst == 0) break;
    tolerance *= 0.5 * options.tolerance / worst;
  }
  return outcomes;
}

void add_siconos(Session& session, const LoadedProblem& loaded) {
  const bool possible = std::holds_alternative<DelassusProblem>(loaded.problem);
  if (!possible || !session.options.siconos || !siconos_available()) return;
  for (SolveOutcome& outcome : solve_with_siconos(session.options, loaded)) {
    print_outcome(session.out(), outcome);
    session.outcomes.push_back(std::move(outcome));
  }
}

/// A reference answer for C8; unknown when the reference solver does not reach it.
ReferenceAnswer reference_for(Session& session, const LoadedProblem& loaded) {
  if (!session.options.reference) return {};
  Progress progress(loaded.name + ", reference");
  ReferenceAnswer answer = find_reference(loaded, make_context(session, "reference", progress));
  if (!answer.known)
    fmt::print(session.out(), "  note: the reference solution did not converge{}, so C8 is not given\n",
               session.options.time_limit_ms > 0 ? " within the time limit" : "");
  return answer;
}

void solve_problem(Session& session, const LoadedProblem& loaded) {
  print_problem(session.out(), loaded);
  const ReferenceAnswer reference = reference_for(session, loaded);
  print_outcome_head(session.out(), reference.known);
  for (const SolverSpec& spec : session.solvers) {
    if (interrupted()) return;
    Progress progress(loaded.name + ", " + spec.label);
    SolveContext context = make_context(session, spec.name, progress);
    try {
      session.outcomes.push_back(solve_and_measure(loaded, spec, context, reference));
    } catch (const InputError& error) {
      if (!session.all || error.kind() != ErrorKind::unsupported) throw;
      fmt::print(session.out(), "{:<44} cannot take this problem: {}\n", spec.label, error.what());
      continue;
    }
    print_outcome(session.out(), session.outcomes.back());
  }
  if (session.all) add_siconos(session, loaded);
}

/// Cost per problem and solver for profiles; not solved: infinite.
ProfileInput profile_input(const Session& session, bool by_sweeps) {
  ProfileInput input;
  input.floor = by_sweeps ? 1 : 1e-4;
  std::map<std::string, std::size_t> row, column;
  for (const SolveOutcome& o : session.outcomes) {
    row.emplace(o.problem, row.size());
    if (column.emplace(o.solver, column.size()).second) input.solvers.push_back(o.solver);
  }
  input.cost.assign(row.size(), std::vector<double>(column.size(), std::numeric_limits<double>::infinity()));
  for (const SolveOutcome& o : session.outcomes) {
    const bool solved = o.report.reason == StopReason::converged;
    const double cost = by_sweeps ? std::max(o.report.iterations, 1) : o.report.seconds + o.report.setup_seconds;
    if (solved) input.cost[row[o.problem]][column[o.solver]] = cost;
  }
  return input;
}

void print_profiles(const Session& session) {
  fmt::print(session.out(),
             "\nPerformance profiles at tolerance {:g}: fraction of problems solved within a factor of the best time\n",
             session.options.tolerance);
  fmt::print(session.out(), "{}", profile_text(performance_profiles(profile_input(session, false))));
}

Plot convergence_plot(const std::string& problem, const std::string& cost) {
  Plot plot;
  plot.title = problem + ": residual against " + cost;
  plot.x_label = cost;
  plot.y_label = "residual";
  plot.log_y = true;
  return plot;
}

PlotPage make_page(const Session& session) {
  PlotPage page("Cairn: solvers side by side", fmt::format("tolerance {:g}", session.options.tolerance));
  std::string current;
  Plot against_sweeps, against_time;
  const auto flush = [&] {
    if (current.empty()) return;
    page.heading(current);
    page.add(against_sweeps);
    page.add(against_time);
  };
  for (const SolveOutcome& o : session.outcomes) {
    if (o.problem != current) {
      flush();
      current = o.problem;
      against_sweeps = convergence_plot(o.problem, "sweeps");
      against_time = convergence_plot(o.problem, "seconds");
    }
    Series sweeps{o.solver, {}, {}}, time{o.solver, {}, {}};
    for (const HistoryPoint& h : o.report.history) {
      sweeps.x.push_back(h.iteration), sweeps.y.push_back(h.residual);
      time.x.push_back(h.seconds), time.y.push_back(h.residual);
    }
    if (sweeps.x.empty()) continue;
    against_sweeps.series.push_back(thinned(sweeps));
    against_time.series.push_back(thinned(time));
  }
  flush();
  if (profile_input(session, false).cost.size() > 1) {
    page.heading("Performance profiles");
    page.add(profile_plot(performance_profiles(profile_input(session, false)), "By time", "time"));
    page.add(profile_plot(performance_profiles(profile_input(session, true)), "By iterations", "iterations"));
  }
  return page;
}

std::string history_csv(const Session& session) {
  Csv csv({"problem", "solver", "iteration", "seconds", "residual"});
  for (const SolveOutcome& o : session.outcomes)
    for (const HistoryPoint& h : o.report.history) {
      csv.cell(o.problem).cell(o.solver).cell(h.iteration).cell(h.seconds).cell(h.residual);
      csv.end_row();
    }
  return std::string(csv.text());
}

std::string json_text(const Session& session) {
  nlohmann::json json = nlohmann::json::array();
  for (const SolveOutcome& o : session.outcomes) json.push_back(to_json(o));
  return (json.size() == 1 ? json[0] : json).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void write_file(const std::string& path, const std::string& text, bool force) {
  if (path.empty()) return;
  std::move(write_text_file(path, text, force)).value_or_throw();
  fmt::print(stderr, "wrote {}\n", path);
}

void write_results(const Session& session) {
  const SolveOptions& o = session.options;
  write_file(o.history, history_csv(session), o.force);
  write_file(o.html, o.html.empty() ? "" : make_page(session).html(), o.force);
  if (o.json == "-") fmt::print("{}", json_text(session));
  if (o.json != "-") write_file(o.json, o.json.empty() ? "" : json_text(session), o.force || is_json_result(o.json));
}

/// Nothing is computed when a file could not be written in the end, and no problem is overwritten by its own answer.
void check_outputs(const SolveOptions& options) {
  std::error_code error;
  for (const std::string& path : {options.history, options.json, options.html}) {
    if (path.empty() || path == "-") continue;
    for (const std::string& problem : options.problems)
      if (std::filesystem::equivalent(path, problem, error))
        fail_input(fmt::format("{} is the problem itself: give another name for the output", path));
    if (!options.force && !(path == options.json && is_json_result(path))) check_can_write(path).value_or_throw();
  }
}

}  // namespace

int run_solve(const SolveOptions& options) {
  Session session{options, {}, false, nullptr, {}};
  session.solvers = parse_solvers(options, session.all);
  check_outputs(options);
  std::vector<std::string> names;
  for (const std::string& argument : options.problems) {
    const std::vector<std::string> expanded = expand(argument, options.fclib).value_or_throw();
    names.insert(names.end(), expanded.begin(), expanded.end());
  }
  bool bad_file = false;
  for (const std::string& name : names) {
    if (interrupted()) break;
    Expected<LoadedProblem> loaded = load(name);
    if (!loaded) {
      if (names.size() == 1) throw InputError(loaded.error());
      fmt::print(stderr, "cairn: {}\n",
                 printable(loaded.error().message));  // one bad file does not stop a whole folder
      bad_file = true;
      continue;
    }
    if (options.warm && !loaded->has_warm_start())
      loaded->notes.emplace_back("there are no impulses to begin from: --warm begins from zero");
    if (!options.warm) loaded->drop_warm_start();
    // Not before the first file is read: reading forks, and a thread that is just beginning may hold a lock of the
    // runtime's then.
    if (session.pool == nullptr) session.pool = make_pool(options.threads);
    solve_problem(session, *loaded);
  }
  if (!session.outcomes.empty())
    fmt::print(session.out(),
               "\n`residual` decides: at most {:g} (--tol) is converged; 1e-2 looks right, 1e-4 is enough for most "
               "measurements. "
               "`unit-free` is of the contacts alone, without joints; docs/solvers.md explains C1 and C8.\n",
               options.tolerance);
  if (session.solvers.size() > 1 && names.size() > 1) print_profiles(session);
  write_results(session);
  if (interrupted()) return kInterrupted;
  if (bad_file) return kBadInput;
  const bool failed = std::any_of(session.outcomes.begin(), session.outcomes.end(),
                                  [](const SolveOutcome& o) { return o.report.reason != StopReason::converged; });
  return options.strict && failed ? kNotConverged : kDone;
}

}  // namespace cairn::cli
