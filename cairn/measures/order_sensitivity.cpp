// SPDX-License-Identifier: MIT
#include "cairn/measures/order_sensitivity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/core/errors.h"
#include "cairn/core/random.h"
#include "cairn/problem/residual.h"
#include "cairn/solvers/prox/prox.h"
#include "cairn/solvers/reference/reference.h"

namespace cairn {

namespace {

/// Every order equally likely (Fisher, Yates).
std::vector<std::size_t> random_order(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = count; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  return order;
}

std::vector<Velocity> solve_in_order(const ContactProblem& problem, const ContactSolution& warm_start,
                                     const std::vector<std::size_t>& order, Solver& solver, SolveContext context) {
  ContactProblem shuffled = problem;
  ContactSolution solution;
  solution.joint_impulse = warm_start.joint_impulse;
  if (!warm_start.contact_impulse.empty()) solution.contact_impulse.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    shuffled.contacts[k] = problem.contacts[order[k]];
    if (!warm_start.contact_impulse.empty()) solution.contact_impulse[k] = warm_start.contact_impulse[order[k]];
  }
  context.contact_colour = {};
  solver.solve(shuffled, solution, context);
  return solution.velocity;
}

/// An accurate solution and, in the report, how accurate it is. It only has to be far better than what is judged.
std::vector<Velocity> accurate_velocity(const ContactProblem& problem, const SolveContext& context,
                                        const OrderSettings& settings, OrderReport& report) {
  constexpr double kTolerance = 1e-6;
  constexpr int kReferenceSteps = 2000;
  SolveContext patient;
  patient.pool = context.pool;
  patient.interrupt = context.interrupt;
  patient.stop = {kTolerance, settings.reference_sweeps, 0};
  ContactSolution solution;
  ProxSolver({}).solve(problem, solution, patient);
  report.reference_residual = residual(problem, solution).residual;
  const bool small = static_cast<std::int64_t>(problem.contacts.size()) <= settings.reference_contacts;
  if (report.reference_residual <= kTolerance || !small || !problem.joints.empty()) return solution.velocity;
  ContactSolution better = solution;
  patient.stop.max_iterations = kReferenceSteps;
  ReferenceSolver{}.solve(problem, better, patient);
  const double better_residual = residual(problem, better).residual;
  if (!(better_residual < report.reference_residual)) return solution.velocity;
  report.reference_residual = better_residual;
  return better.velocity;
}

/// |a - b|_M.
double kinetic_distance(const ContactProblem& problem, const std::vector<Velocity>& a, const std::vector<Velocity>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    const Vec3 linear = a[i].linear - b[i].linear, angular = a[i].angular - b[i].angular;
    if (body.inverse_mass > 0) sum += dot(linear, linear) / body.inverse_mass;
    if (determinant(body.inverse_inertia) > 0) sum += dot(angular, inverse(body.inverse_inertia) * angular);
  }
  return std::sqrt(sum);
}

}  // namespace

OrderReport order_sensitivity(const ContactProblem& problem, const ContactSolution& warm_start, Solver& solver,
                              const SolveContext& context, const OrderSettings& settings) {
  require(settings.orders >= 2, "order_sensitivity: at least 2 orders are needed to compare");
  require(warm_start.contact_impulse.empty() || warm_start.contact_impulse.size() == problem.contacts.size(),
          "order_sensitivity: the warm start must have one impulse per contact, or none");
  validate(problem);
  OrderReport report;
  Random random(settings.seed);
  std::vector<std::vector<Velocity>> answers;
  for (int i = 0; i < settings.orders; ++i)
    answers.push_back(
        solve_in_order(problem, warm_start, random_order(problem.contacts.size(), random), solver, context));
  double farthest = 0;
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      farthest = std::max(farthest, kinetic_distance(problem, answers[i], answers[j]));
  std::vector<Velocity> free(problem.bodies.size());
  for (std::size_t i = 0; i < free.size(); ++i) free[i] = free_velocity(problem, static_cast<std::int32_t>(i));
  const double scale = kinetic_distance(problem, free, accurate_velocity(problem, context, settings, report));
  report.sensitivity = scale > 0 ? farthest / scale : 0.0;
  return report;
}

}  // namespace cairn
