// SPDX-License-Identifier: MIT
// Triangle mesh: a surface, cleaned on construction, with neighbours and a kind for each edge and a tree over the
// triangles. The kinds let the narrow phase ignore inner edges, so that a body slides over a flat tessellation
// without catching.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/geometry/query.h"
#include "cairn/geometry/static_tree.h"
#include "cairn/geometry/triangle.h"

namespace cairn {

/// Edge k goes from vertex[k] to vertex[(k + 1) % 3]. Counter-clockwise seen from outside.
struct MeshTriangle {
  std::array<std::int32_t, 3> vertex{};
  std::array<std::int32_t, 3> neighbour{-1, -1, -1};  ///< triangle across each edge; -1 for a boundary
  std::array<EdgeKind, 3> edge{EdgeKind::boundary, EdgeKind::boundary, EdgeKind::boundary};
  Vec3 normal;              ///< unit
  std::int32_t patch = 0;   ///< lowest triangle of the plane piece of surface that it belongs to (flat_patches.h)
  std::int32_t source = 0;  ///< index of the triangle in the user's list
};

/// What the cleaning found.
struct MeshReport {
  std::int32_t degenerate = 0;        ///< dropped: a repeated corner or no area
  std::int32_t duplicate = 0;         ///< dropped: the same three corners again, in either winding
  std::int32_t welded_vertices = 0;   ///< had the same coordinates as an earlier vertex
  std::int32_t boundary_edges = 0;    ///< sides of triangles without exactly one neighbour
  std::int32_t opposed_windings = 0;  ///< sides whose neighbour faces the other way
  bool closed = false;                ///< every side has one neighbour of the same winding
};

/// Immutable after make_mesh.
struct MeshData {
  std::vector<Vec3> vertices;           ///< as given; welded ones are no longer referred to
  std::vector<MeshTriangle> triangles;  ///< those kept, in the order given
  std::vector<Vec3> vertex_normals;     ///< per vertex, derived: normals weighted by the angle at the vertex
  StaticTree tree;                      ///< over `triangles`, derived
  MeshReport report;
};

/// Ray feature: index into data->triangles.
struct TriangleMesh {
  std::shared_ptr<const MeshData> data;

  Triangle triangle(std::int32_t t) const {
    const auto& v = data->triangles[to_index(t)].vertex;
    const auto corner = [&](std::size_t k) { return data->vertices[to_index(v[k])]; };
    return {corner(0), corner(1), corner(2)};
  }
  /// Calls visit(triangle index) for every triangle whose own box overlaps `box`, in the order of the tree.
  template <class Visit>
  void for_each_overlapping(const Aabb& box, Visit&& visit) const {
    data->tree.for_each_overlapping(box, [&](std::int32_t t) {
      const Triangle corners = triangle(t);
      if (overlap(unite(unite(Aabb{corners.a, corners.a}, corners.b), corners.c), box)) visit(t);
    });
  }
};

/// Triangles name their corners by index into `vertices`. Bad triangles are dropped and counted in the report; an
/// index out of range, coordinates that are not finite or beyond 1e6 m, and a mesh with nothing left are refused.
/// With `strict` any triangle that would be dropped is refused by its number instead.
TriangleMesh make_mesh(std::span<const Vec3> vertices, std::span<const std::array<std::int32_t, 3>> triangles,
                       bool strict = false);

/// The rotated box of the mesh: not tight, but independent of the number of vertices.
Aabb bounds(const TriangleMesh& shape, const Pose& pose);
/// Of the enclosed volume; an open or inside-out mesh is refused.
MassProperties mass_properties(const TriangleMesh& shape, double density);
std::optional<RayHit> ray(const TriangleMesh& shape, const Vec3& origin, const Vec3& direction, double max_distance);
/// The sign is that of the side of the surface; for a closed mesh, negative inside (Baerentzen, Aanaes 2005).
ClosestPoint closest_point(const TriangleMesh& shape, const Vec3& point);

}  // namespace cairn
