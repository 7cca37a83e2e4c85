// SPDX-License-Identifier: MIT
// The house of cards that is thrown at: it stands until it is hit, and what is left of it comes to rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "cairn/measures/energy.h"
#include "scenes/scene.h"

namespace cairn::scenes {
namespace {

constexpr std::size_t kCards = 48, kBoxes = 10;

struct House {
  /// Cards that are hit fast turn by more in a step than manifolds of soft_step can follow: fewer would stand.
  Scene scene = make_scene("card_house_58", {}, [](WorldSettings& s) { s.solver = "gauss_seidel"; }).value_or_throw();
  std::vector<BodyId> bodies;  ///< cards, then boxes
  std::vector<Vec3> start;

  House() {
    bodies = scene.world.bodies();
    bodies.erase(bodies.begin());  // the ground
    for (const BodyId body : bodies) start.push_back(scene.world.view(body).centre);
  }
  void run_to(int step) {
    while (scene.world.step_count() < step) scene.world.step(scene.dt);
  }
  double moved(std::size_t i) const { return norm(scene.world.view(bodies[i]).centre - start[i]); }
  double kinetic_energy_per_body() const {
    double sum = 0;
    for (const BodyId body : bodies) sum += kinetic_energy(scene.world.view(body));
    return sum / static_cast<double>(bodies.size());
  }
};

TEST(CardHouse58, HasCardsAndBoxesOfTheStatedMasses) {
  const House house;
  ASSERT_EQ(house.bodies.size(), kCards + kBoxes);
  for (std::size_t i = 0; i < kCards + kBoxes; ++i)
    EXPECT_NEAR(house.scene.world.view(house.bodies[i]).mass, i < kCards ? 1000 * 0.63 * 0.88 * 0.03 : 25 * 0.008,
                1e-9);
}

TEST(CardHouse58, StandsUntilItIsHitAndWhatIsLeftComesToRest) {
  House house;
  house.run_to(290);  // 4.8 s
  for (std::size_t i = 0; i < kCards; ++i) EXPECT_LT(house.moved(i), 0.01) << i;
  for (std::size_t i = kCards; i < house.bodies.size(); ++i) EXPECT_GT(house.moved(i), 10) << i;
  house.run_to(400);  // the last box comes at 6.35 s
  std::size_t hit = 0;
  for (std::size_t i = 0; i < kCards; ++i) hit += house.moved(i) > 0.1 ? 1 : 0;
  EXPECT_GE(hit, 1u);
  house.run_to(house.scene.steps);
  std::size_t standing = 0;
  for (std::size_t i = 0; i < kCards; ++i) standing += house.moved(i) < 0.1 ? 1 : 0;
  EXPECT_GE(standing, 40u);
  EXPECT_LT(standing, kCards);
  EXPECT_LT(house.kinetic_energy_per_body(), 1e-4);
}

}  // namespace
}  // namespace cairn::scenes
