// SPDX-License-Identifier: MIT
// What bench schurpa measures, for those who write it down.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/progress.h"

namespace cairn::cli {

/// Milliseconds; negative: not measured.
struct BandTimes {
  int size = 0, bandwidth = 0;
  double factor_1 = 0, factor_2 = 0, lapack = -1;  ///< by one and two threads
  double solve_1 = 0, solve_2 = 0;                 ///< ten right-hand sides
};

/// One row of table 7.1; the thesis' figures are of its GPU.
struct PerturbedRow {
  int delta = 0;
  int iterations = 0;
  struct Side {
    double factor_ms = 0, solve_ms = 0, total_ms = 0;
    int factorisations = 0, solves = 0;
  } schurpa, direct;
  int direct_iterations = 0;
  double difference = 0;  ///< largest, of x, over the largest x
  double residual = 0;
};

/// One solver on one frozen step, from the impulses that the step began with.
struct FrozenRow {
  std::string scene, solver;
  int step = 0, contacts = 0;
  int iterations = 0;   ///< turns, Newton steps or sweeps
  int active_sets = 0;  ///< of staggered projections
  int factorisations = 0, schur_columns = 0;
  double ms = 0, residual = 0;
};

struct SchurpaResults {
  std::vector<BandTimes> band;            ///< fig. 5.3, the largest last
  std::vector<PerturbedRow> rows;         ///< table 7.1
  std::vector<FrozenRow> frozen;          ///< real steps of rigid bodies
  int size = 0, bandwidth = 0, free = 0;  ///< of the QP; variables that are free in its solution
  int threads = 2;
};

/// The thesis' rows for the same deltas.
struct PublishedRow {
  int delta;
  double schurpa_factor, schurpa_solve, schurpa_total;
  int schurpa_solves;
  double direct_total;
  int iterations;
};
const std::vector<PublishedRow>& published_rows();

/// Fewer rows when interrupted.
std::vector<FrozenRow> measure_frozen_steps(bool quick, Progress& progress);

void print(const SchurpaResults& results);
void write_schurpa(const SchurpaResults& results, const BenchSchurpaOptions& options);

}  // namespace cairn::cli
