// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/pair_impulses.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

std::vector<Velocity> velocities(const ContactProblem& problem) {
  std::vector<Velocity> all;
  for (const ProblemBody& body : problem.bodies) all.push_back(body.velocity);
  return all;
}

/// J u after the impulses of one contact.
std::array<double, 4> after(const ContactProblem& problem, const ContactBlock& c,
                            const std::array<double, 4>& impulse) {
  Velocity a = problem.bodies[to_index(c.body_a)].velocity, b = problem.bodies[to_index(c.body_b)].velocity;
  apply_contact_impulse(problem, c, impulse, a, b);
  return contact_velocity(c, a, b);
}

TEST(PairImpulse, StopsTheApproachOfAnyTwoBodies) {
  // Touching, without gap: the normal impulse alone ends the relative normal velocity.
  Random random(71);
  const RandomCluster cluster = random_cluster(random, {.pairs = 40, .grounded = true});
  for (std::size_t k = 0; k < cluster.problem.contacts.size(); ++k) {
    const ContactBlock& c = cluster.problem.contacts[k];
    const PairImpulse p = pair_impulse(cluster.problem, c, {}, FfdMode::coulomb, velocities(cluster.problem));
    EXPECT_NEAR(after(cluster.problem, c, {p.normal, 0, 0, 0})[0], 0, 1e-12) << "contact " << k;
    EXPECT_EQ(p.normal, p.still) << "nothing pushes an overlap apart";
  }
}

TEST(PairImpulse, EachTangentWouldStopItsOwnSliding) {
  Random random(72);
  const RandomCluster cluster = random_cluster(random, {.pairs = 40, .friction = 0.5});
  for (std::size_t k = 0; k < cluster.problem.contacts.size(); ++k) {
    const ContactBlock& c = cluster.problem.contacts[k];
    const PairImpulse p = pair_impulse(cluster.problem, c, {}, FfdMode::coulomb, velocities(cluster.problem));
    const double normal = std::max(p.normal, 0.0);
    EXPECT_NEAR(after(cluster.problem, c, {normal, p.slide[0], 0, 0})[1], 0, 1e-12) << "contact " << k;
    EXPECT_NEAR(after(cluster.problem, c, {normal, 0, p.slide[1], 0})[2], 0, 1e-12) << "contact " << k;
  }
}

TEST(PairImpulse, BallsOfTwoMassesByHand) {
  // 1 kg at 3 m/s meets 2 kg at rest: p = v m_a m_b / (m_a + m_b) = 2 N s; held, the other is a wall: p = m_a v = 3.
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].inverse_mass = 1, problem.bodies[1].inverse_mass = 0.5;
  problem.bodies[0].velocity.linear = {0, 0, 3};
  ContactBlock c;
  c.body_a = 0, c.body_b = 1;
  const auto impulse = [&](HeldSides held, FfdMode mode) {
    return pair_impulse(problem, c, held, mode, velocities(problem));
  };
  EXPECT_DOUBLE_EQ(impulse({}, FfdMode::coulomb).normal, 2);
  EXPECT_DOUBLE_EQ(impulse({false, true}, FfdMode::coulomb).normal, 3);
  EXPECT_EQ(impulse({true, true}, FfdMode::coulomb).normal, 0) << "nobody can give way";
  c.restitution = 0.5;
  EXPECT_DOUBLE_EQ(impulse({}, FfdMode::coulomb).normal, 3) << "(1 + e) p";
  EXPECT_DOUBLE_EQ(impulse({}, FfdMode::pe).normal, 2) << "the body stretches its response instead";
  EXPECT_EQ(impulse({}, FfdMode::pe).bounce, 0.5);
}

}  // namespace
}  // namespace cairn
