// SPDX-License-Identifier: MIT
// make_hull: checks, the grid, the rank of the set, then the two halves (hull_triangles, hull_faces).
#include "cairn/geometry/hull_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/geometry/hull_faces.h"
#include "cairn/geometry/hull_triangles.h"
#include "cairn/geometry/triangle.h"

namespace cairn {

namespace {

void check_input(std::span<const Vec3> points, const HullSettings& settings) {
  if (settings.vertex_limit < 4 || settings.vertex_limit > 4096)
    fail_input(fmt::format("the vertex limit of the hull is {}; give 4 to 4096", settings.vertex_limit));
  if (!(settings.tolerance >= 1e-9 && settings.tolerance <= 1e-2))
    fail_input(fmt::format("the tolerance of the hull is {}; give 1e-9 to 1e-2 of its size", settings.tolerance));
  if (points.size() < 4) fail_input(fmt::format("the hull has {} points; a volume needs at least 4", points.size()));
  if (points.size() > 500'000'000) fail_input("the hull has more than 500 million points; thin them", ErrorKind::limit);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3 p = points[k];
    if (is_finite(p) && std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)}) <= kLargestSize) continue;
    fail_input(fmt::format("hull point {} is ({}, {}, {}); coordinates must be finite and within {} m", k, p.x, p.y,
                           p.z, kLargestSize));
  }
}

/// The points as integers of a grid centred on their box.
std::vector<Vec3> snapped(std::span<const Vec3> points, const Aabb& box, double half) {
  const Vec3 middle = centre(box);
  const auto snap = [&](double x) { return std::floor(std::clamp(x / half, -1.0, 1.0) * kGridHalf + 0.5); };
  std::vector<Vec3> grid;
  grid.reserve(points.size());
  for (const Vec3& p : points) grid.push_back({snap(p.x - middle.x), snap(p.y - middle.y), snap(p.z - middle.z)});
  return grid;
}

/// The point with the largest measure, the lowest index among equals.
template <class Measure>
std::pair<double, std::int32_t> farthest(std::span<const Vec3> grid, Measure&& measure) {
  std::pair<double, std::int32_t> best{-1, 0};
  for (std::size_t k = 0; k < grid.size(); ++k)
    if (const double d = measure(grid[k]); d > best.first) best = {d, static_cast<std::int32_t>(k)};
  return best;
}

[[noreturn]] void fail_flat(std::size_t count, const char* where, int rank) {
  fail_input(fmt::format("all {} points of the hull lie {} (rank {}); add points that span a volume, or use a mesh",
                         count, where, rank));
}

/// Four points that span a volume: far apart, far from their line, far from their plane. Thinner than four
/// tolerances is flat, so that opposite faces are never taken for one.
std::array<std::int32_t, 4> find_simplex(std::span<const Vec3> grid, double tolerance) {
  const Vec3 start = grid[0];
  const auto a = farthest(grid, [&](const Vec3& p) { return norm(p - start); });
  const Vec3 pa = grid[to_index(a.second)];
  const auto b = farthest(grid, [&](const Vec3& p) { return norm(p - pa); });
  const Vec3 along = normalised(grid[to_index(b.second)] - pa);
  const auto c = farthest(grid, [&](const Vec3& p) { return norm(cross(along, p - pa)); });
  if (c.first <= 4 * tolerance) fail_flat(grid.size(), "on a line", 1);
  const Vec3 off = grid[to_index(c.second)] - pa;
  const Vec3 normal = normalised(cross(along, off - dot(off, along) * along));
  const auto d = farthest(grid, [&](const Vec3& p) { return std::fabs(dot(normal, p - pa)); });
  if (d.first <= 4 * tolerance) fail_flat(grid.size(), "in a plane", 2);
  return {a.second, b.second, c.second, d.second};
}

/// How far the corners of the triangles, merged or not, stand out of the planes at most.
double worst_corner(const HullData& data, std::span<const HullTriangle> triangles, std::span<const Vec3> points) {
  double worst = 0;
  for (const HullFace& face : data.faces)
    for (const HullTriangle& t : triangles)
      for (const std::int32_t v : t.vertex)
        worst = std::max(worst, dot(face.normal, points[to_index(v)]) - face.offset);
  return worst;
}

/// The hull at one tolerance (grid units), or nothing when its polygons do not close or lose a corner.
std::optional<HullData> build(std::span<const Vec3> points, std::span<const Vec3> grid, double tolerance, double unit,
                              std::int32_t vertex_limit) {
  TriangleHull hull(grid, find_simplex(grid, tolerance), tolerance);
  hull.grow(vertex_limit);
  const std::vector<HullTriangle> triangles = hull.triangles();
  // Where the surface bends by just the tolerance polygons may fail to close: then merge a little more.
  for (const double merge : {tolerance, 3 * tolerance, 9 * tolerance}) {
    auto data = merge_faces(triangles, points, grid, merge);
    if (!data || worst_corner(*data, triangles, points) > 4 * merge * unit) continue;
    derive_data(*data);
    if (!(data->unit.mass > 0)) continue;
    data->tolerance = 4 * merge * unit;
    data->points_given = static_cast<std::int64_t>(points.size());
    data->points_outside = hull.outside_count();
    data->largest_left_out = hull.outside_distance() * unit;
    return data;
  }
  return std::nullopt;
}

}  // namespace

void derive_data(HullData& data) {
  VolumeIntegral integral(data.vertices[0]);
  const auto corner = [&](std::int32_t e) { return data.vertices[to_index(data.edges[to_index(e)].vertex)]; };
  for (const HullFace& face : data.faces)
    for (std::int32_t k = 1; k + 1 < face.edge_count; ++k)
      integral.add({corner(face.first_edge), corner(face.first_edge + k), corner(face.first_edge + k + 1)});
  data.unit = integral.properties(1);
  for (const Vec3& v : data.vertices) data.box = unite(data.box, v);
  data.vertex_lanes.assign(data.vertices);
  std::vector<Vec3> normals;
  for (const HullFace& face : data.faces) normals.push_back(face.normal);
  data.normal_lanes.assign(normals);
}

ConvexHull make_hull(std::span<const Vec3> points, const HullSettings& settings) {
  check_input(points, settings);
  Aabb box;
  for (const Vec3& p : points) box = unite(box, p);
  const Vec3 size = box.upper - box.lower;
  const double half = 0.5 * std::max({size.x, size.y, size.z});
  if (half == 0) fail_flat(points.size(), "at one place", 0);
  checked_size(2 * half, "hull size");
  const std::vector<Vec3> grid = snapped(points, box, half);
  const double tolerance = settings.tolerance * 2 * kGridHalf;
  // A set hardly thicker than the tolerance may need a finer one to keep its rim.
  for (const double finer : {1.0, 0.1, 0.01}) {
    auto data = build(points, grid, finer * tolerance, half / kGridHalf, settings.vertex_limit);
    if (data) return {std::make_shared<HullData>(std::move(*data))};
  }
  fail_input(
      "the faces of the hull do not close: the set is nearly flat; thicken it or change HullSettings::tolerance");
}

}  // namespace cairn
