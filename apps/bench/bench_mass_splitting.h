// SPDX-License-Identifier: MIT
// The parts of `cairn bench mass-splitting`: the experiments of Tonge et al. 2012 (table 1, figures 3 and 6) on its
// scenes.
//
// Frozen problems compare convergence, because trajectories of two solvers drift apart; trajectories compare jitter,
// which frozen problems do not have. Each part below has its own file; plain data goes between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/progress.h"
#include "apps/compare/frozen.h"
#include "cairn/core/parallel.h"
#include "cairn/measures/jitter.h"
#include "cairn/solvers/solver_table.h"

namespace cairn::cli {

/// A scene, which of its steps are frozen, and how many frames its trajectories have.
struct SplitScene {
  std::string name;
  std::vector<int> frozen;                      ///< steps, ascending
  int frames = 0;                               ///< 0: frozen problems only
  double paper_pgs_ms = 0, paper_split_ms = 0;  ///< table 1, per frame on a GTX 580; 0: not in the table
};
std::vector<SplitScene> split_scenes(bool quick);
/// Of the proof: more steps of the scenes of Tonge et al. 2012, the dearest last.
std::vector<SplitScene> proof_scenes();

/// A solver with settings, under the name that tables and plots show.
struct SplitMethod {
  std::string name, solver;
  NamedSettings settings;
};
/// Of the convergence curves; the first is coloured PGS, which equal times are counted by.
std::vector<SplitMethod> split_methods();
/// By its name among split_methods().
const SplitMethod& find_method(const std::vector<SplitMethod>& methods, const std::string& name);

/// Runs the scene with the default solver up to its last frozen step.
std::vector<FrozenProblem> freeze(const SplitScene& scene, int threads, Progress& progress);

/// What a solver needs, of processor time with one thread, by the clock with more.
struct SweepCost {
  double sweep = 0;  ///< s
  double setup = 0;  ///< s: validation, packing, colours; once per solve
};

/// After so many sweeps from zero impulses.
struct CurvePoint {
  int sweeps = 0;
  double violation = 0;  ///< C2
  double residual = 0;   ///< C1, rms
};

/// One method on one frozen problem.
struct Convergence {
  std::string scene, method;
  int step = 0;
  std::int64_t contacts = 0;
  SweepCost cost;
  std::vector<CurvePoint> points;  ///< the first after 0 sweeps
  int sweeps_to_hundredth = -1;    ///< until Measures::residual is 1e-2 of that of zero impulses; -1: not reached
};
/// Every method on one problem. `most_sweeps` limits the search for the hundredth.
std::vector<Convergence> converge(const FrozenProblem& frozen, int threads, int most_sweeps, Progress& progress);

/// What a method reaches in the time of so many sweeps of coloured PGS, set-up counted.
struct EqualTime {
  std::string scene, method;
  int step = 0;
  int pgs_sweeps = 0, sweeps = 0;
  double residual = 0, pgs_residual = 0;    ///< C1, rms
  double violation = 0, pgs_violation = 0;  ///< C2
};
/// `measured` are the results of converge() for this problem.
std::vector<EqualTime> compare_equal_time(const FrozenProblem& frozen, const std::vector<Convergence>& measured,
                                          int threads);

/// D3 of one solver on one frozen problem, from the warm start of its step.
struct OrderRow {
  std::string scene, method;
  int step = 0, sweeps = 0;
  double sensitivity = 0, reference_residual = 0;
};
std::vector<OrderRow> compare_orders(const FrozenProblem& frozen, int threads, bool quick, Progress& progress);

/// Contacts per colour, greedy (figure 3).
struct ColourHistogram {
  std::string scene;
  int step = 0;
  std::vector<std::int64_t> sizes;
};
ColourHistogram colour_histogram(const FrozenProblem& frozen);

/// One run of a scene with one solver.
struct FrameRun {
  std::string scene, method;
  int sweeps = 0;
  std::vector<double> energy;  ///< per frame, J per body that is still there
  JitterMeasures jitter;       ///< over the last frames
  double frame_ms = 0;         ///< median of those frames, all stages
  double solve_ms = 0;
};
/// PGS and mass splitting with the sweeps of Tonge et al. 2012, and mass splitting in the time of PGS by the measured
/// costs.
std::vector<FrameRun> run_frames(const SplitScene& scene, const std::vector<Convergence>& measured, int threads,
                                 Progress& progress);

/// How near mass splitting comes to the solution without friction.
struct ProofRow {
  std::string scene;
  int step = 0;
  std::int64_t contacts = 0;
  int reference_steps = 0;                  ///< of the interior point that found the solution
  double reference_gap = 0;                 ///< FrictionlessResult::gap of it
  double violation = 0;                     ///< m/s, that the solution itself leaves
  int sweeps = 0, accelerated_sweeps = 0;   ///< of block mass splitting, plain and with Anderson
  double error = 0, accelerated_error = 0;  ///< C8 after them
  int accelerated_depth = 0;                ///< of Anderson
};
inline constexpr double kProofError = 1e-8;  ///< C8 to reach
ProofRow prove(const FrozenProblem& frozen, int threads, Progress& progress);

/// Everything; the page and the CSV files are made of it.
struct SplitResults {
  std::vector<SplitScene> scenes;
  int threads = 1;
  std::vector<Convergence> convergence;
  std::vector<EqualTime> equal_time;
  std::vector<OrderRow> orders;
  std::vector<ColourHistogram> colours;
  std::vector<FrameRun> frames;
  std::vector<ProofRow> proof;
};

/// A file of the results: its name within the folder, and what is in it.
struct ResultFile {
  std::string name, text;
};
/// Those of the proof, or of everything else. Their names do not depend on the results.
std::vector<ResultFile> split_files(const SplitResults& results, bool proof);

}  // namespace cairn::cli
