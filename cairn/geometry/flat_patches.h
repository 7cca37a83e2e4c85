// SPDX-License-Identifier: MIT
// Plane pieces of a triangulated surface: triangles that flat edges join and whose normals agree. A body that slides
// over such a piece keeps one contact with it, whatever triangles it crosses.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/math/vec3.h"

namespace cairn {

/// The cosine of the largest angle between the normals of a patch and that of its first triangle: 1.4 milliradians.
inline constexpr double kSamePlane = 1 - 1e-6;

/// Per triangle the lowest triangle of its patch. `across(t, k)` is the neighbour over side k where the edge is flat,
/// else -1; `normal(t)` the unit normal.
template <class Across, class Normal>
std::vector<std::int32_t> flat_patches(std::int32_t count, Across&& across, Normal&& normal) {
  std::vector<std::int32_t> patch(to_index(count), -1), open;
  for (std::int32_t first = 0; first < count; ++first) {
    if (patch[to_index(first)] >= 0) continue;
    const Vec3 up = normal(first);
    patch[to_index(first)] = first;
    for (open.assign(1, first); !open.empty();) {
      const std::int32_t t = open.back();
      open.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t other = across(t, k);
        if (other < 0 || patch[to_index(other)] >= 0 || !(dot(up, normal(other)) > kSamePlane)) continue;
        patch[to_index(other)] = first;
        open.push_back(other);
      }
    }
  }
  return patch;
}

}  // namespace cairn
