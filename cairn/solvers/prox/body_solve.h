// SPDX-License-Identifier: MIT
// BodySolve: what every solve by sweeps over a problem with bodies shares, whatever the sweep: the warm start goes in,
// the loop runs, impulses and velocities come out, the ruler reads in between.
#pragma once

#include <vector>

#include "cairn/problem/residual.h"
#include "cairn/solvers/joint_stage.h"
#include "cairn/solvers/prox/prox_loop.h"
#include "cairn/solvers/prox/sweep.h"
#include "cairn/solvers/solver.h"

namespace cairn {

/// Throws InputError unless a warm start of `given` entries is empty or has as many as `wanted`.
void check_warm_start(std::size_t given, std::size_t wanted, const char* what);

/// Throws InputError unless problem, warm start and colours fit together.
void check_input(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context);

/// Colours, matrix blocks and memory of a sweep, for the report.
void describe_sweep(const Sweep& sweep, std::size_t contacts, bool details, SolveReport& report);

/// What one solve works on; the sweep is loaded with the problem.
struct BodyTask {
  const ContactProblem& problem;
  Sweep& sweep;
  ProxLoop& loop;
  StopSettings stop;
  JointStage* stage = nullptr;  ///< the one that the sweep uses; loaded by the solve
};

/// Keeps its memory from one solve to the next; no solve depends on those before it.
class BodySolve {
 public:
  /// On entry the solution's impulses are the warm start; on return solution and report are complete.
  void run(const BodyTask& task, ContactSolution& solution, SolveContext& context, SolveReport& report);

 private:
  ContactRuler ruler_;
  std::vector<double> lambda_;
};

}  // namespace cairn
