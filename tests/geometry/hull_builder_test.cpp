// SPDX-License-Identifier: MIT
#include "cairn/geometry/hull_builder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "cairn/core/index.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

/// Planes of all triples that have every point on one side: the faces of the hull, the slow way. Points must be in
/// general position.
std::vector<Vec3> brute_force_normals(const std::vector<Vec3>& points) {
  std::vector<Vec3> normals;
  for (std::size_t a = 0; a < points.size(); ++a)
    for (std::size_t b = a + 1; b < points.size(); ++b)
      for (std::size_t c = b + 1; c < points.size(); ++c) {
        const Vec3 n = normalised(cross(points[b] - points[a], points[c] - points[a]));
        bool above = false, below = false;
        for (std::size_t d = 0; d < points.size(); ++d) {
          if (d == a || d == b || d == c) continue;
          (dot(n, points[d] - points[a]) > 0 ? above : below) = true;
        }
        if (!above || !below) normals.push_back(above ? -n : n);
      }
  return normals;
}

double farthest_outside(const HullData& hull, const std::vector<Vec3>& points) {
  double worst = -std::numeric_limits<double>::infinity();
  for (const HullFace& face : hull.faces)
    for (const Vec3& p : points) worst = std::max(worst, dot(face.normal, p) - face.offset);
  return worst;
}

/// Half-edges, faces and vertices fit together, edges bend outwards, Euler's formula holds.
void expect_sound(const HullData& hull) {
  EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() / 2 + 2);
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const HullFace& face = hull.faces[f];
    EXPECT_NEAR(norm(face.normal), 1, 1e-12);
    EXPECT_GE(face.edge_count, 3);
    for (std::int32_t k = 0; k < face.edge_count; ++k) {
      const auto e = to_index(face.first_edge + k);
      const HalfEdge& edge = hull.edges[e];
      const HalfEdge& twin = hull.edges[to_index(edge.twin)];
      EXPECT_EQ(edge.face, static_cast<std::int32_t>(f));
      EXPECT_EQ(edge.next, face.first_edge + (k + 1) % face.edge_count);
      EXPECT_EQ(to_index(twin.twin), e);
      EXPECT_EQ(twin.vertex, hull.edges[to_index(edge.next)].vertex);
      EXPECT_NE(twin.face, edge.face);
    }
  }
  EXPECT_LE(farthest_outside(hull, hull.vertices), hull.tolerance);
}

TEST(HullBuilder, EightCornersAreABoxOfSixQuadrilaterals) {
  const Vec3 half{1, 2, 3};
  const ConvexHull hull = make_hull(box_corners(half));
  ASSERT_EQ(hull.data->faces.size(), 6u);
  EXPECT_EQ(hull.data->vertices, box_corners(half));
  EXPECT_EQ(hull.data->edges.size(), 24u);
  for (const HullFace& face : hull.data->faces) EXPECT_EQ(face.edge_count, 4);
  expect_sound(*hull.data);
  expect_near(mass_properties(hull, 2), mass_properties(make_box(half), 2), 1e-14);
}

TEST(HullBuilder, TetrahedronHasTheTextbookMass) {
  // Corners at the origin and at unit distance on the axes: V = 1/6, centre 1/4, int x^2 = V/10, int x y = V/20.
  const ConvexHull hull = make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  EXPECT_EQ(hull.data->faces.size(), 4u);
  const double v = 1.0 / 6, own = 2 * v * (1.0 / 10 - 1.0 / 16), product = -v * (1.0 / 20 - 1.0 / 16);
  expect_near(mass_properties(hull, 1), {v, {0.25, 0.25, 0.25}, {own, own, own, product, product, product}}, 1e-14);
}

