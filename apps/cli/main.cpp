// SPDX-License-Identifier: MIT
// The command line: what can be written, and what each exit code means. The commands themselves are in their own files.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "apps/cli/commands.h"
#include "apps/cli/manual.h"
#include "apps/cli/option_checks.h"
#include "apps/cli/progress.h"
#include "apps/cli/streams.h"
#include "cairn/core/errors.h"
#include "cairn/core/names.h"
#include "cairn/solvers/solver_table.h"
#include "cairn/world/limits.h"
#include "scenes/problems.h"
#include "scenes/scene.h"

namespace {

using namespace cairn::cli;

constexpr const char* kFooter =
    "\nExit codes: 0 done, 1 a check failed, 2 wrong usage, 3 bad input or a result that could not be written, 4 not "
    "converged under --strict or the port of `view` is taken, 130 interrupted.\n"
    "Results go to stdout, progress and messages to stderr.";

std::string problems_help() {
  std::string text = "Built-in problems:\n";
  for (const auto& family : cairn::scenes::problem_families())
    text += fmt::format("  {:<14} {}\n", family.pattern, family.summary);
  return text + "  fclib          all files of the published set (--fclib DIR)\n" + kFooter;
}

void add_solve(CLI::App& app, SolveOptions& o) {
  CLI::App* solve = app.add_subcommand("solve", "Solve contact problems and say how good the answers are");
  solve->add_option("PROBLEM", o.problems, "FCLIB file, folder of files, or built-in name (below)")->required();
  solve->add_option("--solver", o.solvers, "NAME or NAME:setting=value,...; may be given several times; or 'all'")
      ->take_all()
      ->allow_extra_args(false);
  solve->add_option("--set", o.settings, "setting name=value for every solver named; `cairn solvers` lists them")
      ->take_all()
      ->allow_extra_args(false);
  solve->add_option("--tol", o.tolerance, "residual to reach (0: never measured, all iterations are run)")
      ->check(number_in(0.0, 1e6))
      ->capture_default_str();
  solve
      ->add_option("--max-iterations", o.max_iterations,
                   "sweeps or Newton steps (default 1000; of `reference` 100000, so that it ends)")
      ->check(CLI::Range(0, 1000000000));
  solve->add_option("--time-limit", o.time_limit_ms, "milliseconds of iterations (0: none)")
      ->check(number_in(0.0, 1e12));
  solve->add_option("--threads", o.threads, "threads (0: every processor); the result does not depend on it")
      ->check(thread_count());
  solve->add_option("--fclib", o.fclib, "folder of the published problems, for the name 'fclib'");
  solve->add_flag("--warm", o.warm, "begin from the impulses that the file holds, with its colours");
  solve->add_flag("--reference", o.reference, "also find the reference solution and measure C8 against it");
  solve->add_flag("--no-siconos{false}", o.siconos, "with 'all': leave Siconos out even where it is installed");
  solve->add_flag("--strict", o.strict, "exit with 4 unless every solve converged");
  solve->add_option("--history", o.history, "write residual against iteration as CSV");
  solve->add_option("--json", o.json, "write everything as JSON (without a file: to stdout)")
      ->expected(0, 1)
      ->default_str("-");
  solve->add_option("--html", o.html, "write convergence plots and profiles as one page");
  solve->add_flag("--force", o.force, "overwrite files that exist");
  solve->footer(problems_help());
}

std::string scenes_help() {
  std::string text = "Scenes (`cairn scenes NAME` tells the parameters of one):\n";
  for (const auto& scene : cairn::scenes::scene_table())
    text += fmt::format("  {:<15} {}\n", scene.pattern, scene.summary);
  return text + kFooter;
}

void add_run_physics(CLI::App& run, RunOptions& o) {
  run.add_option("--param", o.parameters, "parameter name=value of the scene; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  run.add_option("--solver", o.solver,
                 "NAME or NAME:setting=value,... (default: the scene's, which is soft_step unless it says otherwise)");
  run.add_option("--set", o.settings, "setting name=value of the solver; iterations=N and tolerance=R for every one")
      ->take_all()
      ->allow_extra_args(false);
  run.add_option("--dt", o.dt, "seconds per step")->check(step_length(cairn::kShortestStep, cairn::kLongestStep));
  run.add_option("--sub-steps", o.sub_steps, "parts that each step is done in")
      ->check(number_in(1, cairn::kMostSubSteps));
  run.add_option("--joint-projection", o.joint_projection,
                 "whether the position errors of joints are removed after the solve (automatic: with soft_step, "
                 "ldl_pgs, exact, schurpa and staggered)")
      ->check(CLI::IsMember({"automatic", "off", "on"}));
  run.add_option("--threads", o.threads, "threads (0: every processor); the result does not depend on it")
      ->check(thread_count());
  run.add_option("--simd", o.simd, "instruction set of every kernel; the result does not depend on it")
      ->check(CLI::IsMember({"auto", "scalar", "sse4", "avx2", "avx512"}));
  run.add_option("--broad", o.broad_phase, "broad phase");
  run.add_option("--integrator", o.integrator, "how velocities become poses")
      ->check(CLI::IsMember({"symplectic_euler", "velocity_verlet"}));
  run.add_option("--margin", o.margin, "speculative margin: metres ahead of touching at which contacts are made")
      ->check(number_in(0.0, 1e3));
  run.add_option("--slop", o.slop, "metres of overlap that are left alone")->check(number_in(0.0, 1e3));
  run.add_option("--contact-rate", o.contact_rate,
                 "Baumgarte factor: fraction of an overlap removed per step (not soft_step, which has hertz)")
      ->check(number_in(0.0, 1.0));
  CLI::Option* sleep = run.add_flag("--sleep", o.sleep, "let islands at rest sleep");
  run.add_flag("--no-sleep", o.no_sleep, "never")->excludes(sleep);
  run.add_flag("--no-recycling{false}", o.recycling, "collide every pair anew in every step");
  run.add_flag("--no-warm-start{false}", o.warm_start, "begin every solve from zero impulses");
  run.add_flag("--no-residual{false}", o.measure_residual,
               "do not measure residuals (soft_step: in every sixteenth step, else in every step)");
}

void add_scene_source(CLI::App& command, SceneFileOptions& o) {
  command.add_option("--package-root", o.package_root, "folder in which a URDF's package:// names are looked for");
  command.add_flag("--free-base", o.free_base, "the root link of a URDF moves instead of standing fixed");
  command.add_flag("--ground", o.ground, "puts a floor under the lowest point of a robot");
  command.add_option("--pose", o.pose, "JOINT=POSITION, rad or m, at the beginning; may be repeated");
  command.add_option("--drive", o.drive, "JOINT=POSITION to which a drive pulls; may be repeated");
  command.add_flag("--hold", o.hold, "drives keep every joint that has a motor (URDF effort) where it begins");
  command.add_option("--stiffness", o.stiffness, "N m/rad or N/m of those drives; without: from the effort")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--damping", o.damping, "N m s/rad or N s/m of those drives; without: from the stiffness")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--assume-density", o.assume_density, "kg/m^3 for moving links of a URDF that have no <inertial>")
      ->check(number_in(1e-3, 1e9));
}

