// SPDX-License-Identifier: MIT
// The commands of the program: plain options in, exit code out. Only main.cpp knows how they are written on a line.
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

/// What the program returns to the shell.
enum ExitCode {
  kDone = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kBadInput = 3,
  kNotConverged = 4,  ///< only under --strict
  kInterrupted = 130,
};

struct SolveOptions {
  std::vector<std::string> problems;                 ///< files, folders, built-in names, or "fclib"
  std::vector<std::string> solvers{"gauss_seidel"};  ///< NAME or NAME:setting=value,...; "all" for the whole table
  std::vector<std::string> settings;                 ///< name=value, for every solver named
  std::string fclib;                                 ///< folder behind the name "fclib"
  double tolerance = 1e-6;
  int max_iterations = 1000;
  double time_limit_ms = 0;
  int threads = 0;         ///< 0: every processor this process may use
  bool reference = false;  ///< also measure C8, the distance to the reference solution
  bool siconos = true;     ///< with "all": Siconos beside ours where it is installed
  bool strict = false;
  bool force = false;
  std::string history, json, html;  ///< files; json "-" is stdout
};
int run_solve(const SolveOptions& options);

int run_solvers();
int run_demo(int threads);

struct ExportOptions {
  std::string problem, file, form = "contact";
  bool force = false;
};
int run_export(const ExportOptions& options);

struct BenchProxOptions {
  bool quick = false;  ///< small problems only
  int threads = 0;     ///< largest number of threads
  std::string out = "results/prox";
  bool force = false;
};
int run_bench_prox(const BenchProxOptions& options);

}  // namespace cairn::cli
