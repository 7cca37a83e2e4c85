// SPDX-License-Identifier: MIT
#include "cairn/geometry/mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cairn/core/index.h"
#include "tests/geometry/samples.h"

namespace cairn {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// A surface z = height(x, y) over n x n cells of unit size, facing up.
template <class Height>
TriangleMesh make_terrain(int n, Height&& height) {
  std::vector<Vec3> vertices;
  std::vector<Corners> triangles;
  for (int r = 0; r <= n; ++r)
    for (int c = 0; c <= n; ++c) vertices.push_back({double(c), double(r), height(c, r)});
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      const int v = r * (n + 1) + c;
      triangles.push_back({v, v + 1, v + n + 2});
      triangles.push_back({v, v + n + 2, v + n + 1});
    }
  }
  return make_mesh(vertices, triangles);
}

int count_edges(const TriangleMesh& mesh, EdgeKind kind) {
  int count = 0;
  for (const MeshTriangle& t : mesh.data->triangles)
    count += static_cast<int>(std::count(t.edge.begin(), t.edge.end(), kind));
  return count;
}

/// Triangles with random corners near random places.
TriangleMesh random_soup(Random& random, int count) {
  std::vector<Vec3> vertices;
  std::vector<Corners> triangles;
  for (int t = 0; t < count; ++t) {
    const Vec3 at = random_point(random, 5);
    for (int k = 0; k < 3; ++k) vertices.push_back(at + random_point(random));
    triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return make_mesh(vertices, triangles);
}

TEST(Mesh, ClosedBoxHasTheMassOfABox) {
  const Vec3 half{1, 2, 3};
  const TriangleMesh mesh = make_mesh(box_corners(half), box_triangles());
  EXPECT_TRUE(mesh.data->report.closed);
  EXPECT_EQ(count_edges(mesh, EdgeKind::convex), 24);
  EXPECT_EQ(count_edges(mesh, EdgeKind::flat), 12);  // the diagonals, from both sides
  expect_near(mass_properties(mesh, 2), mass_properties(make_box(half), 2), 1e-14);
  EXPECT_EQ(bounds(mesh, {}), bounds(make_box(half), {}));
}

TEST(Mesh, ClosedBoxAnswersLikeABox) {
  const Box box = make_box({1, 2, 3});
  const TriangleMesh mesh = make_mesh(box_corners(box.half), box_triangles());
  Random random(31);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 p = random_point(random, 5), direction = random_direction(random);
    EXPECT_NEAR(closest_point(mesh, p).distance, closest_point(box, p).distance, 1e-12);
    const auto expected = ray(box, p, direction, 8), hit = ray(mesh, p, direction, 8);
    if (expected && expected->distance == 0) continue;  // from inside: the mesh is a surface
    ASSERT_EQ(hit.has_value(), expected.has_value());
    if (!hit) continue;
    EXPECT_NEAR(hit->distance, expected->distance, 1e-12);
    expect_near(hit->normal, expected->normal, 1e-12);
  }
}

TEST(Mesh, RaysNeverSlipThroughEdgesAndVertices) {
  const TriangleMesh mesh = make_terrain(8, [](int c, int r) { return 0.1 * ((c * 7 + r * 3) % 5); });
  for (int r = 1; r < 32; ++r)
    for (int c = 1; c < 32; ++c) EXPECT_TRUE(ray(mesh, {c / 4.0, r / 4.0, 5}, {0, 0, -1}, kInf));
  Random random(32);
  for (int k = 0; k < 2000; ++k) {  // aimed at vertices from anywhere above
    const MeshTriangle& t = mesh.data->triangles[random.below(mesh.data->triangles.size())];
    const Vec3 target = mesh.data->vertices[to_index(t.vertex[random.below(3)])];
    if (target.x < 1 || target.x > 7 || target.y < 1 || target.y > 7) continue;
    const Vec3 origin{random.uniform(0, 8), random.uniform(0, 8), 4};
    EXPECT_TRUE(ray(mesh, origin, normalised(target - origin), kInf));
  }
}

TEST(Mesh, EdgesOfAFlatTessellationAreFlat) {
  const TriangleMesh flat = make_terrain(5, [](int, int) { return 0.25; });
  EXPECT_EQ(count_edges(flat, EdgeKind::boundary), 20);
  EXPECT_EQ(count_edges(flat, EdgeKind::flat), 3 * 50 - 20);
  const TriangleMesh ramp = make_terrain(5, [](int c, int r) { return 0.3 * c - 0.7 * r; });
  EXPECT_EQ(count_edges(ramp, EdgeKind::flat), 3 * 50 - 20);
}

