// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/find_lanes.h"

#include <atomic>
#include <span>

#include "cairn/core/index.h"
#include "cairn/problem/lanes/lane_source.h"
#include "cairn/world/assembly/contact_blocks.h"

namespace cairn {

namespace {

/// Whether contacts of such a material need more than rows and one coefficient, whatever bounces.
bool has_own_extras(const ContactMaterial& m) {
  return m.spin_radius > 0 || m.friction1 != m.friction2 || m.static_friction1 != m.static_friction2;
}
bool has_extras(const ContactMaterial& m) { return m.restitution > 0 || has_own_extras(m); }

/// A material whose contacts are the same whatever the bodies do: one coefficient, no bounce, no grain, no spin.
bool is_plain(const ContactMaterial& m) {
  return !has_extras(m) && m.friction1 == m.static_friction1 && m.grain_of == 0;
}

/// What is known about the material met last: mostly it is that of the next one, too.
struct LastMaterial {
  const ContactMaterial* listed = nullptr;
  bool plain = false, extra = false;
  bool bounces_only = false;  ///< it is extra because of its restitution alone

  void look(const ContactSource& from, std::size_t a, std::size_t b) {
    const ContactMaterial* now = from.materials.listed(from.shapes.material[a], from.shapes.material[b]);
    if (now == listed && now != nullptr) return;
    listed = now;
    plain = now != nullptr && is_plain(*now);
    const ContactMaterial& m =
        now != nullptr ? *now : combine(from.shapes.def[a].material, from.shapes.def[b].material);
    extra = has_extras(m), bounces_only = extra && !has_own_extras(m);
  }
};

std::span<const std::int32_t> colours_of(const ContactSource& from, std::size_t s) {
  return from.graph.colour().subspan(to_index(from.graph.first_edge()[s]));
}

/// The batch of a lane: that of its bodies.
std::uint8_t batch_of(const LaneProblem& lanes, const LanePoints& lane) {
  const auto a = to_index(lane.body_a), b = to_index(lane.body_b);
  return lanes.batch_of[lanes.can_move(a) ? a : b];
}

/// The lanes of one slab while they are found.
class SlabLanes {
 public:
  SlabLanes(const ContactSource& from, const Assembly& assembly, std::size_t s, LaneSources::OfSlab& out)
      : from_(from),
        assembly_(assembly),
        lanes_(assembly.lanes),
        slab_(from.cache.slabs()[s]),
        colour_(colours_of(from, s)),
        out_(out) {}

  /// The lanes are those of the step before, but for their colours, their batches and for how round they are.
  bool are_known() const {
    return out_.stays && assembly_.all_take_part && slab_.made != 0 && out_.made == slab_.made &&
           out_.among == lanes_.body_set;
  }

  void find_all() {
    out_.points.clear(), out_.keys.clear();
    out_.stays = assembly_.all_take_part, out_.made = slab_.made, out_.among = lanes_.body_set;
    LastMaterial material;
    for_each_run([&](const LaneRun& run) { add_lane(run, material); });
  }

  void find_keys() {
    for (std::size_t i = 0; i < out_.keys.size(); ++i) {
      LanePoints& lane = out_.points[i];
      lane.batch = batch_of(lanes_, lane);
      out_.keys[i] =
          lane.may_be_round && !lane.is_round ? key_of(lane, false) : LaneKey(out_.keys[i].kind(), place_of(lane));
    }
  }

 private:
  /// Calls visit(run) for each lane; the manifolds of the cache are the runs, pairs are numbered by edge.
  template <class Visit>
  void for_each_run(Visit&& visit) const {
    std::int32_t edge = -1, last_pair = -1;
    LaneGrouping grouping;
    for (std::size_t i = 0; i < slab_.manifolds.size(); ++i) {
      const ContactManifold& m = slab_.manifolds[i];
      if (m.pair != last_pair) ++edge;
      last_pair = m.pair;
      if (!takes_part(from_, assembly_, m)) continue;
      grouping.add(
          {static_cast<std::int32_t>(i), m.first_point, m.count, edge},
          [&](std::int32_t run) { return slab_.manifolds[to_index(run)].normal == m.normal; }, visit);
    }
    grouping.finish(visit);
  }