void add_convert(CLI::App& app, ConvertOptions& o) {
  CLI::App* convert = app.add_subcommand("convert", "Robots and scenes to scene files, meshes, recordings to tables");
  convert->add_option("IN", o.from, ".urdf, .json, .obj, .stl, .gltf, .glb or .h5")->required();
  convert->add_option("OUT", o.to, ".json, .obj, .stl; of a recording .csv (statistics) or .pvd (ParaView)")
      ->required();
  add_scene_source(*convert, o.source);
  convert->add_flag("--force", o.force, "overwrite files that exist");
  convert->footer(kFooter);
}

void add_render(CLI::App& app, RenderOptions& o) {
  CLI::App* render = app.add_subcommand("render", "Make a film or a picture of a recording with POV-Ray and ffmpeg");
  render->add_option("FILE", o.file, "recording of `cairn run --out`")->required();
  render->add_option("OUT", o.out, "the film (.mp4), or the picture (.png) with --still")->required();
  render->add_option("--still", o.still, "seconds: one picture of that time instead of a film")
      ->check(number_in(0.0, 1e9));
  render->add_option("--fps", o.fps, "pictures a second")->check(number_in(1.0, 240.0))->capture_default_str();
  render->add_option("--width", o.width, "pixels")->check(CLI::Range(16, 8192))->capture_default_str();
  render->add_option("--height", o.height, "pixels")->check(CLI::Range(16, 8192))->capture_default_str();
  render->add_flag("--force", o.force, "overwrite the file if it exists");
  render->footer(kFooter);
}

