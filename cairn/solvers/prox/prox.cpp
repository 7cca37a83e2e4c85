// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/prox.h"

#include <array>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/prox/body_solve.h"
#include "cairn/solvers/prox/prox_loop.h"
#include "cairn/solvers/prox/sweep.h"

namespace cairn {

namespace {

class MatrixRuler : public Ruler {
 public:
  MatrixRuler(const DelassusProblem& problem, const SolveContext& context, std::vector<double>& velocity)
      : problem_(problem), context_(context), velocity_(velocity) {}

  Reading read(std::span<const double> lambda) override {
    multiply_add(problem_.w, lambda, problem_.q, velocity_);
    return {relative_residual(problem_, lambda, velocity_),
            context_.gamma_r > 0 ? quality_gamma(lambda, velocity_, problem_.friction, problem_.dim(), context_.gamma_r)
                                 : 0.0};
  }

 private:
  const DelassusProblem& problem_;
  const SolveContext& context_;
  std::vector<double>& velocity_;
};

}  // namespace

struct ProxSolver::Workspace {
  explicit Workspace(const ProxSettings& settings) : loop(settings) {}

  /// The sweep for so many rows per contact, made when it is first asked for.
  BodySweep& sweep_for(int dim) {
    std::unique_ptr<BodySweep>& sweep = sweeps[dim == 4 ? 1 : 0];
    if (!sweep) sweep = make_factorised_sweep(dim);
    return *sweep;
  }

  ProxLoop loop;
  std::array<std::unique_ptr<BodySweep>, 2> sweeps;
  BodySolve bodies;
};

ProxSolver::ProxSolver(const ProxSettings& settings, std::unique_ptr<JointStage> stage)
    : settings_(settings), stage_(std::move(stage)), workspace_(std::make_unique<Workspace>(settings)) {}
ProxSolver::~ProxSolver() = default;

/// Plain Gauss-Seidel over bodies, in the order given or by colours, sees nothing but the bodies of a contact.
SolverTraits ProxSolver::traits() const {
  const ProxSettings& s = settings_;
  const bool plain = s.order == SweepOrder::gauss_seidel && s.acceleration == Acceleration::none && !s.rollback &&
                     s.r_factor != RFactor::global && s.tolerance <= 0;
  const bool by_bodies = s.op == ContactOperator::automatic || s.op == ContactOperator::factorised;
  const bool in_order = s.schedule == ScheduleKind::automatic || s.schedule == ScheduleKind::greedy ||
                        s.schedule == ScheduleKind::sequential;
  return {.is_local = plain && by_bodies && in_order};
}

SolveReport ProxSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  check_input(problem, solution, context);
  if (settings_.op == ContactOperator::a || settings_.op == ContactOperator::t)
    return solve_assembled(problem, solution, context);
  if (settings_.local == LocalSolve::exact)
    fail_input("local=exact needs the assembled matrix: use operator=A, or local=prox", ErrorKind::unsupported);
  if (settings_.friction_order == FrictionOrder::staggered && settings_.friction == FrictionModel::cone)
    fail_input("friction=cone projects normal and friction together: use friction_order=block", ErrorKind::unsupported);

  SolveReport report;
  Timer timer;
  BodySweep& sweep = workspace_->sweep_for(contact_rows(problem, context.pool));
  sweep.load(problem, settings_, context.contact_colour, context.pool);
  sweep.use(stage_.get());
  report.setup_seconds = timer.seconds();
  const StopSettings stop = override_stop(context.stop, settings_.iterations, settings_.tolerance);
  workspace_->bodies.run({problem, sweep, workspace_->loop, stop, stage_.get()}, solution, context, report);
  return report;
}

SolveReport ProxSolver::solve_assembled(const ContactProblem& problem, ContactSolution& solution,
                                        SolveContext& context) {
  Timer timer;
  const DelassusProblem assembled = to_delassus(problem, context.pool);
  const double assembly = timer.seconds();
  DelassusSolution flat;
  gather_impulses(problem, solution, assembled.dim(), flat);
  SolveReport report = solve(assembled, flat, context);
  report.setup_seconds += assembly;
  scatter_impulses(problem, flat, solution);
  return report;
}

SolveReport ProxSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  validate(problem);
  check_warm_start(solution.impulse.size(), problem.q.size(), "impulses");
  if (settings_.op == ContactOperator::factorised)
    fail_input("operator=factorised needs bodies and this problem has none: use operator=A or operator=T",
               ErrorKind::unsupported);
  if (settings_.friction_order == FrictionOrder::staggered)
    fail_input("friction_order=staggered needs bodies and operator=factorised: use friction_order=block",
               ErrorKind::unsupported);
  SolveReport report;
  Timer timer;
  const std::unique_ptr<Sweep> sweep = make_assembled_sweep(problem, settings_);
  if (solution.impulse.empty()) solution.impulse.assign(problem.q.size(), 0.0);
  solution.velocity.resize(problem.q.size());
  report.setup_seconds = timer.seconds();
  MatrixRuler ruler(problem, context, solution.velocity);
  const StopSettings stop = override_stop(context.stop, settings_.iterations, settings_.tolerance);
  workspace_->loop.run({*sweep, ruler, context, stop, report}, solution.impulse);
  multiply_add(problem.w, solution.impulse, problem.q, solution.velocity);
  describe_sweep(*sweep, to_index(problem.contact_count()), context.details, report);
  return report;
}

}  // namespace cairn
