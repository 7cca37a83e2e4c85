// SPDX-License-Identifier: MIT
#include "cairn/measures/order_sensitivity.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/solvers/solver_table.h"
#include "scenes/box_stacks.h"

namespace cairn {
namespace {

double sensitivity(const ContactProblem& problem, const char* solver, int sweeps, const ContactSolution& warm = {},
                   const OrderSettings& settings = {}) {
  SolveContext context;
  context.stop = {0, sweeps, 0};
  return order_sensitivity(problem, warm, *make_solver(solver), context, settings).sensitivity;
}

/// Point masses of 1 kg on one another, each falling at 1 m/s after the step: u_free = -1, u* = 0.
ContactProblem column(int count) {
  ContactProblem problem;
  problem.dt = 1;
  problem.bodies.resize(to_index(count) + 1);  // the last is the ground
  for (int i = 0; i < count; ++i) {
    problem.bodies[to_index(i)].inverse_mass = 1;
    problem.bodies[to_index(i)].acceleration.linear = {0, 0, -1};
    ContactBlock contact;
    contact.body_a = i == 0 ? count : i - 1;
    contact.body_b = i;
    problem.contacts.push_back(contact);
  }
  return problem;
}

TEST(OrderSensitivity, TwoMassesHaveTheAnswerWorkedOutByHand) {
  // One sweep, ground first: u = (-1/2, -1/2); ground last: u = (0, -1). |difference| = sqrt(1/2), |u_free| = sqrt(2).
  // u* is known to a residual of 1e-6.
  EXPECT_NEAR(sensitivity(column(2), "gauss_seidel", 1), 0.5, 1e-6);
}

TEST(OrderSensitivity, OneContactHasOneOrder) { EXPECT_EQ(sensitivity(column(1), "gauss_seidel", 1), 0); }

TEST(OrderSensitivity, JacobiDoesNotCareGaussSeidelDoesAndConvergenceHeals) {
  const ContactProblem problem = scenes::box_stack(4);
  EXPECT_LT(sensitivity(problem, "jacobi", 5), 1e-12);
  const double few = sensitivity(problem, "gauss_seidel", 5), many = sensitivity(problem, "gauss_seidel", 1000);
  EXPECT_GT(few, 1e-2);
  EXPECT_LT(many, 1e-3 * few);
}

TEST(OrderSensitivity, BeginsFromTheWarmStart) {
  // From the exact impulses nothing changes, in whatever order.
  ContactSolution exact;
  exact.contact_impulse = {{2, 0, 0, 0}, {1, 0, 0, 0}};
  EXPECT_LT(sensitivity(column(2), "gauss_seidel", 1, exact), 1e-12);
}

TEST(OrderSensitivity, TheReferenceSolverGoesOnWhereSweepsDidNotDo) {
  const ContactProblem problem = scenes::box_stack(6);
  SolveContext context;
  context.stop = {0, 3, 0};
  const std::unique_ptr<Solver> solver = make_solver("gauss_seidel");
  const OrderReport sweeps = order_sensitivity(problem, {}, *solver, context, {.reference_sweeps = 20000});
  const OrderReport reference = order_sensitivity(problem, {}, *solver, context, {.reference_sweeps = 1});
  const OrderReport neither =
      order_sensitivity(problem, {}, *solver, context, {.reference_sweeps = 1, .reference_contacts = 0});
  EXPECT_LE(sweeps.reference_residual, 1e-6);
  EXPECT_LE(reference.reference_residual, 1e-6);
  EXPECT_GT(neither.reference_residual, 1e-2);
  EXPECT_NEAR(sweeps.sensitivity, reference.sensitivity, 1e-4 * sweeps.sensitivity);
}

TEST(OrderSensitivity, RefusesWhatCannotBeCompared) {
  ContactSolution wrong;
  wrong.contact_impulse.resize(5);
  EXPECT_THROW(sensitivity(column(2), "gauss_seidel", 1, wrong), InputError);
  EXPECT_THROW(sensitivity(column(2), "gauss_seidel", 1, {}, {.orders = 1}), InputError);
}

}  // namespace
}  // namespace cairn
