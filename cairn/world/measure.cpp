// SPDX-License-Identifier: MIT
// What the report says about the state: energies, counts, overlaps. Sums in a fixed order, whatever the pool.
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 512;

struct Energy {
  double kinetic = 0, potential = 0;
};

/// m v^2 / 2 + w.I w / 2, and -m g.x.
Energy energy_of(const Bodies& bodies, std::size_t i, const Vec3& gravity) {
  if (!bodies.is_live(i) || !bodies.is_dynamic(i)) return {};
  const MassState& mass = bodies.mass[i];
  const Velocity& v = bodies.velocity[i];
  const Vec3 w = rotate_back(bodies.pose[i].orientation, v.angular);
  return {0.5 * (mass.mass * dot(v.linear, v.linear) + dot(w, mass.inertia * w)),
          -mass.mass * bodies.record[i].gravity_scale * dot(gravity, bodies.pose[i].position)};
}

/// Energies and counts of bodies. Blocks of bodies none of which stirred have the sums that they had.
void measure_bodies(WorldState& world) {
  const Bodies& bodies = world.bodies;
  const auto count = static_cast<std::int64_t>(bodies.size());
  const std::size_t blocks = to_index((count + kBodyGrain - 1) / kBodyGrain);
  const bool all = world.partial_sums.size() != 4 * blocks;
  world.stirred_blocks.assign(blocks, all ? 1 : 0);
  for (const std::int32_t i : world.movers.bodies) world.stirred_blocks[to_index(i / kBodyGrain)] = 1;
  world.partial_sums.resize(4 * blocks);
  parallel_for(world.pool.get(), count, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    if (world.stirred_blocks[to_index(begin / kBodyGrain)] == 0) return;
    double* sum = &world.partial_sums[4 * to_index(begin / kBodyGrain)];
    std::fill_n(sum, 4, 0.0);
    for (auto i = to_index(begin); i < to_index(end); ++i) {
      const Energy energy = energy_of(bodies, i, world.settings.gravity);
      sum[0] += energy.kinetic, sum[1] += energy.potential;
      sum[2] += bodies.is_live(i) ? 1 : 0, sum[3] += bodies.is_live(i) && bodies.is_active(i) ? 1 : 0;
    }
  });
  double total[4] = {};
  for (std::size_t k = 0; k < world.partial_sums.size(); ++k) total[k % 4] += world.partial_sums[k];
  StepReport& report = world.report;
  report.kinetic_energy = total[0], report.potential_energy = total[1];
  report.bodies = static_cast<std::int64_t>(total[2]), report.awake_bodies = static_cast<std::int64_t>(total[3]);
}

void measure_overlaps(std::span<const OverlapSums> overlaps, StepReport& report) {
  double sum = 0, deepest = 0;
  std::int64_t points = 0;
  for (const OverlapSums& slab : overlaps)
    sum += slab.sum, points += slab.points, deepest = std::max(deepest, slab.deepest);
  report.max_overlap = std::max(report.max_overlap, deepest);
  report.mean_overlap = points > 0 ? sum / static_cast<double>(points) : 0;
}

void measure_joints(const Joints& joints, StepReport& report) {
  report.joints = 0;
  for (const JointState& joint : joints.state) {
    if (!joint.live || joint.rows == 0) continue;
    ++report.joints;
    report.max_joint_error = std::max(report.max_joint_error, joint.separation);
    report.max_joint_angle_error = std::max(report.max_joint_angle_error, joint.misalignment);
    report.drive_work += joint.work;
  }
}

/// Mechanisms by a joint of the user's instead of one of the problem's.
void list_redundant(const Joints& joints, const HandlePool<JointTag>& ids, StepReport& report) {
  const std::vector<std::int32_t>& first = joints.first_block;
  report.redundant.clear();
  for (const MechanismRank& rank : report.solve.joints.ranks) {
    if (rank.redundant == 0) break;
    const auto after = std::upper_bound(first.begin(), first.end(), rank.joint) - first.begin();
    const JointId joint = after > 0 ? ids.at(to_index(after - 1)) : JointId{};
    report.redundant.push_back({joint, rank.rows, rank.redundant});
  }
}

}  // namespace

void measure_state(WorldState& world) {
  StepReport& report = world.report;
  measure_bodies(world);
  measure_overlaps(world.assembly.overlaps, report);
  report.pairs = static_cast<std::int64_t>(world.cache.pairs().size());
  report.manifolds = world.cache.manifold_count();
  report.recycled = world.cache.recycled_count();
  report.contacts = world.assembly.first_contact.empty() ? 0 : world.assembly.first_contact.back();
  report.colours = world.graph.colour_count();
  measure_joints(world.joints, report);
  list_redundant(world.joints, world.joint_ids, report);
}

}  // namespace cairn
