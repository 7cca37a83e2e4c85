// SPDX-License-Identifier: MIT
// Touching: which pairs began and ceased to touch in a step, and telling it.
//
// A pair touches from the step in which its shapes meet or push each other until they are farther apart than the
// margin: the gap between the two keeps a body at rest from beginning and ending in every step.
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

namespace {

/// Points of a pair, in order.
template <class Visit>
void for_each_point(const Slab& slab, const ContactPair& record, Visit&& visit) {
  for (std::int32_t k = 0; k < record.manifold_count; ++k) {
    const ContactManifold& m = slab.manifolds[to_index(record.first_manifold + k)];
    for (std::int32_t j = 0; j < m.count; ++j) visit(m, slab.points[to_index(m.first_point + j)]);
  }
}

bool touches(const Slab& slab, const ContactPair& record) {
  bool result = false;
  for_each_point(slab, record, [&](const ContactManifold&, const ContactPoint& p) {
    result = result || p.separation <= 0 || p.normal_impulse > 0;
  });
  return result;
}

ContactEvent make_event(const WorldState& world, ContactEventKind kind, const BroadPair& pair) {
  const auto a = to_index(pair.a), b = to_index(pair.b);
  ContactEvent event;
  event.kind = kind;
  event.shape_a = world.shape_ids.at(a), event.shape_b = world.shape_ids.at(b);
  event.body_a = world.body_ids.at(to_index(world.shapes.body[a]));
  event.body_b = world.body_ids.at(to_index(world.shapes.body[b]));
  return event;
}

const Impact* find_impact(std::span<const Impact> impacts, std::int32_t pair) {
  const auto at = std::lower_bound(impacts.begin(), impacts.end(), pair,
                                   [](const Impact& impact, std::int32_t p) { return impact.pair < p; });
  return at != impacts.end() && at->pair == pair ? &*at : nullptr;
}

/// With where it pushes most, and how much in all.
ContactEvent make_event(const WorldState& world, ContactEventKind kind, std::size_t pair) {
  ContactEvent event = make_event(world, kind, world.cache.pairs()[pair]);
  float largest = -1;
  for_each_point(world.cache.slabs()[pair / ContactCache::kPairBlock], world.cache.records()[pair],
                 [&](const ContactManifold& m, const ContactPoint& p) {
                   event.impulse += double{p.normal_impulse};
                   if (p.normal_impulse > largest)
                     largest = p.normal_impulse, event.point = p.position, event.normal = m.normal;
                 });
  if (const Impact* impact = find_impact(world.assembly.impacts.impacts, static_cast<std::int32_t>(pair))) {
    event.impulse += impact->impulse;
    if (impact->largest > double{largest}) event.point = impact->point, event.normal = impact->normal;
  }
  return event;
}

void compare_slab(ContactCache& cache, std::size_t s) {
  Slab& slab = cache.slabs()[s];
  const std::span<ContactPair> records = cache.records();
  slab.began.clear(), slab.ceased.clear();
  const std::size_t end = std::min(records.size(), (s + 1) * ContactCache::kPairBlock);
  for (std::size_t i = s * ContactCache::kPairBlock; i < end; ++i) {
    ContactPair& record = records[i];
    const bool pushed = record.pushed != 0;
    if (pushed) record.pushed = 0;
    if (record.touching == 0 && record.manifold_count > 0 && (pushed || touches(slab, record))) {
      record.touching = 1;
      slab.began.push_back(static_cast<std::int32_t>(i));
    } else if (record.touching != 0 && record.manifold_count == 0) {
      record.touching = 0;
      slab.ceased.push_back(static_cast<std::int32_t>(i));
    }
  }
}

void list_persisting(const WorldState& world, std::vector<ContactEvent>& events) {
  for (std::size_t i = 0; i < world.cache.records().size(); ++i) {
    const auto& began = world.cache.slabs()[i / ContactCache::kPairBlock].began;
    const bool is_new = std::binary_search(began.begin(), began.end(), static_cast<std::int32_t>(i));
    if (world.cache.records()[i].touching != 0 && !is_new)
      events.push_back(make_event(world, ContactEventKind::persist, i));
  }
}

/// Events of the sub-step by pair; a pair that met and parted within it begins before it ends.
void sort_events(WorldState& world) {
  const auto first = world.events.begin() + static_cast<std::ptrdiff_t>(world.first_event);
  std::sort(first, world.events.end(), [](const ContactEvent& x, const ContactEvent& y) {
    if (!(x.shape_a == y.shape_a)) return x.shape_a < y.shape_a;
    if (!(x.shape_b == y.shape_b)) return x.shape_b < y.shape_b;
    return x.kind < y.kind;
  });
}

/// Whether the contacts of the sub-step tell of two shapes: they touch, or an event names them.
bool is_told(const WorldState& world, const BroadPair& pair, const ContactEvent& event) {
  const auto pairs = world.cache.pairs();
  const auto known = std::lower_bound(pairs.begin(), pairs.end(), pair);
  if (known != pairs.end() && *known == pair && world.cache.records()[to_index(known - pairs.begin())].touching != 0)
    return true;
  const auto first = world.events.begin() + static_cast<std::ptrdiff_t>(world.first_event);
  return std::any_of(first, world.events.end(), [&](const ContactEvent& other) {
    return other.shape_a == event.shape_a && other.shape_b == event.shape_b;
  });
}

}  // namespace

