// SPDX-License-Identifier: MIT
#include "cairn/world/assemble_lanes.h"

#include <algorithm>

#include "cairn/problem/lane_problem.h"
#include "cairn/world/contact_blocks.h"
#include "cairn/world/limits.h"

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
  std::int32_t edge = -1, last_pair = -1;
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
    const bool alone = !same_pair && (i + 1 == slab.manifolds.size() || slab.manifolds[i + 1].pair != m.pair);
    if (alone && m.count <= kMostPoints) {  // what follows, in short
      flush();
      visit(LanePoints{0, 0, static_cast<std::int32_t>(i), m.first_point, m.count, 0, edge});
      continue;
    }
    const bool joins = same_pair && lane.count > 0 && lane.count < kMostPoints &&
                       slab.manifolds[static_cast<std::size_t>(lane.manifold)].normal == m.normal;
    std::int32_t taken = joins ? std::min(m.count, kMostPoints - lane.count) : 0;
    lane.count += taken;
    std::int32_t ordinal = same_pair ? lane.ordinal + 1 : 0;
    for (; taken < m.count; ++ordinal) {
      flush();
      const std::int32_t here = std::min(m.count - taken, kMostPoints);
      lane = {0, 0, static_cast<std::int32_t>(i), m.first_point + taken, here, ordinal, edge};
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

/// A material whose contacts are the same whatever the bodies do: one coefficient, no bounce, no grain, no spin.
bool is_plain(const ContactMaterial& m) {
  return !has_extras(m) && m.friction1 == m.static_friction1 && m.grain_of == 0;
}

/// What is known about the material met last: mostly it is that of the next one, too.
struct LastMaterial {
  const ContactMaterial* listed = nullptr;
  bool plain = false, extra = false;

  void look(const ContactSource& from, std::size_t a, std::size_t b) {
    const ContactMaterial* now = from.materials.listed(from.shapes.material[a], from.shapes.material[b]);
    if (now == listed && now != nullptr) return;
    listed = now;
    plain = now != nullptr && is_plain(*now);
    extra = has_extras(now != nullptr ? *now : combine(from.shapes.def[a].material, from.shapes.def[b].material));
  }
};

/// Arms of a single point, for bodies that may be round. A bounce that comes to nothing leaves a contact without
/// extras, whatever its material.
void look_closer(const ContactSource& from, const WorldSettings& settings, const ContactProblem& problem,
                 const ContactManifold& m, const ContactPoint& point, LaneTraits& traits) {
  traits.normal = m.normal;
  traits.arm_a = point.position - from.bodies.pose[static_cast<std::size_t>(traits.body_a)].position;
  traits.arm_b = point.position - from.bodies.pose[static_cast<std::size_t>(traits.body_b)].position;
  if (!traits.extra) return;
  ContactBlock block;
  fill_contact(from, settings, problem, manifold_context(from, m), point, block);
  traits.extra = block.restitution > 0 || block.spin_radius > 0 || block.friction1 != block.friction2;
}

std::span<const std::int32_t> colours_of(const ContactSource& from, std::size_t s) {
  return from.graph.colour().subspan(static_cast<std::size_t>(from.graph.first_edge()[s]));
}

/// Where a lane belongs. `extra`: its material is.
std::uint32_t key_of(const ContactSource& from, const WorldSettings& settings, const LaneProblem& lanes,
                     const ContactProblem& problem, const Slab& slab, const LanePoints& lane, bool extra,
                     std::int32_t colour) {
  LaneTraits traits{lane.body_a, lane.body_b, lane.count, extra, {}, {}, {}};
  if (lane.may_be_round)
    look_closer(from, settings, problem, slab.manifolds[static_cast<std::size_t>(lane.manifold)],
                slab.points[static_cast<std::size_t>(lane.first_point)], traits);
  return lanes.key(traits, colour, lane.ordinal);
}

/// The lanes of one slab.
void find_slab(const ContactSource& from, const WorldSettings& settings, const LaneProblem& lanes,
               const Assembly& assembly, std::size_t s, LaneSources::OfSlab& out) {
  const Slab& slab = from.cache.slabs()[s];
  const std::span<const std::int32_t> colour = colours_of(from, s);
  LastMaterial material;
  out.points.clear(), out.keys.clear();
  out.contacts = 0, out.stays = assembly.all_take_part, out.made = slab.made, out.among = lanes.body_set;
  for_each_lane(from, assembly, s, [&](LanePoints lane) {
    const ContactManifold& m = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
    const BroadPair& pair = from.cache.pairs()[static_cast<std::size_t>(m.pair)];
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    lane.body_a = from.shapes.body[a], lane.body_b = from.shapes.body[b];
    material.look(from, a, b);
    lane.is_plain = material.plain;
    lane.friction = material.plain ? material.listed->friction1 : 0.0;
    lane.may_be_round = lane.count == 1 && lanes.may_be_round(lane.body_a, lane.body_b);
    const std::uint32_t key = key_of(from, settings, lanes, assembly.problem, slab, lane, material.extra,
                                     colour[static_cast<std::size_t>(lane.edge)]);
    lane.is_extra = LaneProblem::is_extra(key);
    out.keys.push_back(key);
    out.points.push_back(lane);
    out.contacts += lane.count;
    out.stays = out.stays && !material.extra;
  });
}

/// The lanes of a slab are those of the step before, but for their colours and for how round they are.
bool is_as_before(const Slab& slab, const LaneProblem& lanes, const Assembly& assembly,
                  const LaneSources::OfSlab& out) {
  return out.stays && assembly.all_take_part && slab.made != 0 && out.made == slab.made && out.among == lanes.body_set;
}
void find_keys(const ContactSource& from, const WorldSettings& settings, const LaneProblem& lanes,
               const Assembly& assembly, std::size_t s, LaneSources::OfSlab& out) {
  const Slab& slab = from.cache.slabs()[s];
  const std::span<const std::int32_t> colour = colours_of(from, s);
  for (std::size_t i = 0; i < out.keys.size(); ++i) {
    const LanePoints& lane = out.points[i];
    const std::int32_t its_colour = colour[static_cast<std::size_t>(lane.edge)];
    out.keys[i] = lane.may_be_round ? key_of(from, settings, lanes, assembly.problem, slab, lane, false, its_colour)
                                    : LaneProblem::with_colour(out.keys[i], its_colour, lane.ordinal);
  }
}

/// What fill_contact and warm_impulse make of a single point of a plain material, without the rest.
LaneSingle gather_single(const ContactSource& from, const Slab& slab, const LanePoints& lane, double impulse_scale) {
  const Vec3& normal = slab.manifolds[static_cast<std::size_t>(lane.manifold)].normal;
  const ContactPoint& point = slab.points[static_cast<std::size_t>(lane.first_point)];
  return {lane.body_a,
          lane.body_b,
          normal,
          make_frame(normal).tangent1,
          point.position - from.bodies.pose[static_cast<std::size_t>(lane.body_a)].position,
          point.position - from.bodies.pose[static_cast<std::size_t>(lane.body_b)].position,
          lane.friction,
          double{point.separation},
          {impulse_scale * double{point.normal_impulse}, impulse_scale * double{point.tangent_impulse[0]},
           impulse_scale * double{point.tangent_impulse[1]}}};
}

/// The same as gather_single for several points.
void gather_plain(const ContactSource& from, const Slab& slab, const LanePoints& lane, double impulse_scale,
                  LaneManifold& m) {
  m.body_a = lane.body_a, m.body_b = lane.body_b, m.count = lane.count;
  m.normal = slab.manifolds[static_cast<std::size_t>(lane.manifold)].normal, m.tangent = make_frame(m.normal).tangent1;
  m.spin_radius = 0;
  m.friction1 = m.friction2 = lane.friction;
  const Vec3 centre_a = from.bodies.pose[static_cast<std::size_t>(m.body_a)].position;
  const Vec3 centre_b = from.bodies.pose[static_cast<std::size_t>(m.body_b)].position;
  const ContactPoint* point = slab.points.data() + lane.first_point;
  for (LaneManifold::Point& p : m.points()) {
    p.arm_a = point->position - centre_a, p.arm_b = point->position - centre_b;
    p.gap = double{point->separation};
    p.impulse[0] = impulse_scale * double{point->normal_impulse};
    p.impulse[1] = impulse_scale * double{point->tangent_impulse[0]};
    p.impulse[2] = impulse_scale * double{point->tangent_impulse[1]};
    p.impulse[3] = p.restitution = p.approach = 0;
    ++point;
  }
}

void gather(const ContactSource& from, const WorldSettings& settings, const ContactProblem& problem, const Slab& slab,
            const LanePoints& lane, double impulse_scale, LaneManifold& m) {
  if (lane.is_plain) return gather_plain(from, slab, lane, impulse_scale, m);
  const ContactManifold& manifold = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
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
             Slab& slab, LaneManifold& m) {
  const std::span<ContactPoint> points{slab.points.data() + lane.first_point, static_cast<std::size_t>(lane.count)};
  if (lane.is_plain && lane.count == 1 && !lane.is_extra) {  // neither frame nor arms matter
    const std::array<double, 3> impulse = lanes.read_single(i, spread, lane.body_b);
    points[0].normal_impulse = static_cast<float>(kept_impulse(impulse[0]));
    points[0].tangent_impulse[0] = static_cast<float>(kept_impulse(impulse[1]));
    points[0].tangent_impulse[1] = static_cast<float>(kept_impulse(impulse[2]));
    points[0].spin_impulse = 0;
    return;
  }
  if (lane.is_plain) {  // the cache's own frame
    m.body_b = lane.body_b, m.count = lane.count, m.spin_radius = 0;
    lanes.read(i, LaneProblem::Impulses::last, spread, m);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const std::array<double, 4>& impulse = m.point[p].impulse;
      points[p].normal_impulse = static_cast<float>(kept_impulse(impulse[0]));
      points[p].tangent_impulse[0] = static_cast<float>(kept_impulse(impulse[1]));
      points[p].tangent_impulse[1] = static_cast<float>(kept_impulse(impulse[2]));
      points[p].spin_impulse = static_cast<float>(kept_impulse(impulse[3]));
    }
    return;
  }
  const ContactManifold& manifold = slab.manifolds[static_cast<std::size_t>(lane.manifold)];
  const ManifoldContext context = manifold_context(from, manifold);
  m = LaneManifold(context.block);
  m.count = lane.count;
  lanes.read(i, LaneProblem::Impulses::last, spread, m);
  for (std::size_t p = 0; p < points.size(); ++p)
    keep_impulse(from, manifold, context.block, m.point[p].impulse, points[p]);
}

