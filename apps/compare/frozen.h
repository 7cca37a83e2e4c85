// SPDX-License-Identifier: MIT
// Frozen steps: problems captured from a scene, on which solvers can be compared although their trajectories drift
// apart. What `bench mass-splitting` and `compare` share.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "apps/cli/progress.h"
#include "cairn/core/parallel.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/solver.h"
#include "scenes/scene.h"

namespace cairn::cli {

/// The problem of one step, what that step began from and its colours.
struct FrozenProblem {
  std::string scene;
  int step = 0;
  ContactProblem problem;
  ContactSolution warm_start;
  std::vector<std::int32_t> colours;
};

/// Runs the scene up to the last of `steps`, which ascend; fewer problems when interrupted. Where the time ends before
/// that, the step it ends with is the last one.
std::vector<FrozenProblem> freeze_steps(scenes::Scene& scene, const std::vector<int>& steps, Progress& progress,
                                        double time_limit = std::numeric_limits<double>::infinity());

/// No impulses, and the velocities that follow.
ContactSolution zero_impulses(const ContactProblem& problem);

/// Exactly so many sweeps, or until the time is up.
struct FrozenRun {
  int sweeps = 0;
  bool warm = false;  ///< from the impulses that the step began from, else from zero
  ThreadPool* pool = nullptr;
  double time_limit = 0;  ///< s; 0: none
};
struct FrozenAnswer {
  ContactSolution solution;
  SolveReport report;
  double seconds = 0;  ///< of the whole call: of the processor without a pool, else by the clock
};
FrozenAnswer solve_frozen(const FrozenProblem& frozen, Solver& solver, const FrozenRun& run);

}  // namespace cairn::cli
