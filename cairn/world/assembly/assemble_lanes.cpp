// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/assemble_lanes.h"

#include <algorithm>
#include <atomic>

#include "cairn/core/index.h"
#include "cairn/world/assembly/contact_blocks.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr std::int64_t kSlabGrain = 4;

/// Whether contacts of such a material need more than rows and one coefficient.
bool has_extras(const ContactMaterial& m) {
  return m.restitution > 0 || m.spin_radius > 0 || m.friction1 != m.friction2 ||
         m.static_friction1 != m.static_friction2;
}

/// Calls visit(run) for each lane of a slab; the manifolds of the cache are the runs, pairs are numbered by edge.
template <class Visit>
void for_each_lane(const ContactSource& from, const Assembly& assembly, std::size_t s, Visit&& visit) {
  const Slab& slab = from.cache.slabs()[s];
  std::int32_t edge = -1, last_pair = -1;
  LaneGrouping grouping;
  for (std::size_t i = 0; i < slab.manifolds.size(); ++i) {
    const ContactManifold& m = slab.manifolds[i];
    if (m.pair != last_pair) ++edge;
    last_pair = m.pair;
    if (!takes_part(from, assembly, m)) continue;
    grouping.add(
        static_cast<std::int32_t>(i), m.first_point, m.count, edge,
        [&](std::int32_t run) { return slab.manifolds[to_index(run)].normal == m.normal; }, visit);
  }
  grouping.finish(visit);
}