  void add_lane(const LaneRun& run, LastMaterial& material) {
    const BroadPair& pair = from_.cache.pairs()[to_index(slab_.manifolds[to_index(run.run)].pair)];
    const auto a = to_index(pair.a), b = to_index(pair.b);
    material.look(from_, a, b);
    LanePoints lane{
        from_.shapes.body[a], from_.shapes.body[b], run.run, run.first_point, run.count, run.ordinal, run.pair};
    lane.is_plain = material.plain;
    lane.friction = material.plain ? material.listed->friction1 : 0.0;
    lane.may_be_round = lane.count == 1 && lanes_.may_be_round(lane.body_a, lane.body_b);
    // What bounces before the solve (impacts.h) needs no fields for it.
    const bool extra =
        material.extra && !(material.bounces_only && !assembly_.impacts.is_joined(lane.body_a, lane.body_b));
    lane.is_round = lane.may_be_round && !extra && is_ball(a) && is_ball(b);
    lane.batch = batch_of(lanes_, lane);
    const LaneKey key = key_of(lane, extra);
    lane.is_extra = key.is_extra();
    out_.keys.push_back(key), out_.points.push_back(lane);
    out_.stays = out_.stays && !material.extra;
  }

  /// Whether the arm of a shape's body is along the normal of each of its contacts, or does not matter.
  bool is_ball(std::size_t shape) const {
    return (from_.shapes.sphere_radius[shape] >= 0 && from_.shapes.centred[shape] != 0) ||
           !lanes_.can_move(to_index(from_.shapes.body[shape]));
  }

  LanePlace place_of(const LanePoints& lane) const { return {lane.batch, colour_[to_index(lane.edge)], lane.ordinal}; }

  /// Where a lane belongs. `extra`: its material is.
  LaneKey key_of(const LanePoints& lane, bool extra) const {
    LaneTraits traits{lane.body_a, lane.body_b, lane.count, extra, {}, {}, {}};
    if (lane.is_round)
      traits.normal = traits.arm_a = traits.arm_b = slab_.manifolds[to_index(lane.manifold)].normal;
    else if (lane.may_be_round)
      look_closer(lane, traits);
    return lanes_.key(traits, place_of(lane));
  }

  /// Arms of a single point, for bodies that may be round. A bounce that comes to nothing leaves a contact without
  /// extras, whatever its material.
  void look_closer(const LanePoints& lane, LaneTraits& traits) const {
    const ContactManifold& m = slab_.manifolds[to_index(lane.manifold)];
    const ContactPoint& point = slab_.points[to_index(lane.first_point)];
    traits.normal = m.normal;
    traits.arm_a = point.position - assembly_.centre[to_index(lane.body_a)];
    traits.arm_b = point.position - assembly_.centre[to_index(lane.body_b)];
    if (!traits.extra) return;
    ContactBlock block;
    fill_contact(from_.settings, assembly_, manifold_context(from_, m), point, block);
    traits.extra = block.restitution > 0 || block.spin_radius > 0 || block.friction1 != block.friction2;
  }

  const ContactSource& from_;
  const Assembly& assembly_;
  const LaneProblem& lanes_;
  const Slab& slab_;
  const std::span<const std::int32_t> colour_;  ///< per edge of the slab
  LaneSources::OfSlab& out_;
};

}  // namespace

void find_lanes(const ContactSource& from, const Assembly& assembly, std::size_t s, LaneSources::OfSlab& out) {
  if (from.is_at_rest(from.cache.slabs()[s])) {
    out.points.clear(), out.keys.clear(), out.stays = false;
    return;
  }
  SlabLanes lanes(from, assembly, s, out);
  lanes.are_known() ? lanes.find_keys() : lanes.find_all();
}

bool find_batches(const ContactSource& from, const LaneProblem& lanes, std::size_t s, LaneSources::OfSlab& out) {
  const std::span<const std::int32_t> colour = colours_of(from, s);
  bool same = true;
  for (std::size_t i = 0; i < out.points.size(); ++i) {
    LanePoints& lane = out.points[i];
    const std::uint8_t batch = batch_of(lanes, lane);
    if (batch == lane.batch) continue;
    lane.batch = batch;
    out.keys[i] = {out.keys[i].kind(), {batch, colour[to_index(lane.edge)], lane.ordinal}};
    same = false;
  }
  return same;
}

std::int64_t count_lanes(const ContactSource& from, std::size_t s, const LaneSources::OfSlab& lanes,
                         std::vector<IslandCounts>& counts) {
  const Slab& slab = from.cache.slabs()[s];
  const std::int32_t* island_of = from.graph.islands().of_edge.data() + from.graph.first_edge()[s];
  std::int32_t island = -1;
  std::int64_t contacts = 0;
  IslandCounts sum;
  const auto flush = [&] {
    if (island >= 0 && sum.manifolds > 0) counts[to_index(island)].add_atomically(sum);
    sum = {};
  };
  for (const LanePoints& lane : lanes.points) {
    if (island_of[lane.edge] != island) flush(), island = island_of[lane.edge];
    const ContactPoint* point = slab.points.data() + lane.first_point;
    count_manifold(
        lane.count, [&](int p) { return double{point[p].separation}; },
        [&](int p) { return from.impulse_scale * double{point[p].normal_impulse}; }, sum);
    contacts += lane.count;
  }
  flush();
  return contacts;
}

}  // namespace cairn
