// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/acceleration.h"
#include "cairn/solvers/sweep.h"

namespace cairn {

namespace {

/// How good lambda (in the order of the sweep) is: the ruler, seen by the loop.
struct Reading {
  double residual = 0, gamma = 0;
};
using Ruler = std::function<Reading(std::span<const double> lambda)>;

/// The outer loop: sweeps, rollback, acceleration, stopping. Knows neither operator nor problem.
class Loop {
 public:
  Loop(const ProxSettings& settings, SolveContext& context, Sweep& sweep, const Ruler& ruler, SolveReport& report)
      : settings_(settings), context_(context), sweep_(sweep), ruler_(ruler), report_(report) {}

  void run(std::vector<double>& lambda) {
    prepare(lambda);
    while (!stopped_) {
      double change = 0;
      {
        ScopedTimer timing(report_.seconds);
        accelerate(lambda);
        if (rollback_ || accelerator_) start_ = lambda;
        change = sweep_.run(lambda, context_.pool);
        ++report_.iterations;
      }
      if (!std::isfinite(change)) return give_up(lambda);
      if (roll_back(change, lambda)) continue;
      check(change, lambda);
    }
    if (accelerator_) report_.restarts = accelerator_->restarts();
  }

 private:
  void prepare(std::vector<double>& lambda) {
    ScopedTimer timing(report_.setup_seconds);
    sweep_.project(lambda, context_.pool);
    sweep_.refresh(lambda, context_.pool);
    good_ = lambda;
    std::vector<double> weight(sweep_.size());
    sweep_.weights(weight);
    accelerator_ = make_accelerator(settings_.acceleration, settings_.depth, weight);
    next_.resize(accelerator_ ? lambda.size() : 0);
    // An acceleration has its own restarts; undoing its sweeps as well would fight them.
    rollback_ = (settings_.rollback || settings_.order == SweepOrder::jacobi) && !accelerator_;
    if (context_.stop.max_iterations <= 0) stop(StopReason::max_iterations);
  }

  /// Moves lambda to the start of the next sweep; what the last sweep found has been measured already.
  void accelerate(std::vector<double>& lambda) {
    if (!accelerator_ || report_.iterations == 0) return;
    if (!accelerator_->propose(start_, lambda, next_, context_.pool)) return;
    sweep_.project(next_, context_.pool);
    std::swap(lambda, next_);
    sweep_.refresh(lambda, context_.pool);
  }

  /// Undoes a sweep whose change grew, or that goes round in circles, and reduces r (doc 000, section 3.5); lambda AND
  /// w return to where they were.
  bool roll_back(double change, std::vector<double>& lambda) {
    constexpr int kCircling = 4;  // a cycle between bounds does not grow: so many sweeps without any progress
    circling_ = change >= last_change_ ? circling_ + 1 : 0;
    const bool worse = rollback_ && report_.iterations > settings_.free_sweeps &&
                       (change > settings_.growth * last_change_ || (change > 0 && circling_ >= kCircling)) &&
                       report_.rollbacks < settings_.max_rollbacks;
    last_change_ = worse ? last_change_ : change;
    if (!worse) return false;
    circling_ = 0;
    ScopedTimer timing(report_.seconds);
    lambda = start_;
    sweep_.refresh(lambda, context_.pool);
    sweep_.scale_r(settings_.nu);
    ++report_.rollbacks;
    if (report_.iterations >= context_.stop.max_iterations) stop(StopReason::max_iterations);
    return true;
  }

  void check(double change, const std::vector<double>& lambda) {
    const StopSettings& limits = context_.stop;
    const int i = report_.iterations;
    const bool last = i >= limits.max_iterations || change == 0;
    // The later, the rarer: at most 5 % of the sweeps are wasted, and measuring stays cheap.
    const bool due = context_.history || (limits.tolerance > 0 && (i >= next_check_ || last));
    if (due) measure(lambda);
    if (due) next_check_ = i + std::max(1, i / 20);
    if (context_.progress) context_.progress(i, report_.residual);
    if (due && limits.tolerance > 0 && report_.residual <= limits.tolerance) return stop(StopReason::converged);
    if (change == 0) return stop(StopReason::stalled);
    if (i >= limits.max_iterations) return stop(StopReason::max_iterations);
    if (limits.time_limit > 0 && report_.seconds >= limits.time_limit) return stop(StopReason::time_limit);
    if (context_.interrupt != nullptr && context_.interrupt->load()) stop(StopReason::interrupted);
  }

