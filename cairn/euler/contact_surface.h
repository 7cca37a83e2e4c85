// SPDX-License-Identifier: MIT
// The zero set of a function that is given at the corners of a cell, as triangles. The cell is cut into six tetrahedra
// along its main diagonal, and the function is taken to be linear in each. Neighbouring cells cut their common face in
// the same way.
#pragma once

#include <array>

#include "cairn/math/vec3.h"

namespace cairn {

/// Values at the corners of a cell, corner 4 i + 2 j + k at (i, j, k).
using CornerValues = std::array<double, 8>;

/// Trilinear shape functions at a point of the unit cell.
constexpr CornerValues shape_functions(const Vec3& p) {
  CornerValues w{};
  for (std::size_t n = 0; n < 8; ++n)
    w[n] = ((n & 4) != 0 ? p.x : 1 - p.x) * ((n & 2) != 0 ? p.y : 1 - p.y) * ((n & 1) != 0 ? p.z : 1 - p.z);
  return w;
}

/// The gradient in the middle of a cell of edge 1.
constexpr Vec3 middle_gradient(const CornerValues& f) {
  Vec3 g;
  for (std::size_t n = 0; n < 8; ++n)
    g += (0.25 * f[n]) * Vec3{(n & 4) != 0 ? 1.0 : -1.0, (n & 2) != 0 ? 1.0 : -1.0, (n & 1) != 0 ? 1.0 : -1.0};
  return g;
}

/// Calls triangle(a, b, c) with points of the unit cell for each piece of the zero set of `f`.
template <class Triangle>
void for_each_triangle(const CornerValues& f, Triangle&& triangle) {
  constexpr std::array<std::array<std::size_t, 4>, 6> kTetrahedra{
      {{0, 4, 6, 7}, {0, 4, 5, 7}, {0, 2, 6, 7}, {0, 2, 3, 7}, {0, 1, 5, 7}, {0, 1, 3, 7}}};
  const auto corner = [](std::size_t n) {
    return Vec3{(n & 4) != 0 ? 1.0 : 0.0, (n & 2) != 0 ? 1.0 : 0.0, (n & 1) != 0 ? 1.0 : 0.0};
  };
  const auto crossing = [&](std::size_t m, std::size_t n) {
    const double t = f[m] / (f[m] - f[n]);
    return corner(m) + t * (corner(n) - corner(m));
  };
  for (const auto& tetrahedron : kTetrahedra) {
    std::array<std::size_t, 4> in{}, out{};
    std::size_t ins = 0, outs = 0;
    for (const std::size_t n : tetrahedron) (f[n] < 0 ? in[ins++] : out[outs++]) = n;
    if (ins == 1) triangle(crossing(in[0], out[0]), crossing(in[0], out[1]), crossing(in[0], out[2]));
    if (ins == 3) triangle(crossing(in[0], out[0]), crossing(in[1], out[0]), crossing(in[2], out[0]));
    if (ins != 2) continue;
    const Vec3 p = crossing(in[0], out[0]), q = crossing(in[0], out[1]), r = crossing(in[1], out[1]),
               s = crossing(in[1], out[0]);
    triangle(p, q, r);
    triangle(p, r, s);
  }
}

}  // namespace cairn
