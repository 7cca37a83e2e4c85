// SPDX-License-Identifier: MIT
// make_mesh: weld, drop, join neighbours, judge edges, find plane pieces, build the tree.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/geometry/flat_patches.h"
#include "cairn/geometry/mesh.h"

namespace cairn {

namespace {

using Corners = std::array<std::int32_t, 3>;

/// A triangle has no area when its height over the longest edge is below this fraction of that edge.
constexpr double kNoHeight = 1e-10;

std::size_t index(std::int32_t i) { return to_index(i); }

void check_vertices(std::span<const Vec3> vertices) {
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Vec3 p = vertices[v];
    const double reach = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
    if (is_finite(p) && reach <= kLargestSize) continue;
    fail_input(fmt::format("mesh vertex {} is ({}, {}, {}); coordinates must be finite and within {} m", v, p.x, p.y,
                           p.z, kLargestSize));
  }
}

/// Per vertex the first vertex with the same coordinates: files that list corners per triangle share none.
std::vector<std::int32_t> weld(std::span<const Vec3> vertices, MeshReport& report) {
  std::vector<std::int32_t> order(vertices.size()), first(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int32_t v) {
    const Vec3& p = vertices[index(v)];
    return std::tuple(p.x, p.y, p.z, v);
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && vertices[index(order[k])] == vertices[index(order[k - 1])];
    first[index(order[k])] = same ? first[index(order[k - 1])] : order[k];
    report.welded_vertices += same ? 1 : 0;
  }
  return first;
}

bool has_area(const Triangle& t) {
  const Vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
  const double longest2 = std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
  return norm(area_vector(t)) > kNoHeight * longest2 && longest2 > 0;
}

void drop(std::int32_t& counter, std::size_t triangle, const char* why, bool strict) {
  if (strict) fail_input(fmt::format("mesh triangle {} {}; remove it, or build without strict", triangle, why));
  ++counter;
}

/// Keeps the triangles with three different corners and an area.
void keep_sound(MeshData& data, std::span<const Corners> triangles, bool strict) {
  const std::vector<std::int32_t> first = weld(data.vertices, data.report);
  const auto count = static_cast<std::int64_t>(data.vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    MeshTriangle kept;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t v = triangles[t][k];
      if (v < 0 || v >= count)
        fail_input(fmt::format("mesh triangle {} names vertex {}; vertices are numbered 0 to {}", t, v, count - 1));
      kept.vertex[k] = first[index(v)];
    }
    const auto& v = kept.vertex;
    const Triangle corners{data.vertices[index(v[0])], data.vertices[index(v[1])], data.vertices[index(v[2])]};
    if (!has_area(corners)) {
      drop(data.report.degenerate, t, "has no area", strict);
      continue;
    }
    kept.normal = normalised(area_vector(corners));
    kept.source = static_cast<std::int32_t>(t);
    data.triangles.push_back(kept);
  }
}

/// Of triangles with the same three corners, whatever their winding, the first stays.
void drop_duplicates(MeshData& data, bool strict) {
  const auto key = [&](std::size_t t) {
    Corners sorted = data.triangles[t].vertex;
    std::sort(sorted.begin(), sorted.end());
    return std::pair(sorted, t);
  };
  std::vector<std::pair<Corners, std::size_t>> keys(data.triangles.size());
  for (std::size_t t = 0; t < keys.size(); ++t) keys[t] = key(t);
  std::sort(keys.begin(), keys.end());
  std::vector<bool> again(keys.size());
  for (std::size_t k = 1; k < keys.size(); ++k) again[keys[k].second] = keys[k].first == keys[k - 1].first;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < keys.size(); ++t) {
    if (again[t]) {
      drop(data.report.duplicate, index(data.triangles[t].source), "repeats an earlier one", strict);
      continue;
    }
    data.triangles[kept++] = data.triangles[t];
  }
  data.triangles.resize(kept);
}

/// One side of a triangle, for pairing.
struct Side {
  std::int32_t low, high;  ///< the vertices, lower index first
  std::int32_t triangle, edge;
  bool forward;  ///< from low to high

  friend auto operator<=>(const Side&, const Side&) = default;
};

EdgeKind judge(const MeshData& data, const Side& mine, const Side& theirs) {
  const auto corner = [&](const Side& side, std::int32_t k) {
    return data.vertices[index(data.triangles[index(side.triangle)].vertex[index(k)])];
  };
  const Triangle own{corner(mine, 0), corner(mine, 1), corner(mine, 2)};
  return edge_kind(own, data.triangles[index(mine.triangle)].normal, mine.edge, corner(theirs, (theirs.edge + 2) % 3));
}

