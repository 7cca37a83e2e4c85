// SPDX-License-Identifier: MIT
// Height field: terrain as a regular grid of heights, two triangles per cell.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/geometry/query.h"
#include "cairn/geometry/triangle.h"
#include "cairn/math/aabb.h"

namespace cairn {

/// Immutable after make_height_field.
struct HeightFieldData {
  std::int32_t rows = 0, columns = 0;  ///< of grid points, along y and x
  double spacing = 1;                  ///< between grid points
  std::vector<double> heights;         ///< rows x columns, row by row
  Aabb box;                            ///< derived
  std::vector<std::int32_t> patches;   ///< per triangle, derived: lowest triangle of its plane piece (flat_patches.h)
};

/// Grid point (row r, column c) is at (c spacing, r spacing, height). Cell (r, c) is cut along the diagonal from its
/// point (r, c) to (r + 1, c + 1) into triangle 2 (r (columns - 1) + c), on the side of x, and the next one, on the
/// side of y; both face up. Ray feature: the triangle.
struct HeightField {
  std::shared_ptr<const HeightFieldData> data;

  std::int32_t triangle_count() const { return 2 * (data->rows - 1) * (data->columns - 1); }
  Vec3 grid_point(std::int32_t row, std::int32_t column) const;
  Triangle triangle(std::int32_t t) const;
  /// Unit, upwards.
  Vec3 normal(std::int32_t t) const { return normalised(area_vector(triangle(t))); }
  /// The triangle across side k; -1 at the border.
  std::int32_t neighbour(std::int32_t t, int k) const;
  EdgeKind edge(std::int32_t t, int k) const;

  /// Calls visit(triangle index) for every triangle whose own box overlaps `box`, in ascending order.
  template <class Visit>
  void for_each_overlapping(const Aabb& box, Visit&& visit) const;
};

HeightField make_height_field(std::int32_t rows, std::int32_t columns, double spacing, std::vector<double> heights);

/// The rotated box of the field.
Aabb bounds(const HeightField& shape, const Pose& pose);
/// Refused: a surface has no volume.
MassProperties mass_properties(const HeightField& shape, double density);
std::optional<RayHit> ray(const HeightField& shape, const Vec3& origin, const Vec3& direction, double max_distance);
/// Negative below the surface; beside the grid every point is outside.
ClosestPoint closest_point(const HeightField& shape, const Vec3& point);

/// The cells whose extent meets [lower, upper] along one axis of `cells` cells: first to last, empty when first > last.
/// One cell more on each side covers the rounding of the division.
struct CellRange {
  std::int32_t first = 0, last = -1;
};
inline CellRange cells_between(double lower, double upper, double spacing, std::int32_t cells) {
  const double limit = cells;
  if (!(upper >= 0 && lower <= limit * spacing)) return {};
  const auto cell = [&](double x) { return static_cast<std::int32_t>(std::clamp(x / spacing, 0.0, limit)); };
  return {std::max(0, cell(lower) - 1), std::min(cells - 1, cell(upper) + 1)};
}

inline Vec3 HeightField::grid_point(std::int32_t row, std::int32_t column) const {
  const std::size_t at = to_index(row) * to_index(data->columns);
  return {column * data->spacing, row * data->spacing, data->heights[at + to_index(column)]};
}

inline Triangle HeightField::triangle(std::int32_t t) const {
  const std::int32_t cell = t / 2, r = cell / (data->columns - 1), c = cell % (data->columns - 1);
  if (t % 2 == 0) return {grid_point(r, c), grid_point(r, c + 1), grid_point(r + 1, c + 1)};
  return {grid_point(r, c), grid_point(r + 1, c + 1), grid_point(r + 1, c)};
}

template <class Visit>
void HeightField::for_each_overlapping(const Aabb& box, Visit&& visit) const {
  const CellRange rows = cells_between(box.lower.y, box.upper.y, data->spacing, data->rows - 1);
  const CellRange columns = cells_between(box.lower.x, box.upper.x, data->spacing, data->columns - 1);
  for (std::int32_t r = rows.first; r <= rows.last; ++r) {
    for (std::int32_t c = columns.first; c <= columns.last; ++c) {
      const std::int32_t first = 2 * (r * (data->columns - 1) + c);
      for (const std::int32_t t : {first, first + 1}) {
        const Triangle corners = triangle(t);
        if (overlap(unite(unite(Aabb{corners.a, corners.a}, corners.b), corners.c), box)) visit(t);
      }
    }
  }
}

}  // namespace cairn
