// SPDX-License-Identifier: MIT
#include "cairn/geometry/height_field.h"

#include <fmt/format.h>

#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/geometry/flat_patches.h"

namespace cairn {

namespace {

/// Width (x) and depth (y) of the grid.
double width(const HeightFieldData& data) { return data.spacing * (data.columns - 1); }
double depth(const HeightFieldData& data) { return data.spacing * (data.rows - 1); }

/// True when the point is below the surface; false beside the grid.
bool is_below(const HeightField& shape, const Vec3& p) {
  const HeightFieldData& data = *shape.data;
  if (!(p.x >= 0 && p.y >= 0 && p.x <= width(data) && p.y <= depth(data))) return false;
  const auto c = std::min(static_cast<std::int32_t>(p.x / data.spacing), data.columns - 2);
  const auto r = std::min(static_cast<std::int32_t>(p.y / data.spacing), data.rows - 2);
  const bool side_of_x = p.x - c * data.spacing >= p.y - r * data.spacing;
  const Triangle t = shape.triangle(2 * (r * (data.columns - 1) + c) + (side_of_x ? 0 : 1));
  return dot(area_vector(t), p - t.a) < 0;
}

/// A part of a ray, by distance; empty when from > to.
struct Span {
  double from = 0, to = 0;
};

Span common(const Span& a, const Span& b) { return {std::max(a.from, b.from), std::min(a.to, b.to)}; }

/// Where one coordinate of a ray is within [lower, upper].
Span between(double start, double along, double lower, double upper) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (along == 0) return start >= lower && start <= upper ? Span{0, inf} : Span{1, 0};
  const double t0 = (lower - start) / along, t1 = (upper - start) / along;
  return {std::max(0.0, std::min(t0, t1)), std::max(t0, t1)};
}

}  // namespace

std::int32_t HeightField::neighbour(std::int32_t t, int k) const {
  const std::int32_t columns = data->columns - 1, rows = data->rows - 1;
  const std::int32_t cell = t / 2, r = cell / columns, c = cell % columns;
  if (t % 2 == 0) {  // sides: y below, x beyond, the diagonal
    if (k == 2) return t + 1;
    if (k == 0) return r > 0 ? 2 * (cell - columns) + 1 : -1;
    return c + 1 < columns ? 2 * (cell + 1) + 1 : -1;
  }
  if (k == 0) return t - 1;  // sides: the diagonal, y beyond, x below
  if (k == 1) return r + 1 < rows ? 2 * (cell + columns) : -1;
  return c > 0 ? 2 * (cell - 1) : -1;
}

EdgeKind HeightField::edge(std::int32_t t, int k) const {
  const std::int32_t other = neighbour(t, k);
  if (other < 0) return EdgeKind::boundary;
  // The third corner of the neighbour is the one beyond its side towards t: sides 0, 1, 2 of an even triangle are sides
  // 1, 2, 0 of odd ones.
  const Triangle n = triangle(other);
  const int theirs = t % 2 == 0 ? (k + 1) % 3 : (k + 2) % 3;
  return edge_kind(triangle(t), normal(t), k, theirs == 0 ? n.c : theirs == 1 ? n.a : n.b);
}

