// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/ffd.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>

#include "cairn/core/aligned.h"
#include "cairn/core/errors.h"
#include "cairn/core/timer.h"
#include "cairn/problem/natural_map.h"
#include "cairn/solvers/ffd/body_response.h"

namespace cairn {

namespace {

constexpr std::int64_t kContactGrain = 1024;
constexpr std::int64_t kBodyGrain = 256;
constexpr std::size_t kFew = 16;  // contacts of a body whose rows stand on the stack

}  // namespace

struct FfdSolver::Workspace {
  void load(const ContactProblem& problem, const FfdSettings& settings, ThreadPool* pool, ContactSolution& solution);
  void meet(const ContactProblem& problem, FfdMode mode, std::span<const Velocity> velocity, ThreadPool* pool);
  void rank(std::span<ContactSide> sides) const;
  void answer(const ContactProblem& problem, const FfdSettings& settings, std::size_t body, Velocity& velocity);
  void read(const ContactProblem& problem, ThreadPool* pool, ContactSolution& solution) const;

  ContactLists lists;
  std::vector<PairImpulse> pairs;                     ///< per contact
  AlignedVector<BodyMetric> metrics;                  ///< per body
  std::vector<SideImpulse> impulses;                  ///< per contact: of body a and of body b
  std::vector<HeldSides> held;                        ///< per contact: found by the sweeps before
  std::vector<BodyRow> many_rows;                     ///< in that order too, if a body has more than kFew contacts
  std::vector<BodyContact> many_contacts;             ///< the same
  std::atomic<std::int64_t> stopped = 0, broken = 0;  ///< bodies by how they ended, all sweeps
  ContactRuler ruler;
};

void FfdSolver::Workspace::load(const ContactProblem& problem, const FfdSettings& settings, ThreadPool* pool,
                                ContactSolution& solution) {
  const std::size_t bodies = problem.bodies.size();
  lists.make(problem, pool);
  pairs.resize(problem.contacts.size());
  metrics.resize(bodies);
  held.assign(problem.contacts.size(), {}), impulses.assign(2 * problem.contacts.size(), {});
  solution.velocity.resize(bodies), solution.displacement.resize(bodies);
  stopped = broken = 0;
  for_each_index(pool, bodies, kBodyGrain, [&](std::size_t i) {
    solution.velocity[i] = free_velocity(problem, static_cast<std::int32_t>(i));
    if (!lists[i].empty()) metrics[i] = BodyMetric(problem.bodies[i]);
  });
  const std::size_t many = lists.longest(pool) > kFew ? lists.size() : 0;
  many_rows.resize(many * rows_per_contact(settings.mode)), many_contacts.resize(many);
}

/// Stage 1.
void FfdSolver::Workspace::meet(const ContactProblem& problem, FfdMode mode, std::span<const Velocity> velocity,
                                ThreadPool* pool) {
  for_each_index(pool, pairs.size(), kContactGrain, [&](std::size_t k) {
    pairs[k] = pair_impulse(problem, problem.contacts[k], held[k], mode, velocity);
  });
}

/// Contacts with bodies that are held become firm, and the order by rank is kept.
void FfdSolver::Workspace::rank(std::span<ContactSide> sides) const {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const HeldSides& others = pairs[to_index(sides[i].contact)].held;
    if (sides[i].rank != SideRank::soft || !(sides[i].is_b ? others.a : others.b)) continue;
    sides[i].rank = SideRank::firm;
    for (std::size_t k = i; k > 0 && sides[k - 1].rank == SideRank::soft; --k) std::swap(sides[k - 1], sides[k]);
  }
}