void find_patches(MeshData& data) {
  const auto across = [&](std::int32_t t, std::size_t k) {
    const MeshTriangle& triangle = data.triangles[index(t)];
    return triangle.edge[k] == EdgeKind::flat ? triangle.neighbour[k] : -1;
  };
  const auto normal = [&](std::int32_t t) { return data.triangles[index(t)].normal; };
  const std::vector<std::int32_t> patch =
      flat_patches(static_cast<std::int32_t>(data.triangles.size()), across, normal);
  for (std::size_t t = 0; t < patch.size(); ++t) data.triangles[t].patch = patch[t];
}

void join_neighbours(MeshData& data) {
  std::vector<Side> sides;
  sides.reserve(3 * data.triangles.size());
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(data.triangles.size()); ++t) {
    const auto& v = data.triangles[index(t)].vertex;
    for (std::int32_t k = 0; k < 3; ++k) {
      const std::int32_t a = v[index(k)], b = v[index((k + 1) % 3)];
      sides.push_back({std::min(a, b), std::max(a, b), t, k, a < b});
    }
  }
  std::sort(sides.begin(), sides.end());
  const auto link = [&](const Side& mine, const Side& theirs) {
    MeshTriangle& triangle = data.triangles[index(mine.triangle)];
    triangle.neighbour[index(mine.edge)] = theirs.triangle;
    triangle.edge[index(mine.edge)] = judge(data, mine, theirs);
  };
  for (std::size_t begin = 0, end; begin < sides.size(); begin = end) {
    for (end = begin; end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high;)
      ++end;
    // Three or more triangles at one edge have no single neighbour: each keeps a boundary there.
    if (end - begin != 2) {
      data.report.boundary_edges += static_cast<std::int32_t>(end - begin);
      continue;
    }
    if (sides[begin].forward == sides[begin + 1].forward) data.report.opposed_windings += 2;
    link(sides[begin], sides[begin + 1]);
    link(sides[begin + 1], sides[begin]);
  }
  data.report.closed = data.report.boundary_edges == 0 && data.report.opposed_windings == 0;
}

/// The angle between two unit vectors from 2 atan(|a - b| / |a + b|), with the series of atan after three halvings of
/// the angle: elementary operations only, so that all machines agree. Error below 1e-12.
double angle_between(const Vec3& a, const Vec3& b) {
  double t = norm(a - b) / std::max(norm(a + b), 1e-300);
  double factor = 2;
  for (int halving = 0; halving < 3; ++halving) {
    t = t > 1e150 ? 1.0 : t / (1 + std::sqrt(1 + t * t));
    factor *= 2;
  }
  const double t2 = t * t;
  double series = 0;
  for (int n = 19; n >= 1; n -= 2) series = 1.0 / n - t2 * series;
  return factor * t * series;
}

void weigh_vertex_normals(MeshData& data) {
  data.vertex_normals.assign(data.vertices.size(), {});
  for (const MeshTriangle& t : data.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 p = data.vertices[index(t.vertex[k])];
      const Vec3 a = normalised(data.vertices[index(t.vertex[(k + 1) % 3])] - p);
      const Vec3 b = normalised(data.vertices[index(t.vertex[(k + 2) % 3])] - p);
      data.vertex_normals[index(t.vertex[k])] += angle_between(a, b) * t.normal;
    }
  }
}

}  // namespace

TriangleMesh make_mesh(std::span<const Vec3> vertices, std::span<const Corners> triangles, bool strict) {
  if (std::max(vertices.size(), triangles.size()) > 500'000'000)
    fail_input("the mesh has more than 500 million vertices or triangles; split it", ErrorKind::limit);
  check_vertices(vertices);
  auto data = std::make_shared<MeshData>();
  data->vertices.assign(vertices.begin(), vertices.end());
  keep_sound(*data, triangles, strict);
  drop_duplicates(*data, strict);
  if (data->triangles.empty()) {
    fail_input(fmt::format("the mesh has no usable triangle: {} given, {} without area, {} repeated", triangles.size(),
                           data->report.degenerate, data->report.duplicate));
  }
  join_neighbours(*data);
  find_patches(*data);
  weigh_vertex_normals(*data);
  std::vector<Aabb> boxes;
  boxes.reserve(data->triangles.size());
  for (const MeshTriangle& t : data->triangles) {
    Aabb box;
    for (const std::int32_t v : t.vertex) box = unite(box, data->vertices[index(v)]);
    boxes.push_back(box);
  }
  data->tree = StaticTree(boxes);
  return {std::move(data)};
}

}  // namespace cairn