  void measure(const std::vector<double>& lambda) {
    ScopedTimer timing(report_.measure_seconds);
    const Reading reading = ruler_(lambda);
    report_.residual = reading.residual;
    if (context_.history)
      report_.history.push_back({report_.iterations, report_.seconds, reading.residual, reading.gamma});
    if (std::isfinite(reading.residual)) good_ = lambda;
  }

  /// Not finite: the last measured iterate, or the start, is the answer.
  void give_up(std::vector<double>& lambda) {
    lambda = good_;
    sweep_.refresh(lambda, context_.pool);
    stop(StopReason::diverged);
    report_.residual = ruler_(lambda).residual;
  }

  void stop(StopReason reason) {
    report_.reason = reason;
    stopped_ = true;
  }

  const ProxSettings& settings_;
  SolveContext& context_;
  Sweep& sweep_;
  const Ruler& ruler_;
  SolveReport& report_;
  std::unique_ptr<Accelerator> accelerator_;
  std::vector<double> start_, next_, good_;  ///< lambda before the sweep; proposed; last measured and finite
  double last_change_ = std::numeric_limits<double>::infinity();
  int circling_ = 0, next_check_ = 1;
  bool rollback_ = false, stopped_ = false;
};

void describe(const Sweep& sweep, std::size_t contacts, SolveReport& report) {
  report.colour_sizes = sweep.schedule().colour_sizes;
  report.unsafe_contacts = sweep.schedule().unsafe_contacts;
  report.matrix_blocks = sweep.matrix_blocks();
  const std::size_t own = sweep.bytes() + sweep.size() * sizeof(double);
  report.bytes_per_contact = contacts > 0 ? static_cast<double>(own) / static_cast<double>(contacts) : 0;
}

/// lambda in the order of the sweep <-> impulses of the solution.
std::vector<double> pack(const ContactSolution& solution, const Sweep& sweep) {
  std::vector<double> lambda(sweep.size(), 0.0);
  const auto dim = static_cast<std::size_t>(sweep.dim());
  if (!solution.contact_impulse.empty())
    for (std::size_t i = 0; i < sweep.order().size(); ++i)
      std::copy_n(solution.contact_impulse[static_cast<std::size_t>(sweep.order()[i])].begin(), dim,
                  lambda.begin() + static_cast<std::ptrdiff_t>(i * dim));
  std::copy(solution.joint_impulse.begin(), solution.joint_impulse.end(),
            lambda.begin() + static_cast<std::ptrdiff_t>(sweep.order().size() * dim));
  return lambda;
}

void unpack(std::span<const double> lambda, const Sweep& sweep, ContactSolution& solution) {
  const auto dim = static_cast<std::size_t>(sweep.dim());
  const std::size_t contacts = sweep.order().size();
  solution.contact_impulse.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    auto& impulse = solution.contact_impulse[static_cast<std::size_t>(sweep.order()[i])];
    impulse = {0, 0, 0, 0};
    std::copy_n(lambda.begin() + static_cast<std::ptrdiff_t>(i * dim), dim, impulse.begin());
  }
  solution.joint_impulse.assign(lambda.begin() + static_cast<std::ptrdiff_t>(contacts * dim), lambda.end());
}

/// Natural order of contacts, dim entries each: what quality_gamma reads.
double gamma_of(const ContactProblem& problem, const ContactSolution& solution, int dim, double r) {
  DelassusSolution flat;
  gather_impulses(problem, solution, dim, flat);
  std::vector<FrictionAxes> friction;
  friction.reserve(problem.contacts.size());
  for (const ContactBlock& c : problem.contacts) friction.push_back(friction_axes(c));
  return quality_gamma(flat.impulse, contact_velocities(problem, solution), friction, dim, r);
}

void check_warm_start(std::size_t given, std::size_t wanted, const char* what) {
  if (given != 0 && given != wanted)
    fail_input(std::string("the warm start has another number of ") + what + " than the problem: pass an empty one");
}

/// The invariant C7 for debug builds: what the solver kept is u_free + M^-1 J^T lambda. Not judged where masses or
/// speeds are so far apart that round-off decides.
[[maybe_unused]] bool is_consistent(const ContactProblem& problem, const ContactSolution& solution) {
  constexpr double kSaneRatio = 1e6, kSaneSpeed = 1e6;
  double lightest = 0, heaviest = std::numeric_limits<double>::infinity(), fastest = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const SymMat3& inertia = problem.bodies[i].inverse_inertia;
    for (const double inverse : {problem.bodies[i].inverse_mass, inertia.xx, inertia.yy, inertia.zz}) {
      lightest = std::max(lightest, inverse);
      if (inverse > 0) heaviest = std::min(heaviest, inverse);
    }
    const Velocity free = free_velocity(problem, static_cast<std::int32_t>(i));
    fastest = std::max({fastest, norm(free.linear), norm(free.angular)});
  }
  double largest = 0;  // impulse: redundant contacts may push hard against each other and cancel
  for (const auto& impulse : solution.contact_impulse)
    for (const double value : impulse) largest = std::max(largest, std::fabs(value));
  const bool sane = lightest <= kSaneRatio * heaviest && fastest <= kSaneSpeed;
  return !sane || residual(problem, solution).c7_consistency < 1e-9 * (1 + fastest + lightest * largest);
}

