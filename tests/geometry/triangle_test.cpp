// SPDX-License-Identifier: MIT
#include "cairn/geometry/triangle.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr Triangle kRight{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};

TEST(Triangle, EveryPartByHand) {
  const auto part = [](const Vec3& p) { return closest_on_triangle(p, kRight).part; };
  EXPECT_EQ(part({-1, -1, 3}), TrianglePart::vertex0);
  EXPECT_EQ(part({4, -1, 0}), TrianglePart::vertex1);
  EXPECT_EQ(part({-1, 4, 0}), TrianglePart::vertex2);
  EXPECT_EQ(part({1, -1, 0}), TrianglePart::edge0);
  EXPECT_EQ(part({2, 2, 1}), TrianglePart::edge1);
  EXPECT_EQ(part({-1, 1, 0}), TrianglePart::edge2);
  EXPECT_EQ(part({0.5, 0.5, 7}), TrianglePart::face);
  expect_near(closest_on_triangle({2, 2, 1}, kRight).point, {1, 1, 0}, 1e-15);
  expect_near(closest_on_triangle({0.5, 0.25, 7}, kRight).point, {0.5, 0.25, 0}, 1e-15);
}

TEST(Triangle, EdgesBendTheWayTheFarCornerLies) {
  const Vec3 up{0, 0, 1};
  EXPECT_EQ(edge_kind(kRight, up, 0, {1, -1, -0.5}), EdgeKind::convex);
  EXPECT_EQ(edge_kind(kRight, up, 0, {1, -1, 0}), EdgeKind::flat);
  EXPECT_EQ(edge_kind(kRight, up, 0, {1, -1, 0.5}), EdgeKind::concave);
  EXPECT_EQ(edge_kind(kRight, up, 0, {1, -1, 5e-4}), EdgeKind::flat) << "less than 1e-3 of the distance";
}

TEST(Triangle, RaysMeetItWhereThePlaneSays) {
  Random random(161);
  int hits = 0;
  for (int k = 0; k < 20000; ++k) {
    const Triangle t{random_point(random), random_point(random), random_point(random)};
    const Vec3 origin = random_point(random, 2), direction = random_direction(random);
    // Barycentric coordinates of the point in the plane of the triangle.
    const Vec3 n = area_vector(t);
    const double distance = dot(n, t.a - origin) / dot(n, direction);
    const Vec3 p = origin + distance * direction;
    const double u = dot(cross(t.c - t.b, p - t.b), n), v = dot(cross(t.a - t.c, p - t.c), n);
    const double w = dot(cross(t.b - t.a, p - t.a), n), edge = 1e-9 * dot(n, n);
    if (std::min({std::fabs(u), std::fabs(v), std::fabs(w)}) < edge) continue;  // rounding decides
    const bool wanted = u > 0 && v > 0 && w > 0 && distance > 0;
    const auto hit = TriangleRay(origin, direction).hit(t, 100);
    ASSERT_EQ(hit.has_value(), wanted) << "ray " << k;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(*hit, distance, 1e-9) << "ray " << k;
    EXPECT_FALSE(TriangleRay(origin, direction).hit(t, 0.99 * distance).has_value()) << "beyond the end, ray " << k;
  }
  EXPECT_GT(hits, 200);
}

TEST(VolumeIntegral, ATetrahedronHasItsTextbookMass) {
  // Corners at 0, e_x, e_y, e_z: volume 1/6, centre 1/4 each, integral of x^2 = 1/60 and of x y = 1/120.
  VolumeIntegral sum({0.3, 0.1, 0.2});
  const Vec3 o{}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  for (const Triangle& t : {Triangle{o, y, x}, Triangle{o, x, z}, Triangle{o, z, y}, Triangle{x, y, z}}) sum.add(t);
  EXPECT_NEAR(sum.volume(), 1.0 / 6, 1e-15);
  const MassProperties mass = sum.properties(6);
  EXPECT_NEAR(mass.mass, 1, 1e-14);
  expect_near(mass.centre, {0.25, 0.25, 0.25}, 1e-14);
  // About the origin: 6 (1/60 + 1/60) on the diagonal, -6/120 beside it.
  const SymMat3 about_origin = shifted_inertia(mass.inertia, mass.mass, mass.centre);
  expect_near(about_origin, {0.2, 0.2, 0.2, -0.05, -0.05, -0.05}, 1e-14);
}

}  // namespace
}  // namespace cairn