void forget_removed(WorldState& world) {
  if (!world.any_removed) return;
  world.cache.forget(world.removed_shape, [&](const BroadPair& pair, bool was_touching) {
    ContactEvent event;
    event.kind = ContactEventKind::end;
    const auto side = [&](std::int32_t index, ShapeId& shape, BodyId& body) {
      const auto i = to_index(index);
      if (world.removed_shape[i] != 0) {
        shape = world.removed_shape_id[i], body = world.removed_body_id[i];
        return;
      }
      shape = world.shape_ids.at(i), body = world.body_ids.at(to_index(world.shapes.body[i]));
      wake_body(world, to_index(world.shapes.body[i]));
    };
    side(pair.a, event.shape_a, event.body_a);
    side(pair.b, event.shape_b, event.body_b);
    if (was_touching) world.events.push_back(event);
  });
  std::fill(world.removed_shape.begin(), world.removed_shape.end(), std::uint8_t{0});
  world.any_removed = false;
}

void collect_events(WorldState& world) {
  const std::span<Slab> slabs = world.cache.slabs();
  for (const Impact& impact : world.assembly.impacts.impacts) world.cache.records()[to_index(impact.pair)].pushed = 1;
  parallel_for(world.pool.get(), static_cast<std::int64_t>(slabs.size()), 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = to_index(begin); s < to_index(end); ++s) {
      const bool is_compared = world.slabs_rest && slabs[s].is_still();  // when it came to rest
      if (!is_compared) compare_slab(world.cache, s);
    }
  });
  for (const Slab& slab : slabs) {
    for (const std::int32_t i : slab.began)
      world.events.push_back(make_event(world, ContactEventKind::begin, to_index(i)));
    for (const std::int32_t i : slab.ceased)
      world.events.push_back(make_event(world, ContactEventKind::end, world.cache.pairs()[to_index(i)]));
    for (const std::int32_t i : slab.ended)
      world.events.push_back(make_event(world, ContactEventKind::end, world.cache.before().pairs[to_index(i)]));
  }
  if (world.settings.persist_events) list_persisting(world, world.events);
  sort_events(world);
}

void tell_hits(WorldState& world) {
  std::vector<Hit>& hits = world.continuous.hits;
  if (hits.empty()) return;
  const auto shapes = [](const Hit& hit) { return BroadPair{hit.shape_a, hit.shape_b}; };
  std::sort(hits.begin(), hits.end(), [&](const Hit& x, const Hit& y) {
    return shapes(x) == shapes(y) ? x.time < y.time : shapes(x) < shapes(y);
  });
  for (auto hit = hits.begin(); hit != hits.end();) {
    ContactEvent event = make_event(world, ContactEventKind::begin, shapes(*hit));
    event.point = hit->point, event.normal = hit->normal;
    const auto end = std::find_if(hit, hits.end(), [&](const Hit& other) { return shapes(other) != shapes(*hit); });
    for (; hit != end; ++hit) event.impulse += hit->impulse;
    if (event.impulse == 0 || is_told(world, shapes(*(end - 1)), event)) continue;
    world.events.push_back(event);
    world.events.push_back(make_event(world, ContactEventKind::end, shapes(*(end - 1))));
  }
  sort_events(world);
}

void World::deliver_events() {
  WorldState& world = *state_;
  // Whatever the listener does, the world is whole afterwards: the flag down, waiting removals made.
  struct Whole {
    World& self;
    WorldState& world;
    ~Whole() {
      world.delivering = false;
      for (const ShapeId shape : world.shapes_to_remove)
        if (self.contains(shape)) self.remove_shape(shape);
      for (const JointId joint : world.joints_to_remove)
        if (self.contains(joint)) self.remove_joint(joint);
      for (const BodyId body : world.bodies_to_remove)
        if (self.contains(body)) self.remove_body(body);
      world.shapes_to_remove.clear(), world.bodies_to_remove.clear(), world.joints_to_remove.clear();
    }
  } whole{*this, world};
  if (!world.listener) return;
  world.delivering = true;
  for (const ContactEvent& event : world.events) world.listener(event);
}

}  // namespace cairn
