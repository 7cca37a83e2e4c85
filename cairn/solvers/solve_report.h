// SPDX-License-Identifier: MIT
// SolveReport: what every solver says of a solve, and the details of the families, each in the struct of its own
// folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/solvers/contract/contract_report.h"
#include "cairn/solvers/exact/exact_report.h"
#include "cairn/solvers/ldl/joint_report.h"
#include "cairn/solvers/prox/sweep_report.h"
#include "cairn/solvers/stop_reason.h"

namespace cairn {

/// One point of the convergence curve.
struct HistoryPoint {
  int iteration = 0;
  double seconds = 0;   ///< of iterations alone, without the time spent measuring
  double residual = 0;  ///< Measures::residual
  double gamma = 0;     ///< quality_gamma with SolveContext::gamma_r; 0 when that is not set
};

/// How a solve went. Every solver fills reason, iterations and times; details belong to the family that they name.
struct SolveReport {
  StopReason reason = StopReason::max_iterations;
  int iterations = 0;                 ///< sweeps, or Newton steps
  double residual = -1;               ///< Measures::residual of the returned solution; -1 when it was not asked for
  double seconds = 0;                 ///< in iterations
  double setup_seconds = 0;           ///< assembly, colouring, factorisation, packing
  double measure_seconds = 0;         ///< residual checks
  std::vector<HistoryPoint> history;  ///< empty unless SolveContext::history
  int factorisations = 0;             ///< of Newton or direct methods
  SweepReport sweep;                  ///< of solvers by sweeps
  JointReport joints;                 ///< of solvers that solve joints directly
  ContractReport contract;            ///< of solvers that were given one
  ExactReport exact;                  ///< of solvers that answer island by island, with a proof
  double bytes_per_contact = 0;       ///< memory the solver itself holds
  std::vector<std::string> notes;     ///< one sentence each: what the user should know
};

}  // namespace cairn
