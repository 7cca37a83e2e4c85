// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/projection_work.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cairn/core/random.h"
#include "scenes/mechanism_problems.h"

namespace cairn {
namespace {

TEST(ProjectionWork, ImpulsesAndPowerAreAdjoint) {
  // l . J (M^-1 J^T l) = |M^-1/2 J^T l|^2: the power of impulses on what they do is twice its kinetic energy.
  const ContactProblem problem = scenes::tree_of_fifty();
  LdlJoints ldl{LdlSettings{}};
  ldl.find(problem, nullptr);
  ASSERT_EQ(ldl.mechanism_count(), 1u);
  Random random(171);
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("impulses " + std::to_string(round));
    std::vector<double> impulse(problem.joint_rows.size());
    for (double& value : impulse) value = random.uniform(-1, 1);
    std::vector<Velocity> change(problem.bodies.size());
    add_impulses(problem, ldl.mechanism(0), impulse, change);
    double energy = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      const ProblemBody& body = problem.bodies[i];
      if (!body.is_dynamic()) {
        EXPECT_EQ(change[i], Velocity{}) << "body " << i << " cannot move";
        continue;
      }
      energy += dot(change[i].linear, change[i].linear) / body.inverse_mass +
                dot(change[i].angular, inverse(body.inverse_inertia) * change[i].angular);
    }
    EXPECT_NEAR(joint_power(problem, ldl.mechanism(0), impulse, change), energy, 1e-10 * energy);
  }
}

TEST(ProjectionWork, NoMoreEnergyIsGivenThanWasTaken) {
  EXPECT_EQ(energy_share(4, 9), 1);
  EXPECT_EQ(energy_share(9, 4), 2.0 / 3) << "a share s of a velocity has s^2 of its energy";
  EXPECT_EQ(energy_share(9, -1), 0);
  EXPECT_EQ(energy_share(0, -1), 1) << "nothing is given";
}

TEST(ProjectionWork, MechanismsKnowTheirBlocksAndBodies) {
  const ContactProblem problem = scenes::hanging_chain(5, 10);
  ProjectedMechanisms mechanisms;
  mechanisms.ldl.find(problem, nullptr);
  mechanisms.number(problem);
  ASSERT_EQ(mechanisms.progress.size(), 1u);
  EXPECT_TRUE(mechanisms.any_open());
  for (std::size_t k = 0; k < problem.joints.size(); ++k) EXPECT_EQ(mechanisms.of_block[k], 0) << "block " << k;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    EXPECT_EQ(mechanisms.of_body[i], problem.bodies[i].is_dynamic() ? 0 : -1) << "body " << i;
  mechanisms.progress[0].state = MechanismProgress::State::done;
  EXPECT_FALSE(mechanisms.any_open());
}

}  // namespace
}  // namespace cairn
