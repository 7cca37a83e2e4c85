// SPDX-License-Identifier: MIT
// The commands of the program: plain options in, exit code out. Only main.cpp knows how they are written on a line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

inline constexpr const char* kProgramVersion = "0.1.0";

/// What the program returns to the shell.
enum ExitCode {
  kDone = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kBadInput = 3,
  kNotConverged = 4,  ///< only under --strict
  kNoPort = 4,        ///< of `view`: the port cannot be listened on
  kInterrupted = 130,
};

struct SolveOptions {
  std::vector<std::string> problems;                 ///< files, folders, built-in names, or "fclib"
  std::vector<std::string> solvers{"gauss_seidel"};  ///< NAME or NAME:setting=value,...; "all" for the whole table
  std::vector<std::string> settings;                 ///< name=value, for every solver named
  std::string fclib;                                 ///< folder behind the name "fclib"
  double tolerance = 1e-6;
  std::optional<int> max_iterations;  ///< none: kMostIterations, for the reference until it ends
  double time_limit_ms = 0;
  int threads = 0;         ///< 0: every processor this process may use
  bool reference = false;  ///< also measure C8, the distance to the reference solution
  bool siconos = true;     ///< with "all": Siconos beside ours where it is installed
  bool warm = false;       ///< begin from the guess of the file, with its colours
  bool strict = false;
  bool force = false;
  std::string history, json, html;  ///< files; json "-" is stdout
};
int run_solve(const SolveOptions& options);

/// All of them by their lines, or everything about one.
int run_solvers(const std::string& name);
int run_scenes(const std::string& name);
int run_demo(int threads);

/// How scene files of other programs are read.
struct SceneFileOptions {
  std::string package_root;              ///< folder of the packages that a URDF names
  double assume_density = 0;             ///< kg/m^3 for its links without <inertial>; 0: refused
  bool free_base = false;                ///< the root of a URDF moves
  std::vector<std::string> pose, drive;  ///< NAME=VALUE of joints, see RobotSetup
  bool hold = false, ground = false;
  double stiffness = 0, damping = 0;
};

/// What is not given is the scene's own.
struct RunOptions {
  std::string simd = "auto";  ///< instruction set of lanes
  std::string scene;
  std::vector<std::string> parameters;  ///< name=value, of the scene
  std::string solver;                   ///< NAME or NAME:setting=value,...
  std::vector<std::string> settings;    ///< name=value, of the solver; iterations and tolerance for all
  std::optional<int> steps;             ///< to run now
  std::optional<int> sub_steps;         ///< parts of each step
  std::optional<double> dt;             ///< s
  std::optional<double> margin, slop, contact_rate;
  std::string broad_phase, integrator, joint_projection;
  int threads = 0;  ///< 0: every processor this process may use
  bool sleep = false, no_sleep = false;
  bool recycling = true, warm_start = true, measure_residual = true;
  std::string measure;             ///< "A:B": means over the steps after A, up to B
  bool order_sensitivity = false;  ///< also find D3 of the last step's problem
  std::string json;                ///< file, "-" is stdout
  std::string hashes;              ///< CSV file of the state's hash after every hash_every steps
  int hash_every = 1;
  std::string save, restore;   ///< files of whole states
  std::optional<int> save_at;  ///< step after which to save; none: the last
  std::string out;             ///< recording (HDF5)
  int record_every = 1;        ///< steps from frame to frame
  bool record_contacts = true;
  std::string csv;         ///< statistics of every step
  std::string vtp, pov;    ///< folders for frames: ParaView, POV-Ray
  std::string checkpoint;  ///< file that is written every checkpoint_every steps
  int checkpoint_every = 100;
  bool stop_without_checkpoint = false;  ///< where it cannot be written
  std::string resume;                    ///< checkpoint to go on from
  SceneFileOptions source;
  bool strict = false;
  bool force = false;
};
int run_scene(const RunOptions& options);
/// Whether a scene, by name or by its file, has elastic solids.
bool is_elastic(const std::string& scene);
/// The same for scenes of elastic solids; what they do not have is refused.
int run_elastic(const RunOptions& options);

struct ReplayOptions {
  std::string file;     ///< a recording
  bool verify = false;  ///< compute it again and compare
  int threads = 0;
};
int run_replay(const ReplayOptions& options);

struct CheckOptions {
  std::string file;     ///< a scene
  bool strict = false;  ///< warnings fail the check
  SceneFileOptions source;
};
int run_check(const CheckOptions& options);
struct ConvertOptions {
  std::string from, to;
  SceneFileOptions source;
  bool force = false;
};
int run_convert(const ConvertOptions& options);

