// SPDX-License-Identifier: MIT
// Where a solid begins, and the blocks that follow it through the grid.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/euler/solid.h"

namespace cairn {

namespace {

constexpr int kBlockMargin = 6;  // nodes around the solid: four of the band, one of motion, one of interpolation
constexpr int kMapLayers = 3;
constexpr int kDimensions = 3;

/// The lowest and the highest local coordinate of a solid's nodes along one axis of a block. Lowest > highest means
/// that there are none.
struct Range {
  int low = kBlockSide, high = -1;
  void add(int i) {
    low = std::min(low, i);
    high = std::max(high, i);
  }
};

/// Offsets of blocks, -1 to 1, that lie within the margin of the range.
int first_offset(const Range& r) { return r.low < kBlockMargin ? -1 : 0; }
int last_offset(const Range& r) { return r.high > kBlockSide - 1 - kBlockMargin ? 1 : 0; }

/// x = p + R diag(stretch) X  =>  X = diag(1/stretch) R^T (x - p).
Vec3 undeformed(const ElasticBodyDef& def, const Vec3& x) {
  const Vec3 y = transform_back(def.pose, x);
  return {y.x / def.stretch.x, y.y / def.stretch.y, y.z / def.stretch.z};
}

Aabb start_bounds(const ElasticBodyDef& def) {
  const Aabb shape = bounds(def.shape, Pose{});
  const Vec3 c = centre(shape), half = 0.5 * (shape.upper - shape.lower);
  const Vec3 middle{c.x * def.stretch.x, c.y * def.stretch.y, c.z * def.stretch.z};
  return bounds(Box{{half.x * def.stretch.x, half.y * def.stretch.y, half.z * def.stretch.z}},
                {transform(def.pose, middle), def.pose.orientation});
}

void check_place(const Grid& grid, const Aabb& box) {
  const Vec3 margin = grid.spacing * Vec3{kGridMargin, kGridMargin, kGridMargin};
  const Aabb inner{grid.origin + margin, grid.position(grid.cells) - margin};
  if (!contains(inner, box))
    fail_input(fmt::format(
        "the solid reaches out of the grid: it must lie {} cells inside, between ({:g}, {:g}, {:g}) and "
        "({:g}, {:g}, {:g}); move it or make the grid larger",
        kGridMargin, inner.lower.x, inner.lower.y, inner.lower.z, inner.upper.x, inner.upper.y, inner.upper.z));
}

template <class T>
void move_field(const NodeBlocks& from, const NodeBlocks& to, std::vector<T>& field) {
  std::vector<T> moved(to.node_count(), T{});
  for (std::int32_t b = 0; b < to.block_count(); ++b) {
    const std::int32_t old = from.find_block(to.blocks()[to_index(b)]);
    if (old >= 0)
      std::copy_n(field.begin() + static_cast<std::ptrdiff_t>(old) * kBlockNodes, kBlockNodes,
                  moved.begin() + static_cast<std::ptrdiff_t>(b) * kBlockNodes);
  }
  field = std::move(moved);
}

void move_fields(GridSolid& solid, std::span<const GridIndex> blocks) {
  const NodeBlocks old = solid.blocks;
  solid.blocks.assign(blocks);
  move_field(old, solid.blocks, solid.flags);
  move_field(old, solid.blocks, solid.map);
  move_field(old, solid.blocks, solid.velocity);
  move_field(old, solid.blocks, solid.distance);
  move_field(old, solid.blocks, solid.mass);
  move_field(old, solid.blocks, solid.force);
  solid.marks.assign(solid.blocks.node_count(), 0);
  solid.next.assign(solid.blocks.node_count(), {});
}

void write_start(GridSolid& solid, const ElasticBodyDef& def) {
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(solid.flags.size()); ++node) {
    const auto i = to_index(node);
    const Vec3 x = solid.grid.position(solid.blocks.node_index(node));
    solid.map[i] = undeformed(def, x);
    solid.velocity[i] = def.velocity.linear + cross(def.velocity.angular, x - def.pose.position);
    if (def.velocity_field) solid.velocity[i] += def.velocity_field(x);
    solid.flags[i] = kHasVelocity;
    if (signed_distance(solid.shape, solid.map[i]) <= 0) solid.flags[i] |= kHasMap;
  }
}

}  // namespace

void resize_fields(GridSolid& solid) {
  const std::size_t n = solid.blocks.node_count();
  solid.flags.assign(n, 0);
  solid.map.assign(n, {});
  solid.velocity.assign(n, {});
  solid.distance.assign(n, 0.0);
  solid.mass.assign(n, 0.0);
  solid.force.assign(n, {});
  solid.marks.assign(n, 0);
  solid.next.assign(n, {});
}

const char* to_string(SolidState state) {
  switch (state) {
    case SolidState::active: return "active";
    case SolidState::inverted: return "inverted";
    case SolidState::diverged: return "diverged";
    case SolidState::left_grid: return "left_grid";
  }
  return "";
}

