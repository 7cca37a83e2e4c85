// SPDX-License-Identifier: MIT
// Solver: reads a problem, fills a solution, says how it went. Knows no world, no files, no clock but its own budget.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"

namespace cairn {

enum class StopReason {
  converged,       ///< the residual reached the tolerance
  stalled,         ///< no further progress is possible (line search, rollbacks or accuracy used up)
  max_iterations,  ///< the budget of iterations is used up
  time_limit,      ///< the budget of time is used up
  diverged,        ///< non-finite or growing without bound; the solution is the last good one
  interrupted,     ///< the caller asked to stop; the solution is the last complete iterate
};
const char* to_string(StopReason reason);
/// Of two ends the one further from convergence; the first of equals.
StopReason worse_of(StopReason a, StopReason b);

/// One point of the convergence curve.
struct HistoryPoint {
  int iteration = 0;
  double seconds = 0;   ///< of iterations alone, without the time spent measuring
  double residual = 0;  ///< Measures::residual
  double gamma = 0;     ///< quality_gamma with SolveContext::gamma_r; 0 when that is not set
};

/// A mechanism some of whose joint rows others imply.
struct MechanismRank {
  std::int32_t joint = 0;      ///< the first of the problem's joints that belongs to it
  std::int32_t rows = 0;       ///< of joints, that hold and that are bounded
  std::int32_t redundant = 0;  ///< by which their rank is smaller than the number of those that take part
};
inline constexpr std::size_t kMostRanks = 8;

/// What a direct solver of joints did.
struct JointReport {
  std::int64_t mechanisms = 0;
  std::int64_t programs_built = 0;              ///< symbolic phases of this solve: 0 when all structures were known
  std::int64_t factorisations = 0;              ///< numeric phases, one per mechanism and change of its active rows
  std::int64_t redundant_rows = 0;              ///< rows that others imply: their impulse is left alone
  std::int64_t redundant_mechanisms = 0;        ///< mechanisms that have some
  std::array<MechanismRank, kMostRanks> ranks;  ///< of these the most redundant, the first of equals first
  std::int64_t eliminated = 0;  ///< islands whose contacts were solved with the joints eliminated (joint_elimination.h)
  int active_changes = 0;       ///< times that limits or motors entered or left the direct part
};

/// What became of "residual at most R or T milliseconds" (contract.h). No islands: there was no contract, or no
/// contact.
struct ContractReport {
  std::int64_t islands = 0;       ///< judged
  std::int64_t missed = 0;        ///< above R after the quick solver
  std::int64_t solved_again = 0;  ///< by the stronger one
  std::int64_t still_missed = 0;  ///< above R in the end
  double worst = 0;               ///< residual of the worst island in the end
  double seconds = 0;             ///< of the whole solve, by the clock
  bool timed = false;             ///< T is set: the result depends on the clock
  bool timed_out = false;         ///< T ended it
};

/// An answer whose residual (natural_map.h) is at most this is called exact.
inline constexpr double kExactResidual = 1e-9;

/// What gave the answer of an island to `exact`, and to the solvers by active sets.
enum class ExactStage {
  start,       ///< the warm start was good enough
  staggered,   ///< active sets, contact and friction in turn
  impulses,    ///< Newton in impulses
  velocities,  ///< proximal Newton in velocities, and Newton in impulses after it
  sweeps,      ///< accelerated sweeps, and both Newtons after them
  reference,   ///< the phases of `reference`
  iterative,   ///< above the limit of size: the iterative solver named in the settings
};
inline constexpr std::size_t kExactStages = 7;
const char* to_string(ExactStage stage);

/// One island of an exact solve.
struct ExactIslandReport {
  std::int64_t contacts = 0, joint_rows = 0;
  ExactStage stage = ExactStage::start;  ///< that found the answer
  StopReason reason = StopReason::converged;
  double residual = 0;     ///< of the island's own problem
  int newton_steps = 0;    ///< of both Newtons
  int factorisations = 0;  ///< of the matrix of bodies, or of QPs
  int sweeps = 0;          ///< of the iterative solver
  int turns = 0;           ///< of staggered projections: one contact and one friction QP each
  int active_sets = 0;     ///< that these QPs were solved for
  int schur_columns = 0;   ///< most at a time, of contact and of friction together
  int unfinished = 0;      ///< QPs whose active sets did not end
};

/// Islands of up to so many contacts are counted apart: large ones may fail where all small ones end.
inline constexpr std::int64_t kSmallIsland = 100;

/// What an exact solve did.
struct ExactReport {
  bool is_given = false;  ///< the solver is one that fills this
  std::int64_t islands = 0;
  std::int64_t exact = 0;                          ///< of these, with a residual of at most kExactResidual
  std::int64_t small = 0, small_exact = 0;         ///< the same of islands of up to kSmallIsland contacts
  std::array<std::int64_t, kExactStages> ended{};  ///< islands by the stage that found their answer
  std::int64_t fallbacks = 0;                      ///< islands that Newton in impulses did not end
  std::int64_t newton_steps = 0, factorisations = 0, sweeps = 0;               ///< of all islands
  std::int64_t turns = 0, active_sets = 0, schur_columns = 0, unfinished = 0;  ///< of all islands
  ExactIslandReport worst;               ///< the first of those with the largest residual
  std::vector<ExactIslandReport> parts;  ///< by island; empty without SolveContext::details
};

/// Counts one island more; `parts` are the caller's.
void add_island(const ExactIslandReport& island, ExactReport& report);

struct SolveReport {
  StopReason reason = StopReason::max_iterations;
  int iterations = 0;
  double residual = -1;               ///< Measures::residual of the returned solution; -1 when it was not asked for
  double seconds = 0;                 ///< in iterations
  double setup_seconds = 0;           ///< assembly, colouring, factorisation, packing
  double measure_seconds = 0;         ///< residual checks
  std::vector<HistoryPoint> history;  ///< empty unless SolveContext::history
  std::vector<std::int64_t> colour_sizes;  ///< contacts per colour, where there are colours
  int colours = 0;                         ///< how many there are
  std::int64_t matrix_blocks = 0;          ///< stored blocks of A or T
  std::int64_t unsafe_contacts = 0;        ///< contacts outside safe colours (relaxed, naive, border)
  int rollbacks = 0;                       ///< iterations undone, r reduced
  int restarts = 0;                        ///< momentum or history dropped by the acceleration
  int factorisations = 0;                  ///< of Newton or direct methods
  JointReport joints;                      ///< of solvers that solve joints directly
  ContractReport contract;                 ///< of solvers that were given one
  ExactReport exact;                       ///< of solvers that answer island by island, with a proof
  double bytes_per_contact = 0;            ///< memory the solver itself holds
  std::vector<std::string> notes;          ///< one sentence each: what the user should know
};

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

  double gamma_r = 0;                            ///< also record quality_gamma with this r (doc 000 uses 100)
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

class Solver {
 public:
  virtual ~Solver() = default;

  virtual SolverTraits traits() const { return {}; }
  /// The same solver for contacts in lanes (lane_solver.h); none: it takes a ContactProblem.
  virtual LaneSolver* lane_solver() { return nullptr; }

  /// On entry the solution's impulses are the warm start (empty: zero); on return it is complete in every field.
  virtual SolveReport solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) = 0;
  virtual SolveReport solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) = 0;
};

}  // namespace cairn