struct RenderOptions {
  std::string file, out;        ///< a recording, a film or a picture
  std::optional<double> still;  ///< s: one picture of that time instead of a film
  double fps = 30;
  int width = 1280, height = 720;
  bool force = false;
};
int run_render(const RenderOptions& options);

/// The JSON Schema of scene files, on stdout.
int run_schema();

struct CaptureOptions {
  RunOptions run;    ///< of which what decides the steps counts, and `force`
  int step = 0;      ///< whose problem is written, from 1
  std::string file;  ///< to write
};
int run_capture(const CaptureOptions& options);

/// `--steps`, captures and sweeps that are not given are the scene's own.
struct CompareOptions {
  std::string scene;
  std::vector<std::string> parameters;  ///< name=value, of the scene
  std::vector<std::string> solvers;     ///< lists "NAME[:setting=value,...],..."; "all" for the whole table
  std::optional<int> steps;             ///< of every run; captures are spread over them
  int captures = 4;                     ///< captured steps
  double budget_ms = 0;                 ///< per solve; 0: the time of five sweeps of pgs
  double quality = 0;                   ///< C1 to reach; 0: 1e-1, 1e-2 and 1e-3
  double run_limit = 120;               ///< s that one run may take
  double minutes = 9;                   ///< that all of it may take; 0: no limit
  int threads = 1;                      ///< 0: every processor
  std::string out = "compare.html";     ///< the page
  std::string json;                     ///< file, "-" is stdout
  SceneFileOptions source;
  bool quick = false;  ///< two captured steps, short curves, 60 steps
  bool force = false;
};
int run_compare(const CompareOptions& options);

struct ExportOptions {
  std::string problem, file, form = "contact";  ///< problem: also a recording, where file ends with .html
  int every = 1;                                ///< frames from one kept to the next, of a recording
  double max_mb = 200;                          ///< size of a page
  bool contacts = true;                         ///< keep those of a recording
  bool force = false;
};
int run_export(const ExportOptions& options);
/// What run_export does with recordings.
int run_export_page(const ExportOptions& options);

struct ViewOptions {
  RunOptions run;  ///< of which the scene, or a recording, and what decides the steps count
  int port = 8642;
  double history_mb = 512;  ///< of the past that can be gone back to
  bool paused = false;      ///< at the beginning
};
int run_view(const ViewOptions& options);

struct BenchProxOptions {
  bool quick = false;  ///< small problems only
  int threads = 0;     ///< largest number of threads
  std::string out = "results/prox";
  bool force = false;
};
int run_bench_prox(const BenchProxOptions& options);

struct BenchMassSplittingOptions {
  bool quick = false;               ///< one early step and a few frames of each scene
  bool proof = false;               ///< instead: come to the solutions of the frozen problems without friction
  std::vector<std::string> scenes;  ///< empty: all of them
  int threads = 1;                  ///< 0: every processor
  std::string out = "results/mass-splitting";
  bool force = false;
};
int run_bench_mass_splitting(const BenchMassSplittingOptions& options);

struct BenchDetectOptions {
  bool quick = false;  ///< small grids, and boxes that have not come to rest
  std::string csv;     ///< file; empty: none
  bool force = false;
};
int run_bench_detect(const BenchDetectOptions& options);

struct BenchLdlOptions {
  bool quick = false;  ///< few rounds
  std::string out = "results/ldl";
  bool force = false;
};
int run_bench_ldl(const BenchLdlOptions& options);

struct BenchSchurpaOptions {
  bool quick = false;           ///< a quarter of the size and of the bandwidth
  std::string html, csv, json;  ///< files; empty: none; json "-" is stdout
  bool force = false;
};
int run_bench_schurpa(const BenchSchurpaOptions& options);

struct BenchEulerOptions {
  bool quick = false;           ///< coarse cylinders, no million cells
  std::vector<int> cells;       ///< per metre, of the tests with known answers; empty: 48
  int threads = 0;              ///< of those tests; 0: every processor
  std::string html, csv, json;  ///< files; empty: none; json "-" is stdout
  bool force = false;
};
int run_bench_euler(const BenchEulerOptions& options);

struct BenchRealtimeOptions {
  bool quick = false;               ///< few steps of each scene
  bool peers = false;               ///< other engines beside ours, where they were found
  std::vector<std::string> scenes;  ///< empty: all of them
  std::vector<int> threads{1, 2};
  std::string out = "results/realtime";
  bool force = false;
};
int run_bench_realtime(const BenchRealtimeOptions& options);

}  // namespace cairn::cli
