// SPDX-License-Identifier: MIT
// Voronoi cells fill what they cut, and the broken columns are made of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/random.h"
#include "scenes/scene.h"
#include "scenes/voronoi.h"

namespace cairn::scenes {
namespace {

/// A cube of side 2 around the origin with one edge cut off: x + y <= 1.
ConvexRegion cut_cube() { return {{{-1, -1, -1}, {1, 1, 1}}, {{{std::sqrt(0.5), std::sqrt(0.5), 0}, std::sqrt(0.5)}}}; }

TEST(VoronoiCells, TwoSeedsHalveABox) {
  const ConvexRegion box{{{0, 0, 0}, {2, 1, 1}}, {}};
  const std::vector<Vec3> seeds{{0.5, 0.5, 0.5}, {1.5, 0.5, 0.5}};
  for (const double gap : {0.0, 0.2}) {
    const std::vector<VoronoiCell> cells = voronoi_cells(box, seeds, gap);
    ASSERT_EQ(cells.size(), 2u);
    for (const VoronoiCell& cell : cells) EXPECT_NEAR(cell.volume, 1 - 0.5 * gap, 1e-12);
    ASSERT_EQ(cells[0].corners.size(), 8u);
    for (const Vec3& p : cells[0].corners) EXPECT_LT(std::min(std::fabs(p.x), std::fabs(p.x - 1 + 0.5 * gap)), 1e-12);
  }
}

TEST(VoronoiCells, FillTheRegionAndHoldWhatIsNearest) {
  Random random(3);
  std::vector<Vec3> seeds;
  while (seeds.size() < 40) {
    const Vec3 p{random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9)};
    if (p.x + p.y < 0.9) seeds.push_back(p);
  }
  const std::vector<VoronoiCell> cells = voronoi_cells(cut_cube(), seeds, 0);
  double volume = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    volume += cells[i].volume;
    for (const Vec3& corner : cells[i].corners)
      for (const Vec3& other : seeds) EXPECT_LE(norm(corner - seeds[i]), norm(corner - other) + 1e-9);
  }
  EXPECT_NEAR(volume, 8 - 0.5 * 2, 1e-9);  // less a prism over half a unit square
}

TEST(VoronoiCells, RefuseASeedOutside) {
  const std::vector<Vec3> seeds{{0, 0, 0}, {0.9, 0.9, 0}};
  EXPECT_THROW(voronoi_cells(cut_cube(), seeds, 0), InputError);
}

struct Masses {
  double sum = 0, least = 1e9, most = 0;
  int count = 0;
};

Masses masses_of(const World& world) {
  Masses m;
  for (const BodyId body : world.bodies()) {
    const BodyView view = world.view(body);
    if (view.kind != BodyKind::dynamic) continue;
    m.sum += view.mass, m.least = std::min(m.least, view.mass), m.most = std::max(m.most, view.mass);
    ++m.count;
  }
  return m;
}

TEST(Fracture, Has277PiecesThatMakeUpThreeColumns) {
  const Scene scene = make_scene("fracture_277").value_or_throw();
  const Masses m = masses_of(scene.world);
  EXPECT_EQ(m.count, 277);
  // A prism of twelve sides, apothem 0.4 m, height 4 m, of marble; the room between cells takes a little.
  const double columns = 3 * 2700 * 12 * std::tan(kPi / 12) * 0.4 * 0.4 * 4;
  EXPECT_LT(m.sum, columns);
  EXPECT_GT(m.sum, 0.995 * columns);
  EXPECT_LT(m.least, 0.5);
  EXPECT_GT(m.most, 500);
}

TEST(Fracture, ThePiecesFallAndStayOnTheGround) {
  // Under soft_step the lightest splinters sink in by millimetres below pieces 4000 times as heavy.
  Scene scene = make_scene("fracture_277", {}, [](WorldSettings& s) { s.solver = "gauss_seidel"; }).value_or_throw();
  const auto highest = [&] {
    double top = 0;
    for (const BodyId body : scene.world.bodies()) top = std::max(top, scene.world.view(body).centre.z);
    return top;
  };
  EXPECT_GT(highest(), 3);
  for (int i = 0; i < 240; ++i) scene.world.step(scene.dt);
  EXPECT_LT(highest(), 2.5);
  for (const BodyId body : scene.world.bodies()) {
    const BodyView view = scene.world.view(body);
    EXPECT_FALSE(view.quarantined);
    EXPECT_GT(view.kind == BodyKind::dynamic ? view.centre.z : 1,
              -1e-3);  // splinters sink in by less than a millimetre
  }
}

}  // namespace
}  // namespace cairn::scenes
