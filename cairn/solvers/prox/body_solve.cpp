// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/body_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/timer.h"

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 2048;

/// move(impulse of the solution, its `dim` entries of lambda) for every contact.
template <class Impulses, class Lambda, class Move>
void for_each_contact(Impulses& impulses, Lambda& lambda, const Sweep& sweep, ThreadPool* pool, Move&& move) {
  const auto dim = to_index(sweep.dim());
  const std::span<const std::int32_t> order = sweep.order();
  for_each_index(pool, order.size(), kGrain,
                 [&](std::size_t i) { move(impulses[to_index(order[i])], lambda.data() + i * dim, dim); });
}

/// lambda in the order of the sweep <-> impulses of the solution.
void pack(const ContactSolution& solution, const Sweep& sweep, ThreadPool* pool, std::vector<double>& lambda) {
  lambda.assign(sweep.size(), 0.0);
  if (!solution.contact_impulse.empty())
    for_each_contact(solution.contact_impulse, lambda, sweep, pool,
                     [](const auto& impulse, double* x, std::size_t dim) { std::copy_n(impulse.begin(), dim, x); });
  std::copy(solution.joint_impulse.begin(), solution.joint_impulse.end(),
            lambda.end() - static_cast<std::ptrdiff_t>(solution.joint_impulse.size()));
}

void unpack(std::span<const double> lambda, const Sweep& sweep, ThreadPool* pool, ContactSolution& solution) {
  const std::size_t contacts = sweep.order().size();
  solution.contact_impulse.resize(contacts);
  for_each_contact(solution.contact_impulse, lambda, sweep, pool, [](auto& impulse, const double* x, std::size_t dim) {
    impulse = {0, 0, 0, 0};
    std::copy_n(x, dim, impulse.begin());
  });
  const std::size_t rows = contacts * to_index(sweep.dim());
  solution.joint_impulse.assign(lambda.begin() + static_cast<std::ptrdiff_t>(rows), lambda.end());
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
  for (const double value : solution.joint_impulse) largest = std::max(largest, std::fabs(value));
  const bool sane = lightest <= kSaneRatio * heaviest && fastest <= kSaneSpeed;
  if (!sane) return true;
  const Measures m = residual(problem, solution);
  // In m/s and rad/s: relative to the speeds of bodies at rest, rounding alone would look like a mistake.
  return m.c7_consistency * m.v_ref < 1e-9 * (1 + fastest + lightest * largest);
}

/// Velocities as the solver itself kept them, so that C7 shows whether it did so correctly.
void finish(const ContactProblem& problem, const Sweep& sweep, ThreadPool* pool, ContactSolution& solution) {
  solution.velocity.resize(problem.bodies.size());
  solution.displacement.resize(problem.bodies.size());
  const auto for_bodies = [&](auto&& work) {
    parallel_for(pool, static_cast<std::int64_t>(problem.bodies.size()), kGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) work(to_index(i));
                 });
  };
  for_bodies([&](std::size_t i) { solution.velocity[i] = free_velocity(problem, static_cast<std::int32_t>(i)); });
  sweep.add_velocity_change(solution.velocity, pool);
  for_bodies([&](std::size_t i) {
    solution.displacement[i] = {problem.dt * solution.velocity[i].linear, problem.dt * solution.velocity[i].angular};
  });
  CAIRN_ASSERT(is_consistent(problem, solution));
}

/// The ruler of problems with bodies; prepared when it is first read, since most time steps never do.
class BodyRuler : public Ruler {
 public:
  BodyRuler(const ContactProblem& problem, const Sweep& sweep, const SolveContext& context, ContactRuler& ruler,
            ContactSolution& solution)
      : problem_(problem), sweep_(sweep), context_(context), ruler_(ruler), solution_(solution) {}

  Reading read(std::span<const double> lambda) override {
    if (!std::exchange(is_ready_, true)) ruler_.reset(problem_, context_.pool);
    unpack(lambda, sweep_, context_.pool, solution_);
    return {ruler_.residual(solution_, false, context_.pool),
            context_.gamma_r > 0 ? gamma_of(problem_, solution_, sweep_.dim(), context_.gamma_r) : 0.0};
  }

