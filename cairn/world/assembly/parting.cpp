// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/parting.h"

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/assembly/contact_blocks.h"

namespace cairn {

namespace {

constexpr std::int64_t kSlabGrain = 4;
constexpr double kDeep = 3e-3;    ///< m: a contact that overlaps by more is deep
constexpr double kFastest = 1.0;  ///< m/s, whatever Stabilisation::max_push allows
constexpr double kRate = 0.2;     ///< of the overlap, per step
constexpr int kSweeps = 30;

/// visit(manifold, island) for those of a slab that take part.
template <class Visit>
void for_each_manifold(const ContactSource& from, const Assembly& assembly, const Slab& slab, std::size_t s,
                       Visit&& visit) {
  std::int64_t edge = from.graph.first_edge()[s] - 1;
  std::int32_t last_pair = -1;
  for (const ContactManifold& m : slab.manifolds) {
    if (m.pair != last_pair) ++edge;
    last_pair = m.pair;
    const std::int32_t island = from.graph.islands().of_edge[to_index(edge)];
    if (island >= 0 && takes_part(from, assembly, m)) visit(m, island);
  }
}

double deepest(const Slab& slab, const ContactManifold& m) {
  double depth = -1;
  for (std::int32_t j = 0; j < m.count; ++j)
    depth = std::max(depth, -double{slab.points[to_index(m.first_point + j)].separation});
  return depth;
}

/// Islands most of whose touching manifolds are deep, less those with joints. What bounces flies, and meets and parts
/// by itself: to move it would change its energy.
void count_deep(const ContactSource& from, const Assembly& assembly, std::vector<std::int32_t>& more_deep) {
  more_deep.assign(to_index(from.graph.islands().count), 0);
  for (std::size_t s = 0; s < from.cache.slabs().size(); ++s) {
    const Slab& slab = from.cache.slabs()[s];
    if (from.is_at_rest(slab)) continue;
    for_each_manifold(from, assembly, slab, s, [&](const ContactManifold& m, std::int32_t island) {
      const double depth = deepest(slab, m);
      if (depth < 0) return;
      const bool is_deep = depth > kDeep && manifold_context(from, m).material.restitution == 0;
      more_deep[to_index(island)] += is_deep ? 1 : -1;
    });
  }
  for (const JointBlock& joint : assembly.problem.joints)
    for (const std::int32_t body : {joint.body_a, joint.body_b})
      if (assembly.problem.bodies[to_index(body)].is_dynamic())
        more_deep[to_index(from.graph.islands().of_vertex[to_index(body)])] = 0;
}

void gather_rows(const ContactSource& from, const WorldSettings& settings, double fastest, const Assembly& assembly,
                 std::vector<PartingRow>& rows) {
  const double slop = settings.stabilisation.slop;
  for (std::size_t s = 0; s < from.cache.slabs().size(); ++s) {
    const Slab& slab = from.cache.slabs()[s];
    if (from.is_at_rest(slab)) continue;
    for_each_manifold(from, assembly, slab, s, [&](const ContactManifold& m, std::int32_t island) {
      if (assembly.parting.islands[to_index(island)] <= 0) return;
      const ManifoldContext context = manifold_context(from, m);
      for (std::int32_t j = 0; j < m.count; ++j) {
        const ContactPoint& point = slab.points[to_index(m.first_point + j)];
        PartingRow row;
        fill_contact(settings, assembly, context, point, row.contact);
        const double overlap = -double{point.separation};
        row.wanted = overlap > slop ? std::min(kRate * (overlap - slop), fastest) : std::min(overlap, 0.0);
        double block = 0;
        contact_diagonal_block(assembly.problem, row.contact, 1, &block);
        row.mass = block > 0 ? 1 / block : 0;
        rows.push_back(row);
      }
    });
  }
}

/// l <- max(0, l - (J d - p) / K)
void sweep(const ContactProblem& problem, std::vector<PartingRow>& rows, std::vector<Velocity>& moved) {
  for (PartingRow& row : rows) {
    const auto a = to_index(row.contact.body_a), b = to_index(row.contact.body_b);
    Velocity of_a = moved[a], of_b = moved[b];
    const double now =
        std::max(0.0, row.impulse - row.mass * (contact_velocity(row.contact, of_a, of_b)[0] - row.wanted));
    if (now == row.impulse) continue;
    apply_contact_impulse(problem, row.contact, {now - row.impulse, 0, 0, 0}, of_a, of_b);
    moved[a] = of_a, moved[b] = of_b;
    row.impulse = now;
  }
}

}  // namespace

void find_parting(const ContactSource& from, ThreadPool* pool, Assembly& out) {
  Parting& parting = out.parting;
  parting.bodies.clear();
  const std::span<const Slab> slabs = from.cache.slabs();
  count_overlaps(slabs.size(), out);
  for_each_index(pool, slabs.size(), kSlabGrain, [&](std::size_t s) { sum_overlaps(slabs[s], s, out); });
  const bool any = std::any_of(out.overlaps.begin(), out.overlaps.end(),
                               [](const OverlapSums& sums) { return sums.deepest > kDeep; });
  if (!any) return;
  count_deep(from, out, parting.islands);
  if (std::none_of(parting.islands.begin(), parting.islands.end(), [](std::int32_t more) { return more > 0; })) return;
  parting.bodies.assign(out.problem.bodies.size(), 0);
  const std::vector<std::int32_t>& island_of = from.graph.islands().of_vertex;
  for (std::size_t i = 0; i + 1 < out.problem.bodies.size(); ++i)
    if (out.problem.bodies[i].is_dynamic() && island_of[i] >= 0 && parting.islands[to_index(island_of[i])] > 0)
      parting.bodies[i] = 1;
}

void part_bodies(const ContactSource& from, const WorldSettings& settings, Assembly& out) {
  Parting& parting = out.parting;
  if (parting.bodies.empty()) return;
  const double fastest = out.problem.dt * std::min(kFastest, settings.stabilisation.max_push);
  std::vector<Velocity>& moved = parting.moved;
  std::vector<double>& farthest = parting.farthest;
  parting.rows.clear();
  gather_rows(from, settings, fastest, out, parting.rows);
  moved.assign(out.problem.bodies.size(), {}), farthest.assign(parting.islands.size(), 0);
  for (int k = 0; k < kSweeps; ++k) sweep(out.problem, parting.rows, moved);
  const std::vector<std::int32_t>& island_of = from.graph.islands().of_vertex;
  const auto for_parted = [&](auto&& visit) {
    for (std::size_t i = 0; i < parting.bodies.size(); ++i)
      if (parting.bodies[i] != 0) visit(i, farthest[to_index(island_of[i])]);
  };
  for_parted([&](std::size_t i, double& most) { most = std::max(most, norm(moved[i].linear)); });
  for_parted([&](std::size_t i, double most) {
    const double share = most > fastest ? fastest / most : 1;
    out.solution.displacement[i].linear += share * moved[i].linear;
    out.solution.displacement[i].angular += share * moved[i].angular;
  });
}

}  // namespace cairn
