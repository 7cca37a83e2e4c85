// SPDX-License-Identifier: MIT
#include "cairn/problem/residual.h"

#include <gtest/gtest.h>

#include "cairn/core/errors.h"
#include "cairn/core/random.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

/// One sphere of mass m on the ground, at rest after a step: lambda_n = m g dt exactly.
ContactSolution at_rest(const ContactProblem& problem) {
  ContactSolution solution;
  solution.contact_impulse = {{9.81 * problem.dt / problem.bodies[0].inverse_mass, 0, 0, 0}};
  solution.velocity.resize(problem.bodies.size());
  return solution;
}

TEST(Residual, ZeroForTheExactSolution) {
  const ContactProblem problem = scenes::ball_grid(1);
  const Measures m = residual(problem, at_rest(problem));
  EXPECT_NEAR(m.residual, 0, 1e-13);
  EXPECT_NEAR(m.natural_map, 0, 1e-13);
  EXPECT_NEAR(m.c1_max, 0, 1e-13);
  EXPECT_NEAR(m.c5_complementarity, 0, 1e-13);
  EXPECT_NEAR(m.c7_consistency, 0, 1e-13);
  EXPECT_NEAR(m.v_ref, 9.81 / 60, 1e-15);
}

TEST(Residual, MeasuresWhatIsWrong) {
  const ContactProblem problem = scenes::ball_grid(1);
  ContactSolution nothing = at_rest(problem);
  nothing.contact_impulse[0] = {0, 0, 0, 0};
  Measures m = residual(problem, nothing);
  EXPECT_NEAR(m.residual, 1, 1e-12);     // as bad as no impulses, which is what they are
  EXPECT_NEAR(m.natural_map, 1, 1e-12);  // lambda = 0, y = q, all of it downwards
  EXPECT_NEAR(m.c2_violation, 1, 1e-12);
  EXPECT_NEAR(m.c7_consistency, 1, 1e-12) << "the velocity does not follow from the impulses";
  nothing.velocity[0].linear.z = -problem.dt * 9.81;
  EXPECT_NEAR(residual(problem, nothing).c7_consistency, 0, 1e-12);
  ContactSolution rubbing = at_rest(problem);
  rubbing.contact_impulse[0][1] = 0.75 * rubbing.contact_impulse[0][0];  // bound 0.5: a quarter too much
  EXPECT_NEAR(residual(problem, rubbing).c6_cone_excess, 0.25, 1e-12);
  const std::vector<Velocity> exact(2);
  EXPECT_NEAR(residual(problem, at_rest(problem), &exact).c8_kinetic_error, 0, 1e-12);
  EXPECT_NEAR(residual(problem, nothing, &exact).c8_kinetic_error, 1, 1e-12);
}

TEST(Residual, BothFormsAgree) {
  const ContactProblem problem = scenes::ball_grid(4);
  const DelassusProblem assembled = to_delassus(problem);
  DelassusSolution x;
  x.impulse.resize(assembled.q.size());
  for (std::size_t i = 0; i < x.impulse.size(); ++i) x.impulse[i] = static_cast<double>(i % 7) - 1.5;
  ContactSolution solution;
  scatter_impulses(problem, x, solution);
  const Measures a = residual(problem, solution), b = residual(assembled, x.impulse);
  EXPECT_NEAR(a.residual / b.residual, 1, 1e-9);
  EXPECT_NEAR(a.natural_map / b.natural_map, 1, 1e-12);
  EXPECT_NEAR(a.unit_free / b.unit_free, 1, 1e-12);
  EXPECT_NEAR(a.c7_consistency, 0, 1e-12);
  std::vector<double> y(x.impulse.size());
  multiply_add(assembled.w, x.impulse, assembled.q, y);
  EXPECT_NEAR(natural_map(assembled, x.impulse, y) / b.natural_map, 1, 1e-14);
  EXPECT_NEAR(relative_residual(assembled, x.impulse, y) / b.residual, 1, 1e-14);
}

/// The same answer in other units of mass, length and time.
TEST(Residual, DoesNotDependOnUnits) {
  ContactProblem problem = scenes::ball_grid(3);
  Random random(5);
  ContactSolution solution;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    solution.contact_impulse.push_back({random.uniform(0, 1), random.uniform(-1, 1), random.uniform(-1, 1), 0});
  solution.velocity.resize(problem.bodies.size());
  const double expected = residual(problem, solution).residual;
  const double mass = 1e4, length = 100, time = 1e3;
  problem.dt *= time, problem.stabilisation.slop *= length;
  problem.stabilisation.max_push *= length / time, problem.stabilisation.bounce_speed *= length / time;
  for (ProblemBody& body : problem.bodies) {
    body.inverse_mass /= mass, body.inverse_inertia = (1 / (mass * length * length)) * body.inverse_inertia;
    body.velocity = {(length / time) * body.velocity.linear, (1 / time) * body.velocity.angular};
    body.acceleration = {(length / (time * time)) * body.acceleration.linear,
                         (1 / (time * time)) * body.acceleration.angular};
  }
  for (ContactBlock& c : problem.contacts) c.arm_a = length * c.arm_a, c.arm_b = length * c.arm_b, c.gap *= length;
  for (auto& impulse : solution.contact_impulse)
    for (double& value : impulse) value *= mass * length / time;
  EXPECT_NEAR(residual(problem, solution).residual / expected, 1, 1e-9);
}

TEST(ContactRuler, MeasuresTheSameBitsWithAnyPoolAndAfterAnyProblem) {
  ContactProblem problem = scenes::ball_grid(14);
  problem.joints = {{3, 40, 0, 1}};
  JointRow row;
  row.linear_a = {0, 0, -1}, row.linear_b = {0, 0, 1}, row.angular_b = {1, 0, 0.5};
  problem.joint_rows = {row};
  Random random(8);
  ContactSolution solution;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    solution.contact_impulse.push_back({random.uniform(0, 1), random.uniform(-1, 1), random.uniform(-1, 1), 0});
  solution.joint_impulse = {0.7};
  const double expected = ContactRuler(problem).residual(solution);
  ContactRuler ruler;
  const ContactProblem other = scenes::ball_grid(16);
  ContactSolution nothing;
  nothing.contact_impulse.resize(other.contacts.size());
  for (const int threads : {1, 2, 3, 8}) {
    const auto pool = make_pool(threads);
    ruler.reset(other, pool.get());
    EXPECT_NEAR(ruler.residual(nothing, false, pool.get()), 1, 1e-9) << "no impulses";
    ruler.reset(problem, pool.get());
    EXPECT_EQ(ruler.residual(solution, false, pool.get()), expected) << threads;
  }
}

TEST(Residual, ASolutionOfAnotherProblemIsRefused) {
  const ContactProblem problem = scenes::ball_grid(2);
  EXPECT_THROW(residual(problem, ContactSolution{}), InputError);
}

}  // namespace
}  // namespace cairn