 private:
  const ContactProblem& problem_;
  const Sweep& sweep_;
  const SolveContext& context_;
  ContactRuler& ruler_;
  ContactSolution& solution_;
  bool is_ready_ = false;
};

/// Ends with the joints solved, unless everything has converged: a mechanism must not tear for want of sweeps.
void finish_joints(const BodyTask& task, Ruler& ruler, ThreadPool* pool, std::span<double> lambda,
                   SolveReport& report) {
  const bool is_last = !task.stage->is_in_every_sweep();
  if (is_last || (report.reason != StopReason::converged && report.reason != StopReason::diverged)) {
    Timer timer;
    task.sweep.solve_joints(lambda, pool);
    report.seconds += timer.seconds();
    report.iterations += is_last ? 1 : 0;
    if (report.residual >= 0) {
      ScopedTimer timing(report.measure_seconds);
      report.residual = ruler.read(lambda).residual;
      if (task.stop.tolerance > 0 && report.residual <= task.stop.tolerance) report.reason = StopReason::converged;
    }
  }
  task.stage->describe(report);
  report.factorisations = static_cast<int>(report.joints.factorisations);
}

}  // namespace

void check_warm_start(std::size_t given, std::size_t wanted, const char* what) {
  if (given != 0 && given != wanted)
    fail_input(std::string("the warm start has another number of ") + what + " than the problem: pass an empty one");
}

void describe_sweep(const Sweep& sweep, std::size_t contacts, bool details, SolveReport& report) {
  report.sweep.colours = static_cast<int>(sweep.schedule().colour_sizes.size());
  if (details) report.sweep.colour_sizes = sweep.schedule().colour_sizes;
  report.sweep.unsafe_contacts = sweep.schedule().unsafe_contacts;
  report.sweep.matrix_blocks = sweep.matrix_blocks();
  const std::size_t own = sweep.bytes() + sweep.size() * sizeof(double);
  report.bytes_per_contact = contacts > 0 ? static_cast<double>(own) / static_cast<double>(contacts) : 0;
}

void check_input(const ContactProblem& problem, const ContactSolution& solution, const SolveContext& context) {
  validate(problem, context.pool);
  check_warm_start(solution.contact_impulse.size(), problem.contacts.size(), "contacts");
  check_warm_start(solution.joint_impulse.size(), problem.joint_rows.size(), "joint rows");
  require(context.contact_colour.empty() || context.contact_colour.size() == problem.contacts.size(),
          "contact_colour: give one colour per contact, or none");
}

void BodySolve::run(const BodyTask& task, ContactSolution& solution, SolveContext& context, SolveReport& report) {
  const auto& [problem, sweep, loop, stop_given, stage] = task;
  StopSettings stop = stop_given;
  {
    ScopedTimer timing(report.setup_seconds);
    pack(solution, sweep, context.pool, lambda_);
    if (stage != nullptr) {
      stage->load(problem, std::span<const double>(lambda_).last(problem.joint_rows.size()), context.pool);
      if (!stage->is_in_every_sweep()) stop.max_iterations = std::max(0, stop.max_iterations - 1);
    }
  }
  BodyRuler ruler(problem, sweep, context, ruler_, solution);
  loop.run({sweep, ruler, context, stop, report}, lambda_);
  if (stage != nullptr) finish_joints(task, ruler, context.pool, lambda_, report);
  {
    // Velocities are those of the impulses, to the last bit. Joints that contradict each other push with 1e12 N s and
    // more, until one of them is gone: what rounding left of that in the velocities would be a push from nowhere. Not
    // only where there are joints: then one island's would round the others differently.
    ScopedTimer timing(report.seconds);
    sweep.refresh(lambda_, context.pool);
  }
  unpack(lambda_, sweep, context.pool, solution);
  finish(problem, sweep, context.pool, solution);
  describe_sweep(sweep, problem.contacts.size(), context.details, report);
}

}  // namespace cairn