/// Velocities as the solver itself kept them, so that C7 shows whether it did so correctly.
void finish(const ContactProblem& problem, const Sweep& sweep, ContactSolution& solution) {
  solution.velocity.resize(problem.bodies.size());
  solution.displacement.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    solution.velocity[i] = free_velocity(problem, static_cast<std::int32_t>(i));
  sweep.add_velocity_change(solution.velocity);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    solution.displacement[i] = {problem.dt * solution.velocity[i].linear, problem.dt * solution.velocity[i].angular};
  CAIRN_ASSERT(is_consistent(problem, solution));
}

}  // namespace

SolveReport ProxSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  validate(problem);
  check_warm_start(solution.contact_impulse.size(), problem.contacts.size(), "contacts");
  check_warm_start(solution.joint_impulse.size(), problem.joint_rows.size(), "joint rows");
  SolveReport report;
  if (settings_.op == ContactOperator::a || settings_.op == ContactOperator::t) {
    Timer timer;
    const DelassusProblem assembled = to_delassus(problem, context.pool);
    const double assembly = timer.seconds();
    DelassusSolution flat;
    gather_impulses(problem, solution, assembled.dim(), flat);
    report = solve(assembled, flat, context);
    report.setup_seconds += assembly;
    scatter_impulses(problem, flat, solution);
    return report;
  }
  if (settings_.local == LocalSolve::exact)
    fail_input("local=exact needs the assembled matrix: use operator=A, or local=prox", ErrorKind::unsupported);

  Timer timer;
  const std::unique_ptr<Sweep> sweep = make_factorised_sweep(problem, settings_, context.pool);
  std::vector<double> lambda = pack(solution, *sweep);
  report.setup_seconds = timer.seconds();
  timer.restart();
  const ContactRuler contact_ruler(problem, context.pool);
  report.measure_seconds = timer.seconds();
  const Ruler ruler = [&](std::span<const double> x) {
    unpack(x, *sweep, solution);
    return Reading{contact_ruler.natural_map(solution, context.pool),
                   context.gamma_r > 0 ? gamma_of(problem, solution, sweep->dim(), context.gamma_r) : 0.0};
  };
  Loop(settings_, context, *sweep, ruler, report).run(lambda);
  unpack(lambda, *sweep, solution);
  finish(problem, *sweep, solution);
  describe(*sweep, problem.contacts.size(), report);
  return report;
}

SolveReport ProxSolver::solve(const DelassusProblem& problem, DelassusSolution& solution, SolveContext& context) {
  validate(problem);
  check_warm_start(solution.impulse.size(), problem.q.size(), "impulses");
  if (settings_.op == ContactOperator::factorised)
    fail_input("operator=factorised needs bodies and this problem has none: use operator=A or operator=T",
               ErrorKind::unsupported);
  SolveReport report;
  Timer timer;
  const std::unique_ptr<Sweep> sweep = make_assembled_sweep(problem, settings_);
  if (solution.impulse.empty()) solution.impulse.assign(problem.q.size(), 0.0);
  solution.velocity.resize(problem.q.size());
  report.setup_seconds = timer.seconds();
  const Ruler ruler = [&](std::span<const double> x) {
    multiply_add(problem.w, x, problem.q, solution.velocity);
    return Reading{natural_map(problem, x, solution.velocity),
                   context.gamma_r > 0
                       ? quality_gamma(x, solution.velocity, problem.friction, problem.dim(), context.gamma_r)
                       : 0.0};
  };
  Loop(settings_, context, *sweep, ruler, report).run(solution.impulse);
  multiply_add(problem.w, solution.impulse, problem.q, solution.velocity);
  describe(*sweep, static_cast<std::size_t>(problem.contact_count()), report);
  return report;
}

}  // namespace cairn
