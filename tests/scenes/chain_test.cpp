// SPDX-License-Identifier: MIT
// A chain that only contact holds together must hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/measures/energy.h"
#include "scenes/scene.h"

namespace cairn::scenes {
namespace {

constexpr double kPitch = 0.3;  // m, between the centres of links that pull

std::vector<BodyId> links_of(const World& world) {
  std::vector<BodyId> links = world.bodies();
  links.erase(links.begin());  // the ground
  return links;
}

/// Of neighbouring links, m.
double farthest_apart(const World& world, const std::vector<BodyId>& links) {
  double farthest = 0;
  for (std::size_t i = 1; i < links.size(); ++i)
    farthest = std::max(farthest, norm(world.view(links[i]).centre - world.view(links[i - 1]).centre));
  return farthest;
}

TEST(Chain, HasTwentyFiveLinksOfTheStatedMass) {
  const Scene scene = make_scene("chain_25").value_or_throw();
  const std::vector<BodyId> links = links_of(scene.world);
  ASSERT_EQ(links.size(), 25u);
  EXPECT_EQ(scene.world.view(links[0]).kind, BodyKind::fixed);
  // Twelve capsules: sides of 2 a, ten pieces of 2 R tan 18 degrees around the rounds, and a ball at each joint.
  constexpr double kWire = 0.03, kRound = 0.08, kSide = 0.1;
  const double length = 4 * kSide + 20 * kRound * std::tan(kPi / 10);
  const double volume = kPi * kWire * kWire * length + 12 * 4.0 / 3 * kPi * kWire * kWire * kWire;
  for (std::size_t i = 1; i < links.size(); ++i) {
    EXPECT_EQ(scene.world.view(links[i]).kind, BodyKind::dynamic);
    EXPECT_NEAR(scene.world.view(links[i]).mass, 1000 * volume, 1e-9);
    EXPECT_NEAR(norm(scene.world.view(links[i]).centre - scene.world.view(links[i - 1]).centre), kPitch, 1e-12);
  }
}

TEST(Chain, NeighboursTouchAndNobodyElse) {
  Scene scene = make_scene("chain_25").value_or_throw();
  scene.world.step(scene.dt);
  const std::vector<BodyId> links = links_of(scene.world);
  std::vector<int> touching(links.size(), 0);
  for (const ContactView& c : scene.world.contacts()) {
    const auto a = static_cast<int>(c.body_a.index), b = static_cast<int>(c.body_b.index);
    if (std::min(a, b) == 0) continue;  // the ground
    EXPECT_EQ(std::abs(a - b), 1);
    if (std::fabs(c.separation) < 1e-9) touching[to_index(std::min(a, b)) - 1] = 1;
  }
  EXPECT_EQ(std::count(touching.begin(), touching.end(), 1), 24);
}

TEST(Chain, HoldsForTenSecondsAndPilesUp) {
  Scene scene = make_scene("chain_25", {}, [](WorldSettings& s) { s.solver = "gauss_seidel"; }).value_or_throw();
  ASSERT_EQ(scene.world.settings().iterations, 50);
  const std::vector<BodyId> links = links_of(scene.world);
  double farthest = 0, energy = 0;
  for (int i = 0; i < 600; ++i) {
    scene.world.step(scene.dt);
    farthest = std::max(farthest, farthest_apart(scene.world, links));
  }
  // Twice the wire's radius more and a link would have slipped through another.
  EXPECT_LT(farthest, kPitch + 0.01);
  int lying = 0;
  for (const BodyId link : links) {
    const BodyView view = scene.world.view(link);
    EXPECT_GT(view.centre.z, 0);
    if (view.centre.z < 0.2) ++lying;
    energy += kinetic_energy(view);
  }
  EXPECT_GE(lying, 6);
  EXPECT_LT(energy / 24, 0.1);  // J; the part that hangs still swings, it began with 20
}

}  // namespace
}  // namespace cairn::scenes