/// Stage 2 of one body. A velocity that breaks down is not taken.
void FfdSolver::Workspace::answer(const ContactProblem& problem, const FfdSettings& settings, std::size_t body,
                                  Velocity& velocity) {
  const std::span<ContactSide> sides = lists[body];
  if (sides.empty()) return;
  rank(sides);
  const std::size_t per_contact = rows_per_contact(settings.mode), count = sides.size();
  BodyRow few_rows[kFew * kMostRowsPerContact];
  BodyContact few_contacts[kFew];
  const bool is_few = count <= kFew;
  const auto at = to_index(lists.first(body));
  BodyRow* const rows = is_few ? few_rows : many_rows.data() + at * per_contact;
  BodyContact* const contacts = is_few ? few_contacts : many_contacts.data() + at;
  Velocity next = velocity;
  const Response response = respond(
      {problem, pairs, sides, impulses, {rows, count * per_contact}, {contacts, count}, metrics[body]}, settings, next);
  if (response == Response::stopped) ++stopped;
  for (std::size_t i = 0; i < count && response != Response::stopped; ++i)
    if (rows[i].is_given_up) {
      HeldSides& mine = held[to_index(sides[i].contact)];
      (sides[i].is_b ? mine.b : mine.a) = true;
    }
  if (is_finite(next))
    velocity = next;
  else
    ++broken;
}

/// The impulse of a contact is the mean of what it did to its bodies, or to the one that can move.
void FfdSolver::Workspace::read(const ContactProblem& problem, ThreadPool* pool, ContactSolution& solution) const {
  solution.contact_impulse.resize(problem.contacts.size());
  solution.contact_carry.clear(), solution.joint_impulse.clear();
  for_each_index(pool, problem.contacts.size(), kContactGrain, [&](std::size_t k) {
    const ContactBlock& c = problem.contacts[k];
    const bool is_shared =
        problem.bodies[to_index(c.body_a)].is_dynamic() && problem.bodies[to_index(c.body_b)].is_dynamic();
    for (std::size_t j = 0; j < 4; ++j)
      solution.contact_impulse[k][j] = (is_shared ? 0.5 : 1.0) * (impulses[2 * k][j] + impulses[2 * k + 1][j]);
  });
  for_each_index(pool, problem.bodies.size(), kBodyGrain, [&](std::size_t i) {
    solution.displacement[i] = {problem.dt * solution.velocity[i].linear, problem.dt * solution.velocity[i].angular};
  });
}

FfdSolver::FfdSolver(const FfdSettings& settings) : settings_(settings), workspace_(std::make_unique<Workspace>()) {}
FfdSolver::~FfdSolver() = default;

SolveReport FfdSolver::solve(const ContactProblem& problem, ContactSolution& solution, SolveContext& context) {
  validate(problem, context.pool);
  require(solution.contact_impulse.empty() || solution.contact_impulse.size() == problem.contacts.size(),
          "the warm start has another number of contacts than the problem: pass an empty one");
  if (!problem.joints.empty())
    fail_input(
        "ffd moves each body on its own and cannot hold joints, locked axes or rolling resistance, and this "
        "problem has some: use soft_step",
        ErrorKind::unsupported);
  Workspace& w = *workspace_;
  SolveReport report;
  Timer timer;
  w.load(problem, settings_, context.pool, solution);
  report.setup_seconds = timer.seconds();
  timer = {};
  for (int sweep = 0; sweep < settings_.sweeps; ++sweep) {
    w.meet(problem, settings_.mode, solution.velocity, context.pool);
    for_each_index(context.pool, problem.bodies.size(), kBodyGrain,
                   [&](std::size_t i) { w.answer(problem, settings_, i, solution.velocity[i]); });
  }
  w.read(problem, context.pool, solution);
  report.seconds = timer.seconds();
  report.iterations = settings_.sweeps;
  report.reason = w.broken > 0 ? StopReason::diverged : StopReason::max_iterations;
  if (context.measure_end) {
    ScopedTimer timing(report.measure_seconds);
    w.ruler.reset(problem, context.pool);
    report.residual = w.ruler.residual(solution, false, context.pool);
  }
  if (context.details && w.stopped > 0)
    report.notes.push_back(
        fmt::format("{} times a body was stopped: no velocity satisfies its contacts with bodies "
                    "that cannot move",
                    w.stopped.load()));
  return report;
}

SolveReport FfdSolver::solve(const DelassusProblem&, DelassusSolution&, SolveContext&) {
  fail_input("ffd moves bodies and this problem has none: use gauss_seidel", ErrorKind::unsupported);
}

}  // namespace cairn
