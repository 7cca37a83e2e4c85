// SPDX-License-Identifier: MIT
// restore_hull: whether parts that came from outside are a hull. Whoever walks over one follows its indices unchecked.
#include <fmt/format.h>

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/geometry/triangle.h"

namespace cairn {

namespace {

std::size_t index(std::int32_t i) { return to_index(i); }

bool is_within(std::int32_t i, std::size_t count) { return i >= 0 && index(i) < count; }

void check_sizes(const HullData& data) {
  constexpr std::size_t kMostVertices = 4096;
  require(data.vertices.size() >= 4 && data.faces.size() >= 4, "the hull has fewer than 4 vertices or faces");
  require(data.vertices.size() <= kMostVertices, "the hull has more than 4096 vertices");
  require(data.vertices.size() + data.faces.size() == data.edges.size() / 2 + 2 && data.edges.size() % 2 == 0,
          "the numbers of vertices, edges and faces of the hull belong to no closed surface");
  Aabb box;
  for (const Vec3& v : data.vertices) {
    require(is_finite(v) && std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}) <= kLargestSize,
            "a vertex of the hull is not finite or beyond 1e6 m");
    box = unite(box, v);
  }
  const Vec3 size = box.upper - box.lower;
  checked_size(std::max({size.x, size.y, size.z}), "hull size");
}

/// Faces list their half-edges one after the other and all of them together.
void check_loops(const HullData& data) {
  std::int64_t first = 0;
  for (std::size_t f = 0; f < data.faces.size(); ++f) {
    const HullFace& face = data.faces[f];
    const std::int64_t end = first + face.edge_count;
    if (face.first_edge != first || face.edge_count < 3 || end > static_cast<std::int64_t>(data.edges.size()))
      fail_input(fmt::format("face {} of the hull does not have its own edges", f));
    for (std::int64_t e = first; e < end; ++e) {
      const HalfEdge& edge = data.edges[to_index(e)];
      if (index(edge.face) != f || edge.next != (e + 1 < end ? e + 1 : first))
        fail_input(fmt::format("edge {} of the hull is not where its face lists it", e));
    }
    first = end;
  }
  require(first == static_cast<std::int64_t>(data.edges.size()), "the hull has edges without a face");
}

/// Every half-edge has its vertex and its opposite, and every vertex an edge.
void check_links(const HullData& data) {
  std::vector<bool> used(data.vertices.size());
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    const HalfEdge& edge = data.edges[e];
    if (!is_within(edge.vertex, data.vertices.size()) || !is_within(edge.twin, data.edges.size()))
      fail_input(fmt::format("edge {} of the hull names a vertex or an edge that does not exist", e));
    used[index(edge.vertex)] = true;
  }
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    const HalfEdge &edge = data.edges[e], &twin = data.edges[index(edge.twin)];
    if (index(twin.twin) != e || twin.face == edge.face || twin.vertex != data.edges[index(edge.next)].vertex)
      fail_input(fmt::format("edge {} of the hull and the one it calls its other side do not belong together", e));
  }
  require(std::find(used.begin(), used.end(), false) == used.end(), "the hull has a vertex without an edge");
}

/// The sum of the triangles between the first corner and the sides: along the outward normal.
Vec3 area_of(const HullData& data, const HullFace& face) {
  const auto corner = [&](std::int32_t k) {
    return data.vertices[index(data.edges[index(face.first_edge + k)].vertex)];
  };
  Vec3 area;
  for (std::int32_t k = 1; k + 1 < face.edge_count; ++k) area += area_vector({corner(0), corner(k), corner(k + 1)});
  return area;
}

/// Planes face outwards, and no vertex stands higher over one than the tolerance says.
void check_convex(const HullData& data) {
  require(data.tolerance >= 0 && data.tolerance <= kLargestSize, "the tolerance of the hull is out of range");
  for (std::size_t f = 0; f < data.faces.size(); ++f) {
    const HullFace& face = data.faces[f];
    const double length2 = dot(face.normal, face.normal);
    const bool sliver = length2 == 0 && face.offset == 0;  // what the builder gives a face without area
    if (!sliver && (!(std::fabs(length2 - 1) <= 1e-9) || !std::isfinite(face.offset)))
      fail_input(fmt::format("the plane of face {} of the hull has no unit normal or no finite offset", f));
    if (!sliver && !(dot(face.normal, area_of(data, face)) > 0))
      fail_input(fmt::format("face {} of the hull is turned inwards", f));
    for (const Vec3& v : data.vertices)
      if (!(dot(face.normal, v) - face.offset <= data.tolerance))
        fail_input(fmt::format("the hull is not convex: a vertex stands over face {}", f));
  }
}

}  // namespace

ConvexHull restore_hull(HullData data) {
  check_sizes(data);
  check_loops(data);
  check_links(data);
  check_convex(data);
  require(data.points_given >= 0 && data.points_outside >= 0 && std::isfinite(data.largest_left_out),
          "the record of how the hull was built is out of range");
  derive_data(data);
  require(data.unit.mass > 0, "the hull has no volume");
  return {std::make_shared<HullData>(std::move(data))};
}

}  // namespace cairn
