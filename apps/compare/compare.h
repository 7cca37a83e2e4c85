// SPDX-License-Identifier: MIT
// The parts of `cairn compare`: one scene under several solvers, by three fair protocols (docs/compare.md).
//
// Captured steps compare convergence: every solver gets the same problems, from zero impulses and from the impulses
// that the step began from. Runs compare what frozen steps do not have: jitter, energy, overlap. Equal sweeps, equal
// time and equal quality are always all three told. Each part has its own file; plain data goes between them.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/commands/solve_report.h"
#include "apps/compare/frozen.h"
#include "apps/compare/still.h"
#include "apps/plots/profiles.h"
#include "cairn/measures/jitter.h"

namespace cairn::cli {

/// Sweeps of pgs whose time every solver gets where no budget is given.
inline constexpr int kBudgetSweeps = 5;

/// A solver that takes part.
struct Rival {
  SolverSpec spec;
  bool own_sweeps = false;  ///< decides by itself how many: sub-steps, or iterations in its settings
  bool from_all = false;    ///< named by "all": it may be one that cannot take the scene
  double first_solve = 0;   ///< s by the clock, of one sweep on the first captured step
};

/// One that was named by "all" and cannot take the scene.
struct Refusal {
  std::string solver, reason;
};

/// "a,b:x=1,y=2,c" in three: a part with = and without a colon before it goes on with the settings of the last solver.
std::vector<std::string> split_solver_list(const std::string& text);
/// The solvers of all lists; "all" stands for the whole table. InputError names the nearest known solver, and refuses
/// a solver that is named twice.
std::vector<Rival> parse_rivals(const std::vector<std::string>& lists);

/// How problems are measured.
struct MeasurePlan {
  int most_sweeps = 1000;  ///< curves end here
  int turns = 5;           ///< times are the best of so many
  double slow = 2;         ///< s: a curve ends with the solve that took longer
  double budget = 0;       ///< s per solve; 0: the time of kBudgetSweeps of pgs on the same problem
  std::vector<double> qualities{1e-1, 1e-2, 1e-3};  ///< C1, rms
  double run_quality = 1e-2;                        ///< of the runs; one of them
  double run_limit = 120;                           ///< s that one run may take
  double time_limit = 0;                            ///< s that all of it may take; 0: none
};

/// After so many sweeps.
struct ComparePoint {
  int sweeps = 0;
  double seconds = 0;    ///< of the whole solve, set-up included
  double residual = 0;   ///< C1, rms
  double violation = 0;  ///< C2
};

/// What it took to come to a quality; none: it was not reached.
struct QualityPoint {
  double quality = 0;  ///< C1 to reach
  std::optional<ComparePoint> reached;
};

/// One solver on one captured step from one start.
struct CompareCurve {
  std::size_t capture = 0, rival = 0;  ///< places in Comparison
  bool warm = false;
  std::vector<ComparePoint> points;       ///< ascending sweeps; a single one for own_sweeps
  bool stopped = false;                   ///< its share of the time was used up, so there may be more to reach
  double budget = 0;                      ///< s
  std::optional<ComparePoint> in_budget;  ///< none: not even one sweep fits
  std::vector<QualityPoint> quality;
};

/// How one captured step is to be solved.
struct FrozenTask {
  std::size_t capture = 0;  ///< its place in Comparison
  bool warm = false;
  const MeasurePlan& plan;
  ThreadPool* pool = nullptr;
  double share = std::numeric_limits<double>::infinity();  ///< s by the clock, of every rival
};
/// All rivals on one captured step.
std::vector<CompareCurve> compare_frozen(const FrozenProblem& frozen, const FrozenTask& task,
                                         const std::vector<Rival>& rivals, Progress& progress);

enum class Protocol { sweeps, time, quality };
inline constexpr Protocol kProtocols[] = {Protocol::sweeps, Protocol::time, Protocol::quality};
const char* to_string(Protocol protocol);

/// One run of the scene with one solver.
struct CompareRun {
  std::size_t rival = 0;
  Protocol protocol = Protocol::sweeps;
  int sweeps = 0;                               ///< per step; 0: its own
  std::string why_not;                          ///< it was not run
  std::string note;                             ///< it was, but not to the end, or not as the protocol wants it
  double expected = 0;                          ///< s per step, by the captured steps
  std::vector<double> jitter, energy, overlap;  ///< per frame: J1; J above the start; m, deepest
  JitterMeasures measures;                      ///< over the last frames; NaN where it was stopped
  double energy_gain = 0;                       ///< J, most above the start
  double max_overlap = 0;                       ///< m
  std::int64_t gone = 0;                        ///< bodies that fell through or left
  double step_ms = 0, solve_ms = 0;             ///< medians
  MotionFrame end;                              ///< how it looks
};

/// A captured step as tables name it.
struct CaptureInfo {
  int step = 0;
  std::int64_t bodies = 0, contacts = 0, joint_rows = 0;
};

/// Everything; the tables, the page and the JSON are made of it.
struct Comparison {
  std::string scene;
  int threads = 1, steps = 0;
  int run_from = 0;     ///< the step after which runs begin: 0, or the last captured one where whole runs take too long
  int run_steps = 0;    ///< of every run
  int run_sweeps = 0;   ///< of equal sweeps: the scene's own
  double other_ms = 0;  ///< of the last captured step, besides the solve
  std::string last_state;  ///< after the last captured step, and
  int last_step = 0;       ///< its number
  std::string note;        ///< what the time did not suffice for
  MeasurePlan plan;
  std::vector<Rival> rivals;
  std::vector<Refusal> refusals;
  std::vector<CaptureInfo> captures;
  std::vector<CompareCurve> curves;
  std::vector<CompareRun> runs;
  std::optional<BodyPictures> bodies;  ///< what they look like
};

/// The scene with that solver (empty: its own) and so many sweeps (0: its own). Sleep is off, since it hides jitter.
scenes::Scene scene_for(const CompareOptions& options, const std::string& solver, int sweeps, int threads);

/// The most steps of `wanted` that runs of these costs per step (s) can have within `seconds`, if every run is stopped
/// at twice its equal share of them: a few slow ones must not shorten all others. At least `least`.
int steps_within(const std::vector<double>& costs, double seconds, int least, int wanted);

/// All solvers under all protocols, in so many seconds; their sweeps come from the curves of cold starts.
void compare_runs(Comparison& comparison, const CompareOptions& options, double seconds, Progress& progress);

/// The whole comparison, without files; what is missing when interrupted is missing in the result.
Comparison compare(const CompareOptions& options);

/// Over the captured steps, one start and the solvers of the comparison.
struct CompareSummary {
  double at_sweeps(int sweeps) const;  ///< C1, geometric mean; NaN where a curve ends before