TEST(HullBuilder, TurnedGridOfABoxIsStillABox) {
  // 11^3 points, duplicated, rotated: hundreds of points coplanar and collinear up to rounding.
  Random random(21);
  for (int round = 0; round < 20; ++round) {
    const Pose pose = random_pose(random);
    std::vector<Vec3> points;
    for (int k = 0; k < 2 * 11 * 11 * 11; ++k) {
      const int at = k % (11 * 11 * 11);
      points.push_back(transform(pose, 0.2 * Vec3{at % 11 - 5.0, at / 11 % 11 - 5.0, at / 121 - 5.0}));
      if (round % 2 == 1) points.back() += 1e-8 * random_point(random);  // as after single precision
    }
    const ConvexHull hull = make_hull(points);
    EXPECT_EQ(hull.data->vertices.size(), 8u);
    EXPECT_EQ(hull.data->faces.size(), 6u);
    expect_sound(*hull.data);
    EXPECT_NEAR(hull.data->unit.mass, 8, 1e-5);
    EXPECT_LE(farthest_outside(*hull.data, points), 1e-5);
    EXPECT_EQ(hull.data->points_outside, 0);
  }
}

TEST(HullBuilder, EqualsTheBruteForceHull) {
  Random random(22);
  for (int round = 0; round < 60; ++round) {
    const auto points = random_points(random, 4 + round % 20);
    const ConvexHull hull = make_hull(points, {.tolerance = 1e-9});
    const auto normals = brute_force_normals(points);
    EXPECT_EQ(hull.data->faces.size(), normals.size());
    for (const HullFace& face : hull.data->faces) {
      const bool found =
          std::any_of(normals.begin(), normals.end(), [&](const Vec3& n) { return norm(n - face.normal) < 1e-7; });
      EXPECT_TRUE(found);
    }
    expect_sound(*hull.data);
  }
}

RC_GTEST_PROP(HullBuilder, ContainsAllPointsOfAnySet, ()) {
  // Small integer coordinates: ties, duplicates, coplanar and collinear runs everywhere.
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::uint64_t count = 4 + random.below(60), steps = 2 + random.below(8);
  std::vector<Vec3> points;
  for (std::uint64_t k = 0; k < count; ++k) {
    const double x = static_cast<double>(random.below(steps)), y = static_cast<double>(random.below(steps));
    points.push_back({x, y, static_cast<double>(random.below(steps))});
  }
  ConvexHull hull;
  const std::string why = refusal([&] { hull = make_hull(points); });
  if (!why.empty()) {
    RC_ASSERT(has_words(why, "rank"));
    return;
  }
  RC_ASSERT(farthest_outside(*hull.data, points) <= 1e-9);
  RC_ASSERT(hull.data->vertices.size() + hull.data->faces.size() == hull.data->edges.size() / 2 + 2);
  // Coplanar triangles are one face: no normal comes twice.
  for (const HullFace& face : hull.data->faces)
    for (const HullFace& other : hull.data->faces)
      RC_ASSERT(&face == &other || norm(face.normal - other.normal) > 1e-9);
}

TEST(HullBuilder, SurvivesNoiseAroundTheTolerance) {
  Random random(23);
  for (int round = 0; round < 200; ++round) {
    double noise = 1e-9;
    for (int k = 0; k < round % 7; ++k) noise *= 10;
    std::vector<Vec3> points;
    for (int k = 0; k < 300; ++k) {
      Vec3 p = random_point(random);
      (k % 3 == 0 ? p.x : k % 3 == 1 ? p.y : p.z) = k % 2 == 0 ? 1 : -1;
      points.push_back(p + noise * random_point(random));
    }
    const ConvexHull hull = make_hull(points);
    expect_sound(*hull.data);
    EXPECT_LE(farthest_outside(*hull.data, points), hull.data->tolerance + 2 * hull.data->largest_left_out);
  }
}