void add_export(CLI::App& app, ExportOptions& o) {
  CLI::App* exporting = app.add_subcommand("export", "A recording as a page that plays it, or a problem as FCLIB file");
  exporting->add_option("FROM", o.problem, "recording (.h5), or a problem: built-in name or file")->required();
  exporting->add_option("FILE", o.file, "the file to write: .html of a recording, else FCLIB's HDF5")->required();
  exporting->add_option("--every", o.every, "keep every so many frames of a recording")
      ->check(CLI::Range(1, 1000000000));
  exporting->add_option("--max-mb", o.max_mb, "refuse pages larger than that")
      ->check(number_in(1.0, 2000.0))
      ->capture_default_str();
  exporting->add_flag("--no-contacts{false}", o.contacts, "leave the contacts of a recording out");
  exporting->add_option("--form", o.form, "of a problem: contact (bodies, exact) or local (assembled)")
      ->check(CLI::IsMember({"contact", "local"}))
      ->capture_default_str();
  exporting->add_flag("--force", o.force, "overwrite the file if it exists");
  exporting->footer(kFooter);
}

void add_run_files(CLI::App& run, RunOptions& o) {
  run.add_option("--out", o.out, "record the run to an HDF5 file (docs/recordings.md)");
  run.add_option("--record-every", o.record_every, "steps from frame to frame of the recording, --vtp and --pov")
      ->check(CLI::Range(1, 1000000000));
  run.add_flag("--no-contacts{false}", o.record_contacts, "record no contacts");
  run.add_option("--csv", o.csv, "write the statistics of every step as CSV");
  run.add_option("--vtp", o.vtp, "write frames for ParaView (VTP, and run.pvd) to a folder");
  run.add_option("--pov", o.pov, "write frames for POV-Ray to a folder");
  CLI::Option* checkpoint = run.add_option("--checkpoint", o.checkpoint, "write the whole state there on the way");
  run.add_option("--every", o.checkpoint_every, "steps from checkpoint to checkpoint")
      ->check(CLI::Range(1, 1000000000))
      ->needs(checkpoint)
      ->capture_default_str();
  run.add_flag("--checkpoint-or-stop", o.stop_without_checkpoint, "stop when a checkpoint cannot be written")
      ->needs(checkpoint);
  run.add_option("--resume", o.resume, "go on from a checkpoint of the same scene, to where that run was to end");
}

void add_replay(CLI::App& app, ReplayOptions& o) {
  CLI::App* replay = app.add_subcommand("replay", "Say what a recording holds, and compute it again");
  replay->add_option("FILE", o.file, "recording of `cairn run --out`")->required();
  replay->add_flag("--verify", o.verify,
                   "compute it again and compare the hash of every step; exit with 1 if one differs");
  replay->add_option("--threads", o.threads, "threads (0: every processor); the result does not depend on it")
      ->check(thread_count());
  replay->footer(kFooter);
}

void add_run(CLI::App& app, RunOptions& o) {
  CLI::App* run = app.add_subcommand("run", "Run a scene and say what it cost and how good it was");
  run->add_option("SCENE", o.scene, "name (below) or scene file (.json, .urdf)")->required();
  run->add_option("--steps", o.steps, "steps to run (default: the scene's)")->check(CLI::Range(1, 1000000000));
  add_run_physics(*run, o);
  run->add_option("--measure", o.measure, "A:B, means over the steps after A up to B (default: the scene's)")
      ->check(window());
  run->add_flag("--order-sensitivity", o.order_sensitivity, "also find D3 of the last step's problem (slow)");
  run->add_option("--json", o.json, "write the summary as JSON (without a file: to stdout)")
      ->expected(0, 1)
      ->default_str("-");
  run->add_option("--hashes", o.hashes, "write the hash of the state after every step as CSV");
  run->add_option("--hash-every", o.hash_every, "only after every so many steps")->check(CLI::Range(1, 1000000000));
  run->add_option("--save", o.save, "write the whole state to a file");
  run->add_option("--save-at", o.save_at, "after this step (default: the last)")->check(CLI::Range(1, 1000000000));
  run->add_option("--restore", o.restore, "begin from a saved state of the same scene");
  run->add_flag("--strict", o.strict, "exit with 4 if a step did not converge");
  run->add_flag("--force", o.force, "overwrite files that exist");
  add_run_files(*run, o);
  add_scene_source(*run, o.source);
  run->footer(scenes_help());
}

