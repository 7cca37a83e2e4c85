// SPDX-License-Identifier: MIT
#include "cairn/world/assemble_lanes.h"

#include <algorithm>

#include "cairn/problem/lane_problem.h"
#include "cairn/world/contact_blocks.h"

namespace cairn {

namespace {

constexpr std::int64_t kSlabGrain = 4;

/// Whether contacts of such a material need more than rows and one coefficient.
bool has_extras(const ContactMaterial& m) {
  return m.restitution > 0 || m.spin_radius > 0 || m.friction1 != m.friction2 ||
         m.static_friction1 != m.static_friction2;
}

/// Calls visit(points) for each run of up to four points of a pair with one normal.
template <class Visit>
void for_each_lane(const ContactSource& from, const Assembly& assembly, std::size_t s, Visit&& visit) {
  const Slab& slab = from.cache.slabs()[s];
  auto edge = static_cast<std::int32_t>(from.graph.first_edge()[s]) - 1;
  std::int32_t last_pair = -1;
  LanePoints lane;
  const auto flush = [&] {
    if (lane.count > 0) visit(lane);
    lane.count = 0;
  };
  for (std::size_t i = 0; i < slab.manifolds.size(); ++i) {
    const ContactManifold& m = slab.manifolds[i];
    const bool same_pair = m.pair == last_pair;
    if (!same_pair) ++edge;
    last_pair = m.pair;
    if (!takes_part(from, assembly, m)) continue;
    const bool joins = same_pair && lane.count > 0 && lane.count < kMostPoints &&
                       slab.manifolds[static_cast<std::size_t>(lane.manifold)].normal == m.normal;
    std::int32_t taken = joins ? std::min(m.count, kMostPoints - lane.count) : 0;
    lane.count += taken;
    std::int32_t ordinal = same_pair ? lane.ordinal + 1 : 0;
    for (; taken < m.count; ++ordinal) {
      flush();
      const std::int32_t here = std::min(m.count - taken, kMostPoints);
      lane = {static_cast<std::int32_t>(i), m.first_point + taken, here, ordinal, edge};
      taken += here;
    }
  }
  flush();
}

template <class Work>
void for_slabs(const ContactSource& from, ThreadPool* pool, Work&& work) {
  parallel_for(pool, static_cast<std::int64_t>(from.cache.slabs().size()), kSlabGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t s = begin; s < end; ++s) work(static_cast<std::size_t>(s));
               });
}

void find_sources(const ContactSource& from, ThreadPool* pool, const LaneProblem& lanes, LaneSources& sources,
                  Assembly& out) {
  const std::size_t slabs = from.cache.slabs().size();
  sources.first.assign(slabs + 1, 0), out.first_contact.assign(slabs + 1, 0), out.overlaps.resize(slabs);
  for_slabs(from, pool, [&](std::size_t s) {
    out.overlaps[s] = sum_overlaps(from.cache.slabs()[s]);
    for_each_lane(from, out, s, [&](const LanePoints& lane) {
      ++sources.first[s + 1];
      out.first_contact[s + 1] += lane.count;
    });
  });
  for (std::size_t s = 0; s < slabs; ++s) {
    sources.first[s + 1] += sources.first[s];
    out.first_contact[s + 1] += out.first_contact[s];
  }
  const auto count = static_cast<std::size_t>(sources.first.back());
  sources.points.resize(count), sources.keys.resize(count);
  for_slabs(from, pool, [&](std::size_t s) {
    auto next = static_cast<std::size_t>(sources.first[s]);
    const Slab& slab = from.cache.slabs()[s];
    for_each_lane(from, out, s, [&](const LanePoints& lane) {
      const ContactManifold& m = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
      const BroadPair& pair = from.cache.pairs()[static_cast<std::size_t>(m.pair)];
      const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
      const ContactMaterial material = from.materials.combined(from.shapes.material[a], from.shapes.material[b],
                                                               from.shapes.def[a].material, from.shapes.def[b].material);
      const LaneTraits traits{from.shapes.body[a], from.shapes.body[b], lane.count, has_extras(material)};
      sources.points[next] = lane;
      sources.keys[next++] =
          lanes.key(traits, from.graph.colour()[static_cast<std::size_t>(lane.edge)], lane.ordinal);
    });
  });
}

