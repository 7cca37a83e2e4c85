// SPDX-License-Identifier: MIT
// Shapes as triangles, for pictures and for files of other programs. Nothing that moves depends on it, so sines and
// cosines come from the C library.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/geometry/shape.h"

namespace cairn {

/// Counter-clockwise seen from outside.
struct Tessellation {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
};

struct TessellationSettings {
  int segments = 24;         ///< around a circle, 3 to 1024
  double half_space = 50.0;  ///< m, half of the side of the square that stands for a half-space
};

/// In the shape's own frame.
Tessellation tessellate(const Shape& shape, const TessellationSettings& settings = {});

/// Appends `part`, placed by `pose`.
void append(Tessellation& whole, const Tessellation& part, const Pose& pose);

}  // namespace cairn
