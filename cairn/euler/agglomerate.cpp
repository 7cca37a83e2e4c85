// SPDX-License-Identifier: MIT
// Agglomeration. A node at the surface may have nearly no mass, and then hardly any time step is stable. So nodes below
// a share of a full cell's mass have no velocity of their own. Neighbours carry them, with weights P that add up to
// one:
//
//   m <- P^T m,   f <- P^T f,   and J <- J P for the rows of contact
//
// Momentum is kept whatever P is.
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/euler/solid.h"

namespace cairn {

namespace {

constexpr int kMostReach = 3;

struct NodeSums {
  double mass = 0, kinetic = 0, speed2 = 0;
  Vec3 momentum, angular;
  std::int64_t nodes = 0;
};

NodeSums add(const NodeSums& a, const NodeSums& b) {
  return {a.mass + b.mass,         a.kinetic + b.kinetic, std::max(a.speed2, b.speed2),
          a.momentum + b.momentum, a.angular + b.angular, a.nodes + b.nodes};
}

NodeSums sum_block(const GridSolid& solid, std::int32_t block) {
  NodeSums sums;
  for (std::int32_t node = block * kBlockNodes; node < (block + 1) * kBlockNodes; ++node) {
    const auto i = to_index(node);
    if ((solid.flags[i] & kIsDynamic) == 0) continue;
    const double m = solid.mass[i];
    const Vec3 x = solid.grid.position(solid.blocks.node_index(node)), v = solid.velocity[i];
    sums = add(sums, {m, 0.5 * m * dot(v, v), dot(v, v), m * v, m * cross(x, v), 1});
  }
  return sums;
}

/// The sum of m x over all nodes of a block, before any node is carried. It gives the centre of mass.
Vec3 first_moment(const GridSolid& solid, std::int32_t block) {
  Vec3 sum;
  for (std::int32_t node = block * kBlockNodes; node < (block + 1) * kBlockNodes; ++node) {
    const double m = solid.mass[to_index(node)];
    if (m > 0) sum += m * solid.grid.position(solid.blocks.node_index(node));
  }
  return sum;
}

/// Flags the dynamic nodes of a block, and lists the nodes that others have to carry.
void divide_block(GridSolid& solid, std::int32_t block, double least) {
  std::vector<std::int32_t>& carried = solid.lists[to_index(block)];
  carried.clear();
  for (std::int32_t node = block * kBlockNodes; node < (block + 1) * kBlockNodes; ++node) {
    const auto i = to_index(node);
    solid.flags[i] = static_cast<std::uint8_t>(solid.flags[i] & ~kIsDynamic);
    if (solid.mass[i] >= least && (solid.flags[i] & kHasVelocity) != 0)
      solid.flags[i] |= kIsDynamic;
    else if (solid.mass[i] > 0)
      carried.push_back(node);
  }
}

void carry(GridSolid& solid) {
  // The weights use the masses that nodes have before any is carried.
  std::vector<NodeShare>& all = solid.shares;
  all.clear();
  solid.share_ends.clear();
  for (const auto& list : solid.lists)
    for (const std::int32_t node : list) {
      append_shares(solid, solid.blocks.node_index(node), all);
      solid.share_ends.push_back(all.size());
    }
  std::size_t at = 0, k = 0;
  for (const auto& list : solid.lists)
    for (const std::int32_t node : list) {
      const auto i = to_index(node);
      const std::size_t end = solid.share_ends[k++];
      if (at == end) solid.measures.lost_mass += solid.mass[i];
      for (; at < end; ++at) {
        const auto to = to_index(all[at].node);
        solid.mass[to] += all[at].weight * solid.mass[i];
        solid.force[to] += all[at].weight * solid.force[i];
      }
      solid.mass[i] = 0;
      solid.force[i] = {};
    }
}

}  // namespace

void append_shares(const GridSolid& solid, const GridIndex& node, std::vector<NodeShare>& shares) {
  const std::int32_t self = solid.blocks.find_node(node);
  if (solid.has(self, kIsDynamic)) {
    shares.push_back({self, 1});
    return;
  }
  const std::size_t first = shares.size();
  double sum = 0;
  for (int reach = 1; reach <= kMostReach && shares.size() == first; ++reach)
    for (int x = -reach; x <= reach; ++x)
      for (int y = -reach; y <= reach; ++y)
        for (int z = -reach; z <= reach; ++z) {
          const std::int32_t master = solid.blocks.find_node(node + GridIndex{x, y, z});
          if (!solid.has(master, kIsDynamic)) continue;
          const double weight = solid.mass[to_index(master)] / (x * x + y * y + z * z);
          shares.push_back({master, weight});
          sum += weight;
        }
  for (std::size_t i = first; i < shares.size(); ++i) shares[i].weight /= sum;
}

bool agglomerate(GridSolid& solid, ThreadPool* pool) {
  const std::int64_t blocks = solid.blocks.block_count();
  const double least = solid.settings.least_mass * solid.material.density * solid.grid.cell_volume();
  solid.lists.resize(to_index(blocks));
  parallel_for(pool, blocks, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) divide_block(solid, static_cast<std::int32_t>(b), least);
  });
  const Vec3 moment = parallel_reduce(
      pool, blocks, 4, Vec3{},
      [&](std::int64_t begin, std::int64_t end) {
        Vec3 part;
        for (std::int64_t b = begin; b < end; ++b) part += first_moment(solid, static_cast<std::int32_t>(b));
        return part;
      },
      [](const Vec3& a, const Vec3& b) { return a + b; });
  carry(solid);
  const NodeSums sums = parallel_reduce(
      pool, blocks, 4, NodeSums{},
      [&](std::int64_t begin, std::int64_t end) {
        NodeSums part;
        for (std::int64_t b = begin; b < end; ++b) part = add(part, sum_block(solid, static_cast<std::int32_t>(b)));
        return part;
      },
      [](const NodeSums& a, const NodeSums& b) { return add(a, b); });
  SolidMeasures& m = solid.measures;
  m.mass = sums.mass;
  m.centre = sums.mass > 0 ? (1 / sums.mass) * moment : Vec3{};
  m.kinetic_energy = sums.kinetic;
  m.momentum = sums.momentum;
  m.angular_momentum = sums.angular;
  m.max_speed = std::sqrt(sums.speed2);
  m.dynamic_nodes = sums.nodes;
  return sums.nodes > 0 && std::isfinite(m.mass + m.kinetic_energy + m.elastic_energy) && is_finite(m.momentum);
}

}  // namespace cairn
