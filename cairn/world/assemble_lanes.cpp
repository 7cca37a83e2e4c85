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
      const ContactMaterial* listed = from.materials.listed(from.shapes.material[a], from.shapes.material[b]);
      const bool extra = listed != nullptr
                             ? has_extras(*listed)
                             : has_extras(combine(from.shapes.def[a].material, from.shapes.def[b].material));
      const LaneTraits traits{from.shapes.body[a], from.shapes.body[b], lane.count, extra};
      sources.points[next] = lane;
      sources.keys[next++] = lanes.key(traits, from.graph.colour()[static_cast<std::size_t>(lane.edge)], lane.ordinal);
    });
  });
}

/// A material whose contacts are the same whatever the bodies do: one coefficient, no bounce, no grain, no spin.
bool is_plain(const ContactMaterial& m) {
  return !has_extras(m) && m.friction1 == m.static_friction1 && m.grain_of == 0;
}

/// What fill_contact and warm_impulse make of a plain material, without the rest.
void gather_plain(const ContactSource& from, const Slab& slab, const LanePoints& lane, double impulse_scale,
                  double friction, LaneManifold& m) {
  const ContactManifold& manifold = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
  const BroadPair& pair = from.cache.pairs()[static_cast<std::size_t>(manifold.pair)];
  m.body_a = from.shapes.body[static_cast<std::size_t>(pair.a)];
  m.body_b = from.shapes.body[static_cast<std::size_t>(pair.b)];
  m.count = lane.count;
  m.normal = manifold.normal, m.tangent = make_frame(manifold.normal).tangent1;
  m.friction1 = m.friction2 = friction, m.spin_radius = 0;
  const Vec3& centre_a = from.bodies.pose[static_cast<std::size_t>(m.body_a)].position;
  const Vec3& centre_b = from.bodies.pose[static_cast<std::size_t>(m.body_b)].position;
  for (std::size_t p = 0; p < m.points().size(); ++p) {
    const ContactPoint& point = slab.points[static_cast<std::size_t>(lane.first_point) + p];
    m.point[p] = {point.position - centre_a,
                  point.position - centre_b,
                  double{point.separation},
                  {impulse_scale * double{point.normal_impulse}, impulse_scale * double{point.tangent_impulse[0]},
                   impulse_scale * double{point.tangent_impulse[1]}, 0.0},
                  0.0,
                  0.0};
  }
}

void gather(const ContactSource& from, const WorldSettings& settings, const ContactProblem& problem, const Slab& slab,
            const LanePoints& lane, double impulse_scale, LaneManifold& m) {
  const ContactManifold& manifold = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
  const BroadPair& pair = from.cache.pairs()[static_cast<std::size_t>(manifold.pair)];
  const ContactMaterial* listed = from.materials.listed(from.shapes.material[static_cast<std::size_t>(pair.a)],
                                                        from.shapes.material[static_cast<std::size_t>(pair.b)]);
  if (listed != nullptr && is_plain(*listed))
    return gather_plain(from, slab, lane, impulse_scale, listed->friction1, m);
  const ManifoldContext context = manifold_context(from, manifold);
  const Velocity& a = problem.bodies[static_cast<std::size_t>(context.block.body_a)].velocity;
  const Velocity& b = problem.bodies[static_cast<std::size_t>(context.block.body_b)].velocity;
  for (std::int32_t p = 0; p < lane.count; ++p) {
    const ContactPoint& point = slab.points[static_cast<std::size_t>(lane.first_point + p)];
    ContactBlock block;
    fill_contact(from, settings, problem, context, point, block);
    if (p == 0) m = LaneManifold(block);
    m.add(block, block.restitution > 0 ? contact_velocity(block, a, b)[0] : 0.0,
          warm_impulse(context, point, impulse_scale));
  }
}

/// Impulses of one lane back to its points. Frames of the cache are right-handed, as those of lanes.
void scatter(const ContactSource& from, const LaneProblem& lanes, std::size_t i, const LanePoints& lane, int spread,
             Slab& slab) {
  const ContactManifold& manifold = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
  const BroadPair& pair = from.cache.pairs()[static_cast<std::size_t>(manifold.pair)];
  const std::span<ContactPoint> points{slab.points.data() + lane.first_point, static_cast<std::size_t>(lane.count)};
  LaneManifold m;
  ManifoldContext context;
  if (lane.count == 1 && !from.materials.any_grain()) {  // neither frame nor arms matter
    m.body_a = from.shapes.body[static_cast<std::size_t>(pair.a)];
    m.body_b = from.shapes.body[static_cast<std::size_t>(pair.b)];
    const ContactMaterial* listed = from.materials.listed(from.shapes.material[static_cast<std::size_t>(pair.a)],
                                                          from.shapes.material[static_cast<std::size_t>(pair.b)]);
    m.spin_radius = listed != nullptr ? listed->spin_radius : manifold_context(from, manifold).material.spin_radius;
  } else {
    context = manifold_context(from, manifold);
    m = LaneManifold(context.block);
    const Vec3& centre_a = from.bodies.pose[static_cast<std::size_t>(m.body_a)].position;
    const Vec3& centre_b = from.bodies.pose[static_cast<std::size_t>(m.body_b)].position;
    for (std::size_t p = 0; p < points.size(); ++p)
      m.point[p].arm_a = points[p].position - centre_a, m.point[p].arm_b = points[p].position - centre_b;
  }
  m.count = lane.count;
  lanes.read(i, LaneProblem::Impulses::last, spread, m);
  for (std::size_t p = 0; p < points.size(); ++p)
    keep_impulse(from, manifold, context.block, m.point[p].impulse, points[p]);
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
    LaneManifold manifold;
    for (auto i = static_cast<std::size_t>(sources.first[s]); i < static_cast<std::size_t>(sources.first[s + 1]); ++i) {
      gather(from, settings, out.problem, from.cache.slabs()[s], sources.points[i], impulse_scale, manifold);
      lanes.fill(i, manifold, spread);
    }
  });
}

void scatter_lanes(const ContactSource& from, LaneSolver& solver, const LaneSources& sources, ContactCache& cache,
                   ThreadPool* pool) {
  const int spread = solver.sub_steps(sources.keys.size());
  const std::span<Slab> slabs = cache.slabs();
  for_slabs(from, pool, [&](std::size_t s) {
    for (auto i = static_cast<std::size_t>(sources.first[s]); i < static_cast<std::size_t>(sources.first[s + 1]); ++i)
      scatter(from, solver.lanes(), i, sources.points[i], spread, slabs[s]);
  });
}

}  // namespace cairn
