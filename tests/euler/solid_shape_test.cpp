// SPDX-License-Identifier: MIT
#include "cairn/euler/solid_shape.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cairn/core/random.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

TriangleMesh cube_mesh(bool closed) {
  std::vector<Vec3> corners;
  for (int n = 0; n < 8; ++n)
    corners.push_back({(n & 4) != 0 ? 0.5 : -0.5, (n & 2) != 0 ? 0.5 : -0.5, (n & 1) != 0 ? 0.5 : -0.5});
  std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  if (!closed) triangles.pop_back();
  return make_mesh(corners, triangles);
}

TEST(SolidShape, DistancesByHand) {
  EXPECT_NEAR(signed_distance(Sphere{2}, {0, 3, 4}), 3, 1e-15);
  EXPECT_NEAR(signed_distance(Box{{1, 2, 3}}, {4, 6, 3}), 5, 1e-15);
  EXPECT_NEAR(signed_distance(Box{{1, 2, 3}}, {0.75, 0, 0}), -0.25, 1e-15);
  EXPECT_NEAR(signed_distance(Cylinder{1, 2}, {4, 0, 6}), 5, 1e-15);
  EXPECT_NEAR(signed_distance(Cylinder{1, 2}, {0.5, 0, 1.9}), -0.1, 1e-15);
  EXPECT_NEAR(signed_distance(Capsule{1, 2}, {0, 3, 6}), 4, 1e-15);
  EXPECT_NEAR(signed_distance(Torus{3, 1}, {0, 3, 0.5}), -0.5, 1e-15);
  EXPECT_NEAR(signed_distance(Torus{3, 1}, {0, 0, 4}), 4, 1e-15);
}

/// A mesh of a box has the distances of the box, inside and outside.
TEST(SolidShape, MeshAgreesWithBox) {
  const SolidShape mesh = cube_mesh(true), box = Box{{0.5, 0.5, 0.5}};
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    EXPECT_NEAR(signed_distance(mesh, p), signed_distance(box, p), 1e-12);
  }
  EXPECT_NEAR(volume(mesh), 1, 1e-12);
}

TEST(SolidShape, VolumesAndBounds) {
  EXPECT_NEAR(volume(Torus{3, 1}), 6 * kPi * kPi, 1e-12);
  EXPECT_NEAR(volume(Cylinder{1, 2}), 4 * kPi, 1e-12);
  const Aabb box = bounds(SolidShape{Torus{3, 1}}, Pose{{1, 0, 0}, {}});
  EXPECT_NEAR(box.upper.x, 5, 1e-12);
  EXPECT_NEAR(box.upper.z, 1, 1e-12);
}

TEST(SolidShape, BadShapesAreRefused) {
  EXPECT_THROW(check_solid_shape(Sphere{0}), InputError);
  EXPECT_THROW(check_solid_shape(Torus{1, 1}), InputError);
  EXPECT_THROW(check_solid_shape(TriangleMesh{}), InputError);
  EXPECT_NE(refusal([] { check_solid_shape(cube_mesh(false)); }).find("not closed"), std::string::npos);
  check_solid_shape(cube_mesh(true));
}

}  // namespace
}  // namespace cairn
