// SPDX-License-Identifier: MIT
// Chess pieces: as many of each kind as the sets have, turned as the profile says, and they stay on the board.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cairn/measures/energy.h"
#include "scenes/scene.h"

namespace cairn::scenes {
namespace {

/// Area of a polygon of 14 corners on the unit circle.
const double kArea = 7 * std::sin(2 * kPi / 14);

/// Volume between two rings: a frustum over that polygon.
double frustum(double height, double r0, double r1) { return kArea * height / 3 * (r0 * r0 + r0 * r1 + r1 * r1); }

double pawn_volume() {
  const double foot = frustum(0.06, 0.18, 0.18) + frustum(0.06, 0.18, 0.12), stem = frustum(0.26, 0.12, 0.06);
  return foot + stem + frustum(0.05, 0.06, 0.11) + frustum(0.09, 0.11, 0.11) + frustum(0.05, 0.11, 0.06);
}

TEST(Chess, HasAThousandPiecesInTheNumbersOfASet) {
  const Scene scene = make_scene("chess_1000").value_or_throw();
  std::map<std::pair<double, std::size_t>, int> kinds;  // by mass and number of parts
  int dynamic = 0;
  for (const BodyId body : scene.world.bodies()) {
    const BodyView view = scene.world.view(body);
    if (view.kind != BodyKind::dynamic) continue;
    ++dynamic;
    ++kinds[{view.mass, scene.world.shapes_of(body).size()}];
  }
  EXPECT_EQ(dynamic, 1000);
  ASSERT_EQ(kinds.size(), 6u);
  EXPECT_NEAR(kinds.begin()->first.first, 1000 * pawn_volume(), 1e-4 * 1000 * pawn_volume());  // hulls snap to a grid
  EXPECT_EQ(kinds.begin()->second, 500);
  std::map<std::size_t, int> by_parts;
  for (const auto& [kind, count] : kinds) by_parts[kind.second] += count;
  EXPECT_EQ(by_parts[2], 125);  // knights
  EXPECT_EQ(by_parts[3], 875);
}

TEST(Chess, PiecesStayOnTheBoardAndComeToRest) {
  Scene scene =
      make_scene("chess_1000", {{"count", "90"}}, [](WorldSettings& s) { s.solver = "gauss_seidel"; }).value_or_throw();
  for (int i = 0; i < 420; ++i) scene.world.step(scene.dt);
  double energy = 0;
  for (const BodyId body : scene.world.bodies()) {
    const BodyView view = scene.world.view(body);
    if (view.kind != BodyKind::dynamic) continue;
    EXPECT_GT(view.centre.z, 0);
    EXPECT_LT(std::max(std::fabs(view.centre.x), std::fabs(view.centre.y)), 6);
    energy += kinetic_energy(view);
  }
  EXPECT_LT(energy / 90, 1e-2);
}

}  // namespace
}  // namespace cairn::scenes