void check_body_def(const ElasticBodyDef& def) {
  check_solid_shape(def.shape);
  check_material(def.material);
  require(is_finite(def.pose) && std::fabs(norm2(def.pose.orientation) - 1) < 1e-6,
          "the pose of a solid must be finite, with a unit quaternion");
  require(is_finite(def.velocity), "the velocity of a solid must be finite");
  const auto is_stretch = [](double s) { return s >= 0.2 && s <= 5; };
  require(is_stretch(def.stretch.x) && is_stretch(def.stretch.y) && is_stretch(def.stretch.z),
          "the stretch of a solid must lie between 0.2 and 5 along every axis");
}

GridSolid place_solid(const Grid& grid, const ElasticBodyDef& def, const SolidSettings& settings, ThreadPool* pool) {
  check_grid(grid);
  check_body_def(def);
  const Aabb box = start_bounds(def);
  check_place(grid, box);
  GridSolid solid;
  solid.grid = grid;
  solid.shape = def.shape;
  solid.material = def.material;
  solid.lame = lame_constants(def.material);
  solid.settings = settings;
  const auto block = [&](double x, double from, int margin) {
    return (static_cast<int>(std::floor((x - from) / grid.spacing)) + margin + 8 * kBlockSide) / kBlockSide - 8;
  };
  std::vector<GridIndex> blocks;
  for (int x = block(box.lower.x, grid.origin.x, -kBlockMargin); x <= block(box.upper.x, grid.origin.x, kBlockMargin);
       ++x)
    for (int y = block(box.lower.y, grid.origin.y, -kBlockMargin); y <= block(box.upper.y, grid.origin.y, kBlockMargin);
         ++y)
      for (int z = block(box.lower.z, grid.origin.z, -kBlockMargin);
           z <= block(box.upper.z, grid.origin.z, kBlockMargin); ++z)
        blocks.push_back({x, y, z});
  solid.blocks.assign(blocks);
  resize_fields(solid);
  write_start(solid, def);
  extrapolate(solid, solid.map, kHasMap, kMapLayers, pool);
  update_distance(solid, pool);
  const bool is_well = integrate_cells(solid, pool);
  if (solid.measures.dynamic_nodes == 0)
    fail_input(
        "the solid is too thin for the grid: no node has half a cell of it; give at least three cells across it");
  require(is_well, "the solid is inverted or not finite at its start: look at its stretch and its velocity");
  require(refresh_blocks(solid), "the solid reaches out of the grid: move it or make the grid larger");
  return solid;
}

double step_limit(const GridSolid& solid, double cfl) {
  const double h = solid.grid.spacing, rho = solid.material.density;
  const double wave = cfl * h / (wave_speed(solid.material) + solid.measures.max_speed);
  if (solid.material.viscosity == 0) return wave;
  return std::min(wave, h * h * rho / (4 * kDimensions * solid.material.viscosity));
}

bool refresh_blocks(GridSolid& solid) {
  std::vector<GridIndex> wanted;
  bool is_inside = true;
  for (std::int32_t b = 0; b < solid.blocks.block_count(); ++b) {
    Range x, y, z;
    const GridIndex first = solid.blocks.first_node(b);
    for (int i = 0; i < kBlockNodes; ++i) {
      const auto node = to_index(b * kBlockNodes + i);
      const bool is_known =
          (solid.flags[node] & kIsDynamic) != 0 || ((solid.flags[node] & kHasMap) != 0 && solid.distance[node] <= 0);
      if (!is_known) continue;
      x.add(i / (kBlockSide * kBlockSide));
      y.add(i / kBlockSide % kBlockSide);
      z.add(i % kBlockSide);
    }
    if (x.high < 0) continue;
    const auto is_within = [](int low, int high, int cells) {
      return low >= kGridMargin - 1 && high <= cells - kGridMargin + 1;
    };
    is_inside = is_inside && is_within(first.x + x.low, first.x + x.high, solid.grid.cells.x) &&
                is_within(first.y + y.low, first.y + y.high, solid.grid.cells.y) &&
                is_within(first.z + z.low, first.z + z.high, solid.grid.cells.z);
    for (int i = first_offset(x); i <= last_offset(x); ++i)
      for (int j = first_offset(y); j <= last_offset(y); ++j)
        for (int k = first_offset(z); k <= last_offset(z); ++k)
          wanted.push_back(solid.blocks.blocks()[to_index(b)] + GridIndex{i, j, k});
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  if (!std::equal(wanted.begin(), wanted.end(), solid.blocks.blocks().begin(), solid.blocks.blocks().end()))
    move_fields(solid, wanted);
  if (!is_inside) solid.state = SolidState::left_grid;
  return is_inside;
}

}  // namespace cairn
