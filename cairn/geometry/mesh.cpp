// SPDX-License-Identifier: MIT
// The questions asked of a finished mesh; mesh_builder.cpp makes it.
#include "cairn/geometry/mesh.h"

#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

const MeshTriangle& at(const MeshData& data, std::int32_t t) { return data.triangles[to_index(t)]; }

/// The normal that decides on which side of the surface a point is whose nearest point lies on `part` of triangle t.
Vec3 side_normal(const MeshData& data, std::int32_t t, TrianglePart part) {
  const MeshTriangle& triangle = at(data, t);
  const auto k = to_index(part);
  if (k < 3) return data.vertex_normals[to_index(triangle.vertex[k])];
  if (part == TrianglePart::face || triangle.neighbour[k - 3] < 0) return triangle.normal;
  return triangle.normal + at(data, triangle.neighbour[k - 3]).normal;
}

}  // namespace

Aabb bounds(const TriangleMesh& shape, const Pose& pose) {
  const Aabb local = shape.data->tree.box();
  const Vec3 half = 0.5 * (local.upper - local.lower), middle = transform(pose, centre(local));
  const Mat3 r = to_matrix(pose.orientation);
  const auto reach = [&](const Vec3& row) {
    return std::fabs(row.x) * half.x + std::fabs(row.y) * half.y + std::fabs(row.z) * half.z;
  };
  const Vec3 turned{reach(r.row0), reach(r.row1), reach(r.row2)};
  return {middle - turned, middle + turned};
}

MassProperties mass_properties(const TriangleMesh& shape, double density) {
  check_density(density);
  require(shape.data->report.closed,
          "the mesh is not closed, so it has no volume; close it, make its body static, or give mass and inertia");
  VolumeIntegral integral(centre(shape.data->tree.box()));
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(shape.data->triangles.size()); ++t)
    integral.add(shape.triangle(t));
  require(integral.volume() > 0, "the triangles of the mesh face inwards; swap two corners of each triangle");
  return integral.properties(density);
}

std::optional<RayHit> ray(const TriangleMesh& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  const BoxRay box_ray(origin, direction);
  const TriangleRay triangle_ray(origin, direction);
  std::optional<RayHit> best;
  double reach = max_distance;
  const auto try_triangle = [&](std::int32_t t) {
    const auto distance = triangle_ray.hit(shape.triangle(t), reach);
    if (!distance || (best && *distance == best->distance && t > best->feature)) return;
    best = RayHit{*distance, at(*shape.data, t).normal, t};
    reach = *distance;
  };
  shape.data->tree.walk([&](const TreeNode& node) { return box_ray.meets(node.box, reach); }, try_triangle);
  if (best && dot(best->normal, direction) > 0) best->normal = -best->normal;
  return best;
}

ClosestPoint closest_point(const TriangleMesh& shape, const Vec3& point) {
  double best2 = std::numeric_limits<double>::infinity();
  std::int32_t best = -1;
  TrianglePoint nearest;
  const auto try_triangle = [&](std::int32_t t) {
    const TrianglePoint candidate = closest_on_triangle(point, shape.triangle(t));
    const Vec3 off = point - candidate.point;
    const double d2 = dot(off, off);
    if (!(d2 < best2 || (d2 == best2 && t < best))) return;
    best2 = d2;
    best = t;
    nearest = candidate;
  };
  shape.data->tree.walk([&](const TreeNode& node) { return distance2(node.box, point) <= best2; }, try_triangle);
  const Vec3 side = side_normal(*shape.data, best, nearest.part);
  const Vec3 off = point - nearest.point;
  const double distance = norm(off);
  const double sign = dot(off, side) < 0 ? -1 : 1;
  // Over a face its own normal is exact; the difference is noise very near to it.
  if (nearest.part == TrianglePart::face || !(distance > 0))
    return {nearest.point, at(*shape.data, best).normal, sign * distance};
  return {nearest.point, (sign / distance) * off, sign * distance};
}

}  // namespace cairn
