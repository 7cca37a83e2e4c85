// SPDX-License-Identifier: MIT
// Solver: reads a problem, fills a solution, says how it went. Knows no world, no files, no clock but its own budget.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"
#include "cairn/solvers/solve_report.h"

namespace cairn {

/// When to stop: whichever comes first.
struct StopSettings {
  double tolerance = 1e-6;    ///< on Measures::residual; 0: never measured, run all iterations
  int max_iterations = 1000;  ///< sweeps, or Newton steps
  double time_limit = 0;      ///< seconds of iterations; 0: none. Makes the result depend on the machine
};

/// The caller's limits, unless a solver's own settings say otherwise: iterations > 0 and tolerance >= 0 replace them.
StopSettings override_stop(StopSettings stop, int iterations, double tolerance);

/// Colours that a caller may give are numbered from 0 up to this; not all of them need to occur.
inline constexpr std::int32_t kMostGivenColours = 4096;

/// What a solve may use besides the problem.
struct SolveContext {
  ThreadPool* pool = nullptr;  ///< none: one thread; the result is the same
  StopSettings stop;
  bool history = false;  ///< record the residual after every iteration
  bool details =
      true;  ///< false: colour_sizes, notes and history of the report stay empty, so that nothing is allocated
  bool measure_end = false;  ///< measure the residual of what is returned, even with tolerance 0

  /// Per contact, what its colour is; empty: the solver colours by itself where it needs to. Contacts of one pair of
  /// bodies follow each other and have one colour; of two pairs of one colour no body that can move is in both (checked
  /// in debug builds). -1: without a colour, visited at the end: one by one, or if there are many by mass splitting
  /// (schedule.h). Who keeps the colours of a world from step to step saves their search. Used by prox, Gauss-Seidel,
  /// factorised, with the schedules automatic, greedy and split.
  std::span<const std::int32_t> contact_colour;

  double gamma_r = 0;                            ///< also record quality_gamma with this r (Poulsen 2010 uses 100)
  const std::atomic<bool>* interrupt = nullptr;  ///< polled between iterations
  std::function<void(int iteration, double residual)> progress;  ///< called between iterations
};

/// What whoever drives a solver must know of it.
struct SolverTraits {
  bool holds_joints = false;  ///< joints hold to round-off, so that it pays to close them on the level of positions
  bool has_sub_steps =
      false;              ///< divides the step by itself: counts its iterations per sub-step, follows curved joints
  bool is_local = false;  ///< parts of a problem without a common body get the bits that they get alone
  bool has_own_limits = false;  ///< divides a problem into islands by itself, each with its own stop and its own limit
};

class LaneSolver;

/// A method. Make one by name with make_solver (solver_table.h). To write one of your own: docs/extending.md.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Asked by worlds: decides what they do around the solve.
  virtual SolverTraits traits() const { return {}; }
  /// The same solver for contacts in lanes (lane_solver.h); none: it takes a ContactProblem.
  virtual LaneSolver* lane_solver() { return nullptr; }

  /// On entry the solution's impulses are the warm start (empty: zero); on return it is complete in every field. Throws
  /// InputError for a problem that is not valid, or that this solver does not take (joints, friction, no bodies); an
  /// answer that is not converged is no error. A solver may be kept and called again: no result depends on solves
  /// before.
  virtual SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) = 0;
  /// The same for an assembled problem, which has no bodies.
  virtual SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) = 0;
};

}  // namespace cairn
