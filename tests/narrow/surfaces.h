// SPDX-License-Identifier: MIT
// Triangulated grounds for the tests of the narrow phase.
#pragma once

#include "tests/narrow/samples.h"

namespace cairn {

/// Quads of size `spacing` over [0, cells spacing]^2 with z = height(x, y), each cut along the diagonal (0, 0)-(1, 1).
template <class Height>
TriangleMesh grid_mesh(int cells, double spacing, Height&& height) {
  std::vector<Vec3> points;
  std::vector<Corners> triangles;
  for (int r = 0; r <= cells; ++r)
    for (int c = 0; c <= cells; ++c) points.push_back({c * spacing, r * spacing, height(c * spacing, r * spacing)});
  for (int r = 0; r < cells; ++r) {
    for (int c = 0; c < cells; ++c) {
      const std::int32_t p = r * (cells + 1) + c;
      triangles.push_back({p, p + 1, p + cells + 2});
      triangles.push_back({p, p + cells + 2, p + cells + 1});
    }
  }
  return make_mesh(points, triangles);
}

template <class Height>
HeightField grid_field(int cells, double spacing, Height&& height) {
  std::vector<double> heights;
  for (int r = 0; r <= cells; ++r)
    for (int c = 0; c <= cells; ++c) heights.push_back(height(c * spacing, r * spacing));
  return make_height_field(cells + 1, cells + 1, spacing, heights);
}

/// One of each convex shape, lying or standing so that its lowest point is 0.3 below its pose.
inline std::vector<std::pair<std::string, std::pair<Shape, Quat>>> sliders() {
  const Quat along_x = from_axis({0, 1, 0}, kHalfRoot, kHalfRoot);
  return {{"sphere", {make_sphere(0.3), {}}},
          {"box", {make_box({0.4, 0.35, 0.3}), {}}},
          {"turned box", {make_box({0.4, 0.35, 0.3}), normalised(Quat{0.9, 0, 0, 0.4})}},
          {"lying capsule", {make_capsule(0.3, 0.5), along_x}},
          {"standing capsule", {make_capsule(0.1, 0.2), {}}},
          {"hull", {make_hull(box_corners({0.4, 0.35, 0.3})), {}}},
          {"cylinder", {make_cylinder(0.35, 0.3), {}}},
          {"lying cylinder", {make_cylinder(0.3, 0.4), along_x}},
          {"cone", {make_cone(0.4, 1.2), {}}}};
}

}  // namespace cairn
