// SPDX-License-Identifier: MIT
#include "cairn/euler/surface.h"

#include <array>

#include "cairn/core/index.h"
#include "cairn/euler/contact_surface.h"

namespace cairn {

namespace {

using View = BlockView<1>;

constexpr std::array<std::array<std::size_t, 2>, 12> kEdges{
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

Vec3 corner_at(std::size_t n) { return {(n & 4) != 0 ? 1.0 : 0.0, (n & 2) != 0 ? 1.0 : 0.0, (n & 1) != 0 ? 1.0 : 0.0}; }

/// The speed at a point of the unit cell, from the corners that have a velocity.
double speed_at(const GridSolid& solid, const std::array<std::int32_t, 8>& nodes, const Vec3& p) {
  const CornerValues w = shape_functions(p);
  Vec3 sum;
  double weight = 0;
  for (std::size_t n = 0; n < 8; ++n) {
    if (!solid.has(nodes[n], kHasVelocity)) continue;
    sum += w[n] * solid.velocity[to_index(nodes[n])];
    weight += w[n];
  }
  return weight > 0 ? norm(sum) / weight : 0;
}

/// Adds the vertex of a cell and returns its number, or -1 where the surface does not cross the cell or is not known.
std::int32_t add_vertex(const GridSolid& solid, const GridIndex& cell, const std::array<std::int32_t, 8>& nodes,
                        SolidSurface& surface) {
  CornerValues f;
  for (std::size_t n = 0; n < 8; ++n) {
    if (!solid.has(nodes[n], kHasMap)) return -1;
    f[n] = solid.distance[to_index(nodes[n])];
  }
  Vec3 sum;
  int cuts = 0;
  for (const auto& [m, n] : kEdges) {
    if ((f[m] < 0) == (f[n] < 0)) continue;
    const double t = f[m] / (f[m] - f[n]);
    sum += corner_at(m) + t * (corner_at(n) - corner_at(m));
    ++cuts;
  }
  if (cuts == 0) return -1;
  const Vec3 p = (1.0 / cuts) * sum;
  surface.vertices.push_back(solid.grid.position(cell) + solid.grid.spacing * p);
  surface.speed.push_back(speed_at(solid, nodes, p));
  return static_cast<std::int32_t>(surface.vertices.size()) - 1;
}

/// Adds the square around the edge that goes from a node along an axis. Its corners are the vertices of the four cells
/// that share the edge.
void add_square(const std::array<std::int32_t, 4>& v, bool leaves, SolidSurface& surface) {
  for (const std::int32_t vertex : v)
    if (vertex < 0) return;
  if (leaves) {
    surface.triangles.push_back({v[0], v[1], v[2]});
    surface.triangles.push_back({v[0], v[2], v[3]});
  } else {
    surface.triangles.push_back({v[0], v[2], v[1]});
    surface.triangles.push_back({v[0], v[3], v[2]});
  }
}

template <class Visit>
void for_each_place(const GridSolid& solid, Visit&& visit) {
  View view;
  for (std::int32_t block = 0; block < solid.blocks.block_count(); ++block) {
    solid.blocks.fill(block, view);
    for (int x = 0; x < kBlockSide; ++x)
      for (int y = 0; y < kBlockSide; ++y)
        for (int z = 0; z < kBlockSide; ++z) visit(view, GridIndex{x, y, z});
  }
}

}  // namespace

SolidSurface find_surface(const GridSolid& solid) {
  SolidSurface surface;
  std::vector<std::int32_t> vertex_of(solid.flags.size(), -1);  // per node: of the cell that begins there
  for_each_place(solid, [&](const View& view, const GridIndex& at) {
    std::array<std::int32_t, 8> nodes;
    for (int n = 0; n < 8; ++n) nodes[to_index(n)] = view.at(at.x + (n >> 2), at.y + (n >> 1 & 1), at.z + (n & 1));
    const GridIndex cell = solid.blocks.node_index(nodes[0]);
    vertex_of[to_index(nodes[0])] = add_vertex(solid, cell, nodes, surface);
  });
  const auto vertex_at = [&](const View& view, int x, int y, int z) {
    const std::int32_t node = view.at(x, y, z);
    return node < 0 ? -1 : vertex_of[to_index(node)];
  };
  constexpr int kAxes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for_each_place(solid, [&](const View& view, const GridIndex& at) {
    const std::int32_t node = view.at(at.x, at.y, at.z);
    if (!solid.has(node, kHasMap)) return;
    for (int axis = 0; axis < 3; ++axis) {
      const int* d = kAxes[axis];
      const std::int32_t next = view.at(at.x + d[0], at.y + d[1], at.z + d[2]);
      if (!solid.has(next, kHasMap)) continue;
      const bool is_inside = solid.distance[to_index(node)] < 0;
      if (is_inside == (solid.distance[to_index(next)] < 0)) continue;
      const int *u = kAxes[(axis + 1) % 3], *v = kAxes[(axis + 2) % 3];
      const auto cell = [&](int i, int j) {
        return vertex_at(view, at.x - i * u[0] - j * v[0], at.y - i * u[1] - j * v[1], at.z - i * u[2] - j * v[2]);
      };
      add_square({cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)}, is_inside, surface);
    }
  });
  return surface;
}

}  // namespace cairn