void add_view(CLI::App& app, ViewOptions& o) {
  CLI::App* view =
      app.add_subcommand("view", "Watch a scene in a browser while it runs, and act on it (docs/viewer.md)");
  view->add_option("SCENE", o.run.scene,
                   "name (`cairn scenes` lists them), scene file (.json, .urdf) or recording (.h5)")
      ->required();
  add_run_physics(*view, o.run);
  view->add_option("--port", o.port, "of this machine to serve at (0: any that is free)")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  view->add_option("--history-mb", o.history_mb, "of the past to keep for going back")
      ->check(number_in(1.0, 1e6))
      ->capture_default_str();
  view->add_flag("--paused", o.paused, "wait at the beginning");
  add_scene_source(*view, o.run.source);
  view->footer(
      "Prints an address for a browser on this machine; from elsewhere: ssh -L PORT:127.0.0.1:PORT. Ctrl-C ends it.\n"
      "\nExit codes: 0 done (also by Ctrl-C), 2 wrong usage, 3 bad input or no viewer built in, 4 port not available.");
}

void add_check(CLI::App& app, CheckOptions& o) {
  CLI::App* check = app.add_subcommand("check", "Read a scene file and say what is wrong or strange in it");
  check->add_option("FILE", o.file, "scene file (JSON, docs/scenes.md) or robot (.urdf)")->required();
  add_scene_source(*check, o.source);
  check->add_flag("--strict", o.strict, "exit with 1 if there are warnings");
  check->footer(kFooter);
  app.add_subcommand("schema", "Print the JSON Schema of scene files");
}

void add_capture(CLI::App& app, CaptureOptions& o) {
  CLI::App* capture = app.add_subcommand("capture", "Write the problem of one step of a scene to a file, for `solve`");
  capture
      ->add_option("SCENE", o.run.scene,
                   "name (`cairn scenes` lists them), scene file (.json, .urdf) or recording (.h5)")
      ->required();
  capture->add_option("FILE", o.file, "the file to write")->required();
  capture->add_option("--step", o.step, "whose problem is written, counted from 1")
      ->required()
      ->check(CLI::Range(1, 1000000000));
  add_run_physics(*capture, o.run);
  capture->add_flag("--force", o.run.force, "overwrite the file if it exists");
  capture->footer(kFooter);
}