template <class Work>
void for_slabs(const ContactSource& from, ThreadPool* pool, Work&& work) {
  parallel_for(pool, static_cast<std::int64_t>(from.cache.slabs().size()), kSlabGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t s = begin; s < end; ++s) work(to_index(s));
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
void look_closer(const ContactSource& from, const WorldSettings& settings, const Assembly& assembly,
                 const ContactManifold& m, const ContactPoint& point, LaneTraits& traits) {
  traits.normal = m.normal;
  traits.arm_a = point.position - assembly.centre[to_index(traits.body_a)];
  traits.arm_b = point.position - assembly.centre[to_index(traits.body_b)];
  if (!traits.extra) return;
  ContactBlock block;
  fill_contact(settings, assembly, manifold_context(from, m), point, block);
  traits.extra = block.restitution > 0 || block.spin_radius > 0 || block.friction1 != block.friction2;
}

std::span<const std::int32_t> colours_of(const ContactSource& from, std::size_t s) {
  return from.graph.colour().subspan(to_index(from.graph.first_edge()[s]));
}

/// The batch of a lane: that of its bodies.
std::uint8_t batch_of(const LaneProblem& lanes, const LanePoints& lane) {
  const auto a = to_index(lane.body_a), b = to_index(lane.body_b);
  return lanes.batch_of[lanes.can_move(a) ? a : b];
}

/// Where a lane belongs. `extra`: its material is.
std::uint32_t key_of(const ContactSource& from, const WorldSettings& settings, const Assembly& assembly,
                     const Slab& slab, const LanePoints& lane, bool extra, std::int32_t colour) {
  LaneTraits traits{lane.body_a, lane.body_b, lane.count, extra, {}, {}, {}};
  if (lane.is_round)
    traits.normal = traits.arm_a = traits.arm_b = slab.manifolds[to_index(lane.manifold)].normal;
  else if (lane.may_be_round)
    look_closer(from, settings, assembly, slab.manifolds[to_index(lane.manifold)],
                slab.points[to_index(lane.first_point)], traits);
  return assembly.lanes.key(traits, lane.batch, colour, lane.ordinal);
}

/// Whether the arm of a shape's body is along the normal of each of its contacts, or does not matter.
bool is_ball(const ContactSource& from, const LaneProblem& lanes, std::size_t shape) {
  return (from.shapes.sphere_radius[shape] >= 0 && from.shapes.centred[shape] != 0) ||
         !lanes.can_move(to_index(from.shapes.body[shape]));
}

/// The lanes of one slab.
void find_slab(const ContactSource& from, const WorldSettings& settings, const Assembly& assembly, std::size_t s,
               LaneSources::OfSlab& out) {
  const Slab& slab = from.cache.slabs()[s];
  const LaneProblem& lanes = assembly.lanes;
  const std::span<const std::int32_t> colour = colours_of(from, s);
  LastMaterial material;
  out.points.clear(), out.keys.clear();
  out.stays = assembly.all_take_part, out.made = slab.made, out.among = lanes.body_set;
  for_each_lane(from, assembly, s, [&](const LaneRun& run) {
    const ContactManifold& m = slab.manifolds[to_index(run.run)];
    const BroadPair& pair = from.cache.pairs()[to_index(m.pair)];
    const auto a = to_index(pair.a), b = to_index(pair.b);
    LanePoints lane{from.shapes.body[a], from.shapes.body[b], run.run, run.first_point,
                    run.count,           run.ordinal,         run.pair};
    material.look(from, a, b);
    lane.is_plain = material.plain;
    lane.friction = material.plain ? material.listed->friction1 : 0.0;
    lane.may_be_round = lane.count == 1 && lanes.may_be_round(lane.body_a, lane.body_b);
    lane.is_round = lane.may_be_round && !material.extra && is_ball(from, lanes, a) && is_ball(from, lanes, b);
    lane.batch = batch_of(lanes, lane);
    const std::uint32_t key = key_of(from, settings, assembly, slab, lane, material.extra, colour[to_index(lane.edge)]);
    lane.is_extra = LaneProblem::is_extra(key);
    out.keys.push_back(key);
    out.points.push_back(lane);
    out.stays = out.stays && !material.extra;
  });
}

/// The lanes of a slab are those of the step before, but for their colours, their batches and for how round they are.
bool is_as_before(const Slab& slab, const Assembly& assembly, const LaneSources::OfSlab& out) {
  return out.stays && assembly.all_take_part && slab.made != 0 && out.made == slab.made &&
         out.among == assembly.lanes.body_set;
}
void find_keys(const ContactSource& from, const WorldSettings& settings, const Assembly& assembly, std::size_t s,
               LaneSources::OfSlab& out) {
  const Slab& slab = from.cache.slabs()[s];
  const std::span<const std::int32_t> colour = colours_of(from, s);
  for (std::size_t i = 0; i < out.keys.size(); ++i) {
    LanePoints& lane = out.points[i];
    lane.batch = batch_of(assembly.lanes, lane);
    const std::int32_t its_colour = colour[to_index(lane.edge)];
    out.keys[i] = lane.may_be_round && !lane.is_round
                      ? key_of(from, settings, assembly, slab, lane, false, its_colour)
                      : LaneProblem::with_colour(out.keys[i], lane.batch, its_colour, lane.ordinal);
  }
}

/// Adds the lanes of a slab to the counts of their islands; returns how many contacts they have.
std::int64_t count_lanes(const ContactSource& from, std::size_t s, double impulse_scale,
                         const LaneSources::OfSlab& lanes, std::vector<IslandCounts>& counts) {
  const Slab& slab = from.cache.slabs()[s];
  const std::int32_t* island_of = from.graph.islands().of_edge.data() + from.graph.first_edge()[s];
  std::int32_t island = -1;
  std::int64_t contacts = 0;
  IslandCounts sum;
  const auto flush = [&] {
    if (island < 0 || sum.manifolds == 0) return;
    IslandCounts& to = counts[to_index(island)];
    const auto add = [](std::int32_t& total, std::int32_t value) {
      if (value != 0) std::atomic_ref(total).fetch_add(value, std::memory_order_relaxed);
    };
    add(to.manifolds, sum.manifolds), add(to.flat, sum.flat), add(to.touching, sum.touching), add(to.bare, sum.bare);
    sum = {};
  };
  for (const LanePoints& lane : lanes.points) {
    if (island_of[lane.edge] != island) flush(), island = island_of[lane.edge];
    const ContactPoint* point = slab.points.data() + lane.first_point;
    count_manifold(
        lane.count, [&](int p) { return double{point[p].separation}; },
        [&](int p) { return impulse_scale * double{point[p].normal_impulse}; }, sum);
    contacts += lane.count;
  }
  flush();
  return contacts;
}

/// What fill_contact and warm_impulse make of a single point of a plain material, without the rest.
LaneSingle gather_single(const Assembly& assembly, const Slab& slab, const LanePoints& lane, double impulse_scale) {
  const Vec3& normal = slab.manifolds[to_index(lane.manifold)].normal;
  const ContactPoint& point = slab.points[to_index(lane.first_point)];
  return {lane.body_a,
          lane.body_b,
          normal,
          make_frame(normal).tangent1,
          point.position - assembly.centre[to_index(lane.body_a)],
          point.position - assembly.centre[to_index(lane.body_b)],
          lane.friction,
          seen_gap(assembly, lane.body_a, lane.body_b, point),
          {impulse_scale * double{point.normal_impulse}, impulse_scale * double{point.tangent_impulse[0]},
           impulse_scale * double{point.tangent_impulse[1]}}};
}

/// The same as gather_single for several points.
void gather_plain(const Assembly& assembly, const Slab& slab, const LanePoints& lane, double impulse_scale,
                  LaneManifold& m) {
  m.body_a = lane.body_a, m.body_b = lane.body_b, m.count = lane.count;
  m.normal = slab.manifolds[to_index(lane.manifold)].normal, m.tangent = make_frame(m.normal).tangent1;
  m.spin_radius = 0;
  m.friction1 = m.friction2 = lane.friction;
  const Vec3 centre_a = assembly.centre[to_index(m.body_a)];
  const Vec3 centre_b = assembly.centre[to_index(m.body_b)];
  const ContactPoint* point = slab.points.data() + lane.first_point;
  for (LaneManifold::Point& p : m.points()) {
    p.arm_a = point->position - centre_a, p.arm_b = point->position - centre_b;
    p.gap = seen_gap(assembly, m.body_a, m.body_b, *point);
    p.impulse[0] = impulse_scale * double{point->normal_impulse};
    p.impulse[1] = impulse_scale * double{point->tangent_impulse[0]};
    p.impulse[2] = impulse_scale * double{point->tangent_impulse[1]};
    p.impulse[3] = p.restitution = p.approach = 0;
    ++point;
  }
}

/// Any material: by way of contacts in double.
void gather_contacts(const ContactSource& from, const WorldSettings& settings, const Assembly& assembly,
                     const Slab& slab, const LanePoints& lane, double impulse_scale, LaneManifold& m) {
  const ManifoldContext context = manifold_context(from, slab.manifolds[to_index(lane.manifold)]);
  gather_lane(
      assembly.problem, lane.count,
      [&](int p, ContactBlock& block, std::array<double, 4>& impulse) {
        const ContactPoint& point = slab.points[to_index(lane.first_point + p)];
        fill_contact(settings, assembly, context, point, block);
        impulse = warm_impulse(context, point, impulse_scale);
      },
      m);
}

/// An impulse in the cache's own frame, as far as it may be kept (kept_impulse): four numbers at once.
void keep_impulse(const std::array<double, 4>& impulse, ContactPoint& point) {
  float kept[4];
  for (int k = 0; k < 4; ++k) kept[k] = static_cast<float>(impulse[to_index(k)]);
  for (float& l : kept) l = std::fabs(l) <= static_cast<float>(kLargestImpulse) ? l : 0.0f;
  point.normal_impulse = kept[0];
  point.tangent_impulse[0] = kept[1], point.tangent_impulse[1] = kept[2];
  point.spin_impulse = kept[3];
}

/// Impulses of one lane back to its points; true if it was pushed in any sub-step. Frames of the cache are
/// right-handed, as those of lanes.
bool scatter(const ContactSource& from, const LaneProblem& lanes, std::size_t i, const LanePoints& lane, int spread,
             Slab& slab, LaneManifold& m) {
  const std::span<ContactPoint> points{slab.points.data() + lane.first_point, to_index(lane.count)};
  if (lane.is_plain && lane.count == 1 && !lane.is_extra) {  // neither frame nor arms matter
    const LaneProblem::SingleImpulse single = lanes.read_single(i, spread, lane.body_b);
    keep_impulse({single.impulse[0], single.impulse[1], single.impulse[2], 0.0}, points[0]);
    return single.was_pushed;
  }
  if (lane.is_plain) {  // the cache's own frame
    m.body_b = lane.body_b, m.count = lane.count, m.spin_radius = 0;
    lanes.read(i, LaneProblem::Impulses::last, spread, m);
    for (std::size_t p = 0; p < points.size(); ++p) keep_impulse(m.point[p].impulse, points[p]);
    return points[0].normal_impulse > 0 || lanes.was_pushed(i);
  }
  const ContactManifold& manifold = slab.manifolds[to_index(lane.manifold)];
  const ManifoldContext context = manifold_context(from, manifold);
  m = LaneManifold(context.block);
  m.count = lane.count;
  lanes.read(i, LaneProblem::Impulses::last, spread, m);
  for (std::size_t p = 0; p < points.size(); ++p)
    keep_impulse(from, manifold, context.block, m.point[p].impulse, points[p]);
  return points[0].normal_impulse > 0 || lanes.was_pushed(i);
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
  const std::array<int, kMostBatches> spread;
  Assembly& out;
  LaneProblem& lanes = out.lanes;
  LaneSources& sources = out.lane_sources;

  void fill(std::size_t s) const {
    LaneManifold manifold;
    const Slab& slab = from.cache.slabs()[s];
    for_lanes_of(sources, s, [&](std::size_t i, const LanePoints& lane) {
      if (lane.is_plain && lane.count == 1 && !lane.is_extra) {
        lanes.fill(i, gather_single(out, slab, lane, impulse_scale), spread[lane.batch]);
        return;
      }
      if (lane.is_plain)
        gather_plain(out, slab, lane, impulse_scale, manifold);
      else
        gather_contacts(from, settings, out, slab, lane, impulse_scale, manifold);
      lanes.fill(i, manifold, spread[lane.batch]);
    });
  }

  /// Finds the lanes of all slabs, as if islands were in the batches of the step before, and counts what islands have.
  /// While layouts stay as they are, slabs are filled while they are at hand. True if all of them were.
  bool find(ThreadPool* pool) const {
    const std::size_t slabs = from.cache.slabs().size();
    const bool may_be_same = sources.kept && sources.first.size() == slabs + 1;
    if (sources.slabs.size() < slabs) sources.slabs.resize(slabs);
    out.first_contact.assign(slabs + 1, 0), count_overlaps(slabs, out);
    for_slabs(from, pool, [&](std::size_t s) {
      LaneSources::OfSlab& slab = sources.slabs[s];
      sum_overlaps(from.cache.slabs()[s], s, out);
      if (from.is_at_rest(from.cache.slabs()[s]))
        slab.points.clear(), slab.keys.clear(), slab.stays = false;
      else if (is_as_before(from.cache.slabs()[s], out, slab))
        find_keys(from, settings, out, s, slab);
      else
        find_slab(from, settings, out, s, slab);
      out.first_contact[s + 1] = count_lanes(from, s, impulse_scale, slab, sources.counts);
      slab.filled = may_be_same && sources.first[s + 1] - sources.first[s] == slab.keys.size() &&
                    lanes.has_keys(sources.first[s], slab.keys);
      if (slab.filled) fill(s);
    });
    for (std::size_t s = 0; s < slabs; ++s) out.first_contact[s + 1] += out.first_contact[s];
    return may_be_same && lanes.slots.size() == sources.first[slabs] &&
           std::all_of(sources.slabs.begin(), sources.slabs.begin() + static_cast<std::ptrdiff_t>(slabs),
                       [](const LaneSources::OfSlab& slab) { return slab.filled; });
  }

  /// True if the batches of all lanes are those that they were found with; else their keys are changed.
  bool check_batches(ThreadPool* pool) const {
    std::atomic<bool> same = true;
    for_slabs(from, pool, [&](std::size_t s) {
      LaneSources::OfSlab& slab = sources.slabs[s];
      const std::span<const std::int32_t> colour = colours_of(from, s);
      for (std::size_t i = 0; i < slab.points.size(); ++i) {
        LanePoints& lane = slab.points[i];
        const std::uint8_t batch = batch_of(lanes, lane);
        if (batch == lane.batch) continue;
        lane.batch = batch;
        slab.keys[i] = LaneProblem::with_colour(slab.keys[i], batch, colour[to_index(lane.edge)], lane.ordinal);
        same.store(false, std::memory_order_relaxed);
      }
    });
    return same;
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

std::array<int, kMostBatches> spread_of(const LaneBatching& batching) {
  std::array<int, kMostBatches> spread{};
  for (int batch = 0; batch < kMostBatches; ++batch) spread[to_index(batch)] = batching.sub_steps(batch);
  return spread;
}

}  // namespace

void assemble_lanes(const ContactSource& from, const WorldSettings& settings, double impulse_scale,
                    const LaneBatching& batching, ThreadPool* pool, Assembly& out) {
  LaneProblem& lanes = out.lanes;
  LaneSources& sources = out.lane_sources;
  lanes.load_bodies(out.problem.bodies, pool);
  lanes.batch_of.resize(lanes.body_of.size());
  sources.counts.assign(to_index(from.graph.islands().count), {});
  const Filling filling{from, settings, impulse_scale, spread_of(batching), out};
  const bool all_filled = filling.find(pool);
  out.is_in_lanes = true;
  sources.batch_before = lanes.batch_of;
  assign_batches(batching, from.graph.islands(), sources.counts, sources.island_batch, lanes);
  const bool same_batches = sources.batch_before == lanes.batch_of || filling.check_batches(pool);
  if (all_filled && same_batches) return lanes.keep_layout();
  filling.lay_out();
  for_slabs(from, pool, [&](std::size_t s) { filling.fill(s); });
}

void scatter_lanes(const ContactSource& from, const LaneBatching& batching, const Assembly& assembly,
                   ContactCache& cache, ThreadPool* pool) {
  const std::array<int, kMostBatches> spread = spread_of(batching);
  const std::span<Slab> slabs = cache.slabs();
  const std::span<ContactPair> records = cache.records();
  for_slabs(from, pool, [&](std::size_t s) {
    LaneManifold manifold;
    for_lanes_of(assembly.lane_sources, s, [&](std::size_t i, const LanePoints& lane) {
      const bool pushed = scatter(from, assembly.lanes, i, lane, spread[lane.batch], slabs[s], manifold);
      // Bodies that met and parted again within the step have touched, though the last sub-step knows nothing of it.
      if (!pushed || slabs[s].points[to_index(lane.first_point)].normal_impulse > 0) return;
      records[to_index(slabs[s].manifolds[to_index(lane.manifold)].pair)].pushed = 1;
    });
  });
}

void read_lanes(ThreadPool* pool, Assembly& out) {
  out.solution.contact_impulse.resize(out.problem.contacts.size());
  const auto slabs = static_cast<std::int64_t>(out.first_contact.size()) - 1;
  parallel_for(pool, slabs, kSlabGrain, [&](std::int64_t begin, std::int64_t end) {
    LaneManifold m;
    for (auto s = to_index(begin); s < to_index(end); ++s) {
      auto k = to_index(out.first_contact[s]);
      for_lanes_of(out.lane_sources, s, [&](std::size_t i, const LanePoints& lane) {
        m = LaneManifold(out.problem.contacts[k]);
        m.count = lane.count;
        out.lanes.read(i, LaneProblem::Impulses::total, 1, m);
        for (std::size_t p = 0; p < m.points().size(); ++p) out.solution.contact_impulse[k + p] = m.point[p].impulse;
        const auto count = to_index(lane.count);
        share_friction_by_load({out.problem.contacts.data() + k, count},
                               {out.solution.contact_impulse.data() + k, count});
        k += count;
      });
    }
  });
}

}  // namespace cairn