TEST(HullBuilder, NearlyFlatSetsEitherWorkOrAreRefused) {
  Random random(24);
  for (double thickness = 1e-9; thickness < 1; thickness *= 3) {
    auto points = random_points(random, 500);
    for (Vec3& p : points) p.z *= thickness;
    ConvexHull hull;
    const std::string why = refusal([&] { hull = make_hull(points); });
    if (thickness > 1e-5) {
      EXPECT_EQ(why, "");
    } else if (thickness < 1e-6) {
      EXPECT_TRUE(has_words(why, "rank 2"));
    }
    if (why.empty()) expect_sound(*hull.data);
  }
}

TEST(HullBuilder, VertexLimitLeavesOutTheLeast) {
  Random random(25);
  std::vector<Vec3> points;
  for (int k = 0; k < 5000; ++k) points.push_back(random_direction(random));
  const ConvexHull hull = make_hull(points), coarse = make_hull(points, {.vertex_limit = 32});
  EXPECT_EQ(hull.data->vertices.size(), 255u);
  EXPECT_EQ(coarse.data->vertices.size(), 32u);
  EXPECT_LT(hull.data->largest_left_out, 0.05);  // a sphere of 255 points has facets 0.02 deep
  EXPECT_GT(hull.data->points_outside, 0);
  EXPECT_LE(farthest_outside(*hull.data, points), 2 * hull.data->largest_left_out + 1e-5);
  EXPECT_GT(hull.data->unit.mass, 0.95 * 4 * kPi / 3);
  expect_sound(*hull.data);
  expect_sound(*coarse.data);
}

TEST(HullBuilder, AMillionPoints) {
  Random random(26);
  const auto points = random_points(random, 1000000);
  const ConvexHull hull = make_hull(points);
  EXPECT_LE(hull.data->vertices.size(), 255u);
  EXPECT_EQ(hull.data->points_given, 1000000);
  EXPECT_GT(hull.data->unit.mass, 7.8);
  EXPECT_LE(farthest_outside(*hull.data, points), 2 * hull.data->largest_left_out + 1e-5);
}

TEST(HullBuilder, DegenerateSetsAreRefusedWithTheirRank) {
  Random random(27);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> points(10, Vec3{1, 2, 3});
  EXPECT_TRUE(has_words(refusal([&] { make_hull(points); }), "at one place (rank 0)"));
  for (Vec3& p : points) p = random.uniform() * Vec3{1, 2, 3};
  EXPECT_TRUE(has_words(refusal([&] { make_hull(points); }), "on a line (rank 1)"));
  points.assign(30000, {});
  for (Vec3& p : points) p = random.uniform() * Vec3{1, 2, 3} + random.uniform() * Vec3{-1, 0, 1};
  EXPECT_TRUE(has_words(refusal([&] { make_hull(points); }), "all 30000 points of the hull lie in a plane (rank 2)"));
  EXPECT_TRUE(has_words(refusal([&] { make_hull(std::vector<Vec3>(3)); }), "at least 4"));
  EXPECT_TRUE(has_words(refusal([&] { make_hull({}); }), "0 points"));
  points = box_corners({1, 1, 1});
  points[5].y = nan;
  EXPECT_TRUE(has_words(refusal([&] { make_hull(points); }), "hull point 5"));
  EXPECT_TRUE(has_words(refusal([] { make_hull(box_corners({1e-9, 1e-9, 1e-9})); }), "hull size"));
  EXPECT_TRUE(has_words(refusal([] { make_hull(box_corners({1, 1, 1}), {.vertex_limit = 3}); }), "vertex limit"));
  EXPECT_TRUE(has_words(refusal([&] { make_hull(box_corners({1, 1, 1}), {.tolerance = nan}); }), "tolerance"));
}

TEST(HullBuilder, SameBitsWhateverTheOrderOfDuplicates) {
  Random random(28);
  const auto points = random_points(random, 200);
  auto doubled = points;
  doubled.insert(doubled.end(), points.rbegin(), points.rend());
  EXPECT_EQ(make_hull(points).data->vertices, make_hull(doubled).data->vertices);
}

}  // namespace
}  // namespace cairn