HeightField make_height_field(std::int32_t rows, std::int32_t columns, double spacing, std::vector<double> heights) {
  checked_size(spacing, "height field spacing");
  if (rows < 2 || columns < 2)
    fail_input(fmt::format("the height field has {} rows and {} columns; give at least 2 of each", rows, columns));
  const std::int64_t points = static_cast<std::int64_t>(rows) * columns;
  if (points > 1'000'000'000) fail_input("the height field has more than 1e9 points; split it", ErrorKind::limit);
  if (points != static_cast<std::int64_t>(heights.size()))
    fail_input(
        fmt::format("the height field has {} heights; {} rows of {} need {}", heights.size(), rows, columns, points));
  auto data = std::make_shared<HeightFieldData>(HeightFieldData{rows, columns, spacing, std::move(heights), {}, {}});
  checked_size(std::max(width(*data), depth(*data)), "height field length");
  double lowest = data->heights[0], highest = lowest;
  for (std::size_t k = 0; k < data->heights.size(); ++k) {
    const double h = data->heights[k];
    if (!(std::fabs(h) <= kLargestSize)) {
      fail_input(fmt::format("height at row {}, column {} is {}; heights must be finite and within {} m",
                             k / to_index(columns), k % to_index(columns), h, kLargestSize));
    }
    lowest = std::min(lowest, h);
    highest = std::max(highest, h);
  }
  data->box = {{0, 0, lowest}, {width(*data), depth(*data), highest}};
  const HeightField field{data};
  const auto across = [&](std::int32_t t, std::size_t k) {
    const int side = static_cast<int>(k);
    return field.edge(t, side) == EdgeKind::flat ? field.neighbour(t, side) : -1;
  };
  data->patches = flat_patches(field.triangle_count(), across, [&](std::int32_t t) { return field.normal(t); });
  return field;
}

Aabb bounds(const HeightField& shape, const Pose& pose) {
  const Aabb& local = shape.data->box;
  const Vec3 half = 0.5 * (local.upper - local.lower), middle = transform(pose, centre(local));
  const Mat3 r = to_matrix(pose.orientation);
  const auto reach = [&](const Vec3& row) {
    return std::fabs(row.x) * half.x + std::fabs(row.y) * half.y + std::fabs(row.z) * half.z;
  };
  const Vec3 turned{reach(r.row0), reach(r.row1), reach(r.row2)};
  return {middle - turned, middle + turned};
}

MassProperties mass_properties(const HeightField&, double) {
  fail_input("a height field is a surface without volume; use it on a static body");
}

std::optional<RayHit> ray(const HeightField& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  const HeightFieldData& data = *shape.data;
  const TriangleRay triangle_ray(origin, direction);
  std::optional<RayHit> best;
  double reach = max_distance;
  const auto try_cell = [&](std::int32_t r, std::int32_t c) {
    const std::int32_t first = 2 * (r * (data.columns - 1) + c);
    for (const std::int32_t t : {first, first + 1}) {
      const Triangle corners = shape.triangle(t);
      const auto distance = triangle_ray.hit(corners, reach);
      if (!distance || (best && *distance == best->distance && t > best->feature)) continue;
      best = RayHit{*distance, normalised(area_vector(corners)), t};
      reach = *distance;
    }
  };
  // Row by row in the order of travel; within a row only the columns that the ray passes.
  const double slack = 1e-9 * data.spacing;
  const Aabb box = grown(data.box, slack);
  const Span in_xy = common(between(origin.x, direction.x, box.lower.x, box.upper.x),
                            between(origin.y, direction.y, box.lower.y, box.upper.y));
  const Span in_box = common(in_xy, between(origin.z, direction.z, box.lower.z, box.upper.z));
  if (in_box.from > std::min(in_box.to, max_distance)) return std::nullopt;
  const double y0 = origin.y + in_box.from * direction.y, y1 = origin.y + in_box.to * direction.y;
  const CellRange rows = cells_between(std::min(y0, y1), std::max(y0, y1), data.spacing, data.rows - 1);
  for (std::int32_t k = 0; k <= rows.last - rows.first; ++k) {
    const std::int32_t r = direction.y < 0 ? rows.last - k : rows.first + k;
    const Span in_row =
        common(in_box, between(origin.y, direction.y, r * data.spacing - slack, (r + 1) * data.spacing + slack));
    if (in_row.from > std::min(in_row.to, reach)) continue;
    const double x0 = origin.x + in_row.from * direction.x, x1 = origin.x + in_row.to * direction.x;
    const CellRange columns = cells_between(std::min(x0, x1), std::max(x0, x1), data.spacing, data.columns - 1);
    for (std::int32_t c = columns.first; c <= columns.last; ++c) try_cell(r, c);
  }
  if (best && dot(best->normal, direction) > 0) best->normal = -best->normal;
  return best;
}

ClosestPoint closest_point(const HeightField& shape, const Vec3& point) {
  const HeightFieldData& data = *shape.data;
  // Any grid point bounds the distance; the nearest one in the plane bounds it well.
  const auto nearest = [&](double x, std::int32_t count) {
    return static_cast<std::int32_t>(std::clamp(x / data.spacing + 0.5, 0.0, count - 1.0));
  };
  const Vec3 start = shape.grid_point(nearest(point.y, data.rows), nearest(point.x, data.columns));
  const double radius = norm(point - start) * (1 + 1e-12);
  double best2 = std::numeric_limits<double>::infinity();
  TrianglePoint best;
  Vec3 up{0, 0, 1};
  shape.for_each_overlapping(grown(Aabb{point, point}, radius), [&](std::int32_t t) {
    const Triangle corners = shape.triangle(t);
    const TrianglePoint candidate = closest_on_triangle(point, corners);
    const Vec3 off = point - candidate.point;
    if (!(dot(off, off) < best2)) return;
    best2 = dot(off, off);
    best = candidate;
    up = area_vector(corners);
  });
  const Vec3 off = point - best.point;
  const double distance = norm(off), sign = is_below(shape, point) ? -1 : 1;
  // Over a face its own normal is exact; the difference is noise very near to it.
  if (best.part == TrianglePart::face || !(distance > 0)) return {best.point, normalised(up), sign * distance};
  return {best.point, (sign / distance) * off, sign * distance};
}

}  // namespace cairn
