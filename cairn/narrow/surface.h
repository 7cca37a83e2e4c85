// SPDX-License-Identifier: MIT
// What the narrow phase asks of a surface, the same for meshes and height fields: a triangle with what lies across its
// sides, and whether a direction can be the normal of a contact there.
#pragma once

#include "cairn/geometry/height_field.h"
#include "cairn/geometry/mesh.h"
#include "cairn/narrow/contact_feature.h"

namespace cairn {

/// A triangle in the frame of its surface.
struct SurfaceTriangle {
  std::int32_t index = 0;
  std::int32_t patch = 0;               ///< the plane piece that it belongs to
  std::array<Vec3, 3> corner;           ///< side k goes from corner k to the next
  std::array<std::uint16_t, 3> name{};  ///< of the corners, the same for all triangles that share one
  Vec3 normal;                          ///< unit
  std::array<EdgeKind, 3> edge{EdgeKind::boundary, EdgeKind::boundary, EdgeKind::boundary};

  Triangle triangle() const { return {corner[0], corner[1], corner[2]}; }
};

/// Corners and normal only.
SurfaceTriangle surface_triangle(const TriangleMesh& surface, std::int32_t t);
SurfaceTriangle surface_triangle(const HeightField& surface, std::int32_t t);

/// Fills in the kinds of the edges.
void add_edges(const TriangleMesh& surface, SurfaceTriangle& triangle);
void add_edges(const HeightField& surface, SurfaceTriangle& triangle);

/// The triangle as a polygon. Flat sides, and corners between two of them, are no contacts: the surface goes on.
ContactFeature as_feature(const SurfaceTriangle& triangle);

/// Whether one of its sides is a border or a sharp ridge.
bool has_sharp_side(const TriangleMesh& surface, const SurfaceTriangle& triangle);
bool has_sharp_side(const HeightField& surface, const SurfaceTriangle& triangle);

/// Whether none of its sides is a border or a ridge: then only the face can touch.
inline bool is_hollow(const SurfaceTriangle& triangle) {
  return std::none_of(triangle.edge.begin(), triangle.edge.end(),
                      [](EdgeKind kind) { return kind == EdgeKind::convex || kind == EdgeKind::boundary; });
}

/// What a contact on part of a triangle, pushing along the unit direction m, is.
enum class SurfaceVerdict : std::uint8_t {
  own,      ///< m is between the normals of the faces that meet there
  face,     ///< m comes from an inner edge: the contact is one of the face
  nothing,  ///< beyond a sharp edge: the contact is one of the neighbour
};

SurfaceVerdict judge(const TriangleMesh& surface, const SurfaceTriangle& t, TrianglePart part, const Vec3& m);
SurfaceVerdict judge(const HeightField& surface, const SurfaceTriangle& t, TrianglePart part, const Vec3& m);

}  // namespace cairn
