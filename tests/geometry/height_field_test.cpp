// SPDX-License-Identifier: MIT
#include "cairn/geometry/height_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

HeightField random_field(Random& random, std::int32_t rows, std::int32_t columns, double spacing) {
  std::vector<double> heights;
  for (std::int32_t k = 0; k < rows * columns; ++k) heights.push_back(random.uniform(0, 1));
  return make_height_field(rows, columns, spacing, heights);
}

TEST(HeightField, LayoutOfPointsAndTriangles) {
  const HeightField field = make_height_field(2, 3, 0.5, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(field.triangle_count(), 4);
  EXPECT_EQ(field.grid_point(1, 2), (Vec3{1, 0.5, 5}));
  for (std::int32_t t = 0; t < 4; ++t) EXPECT_GT(area_vector(field.triangle(t)).z, 0);
  EXPECT_EQ(bounds(field, {{1, 1, 1}, {}}), (Aabb{{1, 1, 1}, {2, 1.5, 6}}));
}

TEST(HeightField, NeighboursEdgesAndPatchesEqualThoseOfAMesh) {
  // Two plane halves with a valley, a ridge and a rough corner: all kinds there are.
  Random random(40);
  std::vector<double> heights;
  std::vector<Vec3> points;
  std::vector<Corners> triangles;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 12; ++c)
      heights.push_back(r < 3 && c < 4 ? random.uniform(0, 1) : c < 7 ? 1 + 0.5 * c : 8 - 0.5 * c);
  const HeightField field = make_height_field(9, 12, 0.5, heights);
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 12; ++c) points.push_back(field.grid_point(r, c));
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 11; ++c) {
      const std::int32_t p = 12 * r + c;
      triangles.push_back({p, p + 1, p + 13});
      triangles.push_back({p, p + 13, p + 12});
    }
  }
  const TriangleMesh mesh = make_mesh(points, triangles);
  ASSERT_EQ(static_cast<std::int32_t>(mesh.data->triangles.size()), field.triangle_count());
  std::array<int, 4> kinds{};
  for (std::int32_t t = 0; t < field.triangle_count(); ++t) {
    const MeshTriangle& m = mesh.data->triangles[to_index(t)];
    EXPECT_EQ(field.data->patches[to_index(t)], m.patch);
    expect_near(field.normal(t), m.normal, 1e-15);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(field.neighbour(t, k), m.neighbour[to_index(k)]);
      EXPECT_EQ(field.edge(t, k), m.edge[to_index(k)]);
      ++kinds[to_index(field.edge(t, k))];
    }
  }
  for (const int count : kinds) EXPECT_GT(count, 4);
  // Behind the rough corner all of a slope is one patch.
  EXPECT_EQ(mesh.data->triangles.back().patch, mesh.data->triangles[mesh.data->triangles.size() - 8].patch);
}

TEST(HeightField, ARampIsAPlane) {
  // z = x + 2: at 45 degrees.
  const HeightField ramp = make_height_field(3, 3, 1, {2, 3, 4, 2, 3, 4, 2, 3, 4});
  const double s = std::sqrt(0.5);
  const auto hit = ray(ramp, {0.3, 0.8, 9}, {0, 0, -1}, kInf);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 6.7, 1e-12);
  expect_near(hit->normal, {-s, 0, s}, 1e-12);
  EXPECT_EQ(hit->feature, 1);
  const auto from_below = ray(ramp, {1.5, 0.2, -1}, {0, 0, 1}, kInf);
  ASSERT_TRUE(from_below);
  EXPECT_NEAR(from_below->distance, 4.5, 1e-12);
  expect_near(from_below->normal, {s, 0, -s}, 1e-12);
  EXPECT_FALSE(ray(ramp, {0.3, 0.8, 9}, {0, 0, -1}, 6.6));
  EXPECT_FALSE(ray(ramp, {2.1, 0.8, 9}, {0, 0, -1}, kInf));
  EXPECT_TRUE(ray(ramp, {-5, 1, 3}, {1, 0, 0}, kInf));
  const ClosestPoint above = closest_point(ramp, {0.5, 1, 3.5}), below = closest_point(ramp, {1.5, 1, 2.5});
  EXPECT_NEAR(above.distance, s, 1e-12);
  EXPECT_NEAR(below.distance, -s, 1e-12);
  expect_near(below.normal, {-s, 0, s}, 1e-12);
  expect_near(below.point, {1, 1, 3}, 1e-12);
  EXPECT_NEAR(closest_point(ramp, {5, 1, 4}).distance, 3, 1e-12);  // beside the grid
}