/// visit(i, lane) for every manifold of a slab, i being its number in the lanes.
template <class Visit>
void for_lanes_of(const LaneSources& sources, std::size_t s, Visit&& visit) {
  std::size_t i = sources.first[s];
  for (const LanePoints& lane : sources.slabs[s].points) visit(i++, lane);
}

/// The work of one step.
struct Filling {
  const ContactSource& from;
  const WorldSettings& settings;
  const double impulse_scale;
  LaneSolver& solver;
  LaneProblem& lanes;
  LaneSources& sources;
  Assembly& out;

  void fill(std::size_t s) const {
    LaneManifold manifold;
    const Slab& slab = from.cache.slabs()[s];
    const int spread = solver.sub_steps(lanes.slots.size());
    for_lanes_of(sources, s, [&](std::size_t i, const LanePoints& lane) {
      if (lane.is_plain && lane.count == 1 && !lane.is_extra) {
        lanes.fill(i, gather_single(from, slab, lane, impulse_scale), spread);
        return;
      }
      gather(from, settings, out.problem, slab, lane, impulse_scale, manifold);
      lanes.fill(i, manifold, spread);
    });
  }

  /// Finds the lanes of all slabs. While layouts stay as they are, slabs are filled while they are at hand. True if all
  /// of them were.
  bool find(ThreadPool* pool) const {
    const std::size_t slabs = from.cache.slabs().size();
    const bool may_be_same = sources.kept && sources.first.size() == slabs + 1;
    if (sources.slabs.size() < slabs) sources.slabs.resize(slabs);
    out.first_contact.assign(slabs + 1, 0), out.overlaps.resize(slabs);
    for_slabs(from, pool, [&](std::size_t s) {
      LaneSources::OfSlab& slab = sources.slabs[s];
      out.overlaps[s] = sum_overlaps(from.cache.slabs()[s]);
      if (is_as_before(from.cache.slabs()[s], lanes, out, slab))
        find_keys(from, settings, lanes, out, s, slab);
      else
        find_slab(from, settings, lanes, out, s, slab);
      out.first_contact[s + 1] = slab.contacts;
      slab.filled = may_be_same && sources.first[s + 1] - sources.first[s] == slab.keys.size() &&
                    lanes.has_keys(sources.first[s], slab.keys);
      if (slab.filled) fill(s);
    });
    for (std::size_t s = 0; s < slabs; ++s) out.first_contact[s + 1] += out.first_contact[s];
    return may_be_same && lanes.slots.size() == sources.first[slabs] &&
           std::all_of(sources.slabs.begin(), sources.slabs.begin() + static_cast<std::ptrdiff_t>(slabs),
                       [](const LaneSources::OfSlab& slab) { return slab.filled; });
  }