TEST(Mesh, RidgesAreConvexAndValleysConcave) {
  const TriangleMesh ridge = make_terrain(2, [](int c, int) { return c == 1 ? 1.0 : 0.0; });
  EXPECT_EQ(count_edges(ridge, EdgeKind::convex), 4);
  EXPECT_EQ(count_edges(ridge, EdgeKind::concave), 0);
  const TriangleMesh valley = make_terrain(2, [](int c, int) { return c == 1 ? -1.0 : 0.0; });
  EXPECT_EQ(count_edges(valley, EdgeKind::concave), 4);
  EXPECT_EQ(count_edges(valley, EdgeKind::convex), 0);
}

TEST(Mesh, OpposedWindingsAreStillFlatNeighbours) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const TriangleMesh mesh = make_mesh(square, std::vector<Corners>{{0, 1, 2}, {0, 3, 2}});
  EXPECT_EQ(mesh.data->report.opposed_windings, 2);
  EXPECT_EQ(count_edges(mesh, EdgeKind::flat), 2);
  EXPECT_FALSE(mesh.data->report.closed);
}

TEST(Mesh, ThreeTrianglesAtOneEdgeAreNobodysNeighbours) {
  const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
  const TriangleMesh mesh = make_mesh(vertices, std::vector<Corners>{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
  EXPECT_EQ(count_edges(mesh, EdgeKind::boundary), 9);
  EXPECT_EQ(mesh.data->report.boundary_edges, 9);
  EXPECT_FALSE(mesh.data->report.closed);
}

TEST(StaticTree, ManyItemsAtOnePlace) {
  const std::vector<Aabb> boxes(5000, Aabb{{0, 0, 0}, {1, 1, 1}});
  const StaticTree tree(boxes);
  int count = 0;
  tree.for_each_overlapping({{1, 1, 1}, {2, 2, 2}}, [&](std::int32_t) { ++count; });
  EXPECT_EQ(count, 5000);
  tree.for_each_overlapping({{1.1, 1, 1}, {2, 2, 2}}, [&](std::int32_t) { ++count; });
  EXPECT_EQ(count, 5000);
  StaticTree().for_each_overlapping({{0, 0, 0}, {1, 1, 1}}, [&](std::int32_t) { ++count; });
  EXPECT_EQ(count, 5000);
}

TEST(StaticTree, RaysInTheFaceOfABoxMeetIt) {
  const Aabb unit{{0, 0, 0}, {1, 1, 1}};
  EXPECT_TRUE(BoxRay({-1, 0, 1}, {1, 0, 0}).meets(unit, kInf));  // along an edge
  EXPECT_TRUE(BoxRay({0.5, 0.5, 0.5}, {0, 0, -1}).meets(unit, 0.1));
  EXPECT_FALSE(BoxRay({-1, 0, 1.001}, {1, 0, 0}).meets(unit, kInf));
  EXPECT_FALSE(BoxRay({-1, 0.5, 0.5}, {1, 0, 0}).meets(unit, 0.9));
  EXPECT_FALSE(BoxRay({-1, 0.5, 0.5}, {-1, 0, 0}).meets(unit, kInf));
}

TEST(Mesh, BadTrianglesAreDroppedAndCounted) {
  auto vertices = box_corners({1, 1, 1});
  const auto sound = vertices;
  vertices.push_back(vertices[0]);  // 8: welded to 0
  vertices.push_back({0, 0, 0});    // 9 to 11 on a line
  vertices.push_back({1, 1, 1.5});
  vertices.push_back({2, 2, 3});
  auto triangles = box_triangles();
  triangles.insert(triangles.begin(), {3, 3, 5});  // repeated index
  triangles.push_back({9, 10, 11});                // no area
  triangles.push_back({0, 8, 3});                  // no area after welding
  triangles.push_back({2, 1, 0});                  // the first triangle again
  triangles.push_back({1, 2, 8});                  // and the other way round
  const TriangleMesh mesh = make_mesh(vertices, triangles);
  EXPECT_EQ(mesh.data->triangles.size(), 12u);
  EXPECT_EQ(mesh.data->report.degenerate, 3);
  EXPECT_EQ(mesh.data->report.duplicate, 2);
  EXPECT_EQ(mesh.data->report.welded_vertices, 1);
  EXPECT_EQ(mesh.data->triangles[0].source, 1);
  EXPECT_TRUE(mesh.data->report.closed);
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(vertices, triangles, true); }), "mesh triangle 0 has no area"));
  auto again = box_triangles();
  again.push_back({1, 2, 0});
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(sound, again, true); }), "mesh triangle 12 repeats"));
}

TEST(Mesh, SeparateCornersAreWelded) {
  const auto corners = box_corners({1, 1, 1});
  std::vector<Vec3> vertices;
  std::vector<Corners> triangles;
  for (const Corners& t : box_triangles()) {
    const auto first = static_cast<std::int32_t>(vertices.size());
    for (const std::int32_t v : t) vertices.push_back(corners[to_index(v)]);
    triangles.push_back({first, first + 1, first + 2});
  }
  const TriangleMesh mesh = make_mesh(vertices, triangles);
  EXPECT_EQ(mesh.data->report.welded_vertices, 36 - 8);
  EXPECT_TRUE(mesh.data->report.closed);
  EXPECT_NEAR(mass_properties(mesh, 1).mass, 8, 1e-14);
}