TEST(HeightField, QueriesEqualExhaustiveOnes) {
  Random random(41);
  for (int round = 0; round < 40; ++round) {
    const HeightField field = random_field(random, 9, 13, random.uniform(0.1, 0.7));
    for (int k = 0; k < 20; ++k) {
      const Vec3 p = random_point(random, 6);
      const Vec3 target{random.uniform(0, 8), random.uniform(0, 5), random.uniform(0, 1)};
      const Vec3 direction = k % 5 == 0 ? Vec3{0, k % 2 == 0 ? 1.0 : -1.0, 0} : normalised(target - p);
      const Aabb box = grown(Aabb{p, p}, random.uniform(0, 2));
      std::vector<std::int32_t> found, expected;
      field.for_each_overlapping(box, [&](std::int32_t t) { found.push_back(t); });
      const TriangleRay slow_ray(p, direction);
      double nearest = kInf, first = kInf;
      for (std::int32_t t = 0; t < field.triangle_count(); ++t) {
        const Triangle c = field.triangle(t);
        if (overlap(box, unite(unite(Aabb{c.a, c.a}, c.b), c.c))) expected.push_back(t);
        nearest = std::min(nearest, norm(p - closest_on_triangle(p, c).point));
        if (const auto hit = slow_ray.hit(c, kInf)) first = std::min(first, *hit);
      }
      EXPECT_EQ(found, expected);
      EXPECT_DOUBLE_EQ(std::fabs(closest_point(field, p).distance), nearest);
      const auto hit = ray(field, p, direction, kInf);
      EXPECT_EQ(hit ? hit->distance : kInf, first);
    }
  }
}

TEST(HeightField, AnswersLikeTheMeshOfItsTriangles) {
  Random random(42);
  const HeightField field = random_field(random, 6, 7, 0.5);
  std::vector<Vec3> vertices;
  std::vector<Corners> triangles;
  for (std::int32_t t = 0; t < field.triangle_count(); ++t) {
    const Triangle c = field.triangle(t);
    triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    vertices.insert(vertices.end(), {c.a, c.b, c.c});
  }
  const TriangleMesh mesh = make_mesh(vertices, triangles);
  for (int k = 0; k < 500; ++k) {
    const Vec3 p{random.uniform(0.5, 2.5), random.uniform(0.5, 2), random.uniform(-0.3, 1.3)};
    EXPECT_NEAR(closest_point(field, p).distance, closest_point(mesh, p).distance, 1e-12);
  }
}

TEST(HeightField, BadFieldsAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(has_words(refusal([] { make_height_field(1, 5, 1, std::vector<double>(5)); }), "1 rows and 5 columns"));
  EXPECT_TRUE(has_words(refusal([] { make_height_field(2, 3, 1, std::vector<double>(5)); }), "2 rows of 3 need 6"));
  EXPECT_TRUE(has_words(refusal([] { make_height_field(2, 2, 0, std::vector<double>(4)); }), "spacing"));
  EXPECT_TRUE(has_words(refusal([&] { make_height_field(2, 2, 1, {0, 0, nan, 0}); }), "row 1, column 0"));
  EXPECT_TRUE(has_words(refusal([] { make_height_field(40000, 40000, 1, {}); }), "split it"));
  const Shape field = make_height_field(2, 2, 1, {0, 0, 0, 0});
  EXPECT_TRUE(has_words(refusal([&] { mass_properties(field, 1); }), "without volume"));
}

}  // namespace
}  // namespace cairn
