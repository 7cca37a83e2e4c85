// SPDX-License-Identifier: MIT
#include "cairn/geometry/hull_faces.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cairn/core/index.h"

namespace cairn {

namespace {

std::size_t index(std::int32_t i) { return to_index(i); }

/// Height over the longest edge: slivers, whose normal means nothing, have none.
double least_height(const HullTriangle& t, std::span<const Vec3> grid) {
  double longest = 0;
  for (std::size_t k = 0; k < 3; ++k)
    longest = std::max(longest, norm(grid[index(t.vertex[k])] - grid[index(t.vertex[(k + 1) % 3])]));
  return 2 * t.area / longest;
}

/// Per triangle its polygon. Polygons grow from the largest triangles, in whose plane all members lie; the plane does
/// not drift with the members.
std::vector<std::int32_t> group(std::span<const HullTriangle> triangles, std::span<const Vec3> grid, double tolerance) {
  std::vector<std::int32_t> order(triangles.size()), face(triangles.size(), -1), stack;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(-triangles[index(a)].area, a) < std::pair(-triangles[index(b)].area, b);
  });
  std::int32_t count = 0;
  for (const std::int32_t seed : order) {
    if (face[index(seed)] >= 0) continue;
    const HullTriangle& plane = triangles[index(seed)];
    const auto belongs = [&](const HullTriangle& t) {
      for (const std::int32_t v : t.vertex)
        if (std::fabs(dot(plane.normal, grid[index(v)] - grid[index(plane.vertex[0])])) > tolerance) return false;
      return dot(plane.normal, t.normal) > 0 || least_height(t, grid) <= tolerance;
    };
    face[index(seed)] = count;
    stack.assign(1, seed);
    while (!stack.empty()) {
      const std::int32_t at = stack.back();
      stack.pop_back();
      for (const std::int32_t next : triangles[index(at)].neighbour) {
        if (face[index(next)] >= 0 || !belongs(triangles[index(next)])) continue;
        face[index(next)] = count;
        stack.push_back(next);
      }
    }
    ++count;
  }
  return face;
}

/// Sorted (vertex, face) pairs without repeats: a vertex of fewer than three polygons is no corner.
std::vector<std::int32_t> count_faces(std::span<const HullTriangle> triangles, std::span<const std::int32_t> face,
                                      std::size_t points) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const std::int32_t v : triangles[t].vertex) pairs.emplace_back(v, face[t]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<std::int32_t> count(points, 0);
  for (const auto& [v, f] : pairs) ++count[index(v)];
  return count;
}

/// A side of a polygon before corners are chosen.
struct Side {
  std::int32_t face, from, to;
  friend auto operator<=>(const Side&, const Side&) = default;
};

/// Walks around one polygon and keeps its corners; empty when its sides are not one loop of at least three corners.
std::vector<std::int32_t> corners_of(std::span<const Side> sides, std::span<const std::int32_t> face_count) {
  std::vector<std::int32_t> corners;
  std::size_t at = 0, steps = 0;
  do {
    if (face_count[index(sides[at].from)] >= 3) corners.push_back(sides[at].from);
    const auto next = std::lower_bound(sides.begin(), sides.end(), Side{sides[at].face, sides[at].to, -1});
    if (next == sides.end() || next->from != sides[at].to) return {};
    at = to_index(next - sides.begin());
  } while (at != 0 && ++steps < sides.size());
  if (at != 0 || steps + 1 != sides.size() || corners.size() < 3) return {};
  return corners;
}

/// Unit normal from the polygon's area vector, offset from the mean of its corners.
void fit_plane(HullFace& face, const HullData& data) {
  const auto corner = [&](std::int32_t k) {
    return data.vertices[index(data.edges[index(face.first_edge + k)].vertex)];
  };
  const Vec3 origin = corner(0);
  Vec3 area, sum;
  for (std::int32_t k = 0; k < face.edge_count; ++k) {
    const Vec3 a = corner(k) - origin, b = corner((k + 1) % face.edge_count) - origin;
    area += cross(a, b);
    sum += a;
  }
  const double length = norm(area);
  face.normal = length > 0 ? (1.0 / length) * area : Vec3{};
  face.offset = dot(face.normal, origin) + dot(face.normal, sum) / face.edge_count;
}

/// Each edge must run once in each direction.
bool join_twins(std::vector<HalfEdge>& edges) {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> keys;  // from, to, half-edge
  const auto end_of = [&](const HalfEdge& e) { return edges[index(e.next)].vertex; };
  for (std::size_t e = 0; e < edges.size(); ++e)
    keys.emplace_back(edges[e].vertex, end_of(edges[e]), static_cast<std::int32_t>(e));
  std::sort(keys.begin(), keys.end());
  for (HalfEdge& edge : edges) {
    const auto twin = std::lower_bound(keys.begin(), keys.end(), std::tuple(end_of(edge), edge.vertex, -1));
    if (twin == keys.end() || std::get<0>(*twin) != end_of(edge) || std::get<1>(*twin) != edge.vertex) return false;
    edge.twin = std::get<2>(*twin);
  }
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (index(edges[index(edges[e].twin)].twin) != e) return false;
  return true;
}

/// Replaces point numbers by consecutive vertex numbers, in the order of the points.
void renumber(HullData& data, std::span<const Vec3> points) {
  std::vector<std::int32_t> used;
  for (const HalfEdge& edge : data.edges) used.push_back(edge.vertex);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const std::int32_t p : used) data.vertices.push_back(points[index(p)]);
  for (HalfEdge& edge : data.edges)
    edge.vertex = static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), edge.vertex) - used.begin());
}

}  // namespace

std::optional<HullData> merge_faces(std::span<const HullTriangle> triangles, std::span<const Vec3> points,
                                    std::span<const Vec3> grid, double tolerance) {
  const std::vector<std::int32_t> face = group(triangles, grid, tolerance);
  const std::vector<std::int32_t> face_count = count_faces(triangles, face, points.size());
  std::vector<Side> sides;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (face[index(triangles[t].neighbour[k])] != face[t])
        sides.push_back({face[t], triangles[t].vertex[k], triangles[t].vertex[(k + 1) % 3]});
    }
  }
  std::sort(sides.begin(), sides.end());
  HullData data;
  for (std::size_t begin = 0, end; begin < sides.size(); begin = end) {
    for (end = begin; end < sides.size() && sides[end].face == sides[begin].face;) ++end;
    const auto corners = corners_of(std::span(sides).subspan(begin, end - begin), face_count);
    if (corners.empty()) return std::nullopt;
    const auto first = static_cast<std::int32_t>(data.edges.size()), count = static_cast<std::int32_t>(corners.size());
    const auto f = static_cast<std::int32_t>(data.faces.size());
    for (std::int32_t k = 0; k < count; ++k) data.edges.push_back({corners[index(k)], -1, first + (k + 1) % count, f});
    data.faces.push_back({{}, 0, first, count});
  }
  if (data.faces.size() < 4 || !join_twins(data.edges)) return std::nullopt;
  renumber(data, points);
  if (data.vertices.size() + data.faces.size() != data.edges.size() / 2 + 2) return std::nullopt;  // Euler
  for (HullFace& f : data.faces) fit_plane(f, data);
  return data;
}

}  // namespace cairn
