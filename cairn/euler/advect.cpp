// SPDX-License-Identifier: MIT
// Advection of velocity and map. Semi-Lagrangian, with the path by the midpoint rule:
//
//   f+(x) = f(x - h v(x - h/2 v(x)))
//
// Upwind: f+ = f - h sum_i v_i D_i f with one-sided differences against the stream.
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/euler/solid.h"

namespace cairn {

namespace {

constexpr int kReach = 2;               // cells that a path may cross
constexpr double kWholeWeight = 1e-12;  // a point has a value unless more than this of its weights is missing
constexpr int kVelocityLayers = 4, kMapLayers = 3;

using View = BlockView<kReach>;

/// A field of a solid, seen from one block.
struct Field {
  const GridSolid& solid;
  const View& view;
  const std::vector<Vec3>& values;
  std::uint8_t flag;

  bool has(int x, int y, int z) const { return solid.has(view.at(x, y, z), flag); }
  const Vec3& at(int x, int y, int z) const { return values[to_index(view.at(x, y, z))]; }
};

struct Interpolated {
  Vec3 value;
  double weight = 0;  ///< sum over the corners that have the field; 1 when all have it
};

/// Trilinear interpolation at `p`, which counts in cells from the block's first node. Paths that leave the view are cut
/// short.
Interpolated interpolate(const Field& field, const Vec3& p) {
  const auto base = [](double c) { return std::clamp(static_cast<int>(std::floor(c)), -kReach, kBlockSide); };
  const int x = base(p.x), y = base(p.y), z = base(p.z);
  const double fx = std::clamp(p.x - x, 0.0, 1.0), fy = std::clamp(p.y - y, 0.0, 1.0),
               fz = std::clamp(p.z - z, 0.0, 1.0);
  Interpolated sum;
  for (int k = 0; k < 8; ++k) {
    const int i = k >> 2, j = k >> 1 & 1, l = k & 1;
    const double w = (i != 0 ? fx : 1 - fx) * (j != 0 ? fy : 1 - fy) * (l != 0 ? fz : 1 - fz);
    if (w == 0 || !field.has(x + i, y + j, z + l)) continue;
    sum.value += w * field.at(x + i, y + j, z + l);
    sum.weight += w;
  }
  if (sum.weight > 0) sum.value = (1 / sum.weight) * sum.value;
  return sum;
}

/// Where the material at a node was a time h ago, in cells from the block's first node.
Vec3 origin_of_path(const Field& velocity, int x, int y, int z, double h) {
  const double cells = h / velocity.solid.grid.spacing;
  const Vec3 here{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  const Vec3& v = velocity.at(x, y, z);
  const Interpolated half = interpolate(velocity, here - (0.5 * cells) * v);
  return here - cells * (half.weight > 0.5 ? half.value : v);
}

/// Computes -h v . grad f by one-sided differences against the stream. Returns false where a neighbour is missing.
bool upwind_change(const Field& field, const Vec3& v, int x, int y, int z, double h, Vec3& change) {
  const double cells = h / field.solid.grid.spacing;
  const double speed[3] = {v.x, v.y, v.z};
  const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  change = {};
  for (int axis = 0; axis < 3; ++axis) {
    const int s = speed[axis] > 0 ? -1 : 1;
    const int i = x + s * step[axis][0], j = y + s * step[axis][1], k = z + s * step[axis][2];
    if (!field.has(i, j, k)) return false;
    change += (cells * std::fabs(speed[axis])) * (field.at(i, j, k) - field.at(x, y, z));
  }
  return true;
}

template <class Visit>
void for_each_node(Visit&& visit) {
  for (int x = 0; x < kBlockSide; ++x)
    for (int y = 0; y < kBlockSide; ++y)
      for (int z = 0; z < kBlockSide; ++z) visit(x, y, z);
}

/// The velocity of a dynamic node after a time h without forces.
Vec3 advected_velocity(const Field& velocity, int x, int y, int z, double h) {
  const Vec3& here = velocity.at(x, y, z);
  if (velocity.solid.settings.advection == Advection::upwind) {
    Vec3 change;
    return upwind_change(velocity, here, x, y, z, h, change) ? here + change : here;
  }
  const Interpolated there = interpolate(velocity, origin_of_path(velocity, x, y, z, h));
  return there.weight > 0.5 ? there.value : here;
}

/// Computes the map of a node after a time h. Returns false where its path begins outside of what is defined.
bool advected_map(const Field& velocity, const Field& map, int x, int y, int z, double h, Vec3& value) {
  if (velocity.solid.settings.advection == Advection::upwind) {
    Vec3 change;
    if (!map.has(x, y, z) || !upwind_change(map, velocity.at(x, y, z), x, y, z, h, change)) return false;
    value = map.at(x, y, z) + change;
    return true;
  }
  const Interpolated there = interpolate(map, origin_of_path(velocity, x, y, z, h));
  value = there.value;
  return there.weight >= 1 - kWholeWeight;
}

}  // namespace

bool predict_velocity(GridSolid& solid, double h, const Vec3& gravity, ThreadPool* pool) {
  const double most = kReach * solid.grid.spacing / h;
  return parallel_reduce(
      pool, solid.blocks.block_count(), 1, true,
      [&](std::int64_t begin, std::int64_t end) {
        bool is_well = true;
        for (std::int64_t b = begin; b < end; ++b) {
          View view;
          solid.blocks.fill(static_cast<std::int32_t>(b), view);
          const Field velocity{solid, view, solid.velocity, kHasVelocity};
          for_each_node([&](int x, int y, int z) {
            const auto node = to_index(b * kBlockNodes + local_index(x, y, z));
            if ((solid.flags[node] & kIsDynamic) == 0) return;
            const Vec3 push = h * (gravity + (1 / solid.mass[node]) * solid.force[node]);
            solid.next[node] = advected_velocity(velocity, x, y, z, h) + push;
            is_well = is_well && norm(solid.next[node]) <= most;  // false for NaN
          });
        }
        return is_well;
      },
      [](bool a, bool b) { return a && b; });
}

void spread_velocity(GridSolid& solid, ThreadPool* pool) {
  for_each_index(pool, solid.flags.size(), kBlockNodes, [&](std::size_t i) {
    solid.flags[i] = static_cast<std::uint8_t>(solid.flags[i] & ~kHasVelocity);
    if ((solid.flags[i] & kIsDynamic) == 0) return;
    solid.velocity[i] = solid.next[i];
    solid.flags[i] |= kHasVelocity;
  });
  extrapolate(solid, solid.velocity, kHasVelocity, kVelocityLayers, pool);
}

/// Nodes inside the solid and dynamic nodes keep the advected map. The band is extrapolated from them. Dynamic nodes
/// outside the solid must not be extrapolated: nothing elastic would resist their velocity, and it would grow from step
/// to step.
void advance_map(GridSolid& solid, double h, ThreadPool* pool) {
  parallel_for(pool, solid.blocks.block_count(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      View view;
      solid.blocks.fill(static_cast<std::int32_t>(b), view);
      const Field velocity{solid, view, solid.velocity, kHasVelocity}, map{solid, view, solid.map, kHasMap};
      for_each_node([&](int x, int y, int z) {
        const auto node = to_index(b * kBlockNodes + local_index(x, y, z));
        solid.marks[node] = 0;
        Vec3 value;
        if ((solid.flags[node] & kHasVelocity) == 0 || !advected_map(velocity, map, x, y, z, h, value)) return;
        solid.next[node] = value;
        const bool is_inside = signed_distance(solid.shape, value) <= 0;
        solid.marks[node] = is_inside || (solid.flags[node] & kIsDynamic) != 0 ? 1 : 0;
      });
    }
  });
  const auto nodes = static_cast<std::int64_t>(solid.flags.size());
  for_each_index(pool, nodes, kBlockNodes, [&](std::size_t i) {
    solid.flags[i] = static_cast<std::uint8_t>(solid.flags[i] & ~kHasMap);
    if (solid.marks[i] == 0) return;
    solid.map[i] = solid.next[i];
    solid.flags[i] |= kHasMap;
  });
  extrapolate(solid, solid.map, kHasMap, kMapLayers, pool);
  update_distance(solid, pool);
}

void update_distance(GridSolid& solid, ThreadPool* pool) {
  for_each_index(pool, solid.flags.size(), kBlockNodes, [&](std::size_t i) {
    if ((solid.flags[i] & kHasMap) != 0) solid.distance[i] = signed_distance(solid.shape, solid.map[i]);
  });
}

}  // namespace cairn
