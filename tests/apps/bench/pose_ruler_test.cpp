// SPDX-License-Identifier: MIT
#include "apps/bench/pose_ruler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cairn/core/errors.h"

namespace cairn::cli {
namespace {

/// Two unit cubes of 1000 kg, exactly on one another: ground, lower, upper.
scenes::Scene stack() { return scenes::make_scene("box_stack_2").value_or_throw(); }

std::vector<peers::PeerState> built() {
  const scenes::Scene scene = stack();
  std::vector<peers::PeerState> states;
  for (const BodyId body : scene.world.bodies())
    states.push_back({scene.world.view(body).pose, scene.world.view(body).velocity});
  return states;
}

TEST(PoseRuler, AStackAsBuiltIsPerfect) {
  PoseRuler ruler(stack());
  ruler.look(built());
  const PoseQuality& q = ruler.quality();
  EXPECT_EQ(q.kinetic_energy, 0);
  EXPECT_NEAR(q.max_overlap, 0, 1e-12);
  EXPECT_EQ(q.drift, 0);
  EXPECT_EQ(q.sag, 0);
  EXPECT_EQ(q.fell_through, 0);
}

/// The upper cube sinks by 10 mm: its four points overlap by that, the four below by nothing.
TEST(PoseRuler, OverlapDriftAndSagAreThoseOfThePoses) {
  std::vector<peers::PeerState> states = built();
  states[2].pose.position.z -= 0.01;
  states[2].pose.position.x += 0.003;
  states[2].pose.position.y += 0.004;
  PoseRuler ruler(stack());
  ruler.look(states);
  EXPECT_NEAR(ruler.quality().max_overlap, 0.01, 1e-9);
  EXPECT_NEAR(ruler.quality().mean_overlap, 0.005, 1e-9);
  EXPECT_NEAR(ruler.quality().drift, 0.005, 1e-12);
  EXPECT_NEAR(ruler.quality().sag, 0.01, 1e-12);
}

/// m v^2 / 2 + I w^2 / 2 with I = m / 6, over two bodies and two looks, of which the second finds rest.
TEST(PoseRuler, KineticEnergyIsTheMeanOverBodiesAndLooks) {
  std::vector<peers::PeerState> states = built();
  states[1].velocity = {{0, 2, 0}, {0, 0, 3}};
  PoseRuler ruler(stack());
  ruler.look(states);
  const double energy = 0.5 * 1000 * 4 + 0.5 * (1000.0 / 6) * 9;
  EXPECT_NEAR(ruler.quality().kinetic_energy, energy / 2, 1e-9 * energy);
  ruler.look(built());
  EXPECT_NEAR(ruler.quality().kinetic_energy, energy / 4, 1e-9 * energy);
}

/// One below the floor at full speed, then one that is nowhere: they count as lost and for nothing else.
TEST(PoseRuler, WhoIsLostCountsForNothingElse) {
  std::vector<peers::PeerState> states = built();
  states[2].pose.position.z = -50;
  states[2].velocity.linear = {0, 0, -30};
  PoseRuler ruler(stack());
  ruler.look(states);
  EXPECT_EQ(ruler.quality().fell_through, 1);
  EXPECT_EQ(ruler.quality().kinetic_energy, 0);
  EXPECT_NEAR(ruler.quality().max_overlap, 0, 1e-12);
  states[1].pose.position.x = std::numeric_limits<double>::quiet_NaN();
  ruler.look(states);
  EXPECT_EQ(ruler.quality().fell_through, 2);
  EXPECT_NEAR(ruler.quality().max_overlap, 0, 1e-12);
}

TEST(PoseRuler, JointsAreMeasuredToo) {
  const auto chain = [] { return scenes::make_scene("heavy_chain_10").value_or_throw(); };
  const scenes::Scene scene = chain();
  std::vector<peers::PeerState> states;
  for (const BodyId body : scene.world.bodies()) states.push_back({scene.world.view(body).pose, {}});
  states.back().pose.position.x += 0.25;
  PoseRuler ruler(chain());
  ruler.look(states);
  EXPECT_NEAR(ruler.quality().joint_error, 0.25, 1e-9);
}

TEST(PoseRuler, AnotherNumberOfBodiesIsRefused) {
  PoseRuler ruler(stack());
  const std::vector<peers::PeerState> states(2);
  EXPECT_THROW(ruler.look(states), InputError);
}

}  // namespace
}  // namespace cairn::cli
