// SPDX-License-Identifier: MIT
#include "cairn/solvers/reference/unit_cone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cairn/core/random.h"
#include "tests/solvers/random_cluster.h"

namespace cairn {
namespace {

TEST(UnitCone, IsTheProblemInScaledVariables) {
  // z = A x + D q of x = D^-1 r must be D y of y = W r + q, for any r.
  Random random(41);
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("cluster " + std::to_string(round));
    RandomCluster cluster = random_cluster(random, {.friction = 0.6});
    for (ContactBlock& c : cluster.problem.contacts) c.friction2 = 0.3;
    const DelassusProblem problem = to_delassus(cluster.problem);
    const UnitConeProblem cone = to_unit_cone(problem);
    ASSERT_EQ(cone.row_count(), problem.q.size());
    std::vector<double> r(problem.q.size()), x(r.size()), y(r.size()), z(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = random.uniform(-1, 1);
      x[i] = r[i] / cone.scale[i];
    }
    multiply_add(problem.w, r, problem.q, y);
    multiply_add(cone.a, x, cone.q, z);
    for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(z[i], cone.scale[i] * y[i], 1e-12) << "row " << i;
    for (std::size_t k = 0; k < problem.friction.size(); ++k) {
      EXPECT_NEAR(cone.scale[3 * k + 1] / cone.scale[3 * k], 0.6, 1e-15);
      EXPECT_NEAR(cone.scale[3 * k + 2] / cone.scale[3 * k], 0.3, 1e-15);
      EXPECT_NEAR(cone.rho_n[k] * cone.a.diagonal_block(static_cast<std::int64_t>(k))[0], 1, 1e-15);
    }
  }
}

TEST(UnitCone, RowsWithoutFrictionAreDecoupled) {
  Random random(42);
  const RandomCluster cluster = random_cluster(random, {.friction = 0});
  const UnitConeProblem cone = to_unit_cone(to_delassus(cluster.problem));
  for (std::int64_t k = 0; k < cone.contact_count(); ++k)
    for (int row : {1, 2}) {
      EXPECT_EQ(cone.a.diagonal_block(k)[4 * row], 1);
      EXPECT_EQ(cone.q[to_index(3 * k + row)], 0);
    }
}

TEST(UnitCone, ASweepSolvesOneContactAtOnce) {
  // A mass on the ground that slides: x_n = -q_n / A_nn, and friction at the edge of the cone against the sliding.
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 0.5;
  problem.bodies[1].velocity.linear = {3, 0, -1};
  ContactBlock c;
  c.body_b = 1, c.friction1 = c.friction2 = 0.4;
  problem.contacts.push_back(c);
  const UnitConeProblem cone = to_unit_cone(to_delassus(problem));
  std::vector<double> x(3, 0.0);
  sweep(cone, x);
  const double normal = cone.scale[0] * x[0], tangent = cone.scale[1] * x[1];
  EXPECT_NEAR(normal, 2, 1e-12) << "m v";
  EXPECT_NEAR(tangent, -0.8, 1e-12) << "mu m v";
  EXPECT_NEAR(x[2], 0, 1e-12);
}

}  // namespace
}  // namespace cairn