TEST(Mesh, UnusableMeshesAreRefused) {
  const auto vertices = box_corners({1, 1, 1});
  auto triangles = box_triangles();
  triangles[4][1] = 8;
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(vertices, triangles); }), "mesh triangle 4 names vertex 8"));
  triangles[4][1] = -1;
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(vertices, triangles); }), "mesh triangle 4 names vertex -1"));
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(vertices, {}); }), "no usable triangle: 0 given"));
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(vertices, std::vector<Corners>{{1, 1, 2}}); }), "1 without area"));
  auto broken = vertices;
  broken[3].z = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(has_words(refusal([&] { make_mesh(broken, box_triangles()); }), "mesh vertex 3"));
  // Open, then inside out.
  triangles = box_triangles();
  triangles.pop_back();
  EXPECT_TRUE(has_words(refusal([&] { mass_properties(make_mesh(vertices, triangles), 1); }), "not closed"));
  triangles = box_triangles();
  for (Corners& t : triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(has_words(refusal([&] { mass_properties(make_mesh(vertices, triangles), 1); }), "inwards"));
}

TEST(Mesh, TreeQueriesEqualExhaustiveOnes) {
  Random random(33);
  const TriangleMesh mesh = random_soup(random, 500);
  const auto count = static_cast<std::int32_t>(mesh.data->triangles.size());
  for (int round = 0; round < 200; ++round) {
    const Vec3 p = random_point(random, 6), direction = random_direction(random);
    const Aabb box = grown(Aabb{p, p}, random.uniform(0, 2));
    std::vector<std::int32_t> found, expected;
    mesh.for_each_overlapping(box, [&](std::int32_t t) { found.push_back(t); });
    const TriangleRay slow_ray(p, direction);
    double nearest = kInf, first = kInf;
    for (std::int32_t t = 0; t < count; ++t) {
      const Triangle corners = mesh.triangle(t);
      if (overlap(box, unite(unite(Aabb{corners.a, corners.a}, corners.b), corners.c))) expected.push_back(t);
      nearest = std::min(nearest, norm(p - closest_on_triangle(p, corners).point));
      if (const auto hit = slow_ray.hit(corners, kInf)) first = std::min(first, *hit);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    EXPECT_DOUBLE_EQ(std::fabs(closest_point(mesh, p).distance), nearest);
    const auto hit = ray(mesh, p, direction, kInf);
    EXPECT_EQ(hit ? hit->distance : kInf, first);
  }
}

TEST(Mesh, ClosestOnTriangleAgreesWithSamples) {
  Random random(34);
  for (int round = 0; round < 300; ++round) {
    const Triangle t{random_point(random), random_point(random), random_point(random)};
    const Vec3 p = random_point(random, 2);
    const double found = norm(p - closest_on_triangle(p, t).point);
    double nearest = kInf;
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; i + j <= 60; ++j) {
        const Vec3 q = t.a + (i / 60.0) * (t.b - t.a) + (j / 60.0) * (t.c - t.a);
        nearest = std::min(nearest, norm(p - q));
      }
    EXPECT_LE(found, nearest + 1e-12);
    EXPECT_GE(found, nearest - 0.06);
  }
}

TEST(Mesh, SignIsRightAtSharpAndSaddleVertices) {
  // A star: a ball with long spikes. Inside is where a ray to infinity crosses the surface an odd number of times.
  const ConvexHull ball = [] {
    Random random(35);
    std::vector<Vec3> points;
    for (int k = 0; k < 60; ++k) points.push_back(random_direction(random));
    return make_hull(points);
  }();
  std::vector<Vec3> vertices = ball.data->vertices;
  std::vector<Corners> triangles;
  for (std::size_t v = 0; v < vertices.size(); v += 2) vertices[v] = 0.3 * vertices[v];
  for (const HullFace& face : ball.data->faces) {
    const auto corner = [&](std::int32_t k) { return ball.data->edges[to_index(face.first_edge + k)].vertex; };
    triangles.push_back({corner(0), corner(1), corner(2)});
  }
  const TriangleMesh star = make_mesh(vertices, triangles);
  ASSERT_TRUE(star.data->report.closed);
  Random random(36);
  for (int k = 0; k < 3000; ++k) {
    const Vec3 p = random_point(random), direction = random_direction(random);
    const TriangleRay line(p, direction);
    int crossings = 0;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(triangles.size()); ++t)
      crossings += line.hit(star.triangle(t), kInf) ? 1 : 0;
    EXPECT_EQ(closest_point(star, p).distance < 0, crossings % 2 == 1);
  }
}

}  // namespace
}  // namespace cairn
