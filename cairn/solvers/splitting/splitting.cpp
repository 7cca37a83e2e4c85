// SPDX-License-Identifier: MIT
#include "cairn/solvers/splitting/splitting.h"

#include <array>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/solvers/prox/body_solve.h"
#include "cairn/solvers/splitting/sweep_split.h"

namespace cairn {

namespace {

/// What the loop needs to know.
ProxSettings loop_settings(const SplittingSettings& settings) {
  ProxSettings loop;
  loop.acceleration = settings.acceleration;
  loop.depth = settings.depth;
  return loop;
}

}  // namespace

struct SplittingSolver::Workspace {
  explicit Workspace(const SplittingSettings& settings) : loop(loop_settings(settings)) {}

  /// The sweep for so many rows per contact, made when it is first asked for.
  OrderFreeSweep& sweep_for(int dim, SplittingMethod method) {
    std::unique_ptr<OrderFreeSweep>& sweep = sweeps[dim == 4 ? 1 : 0];
    if (!sweep) sweep = method == SplittingMethod::line_search ? make_line_search_sweep(dim) : make_split_sweep(dim);
    return *sweep;
  }

  ProxLoop loop;
  std::array<std::unique_ptr<OrderFreeSweep>, 2> sweeps;
  BodySolve bodies;
};

SplittingSolver::SplittingSolver(const SplittingSettings& settings)
    : settings_(settings), workspace_(std::make_unique<Workspace>(settings)) {}
SplittingSolver::~SplittingSolver() = default;

SolveReport SplittingSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  check_input(problem, solution, context);
  SolveReport report;
  Timer timer;
  OrderFreeSweep& sweep = workspace_->sweep_for(contact_rows(problem, context.pool), settings_.method);
  sweep.load(problem, solution, settings_, context.pool);
  report.setup_seconds = timer.seconds();
  const StopSettings stop = override_stop(context.stop, settings_.iterations, settings_.tolerance);
  workspace_->bodies.run({problem, sweep, workspace_->loop, stop}, solution, context, report);
  return report;
}

SolveReport SplittingSolver::solve(const DelassusProblem&, DelassusSolution&, SolveContext&) {
  fail_input("mass splitting needs bodies and this problem has none: use gauss_seidel or jacobi",
             ErrorKind::unsupported);
}

}  // namespace cairn