LaneManifold gather(const ContactSource& from, const WorldSettings& settings, const ContactProblem& problem,
                    const Slab& slab, const LanePoints& lane, double impulse_scale) {
  const ManifoldContext context = manifold_context(from, slab.manifolds[static_cast<std::size_t>(lane.manifold)]);
  const Velocity& a = problem.bodies[static_cast<std::size_t>(context.block.body_a)].velocity;
  const Velocity& b = problem.bodies[static_cast<std::size_t>(context.block.body_b)].velocity;
  LaneManifold m;
  for (std::int32_t p = lane.first_point; p < lane.first_point + lane.count; ++p) {
    const ContactPoint& point = slab.points[static_cast<std::size_t>(p)];
    ContactBlock block;
    fill_contact(from, settings, problem, context, point, block);
    if (p == lane.first_point) m = lane_manifold(block);
    std::array<double, 4> impulse = warm_impulse(context, point, impulse_scale);
    impulse[2] *= handedness(block);
    add_point(m, block, block.restitution > 0 ? contact_velocity(block, a, b)[0] : 0.0, impulse);
  }
  return m;
}

}  // namespace

void assemble_lanes(const ContactSource& from, const WorldSettings& settings, double step_ratio, ThreadPool* pool,
                    LaneSolver& solver, LaneSources& sources, Assembly& out) {
  const double impulse_scale = settings.warm_start ? step_ratio : 0.0;
  LaneProblem& lanes = solver.lanes();
  out.problem.contacts.clear(), out.solution.contact_impulse.clear(), out.solution.contact_carry.clear();
  lanes.load_bodies(out.problem.bodies, pool);
  find_sources(from, pool, lanes, sources, out);
  lanes.lay_out(sources.keys, pool);
  const int spread = solver.sub_steps(sources.keys.size());
  for_slabs(from, pool, [&](std::size_t s) {
    for (auto i = static_cast<std::size_t>(sources.first[s]); i < static_cast<std::size_t>(sources.first[s + 1]); ++i)
      lanes.fill(i, gather(from, settings, out.problem, from.cache.slabs()[s], sources.points[i], impulse_scale), spread);
  });
}

void scatter_lanes(const ContactSource& from, LaneSolver& solver, const LaneSources& sources, ContactCache& cache,
                   ThreadPool* pool) {
  const LaneProblem& lanes = solver.lanes();
  const int spread = solver.sub_steps(sources.keys.size());
  const std::span<Slab> slabs = cache.slabs();
  for_slabs(from, pool, [&](std::size_t s) {
    for (auto i = static_cast<std::size_t>(sources.first[s]); i < static_cast<std::size_t>(sources.first[s + 1]); ++i) {
      const LanePoints& lane = sources.points[i];
      const ContactManifold& manifold = slabs[s].manifolds[static_cast<std::size_t>(lane.manifold)];
      const ManifoldContext context = manifold_context(from, manifold);
      const auto a = static_cast<std::size_t>(context.block.body_a), b = static_cast<std::size_t>(context.block.body_b);
      LaneManifold m = lane_manifold(context.block);
      m.count = lane.count;
      const std::span<ContactPoint> points{slabs[s].points.data() + lane.first_point,
                                           static_cast<std::size_t>(lane.count)};
      for (std::size_t p = 0; p < points.size(); ++p) {
        m.arm_a[p] = points[p].position - from.bodies.pose[a].position;
        m.arm_b[p] = points[p].position - from.bodies.pose[b].position;
      }
      lanes.read(i, LaneProblem::Impulses::last, spread, m);
      const double side = handedness(context.block);
      for (std::size_t p = 0; p < points.size(); ++p) {
        m.impulse[p][2] *= side;
        keep_impulse(from, manifold, context.block, m.impulse[p], points[p]);
      }
    }
  });
}

}  // namespace cairn
