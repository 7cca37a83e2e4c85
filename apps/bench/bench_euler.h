// SPDX-License-Identifier: MIT
// What bench euler measures, for those who write it down.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/progress.h"
#include "cairn/euler/elastic_world.h"
#include "cairn/solvers/staggered/assembled_staggered.h"

namespace cairn::cli {

/// One quantity of a test with a known answer.
struct VerificationRow {
  std::string test, quantity;
  int cells = 0;  ///< per metre
  double value = 0, limit = 0;
  bool is_least = false;  ///< the value must be at least the limit; else at most

  bool passes() const { return is_least ? value >= limit : value <= limit; }
};

/// The contact problem of one step of cylinders_3x3, solved both ways from the same warm start (figures 7.3 to 7.8).
struct CylinderStep {
  double time = 0;  ///< s
  std::int64_t rows = 0, touching = 0;
  AssembledStaggeredReport schurpa, direct;
  double energy = 0;  ///< J, kinetic and elastic
};

struct CylinderRun {
  double spacing = 0, start_energy = 0;
  std::int64_t cells = 0;
  std::vector<CylinderStep> steps;
};

/// Cost of the stages of solids, without contact.
struct EulerScaling {
  std::string kind;  ///< what grows: cells, objects, threads
  int objects = 1, threads = 1;
  std::int64_t cells = 0, nodes = 0, sub_steps = 0;
  double seconds = 0, cpu_seconds = 0;  ///< best sub-step
  double field_bytes = 0;               ///< of all fields of all nodes

  /// Of the processor, per cell and sub-step.
  double nanoseconds() const { return 1e9 * cpu_seconds / static_cast<double>(cells); }
};

struct EulerResults {
  std::vector<VerificationRow> verification;
  CylinderRun cylinders;
  std::vector<EulerScaling> scaling;
  double bandwidth = 0;  ///< bytes per second that one thread copies, read and written
};

/// Table of tests with known answers at that many cells per metre; fewer rows when interrupted.
void verify_solids(int cells, int threads, Progress& progress, std::vector<VerificationRow>& rows);
void run_cylinders(double spacing, Progress& progress, CylinderRun& run);
void measure_scaling(bool quick, Progress& progress, EulerResults& results);

void print(const EulerResults& results);
void write_euler(const EulerResults& results, const BenchEulerOptions& options);

}  // namespace cairn::cli
