// SPDX-License-Identifier: MIT
// Convex hull as a shape: polygons, half-edges and planes, what separating axes and clipping need. make_hull in
// hull_builder.h computes it from points.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cairn/geometry/query.h"
#include "cairn/geometry/vector_lanes.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// One side of an edge. The half-edges of a face are consecutive and counter-clockwise seen from outside.
struct HalfEdge {
  std::int32_t vertex = 0;  ///< where it begins
  std::int32_t twin = 0;    ///< the other side: the same edge backwards
  std::int32_t next = 0;    ///< around the same face
  std::int32_t face = 0;
};

/// A polygon in the plane dot(normal, p) = offset.
struct HullFace {
  Vec3 normal;  ///< unit, outward
  double offset = 0;
  std::int32_t first_edge = 0, edge_count = 0;  ///< into HullData::edges
};

/// Immutable after make_hull.
struct HullData {
  std::vector<Vec3> vertices;
  std::vector<HalfEdge> edges;
  std::vector<HullFace> faces;
  double tolerance = 0;             ///< no point that was not left out stands higher over a face
  MassProperties unit;              ///< derived: at density 1
  Aabb box;                         ///< derived: bounds in the hull's own axes
  VectorLanes vertex_lanes;         ///< derived: the vertices
  VectorLanes normal_lanes;         ///< derived: the normals of the faces
  std::int64_t points_given = 0;    ///< including those inside
  std::int64_t points_outside = 0;  ///< left out because of the vertex limit
  double largest_left_out = 0;      ///< how high the farthest of those stands over a face that it sees
};

/// Ray feature: the face.
struct ConvexHull {
  std::shared_ptr<const HullData> data;
};

Aabb bounds(const ConvexHull& shape, const Pose& pose);
/// The vertex farthest along the direction, the lowest index among equals.
Vec3 support(const ConvexHull& shape, const Vec3& direction);
MassProperties mass_properties(const ConvexHull& shape, double density);
std::optional<RayHit> ray(const ConvexHull& shape, const Vec3& origin, const Vec3& direction, double max_distance);
ClosestPoint closest_point(const ConvexHull& shape, const Vec3& point);

}  // namespace cairn
