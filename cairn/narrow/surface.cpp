// SPDX-License-Identifier: MIT
#include "cairn/narrow/surface.h"

#include "cairn/core/index.h"
#include "cairn/geometry/flat_patches.h"

namespace cairn {

namespace {

/// How much a direction may miss the range of normals at an edge or a corner, as a sine.
constexpr double kBeyond = 1e-4;
/// Edges whose normals have a smaller dot product are sharp: behind them the other face must speak for itself.
constexpr double kSharp = 0.9;
/// More triangles than this around a corner are not looked at.
constexpr int kMostAround = 64;

std::size_t index(std::int32_t i) { return to_index(i); }

std::uint16_t short_name(std::int64_t vertex) { return static_cast<std::uint16_t>(vertex & 0x3fff); }

Vec3 normal_across(const TriangleMesh& surface, std::int32_t t, std::size_t k) {
  const MeshData& data = *surface.data;
  return data.triangles[index(data.triangles[index(t)].neighbour[k])].normal;
}

Vec3 normal_across(const HeightField& surface, std::int32_t t, std::size_t k) {
  return surface.normal(surface.neighbour(t, static_cast<int>(k)));
}

/// Whether no corner next to corner k of triangle t lies farther along m.
bool is_summit(const TriangleMesh& surface, std::int32_t t, std::size_t k, const Vec3& m) {
  const MeshData& data = *surface.data;
  const std::int32_t v = data.triangles[index(t)].vertex[k];
  const Vec3 p = data.vertices[index(v)];
  const auto higher = [&](std::int32_t w) {
    const Vec3 d = data.vertices[index(w)] - p;
    return dot(m, d) > kBeyond * norm(d);
  };
  // Around the corner from triangle to triangle: forwards until the fan closes or ends, then backwards from the start.
  for (const std::size_t way : {std::size_t{0}, std::size_t{2}}) {
    std::int32_t at = t;
    for (int step = 0; step < kMostAround; ++step) {
      const MeshTriangle& triangle = data.triangles[index(at)];
      const std::size_t j = triangle.vertex[0] == v ? 0 : triangle.vertex[1] == v ? 1 : 2;
      if (higher(triangle.vertex[(j + 1) % 3]) || higher(triangle.vertex[(j + 2) % 3])) return false;
      at = triangle.neighbour[(j + way) % 3];
      if (at == t) return true;
      if (at < 0) break;
    }
  }
  return true;
}

bool is_summit(const HeightField& surface, std::int32_t t, std::size_t k, const Vec3& m) {
  const std::int32_t columns = surface.data->columns, rows = surface.data->rows;
  const std::int32_t cell = t / 2;
  std::int32_t r = cell / (columns - 1), c = cell % (columns - 1);
  // Even triangles: (r, c), (r, c + 1), (r + 1, c + 1); odd ones: (r, c), (r + 1, c + 1), (r + 1, c).
  r += t % 2 == 0 ? (k == 2 ? 1 : 0) : (k > 0 ? 1 : 0);
  c += t % 2 == 0 ? (k > 0 ? 1 : 0) : (k == 1 ? 1 : 0);
  const Vec3 p = surface.grid_point(r, c);
  constexpr std::array<std::array<std::int32_t, 2>, 6> kAround{{{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}}};
  for (const auto& [dr, dc] : kAround) {
    if (r + dr < 0 || r + dr >= rows || c + dc < 0 || c + dc >= columns) continue;
    const Vec3 d = surface.grid_point(r + dr, c + dc) - p;
    if (dot(m, d) > kBeyond * norm(d)) return false;
  }
  return true;
}

template <class Surface>
bool is_sharp(const Surface& surface, const SurfaceTriangle& t, std::size_t k) {
  if (t.edge[k] == EdgeKind::boundary) return true;
  return t.edge[k] == EdgeKind::convex && dot(t.normal, normal_across(surface, t.index, k)) < kSharp;
}

template <class Surface>
SurfaceVerdict judge_edge(const Surface& surface, const SurfaceTriangle& t, std::size_t k, const Vec3& m) {
  const bool front = dot(m, t.normal) >= -kBeyond;
  if (t.edge[k] == EdgeKind::boundary) return front ? SurfaceVerdict::own : SurfaceVerdict::nothing;
  if (t.edge[k] == EdgeKind::convex) {
    // Into the neighbour, in its plane and away from the edge: across its normal and the edge, which runs backwards
    // there. The edge is farthest along m where that direction falls.
    const Vec3 edge = normalised(t.corner[(k + 1) % 3] - t.corner[k]);
    const Vec3 into = cross(edge, normal_across(surface, t.index, k));
    if (dot(m, into) <= kBeyond) return SurfaceVerdict::own;
  }
  return is_sharp(surface, t, k) ? SurfaceVerdict::nothing : SurfaceVerdict::face;
}

template <class Surface>
SurfaceVerdict judge_any(const Surface& surface, const SurfaceTriangle& t, TrianglePart part, const Vec3& m) {
  if (part == TrianglePart::face || dot(m, t.normal) > kSamePlane) return SurfaceVerdict::face;
  const auto k = to_index(part);
  if (k >= 3) return judge_edge(surface, t, k - 3, m);
  const std::size_t before = (k + 2) % 3;
  const bool inner = t.edge[k] == EdgeKind::flat && t.edge[before] == EdgeKind::flat;
  if (!inner && dot(m, t.normal) >= -kBeyond && is_summit(surface, t.index, k, m)) return SurfaceVerdict::own;
  return is_sharp(surface, t, k) || is_sharp(surface, t, before) ? SurfaceVerdict::nothing : SurfaceVerdict::face;
}

}  // namespace

SurfaceTriangle surface_triangle(const TriangleMesh& surface, std::int32_t t) {
  const MeshTriangle& triangle = surface.data->triangles[index(t)];
  SurfaceTriangle result;
  result.index = t;
  result.patch = triangle.patch;
  result.normal = triangle.normal;
  for (std::size_t k = 0; k < 3; ++k) {
    result.corner[k] = surface.data->vertices[index(triangle.vertex[k])];
    result.name[k] = short_name(triangle.vertex[k]);
  }
  return result;
}

SurfaceTriangle surface_triangle(const HeightField& surface, std::int32_t t) {
  const std::int64_t columns = surface.data->columns, cell = t / 2;
  const std::int64_t first = cell / (columns - 1) * columns + cell % (columns - 1), across = first + columns + 1;
  const Triangle corners = surface.triangle(t);
  SurfaceTriangle result;
  result.index = t;
  result.patch = surface.data->patches[index(t)];
  result.normal = normalised(area_vector(corners));
  result.corner = {corners.a, corners.b, corners.c};
  result.name = {short_name(first), short_name(t % 2 == 0 ? first + 1 : across),
                 short_name(t % 2 == 0 ? across : across - 1)};
  return result;
}

void add_edges(const TriangleMesh& surface, SurfaceTriangle& triangle) {
  triangle.edge = surface.data->triangles[index(triangle.index)].edge;
}

void add_edges(const HeightField& surface, SurfaceTriangle& triangle) {
  for (int k = 0; k < 3; ++k) triangle.edge[to_index(k)] = surface.edge(triangle.index, k);
}

ContactFeature as_feature(const SurfaceTriangle& triangle) {
  ContactFeature f;
  for (std::size_t k = 0; k < 3; ++k) {
    f.add(triangle.corner[k], triangle.name[k]);
    const bool flat = triangle.edge[k] == EdgeKind::flat, flat_before = triangle.edge[(k + 2) % 3] == EdgeKind::flat;
    if (flat) f.silent_side |= 1u << k;
    if (flat && flat_before) f.silent_corner |= 1u << k;
  }
  f.normal = triangle.normal;
  return f;
}

bool has_sharp_side(const TriangleMesh& surface, const SurfaceTriangle& triangle) {
  return is_sharp(surface, triangle, 0) || is_sharp(surface, triangle, 1) || is_sharp(surface, triangle, 2);
}

bool has_sharp_side(const HeightField& surface, const SurfaceTriangle& triangle) {
  return is_sharp(surface, triangle, 0) || is_sharp(surface, triangle, 1) || is_sharp(surface, triangle, 2);
}

SurfaceVerdict judge(const TriangleMesh& surface, const SurfaceTriangle& t, TrianglePart part, const Vec3& m) {
  return judge_any(surface, t, part, m);
}

SurfaceVerdict judge(const HeightField& surface, const SurfaceTriangle& t, TrianglePart part, const Vec3& m) {
  return judge_any(surface, t, part, m);
}

}  // namespace cairn
