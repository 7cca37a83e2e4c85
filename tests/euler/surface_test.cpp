// SPDX-License-Identifier: MIT
#include "cairn/euler/surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace cairn {
namespace {

GridSolid solid_of(const SolidShape& shape, const Velocity& velocity) {
  const Grid grid{{0, 0, 0}, 0.04, {30, 30, 30}};
  ElasticBodyDef def;
  def.shape = shape;
  def.pose.position = {0.61, 0.6, 0.59};
  def.velocity = velocity;
  return place_solid(grid, def, {}, nullptr);
}

/// V = sum over triangles of a . (b x c) / 6, positive where triangles face outwards.
double enclosed_volume(const SolidSurface& s) {
  double sum = 0;
  for (const auto& t : s.triangles)
    sum += dot(s.vertices[to_index(t[0])], cross(s.vertices[to_index(t[1])], s.vertices[to_index(t[2])])) / 6;
  return sum;
}

/// A sphere: closed, facing outwards, of the right volume, with vertices on it.
TEST(SolidSurface, OfASphereIsClosedAndFacesOutwards) {
  const SolidSurface s = find_surface(solid_of(make_sphere(0.25), {}));
  std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
  for (const auto& t : s.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3];
      ++sides[{a, b}];
    }
  for (const auto& [side, count] : sides) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(sides.count({side.second, side.first}), 1U);  // once each way: two triangles meet
  }
  // Vertices lie inside by at most half the sagitta of a cell: (h/r)^2/8 of the radius at each of two corners.
  const double share = enclosed_volume(s) / (4 * kPi / 3 * 0.25 * 0.25 * 0.25);
  EXPECT_LT(share, 1);
  EXPECT_GT(share, 1 - 2 * 3 * (0.04 / 0.25) * (0.04 / 0.25) / 4);
  for (const Vec3& v : s.vertices) EXPECT_NEAR(norm(v - Vec3{0.61, 0.6, 0.59}), 0.25, 0.005);
}

/// Speeds are those of the rigid motion at the vertices.
TEST(SolidSurface, HasTheSpeedOfItsPoints) {
  const SolidSurface s = find_surface(solid_of(make_box({0.2, 0.15, 0.2}), {{1, 0, 0}, {0, 0, 2}}));
  ASSERT_EQ(s.speed.size(), s.vertices.size());
  for (std::size_t i = 0; i < s.vertices.size(); ++i) {
    const Vec3 r = s.vertices[i] - Vec3{0.61, 0.6, 0.59};
    EXPECT_NEAR(s.speed[i], norm(Vec3{1, 0, 0} + cross({0, 0, 2}, r)), 1e-9);
  }
  EXPECT_NEAR(enclosed_volume(s) / 0.048, 1, 0.06);  // corners are cut
}

}  // namespace
}  // namespace cairn
