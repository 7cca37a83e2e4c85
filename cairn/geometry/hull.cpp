// SPDX-License-Identifier: MIT
#include "cairn/geometry/hull.h"

#include <limits>

#include "cairn/core/index.h"
#include "cairn/geometry/triangle.h"

namespace cairn {

namespace {

const Vec3& corner(const HullData& data, const HullFace& face, std::int32_t k) {
  const HalfEdge& edge = data.edges[to_index(face.first_edge + k)];
  return data.vertices[to_index(edge.vertex)];
}

/// From outside: the nearest point lies on a face that sees the query point. Near the surface, faces that miss to see
/// it by no more than their own tolerance count, too.
ClosestPoint closest_from_outside(const HullData& data, const Vec3& point) {
  double best2 = std::numeric_limits<double>::infinity();
  ClosestPoint best;
  bool on_face = false;
  for (const HullFace& face : data.faces) {
    const double height = dot(face.normal, point) - face.offset;
    if (height < -data.tolerance || (height > 0 && height * height >= best2)) continue;
    for (std::int32_t k = 1; k + 1 < face.edge_count; ++k) {
      const Triangle fan{corner(data, face, 0), corner(data, face, k), corner(data, face, k + 1)};
      const TrianglePoint candidate = closest_on_triangle(point, fan);
      const Vec3 off = point - candidate.point;
      if (!(dot(off, off) < best2)) continue;
      best2 = dot(off, off);
      best = {candidate.point, face.normal, 0};
      on_face = candidate.part == TrianglePart::face;
    }
  }
  best.distance = std::sqrt(best2);
  // Over a face its own normal is exact; the difference is noise very near to it.
  if (!on_face && best.distance > 0) best.normal = (1.0 / best.distance) * (point - best.point);
  return best;
}

}  // namespace

Aabb bounds(const ConvexHull& shape, const Pose& pose) {
  const Aabb box = shape.data->vertex_lanes.bounds(to_matrix(pose.orientation));
  return {box.lower + pose.position, box.upper + pose.position};
}

Vec3 support(const ConvexHull& shape, const Vec3& direction) {
  return shape.data->vertices[shape.data->vertex_lanes.farthest(direction)];
}

MassProperties mass_properties(const ConvexHull& shape, double density) {
  check_density(density);
  const MassProperties& unit = shape.data->unit;
  const SymMat3& i = unit.inertia;
  return {density * unit.mass,
          unit.centre,
          {density * i.xx, density * i.yy, density * i.zz, density * i.xy, density * i.xz, density * i.yz}};
}

std::optional<RayHit> ray(const ConvexHull& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  // The intersection of half-spaces: the ray is inside from the last entry to the first exit.
  double enter = 0, leave = max_distance;
  std::int32_t entered = -1;
  for (std::size_t f = 0; f < shape.data->faces.size(); ++f) {
    const HullFace& face = shape.data->faces[f];
    const double height = dot(face.normal, origin) - face.offset, along = dot(face.normal, direction);
    if (along == 0) {
      if (height > 0) return std::nullopt;
      continue;
    }
    const double t = -height / along;
    if (along < 0 && t > enter) {
      enter = t;
      entered = static_cast<std::int32_t>(f);
    }
    if (along > 0) leave = std::min(leave, t);
    if (enter > leave) return std::nullopt;
  }
  if (entered < 0) return RayHit{0, -direction, 0};
  return RayHit{enter, shape.data->faces[to_index(entered)].normal, entered};
}

ClosestPoint closest_point(const ConvexHull& shape, const Vec3& point) {
  const HullFace* nearest = &shape.data->faces[0];  // also for a point that is not a number
  double highest = -std::numeric_limits<double>::infinity();
  for (const HullFace& face : shape.data->faces) {
    const double height = dot(face.normal, point) - face.offset;
    if (!(height > highest)) continue;
    highest = height;
    nearest = &face;
  }
  if (highest > 0) return closest_from_outside(*shape.data, point);
  return {point - highest * nearest->normal, nearest->normal, highest};
}

}  // namespace cairn