void add_compare(CLI::App& app, CompareOptions& o) {
  CLI::App* compare = app.add_subcommand("compare", "One scene under several solvers: tables, curves and stills");
  compare->add_option("SCENE", o.scene, "name (`cairn scenes` lists them) or scene file (.json, .urdf)")->required();
  compare->add_option("--solvers", o.solvers, "NAME or NAME:setting=value,... separated by commas; or 'all'")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  compare->add_option("--param", o.parameters, "parameter name=value of the scene; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  compare->add_option("--steps", o.steps, "steps of every run (default: the scene's)")
      ->check(CLI::Range(1, 1000000000));
  compare->add_option("--captures", o.captures, "steps that are captured")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  compare->add_option("--budget", o.budget_ms, "milliseconds per solve of equal time (default: five sweeps of pgs)")
      ->check(number_in(1e-6, 1e9));
  compare->add_option("--quality", o.quality, "C1 to reach of equal quality (default: 0.1, 0.01 and 0.001)")
      ->check(number_in(1e-15, 1e6));
  compare->add_option("--run-limit", o.run_limit, "seconds that one run may take")
      ->check(number_in(1e-3, 1e9))
      ->capture_default_str();
  compare->add_option("--minutes", o.minutes, "minutes that all of it may take (0: no limit); solvers get equal shares")
      ->check(number_in(0.0, 1e6))
      ->capture_default_str();
  compare->add_option("--threads", o.threads, "threads (0: every processor); only times depend on it")
      ->check(thread_count())
      ->capture_default_str();
  compare->add_option("--out", o.out, "the page to write")->capture_default_str();
  compare->add_option("--json", o.json, "write everything as JSON (without a file: to stdout)")
      ->expected(0, 1)
      ->default_str("-");
  compare->add_flag("--quick", o.quick, "two captured steps, short curves and 60 steps");
  compare->add_flag("--force", o.force, "overwrite files that exist");
  add_scene_source(*compare, o.source);
  compare->footer(kFooter);
}

void add_bench_detect(CLI::App& bench, BenchDetectOptions& o) {
  CLI::App* detect = bench.add_subcommand("detect", "Cost of collision detection: ball grids and boxes on a mesh");
  detect->add_flag("--quick", o.quick, "small grids, and boxes before they have come to rest (under a minute)");
  detect->add_option("--csv", o.csv, "also write the table as CSV");
  detect->add_flag("--force", o.force, "overwrite the file if it exists");
}

void add_bench_mass_splitting(CLI::App& bench, BenchMassSplittingOptions& o) {
  CLI::App* split =
      bench.add_subcommand("mass-splitting", "Convergence, jitter and cost on the scenes of Tonge et al. 2012");
  split->add_flag("--quick", o.quick, "one early step and a few frames of each scene (under a minute)");
  split->add_flag("--proof", o.proof, "instead: come to the solutions without friction, exit with 1 where that fails");
  split->add_option("--scene", o.scenes, "only this scene; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  split->add_option("--threads", o.threads, "threads (0: every processor); only times depend on it")
      ->check(thread_count())
      ->capture_default_str();
  split->add_option("--out", o.out, "folder for the CSV files and the page")->capture_default_str();
  split->add_flag("--force", o.force, "overwrite files that exist");
}

void add_bench_ldl(CLI::App& bench, BenchLdlOptions& o) {
  CLI::App* ldl =
      bench.add_subcommand("ldl", "Sparse block LDL: the mechanisms of Mizerski 2020 beside Eigen and CHOLMOD");
  ldl->add_flag("--quick", o.quick, "few rounds (seconds)");
  ldl->add_option("--out", o.out, "writes OUT.csv and OUT.html")->capture_default_str();
  ldl->add_flag("--force", o.force, "overwrite files that exist");
}

void add_bench_schurpa(CLI::App& bench, BenchSchurpaOptions& o) {
  CLI::App* schurpa = bench.add_subcommand(
      "schurpa", "Banded Cholesky and active sets: table 7.1 and fig. 5.3 of Litven 2013; frozen steps of scenes");
  schurpa->add_flag("--quick", o.quick, "a quarter of the size and of the bandwidth (seconds)");
  schurpa->add_option("--html", o.html, "writes a page with tables and plots");
  schurpa->add_option("--csv", o.csv, "writes table 7.1 and the frozen steps");
  schurpa->add_option("--json", o.json, "writes everything (- for stdout)");
  schurpa->add_flag("--force", o.force, "overwrite files that exist");
}

void add_bench_euler(CLI::App& bench, BenchEulerOptions& o) {
  CLI::App* euler = bench.add_subcommand(
      "euler", "Elastic solids on a grid: known answers, the cylinders of Litven 2013 (7.2), cost against cells");
  euler->add_flag("--quick", o.quick, "coarse cylinders and no million cells (about a minute)");
  euler->add_option("--cells", o.cells, "cells per metre of the tests with known answers (default 48)")
      ->delimiter(',')
      ->check(CLI::Range(16, 192));
  euler->add_option("--threads", o.threads, "of the tests with known answers (0: every processor)")
      ->check(thread_count());
  euler->add_option("--html", o.html, "writes a page with tables and plots");
  euler->add_option("--csv", o.csv, "writes the cylinders step by step");
  euler->add_option("--json", o.json, "writes everything (- for stdout)");
  euler->add_flag("--force", o.force, "overwrite files that exist");
}

void add_bench_realtime(CLI::App& bench, BenchRealtimeOptions& o) {
  CLI::App* realtime = bench.add_subcommand("realtime", "Speed and quality of steps in real time, and the roofline");
  realtime->add_flag("--peers", o.peers, "also run Bullet, ODE and MuJoCo, those that were found by cmake");
  realtime->add_flag("--quick", o.quick, "few steps of each scene (about a minute)");
  realtime->add_option("--scene", o.scenes, "only this scene; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  realtime->add_option("--threads", o.threads, "numbers of threads to measure with besides one (default 1,2)")
      ->delimiter(',')
      ->check(thread_count(1));
  realtime->add_option("--out", o.out, "writes OUT.csv, OUT.json and OUT.html")->capture_default_str();
  realtime->add_flag("--force", o.force, "overwrite files that exist");
}

void add_bench(CLI::App& app, BenchProxOptions& o, BenchMassSplittingOptions& split, BenchDetectOptions& detect,
               BenchLdlOptions& ldl, BenchRealtimeOptions& realtime, BenchSchurpaOptions& schurpa,
               BenchEulerOptions& euler) {
  CLI::App* bench = app.add_subcommand("bench", "Measure solvers against published figures, and detection");
  bench->require_subcommand(1);
  add_bench_detect(*bench, detect);
  add_bench_mass_splitting(*bench, split);
  add_bench_ldl(*bench, ldl);
  add_bench_realtime(*bench, realtime);
  add_bench_schurpa(*bench, schurpa);
  add_bench_euler(*bench, euler);
  CLI::App* prox = bench->add_subcommand("prox", "Schemes and schedules of Poulsen 2010 on its own problems");
  prox->add_flag("--quick", o.quick, "the smaller problems only (about a minute)");
  prox->add_option("--threads", o.threads, "largest number of threads (0: every processor)")->check(thread_count());
  prox->add_option("--out", o.out, "writes OUT.csv and OUT.html")->capture_default_str();
  prox->add_flag("--force", o.force, "overwrite files that exist");
}

/// What the commands were given; the parser writes it.
struct AllOptions {
  RunOptions run;
  ViewOptions view;
  CheckOptions check;
  ReplayOptions replay;
  ConvertOptions convert;
  RenderOptions render;
  CaptureOptions capture;
  CompareOptions compare;
  SolveOptions solve;
  ExportOptions export_to;
  BenchProxOptions bench;
  BenchMassSplittingOptions mass_splitting;
  BenchDetectOptions detect;
  BenchLdlOptions ldl;
  BenchSchurpaOptions schurpa;
  BenchEulerOptions euler;
  BenchRealtimeOptions realtime;
  std::string one_scene, one_solver;  ///< of `scenes` and `solvers`; empty: all
  int demo_threads = 0;
};

int dispatch(CLI::App& app, const AllOptions& options) {
  if (app.got_subcommand("run")) return run_scene(options.run);
  if (app.got_subcommand("view")) return run_view(options.view);
  if (app.got_subcommand("replay")) return run_replay(options.replay);
  if (app.got_subcommand("convert")) return run_convert(options.convert);
  if (app.got_subcommand("render")) return run_render(options.render);
  if (app.got_subcommand("check")) return run_check(options.check);
  if (app.got_subcommand("schema")) return run_schema();
  if (app.got_subcommand("capture")) return run_capture(options.capture);
  if (app.got_subcommand("compare")) return run_compare(options.compare);
  if (app.got_subcommand("scenes")) return run_scenes(options.one_scene);
  if (app.got_subcommand("solve")) return run_solve(options.solve);
  if (app.got_subcommand("solvers")) return run_solvers(options.one_solver);
  if (app.got_subcommand("export")) return run_export(options.export_to);
  if (app.got_subcommand("manual")) return fmt::print("{}", manual_page(app, kProgramVersion)), kDone;
  if (app.got_subcommand("completion")) return fmt::print("{}", completion_script(app)), kDone;
  if (app.got_subcommand("bench")) {
    const CLI::App& bench = *app.get_subcommand("bench");
    if (bench.got_subcommand("detect")) return run_bench_detect(options.detect);
    if (bench.got_subcommand("mass-splitting")) return run_bench_mass_splitting(options.mass_splitting);
    if (bench.got_subcommand("ldl")) return run_bench_ldl(options.ldl);
    if (bench.got_subcommand("schurpa")) return run_bench_schurpa(options.schurpa);
    if (bench.got_subcommand("euler")) return run_bench_euler(options.euler);
    if (bench.got_subcommand("realtime")) return run_bench_realtime(options.realtime);
    return run_bench_prox(options.bench);
  }
  return run_demo(options.demo_threads);
}

/// The words of the command line that the user may have meant.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  const CLI::App* current = &app;
  int commands = 0;  // words that lead to the last command, which are right
  for (int i = 1; i < argc; ++i)
    for (const CLI::App* sub : current->get_subcommands({}))
      if (sub->get_name() == argv[i]) current = sub, commands = i;
  for (const CLI::Option* option : current->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const CLI::App* sub : current->get_subcommands({})) known.push_back(sub->get_name());
  for (int i = commands + 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    const bool flag = word.rfind("--", 0) == 0;
    if (!flag && i > 1) continue;
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return cairn::did_you_mean(word, known);
  }
  return "";
}

/// The words that ask for the help of the command that was meant.
std::string help_of(const CLI::App& app, int argc, char** argv) {
  std::string words = "cairn";
  const CLI::App* current = &app;
  for (int i = 1; i < argc; ++i) {
    const auto subs = current->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == argv[i]; });
    if (subs.empty()) break;
    current = subs.front();
    words += " " + current->get_name();
  }
  return words + " --help";
}

/// What can be made smaller where memory runs out.
const char* smaller(const CLI::App& app) {
  if (app.got_subcommand("solve")) return "solve a smaller problem, or fewer of them at once";
  if (app.got_subcommand("export")) return "--every keeps fewer frames, --no-contacts leaves contacts out";
  if (app.got_subcommand("view")) return "give less to --history-mb, or a scene with fewer bodies (--param)";
  if (app.got_subcommand("bench")) return "--quick takes smaller problems";
  return "take a scene with fewer bodies (--param), or a smaller file";
}

std::string command_line(int argc, char** argv) {
  constexpr std::size_t kMost = 200;
  std::string line = "cairn";
  for (int i = 1; i < argc; ++i) line += fmt::format(" {}", argv[i]);
  return line.size() <= kMost ? line : line.substr(0, kMost) + " ...";
}

void add_commands(CLI::App& app, AllOptions& options) {
  add_run(app, options.run);
  add_view(app, options.view);
  add_check(app, options.check);
  add_replay(app, options.replay);
  add_convert(app, options.convert);
  add_render(app, options.render);
  add_capture(app, options.capture);
  add_compare(app, options.compare);
  app.add_subcommand("scenes", "List the scenes; with a name its parameters")
      ->add_option("NAME", options.one_scene, "the scene whose parameters are told");
  add_solve(app, options.solve);
  app.add_subcommand("solvers", "List the solvers; with a name its settings")
      ->add_option("NAME", options.one_solver, "the solver whose settings are told");
  add_export(app, options.export_to);
  add_bench(app, options.bench, options.mass_splitting, options.detect, options.ldl, options.realtime, options.schurpa,
            options.euler);
  CLI::App* demo = app.add_subcommand("demo", "A tour: one problem, several solvers, how good each is");
  demo->add_option("--threads", options.demo_threads, "threads (0: every processor)")->check(thread_count());
  app.add_subcommand("manual", "Print a page for man: cairn manual > cairn.1");
  app.add_subcommand("completion", "Print completion for bash and zsh: source <(cairn completion)");
}

int run(CLI::App& app, int argc, char** argv, const AllOptions& options) {
  const auto fail = [](const std::string& why) {
    // The lines of a message, each without what a name could do to the terminal.
    for (std::size_t begin = 0; begin <= why.size();) {
      const std::size_t end = std::min(why.find('\n', begin), why.size());
      fmt::print(stderr, "{}{}\n", begin == 0 ? "cairn: " : "       ", printable(why.substr(begin, end - begin)));
      begin = end + 1;
    }
    return kBadInput;
  };
  try {
    catch_interrupts();
    return dispatch(app, options);
  } catch (const std::bad_alloc&) {
    return fail(fmt::format("there is not enough memory for `{}`: {}", command_line(argc, argv), smaller(app)));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

/// Results that nobody got are no success.
int ended(int code) {
  const std::string reason = lost_output();
  if (reason.empty()) return code;
  fmt::print(stderr, "cairn: the results could not be written to standard output: {}\n", reason);
  return code == kDone ? kBadInput : code;
}

}  // namespace

int main(int argc, char** argv) {
  open_streams();
  CLI::App app{"Cairn: bodies in frictional contact, solved by any method, with how good the answer is", "cairn"};
  app.set_version_flag("--version", fmt::format("cairn {}", kProgramVersion));
  app.require_subcommand(1);
  app.footer(kFooter);
  AllOptions options;
  add_commands(app, options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;  // by way of our own stream, which knows whether it arrived
    const int code = app.exit(help, text, text);
    fmt::print("{}", text.str());
    return ended(code);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "cairn: {}\nTry '{}'.\n", printable(error.what() + suggestion(app, argc, argv)),
               help_of(app, argc, argv));
    return kUsage;
  }
  return ended(run(app, argc, argv, options));
}