  const Comparison* comparison = nullptr;
  std::size_t rival = 0;
  bool warm = false;
  double budget_sweeps = 0;       ///< mean
  double budget_residual = 0;     ///< C1, geometric mean; NaN unless it fits everywhere
  double lowest = 0;              ///< C1 of the best points, geometric mean; NaN where a curve has none
  double lowest_sweeps = 0;       ///< of those points, median
  int stopped = 0;                ///< captured steps on which its share of the time was used up
  std::vector<int> reached;       ///< per quality: captured steps
  std::vector<double> sweeps_to;  ///< per quality: median over those reached; NaN without any
  std::vector<double> ms_to;
};
CompareSummary summarise(const Comparison& comparison, std::size_t rival, bool warm);

/// Whose residuals the tables show.
inline constexpr int kTableSweeps[] = {5, 10, 30, 50};

/// Captured steps times qualities as problems; a cost is the time or the sweeps to reach the quality.
ProfileInput compare_profile(const Comparison& comparison, bool warm, bool by_sweeps);
/// What equal time means here.
std::string budget_text(const Comparison& comparison);
/// How long the runs are and where they begin.
std::string runs_text(const Comparison& comparison);
/// On how many steps its share of the time was used up.
std::string stopped_text(const CompareSummary& summary);

/// Tables for a terminal.
std::string compare_text(const Comparison& comparison);
nlohmann::json to_json(const Comparison& comparison);
/// The standalone page.
std::string compare_page(const Comparison& comparison);

}  // namespace cairn::cli