  void lay_out() const {
    const std::size_t slabs = from.cache.slabs().size();
    sources.first.assign(slabs + 1, 0);
    sources.keys.clear();
    for (std::size_t s = 0; s < slabs; ++s) {
      const std::vector<std::uint32_t>& keys = sources.slabs[s].keys;
      sources.keys.insert(sources.keys.end(), keys.begin(), keys.end());
      sources.first[s + 1] = sources.keys.size();
    }
    sources.kept = lanes.lay_out(sources.keys);
  }
};

}  // namespace

void assemble_lanes(const ContactSource& from, const WorldSettings& settings, double step_ratio, ThreadPool* pool,
                    LaneSolver& solver, LaneSources& sources, Assembly& out) {
  out.problem.contacts.clear(), out.solution.contact_impulse.clear(), out.solution.contact_carry.clear();
  solver.lanes().load_bodies(out.problem.bodies, pool);
  const Filling filling{from, settings, settings.warm_start ? step_ratio : 0.0, solver, solver.lanes(), sources, out};
  if (filling.find(pool)) return solver.lanes().keep_layout();
  filling.lay_out();
  for_slabs(from, pool, [&](std::size_t s) { filling.fill(s); });
}

void scatter_lanes(const ContactSource& from, LaneSolver& solver, const LaneSources& sources, ContactCache& cache,
                   ThreadPool* pool) {
  const int spread = solver.sub_steps(solver.lanes().slots.size());
  const std::span<Slab> slabs = cache.slabs();
  const LaneProblem& lanes = solver.lanes();
  for_slabs(from, pool, [&](std::size_t s) {
    LaneManifold manifold;
    for_lanes_of(sources, s, [&](std::size_t i, const LanePoints& lane) {
      scatter(from, lanes, i, lane, spread, slabs[s], manifold);
    });
  });
}

}  // namespace cairn
