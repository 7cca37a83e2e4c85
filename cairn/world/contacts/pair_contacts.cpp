// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/pair_contacts.h"

#include "cairn/core/index.h"
#include "cairn/world/contacts/make_contacts.h"
#include "cairn/world/contacts/recycle.h"

namespace cairn {

namespace {

const ContactManifold* old_manifold(const PairContext& c, std::uint64_t part) {
  if (c.old == nullptr) return nullptr;
  for (std::int32_t k = 0; k < c.old->manifold_count; ++k) {
    const ContactManifold& m = c.old_slab->manifolds[to_index(c.old->first_manifold + k)];
    if (m.part == part) return &m;
  }
  return nullptr;
}

void collide_balls(const PairContext& c, Slab& slab) {
  const BallContact contact = ball_contact(c);
  if (!contact.found) return;
  // Written in place: building them elsewhere and copying costs as much as the arithmetic.
  const auto first_point = static_cast<std::int32_t>(slab.points.size());
  ContactManifold& m = slab.manifolds.emplace_back();
  ContactPoint& point = slab.points.emplace_back();
  m.normal = contact.normal;
  m.pair = c.index;
  m.count = 1;
  m.first_point = first_point;
  point.position = contact.position;
  point.separation = static_cast<float>(contact.separation);
  if (const ContactManifold* old = old_manifold(c, 0))
    carry_impulse(c.old_slab->points[to_index(old->first_point)], old->normal, m.normal, point);
}

/// Asks the narrow phase.
void collide_pair(const PairContext& c, bool recyclable, CollideMemory& memory, Slab& slab) {
  slab.scratch.clear();
  collide(c.shapes.shape[c.a], c.shapes.pose[c.a], c.shapes.shape[c.b], c.shapes.pose[c.b], pair_margin(c), memory,
          slab.scratch);
  for (const PartManifold& found : slab.scratch) {
    const std::size_t first_point = slab.points.size(), first_anchor = slab.anchors.size();
    const auto count = to_index(found.manifold.count);
    ContactManifold& m = slab.manifolds.emplace_back();
    m.normal = found.manifold.normal;
    m.part = found.part;
    m.pair = c.index;
    m.count = found.manifold.count;
    m.first_point = static_cast<std::int32_t>(first_point);
    for (std::size_t k = 0; k < count; ++k) slab.points.emplace_back();
    if (recyclable) {
      m.first_anchor = static_cast<std::int32_t>(first_anchor);
      for (std::size_t k = 0; k < count; ++k) slab.anchors.emplace_back();
    }
    NewContacts contacts{found.manifold, c.bodies.pose[c.body_a], c.bodies.pose[c.body_b], {}, {}};
    if (const ContactManifold* old = old_manifold(c, found.part)) {
      contacts.old = {&c.old_slab->points[to_index(old->first_point)], to_index(old->count)};
      contacts.old_normal = old->normal;
    }
    make_contacts(contacts, slab.points.data() + first_point,
                  recyclable ? slab.anchors.data() + first_anchor : nullptr);
  }
}

/// Pairs whose closed form costs no more than recycling.
bool is_cheap(const PairContext& c) {
  const auto round = [&](std::size_t i) { return c.shapes.sphere_radius[i] >= 0; };
  const auto simple = [&](std::size_t i) {
    const Shape& shape = c.shapes.shape[i];
    return round(i) || std::holds_alternative<Box>(shape) || std::holds_alternative<HalfSpace>(shape) ||
           std::holds_alternative<Capsule>(shape);
  };
  return (round(c.a) && simple(c.b)) || (round(c.b) && simple(c.a));
}

/// Pairs that ask the distance walk, for which it pays to look where the shapes are seen from each other.
bool is_costly(const PairContext& c) {
  const Shape &x = c.shapes.shape[c.a], &y = c.shapes.shape[c.b];
  if (std::holds_alternative<HalfSpace>(x) || std::holds_alternative<HalfSpace>(y)) return false;
  const auto walks = [](const Shape& s) {
    return std::holds_alternative<Capsule>(s) || std::holds_alternative<Cylinder>(s) ||
           std::holds_alternative<Cone>(s) || std::holds_alternative<ConvexHull>(s) ||
           std::holds_alternative<Compound>(s);
  };
  const bool capsules = std::holds_alternative<Capsule>(x) && std::holds_alternative<Capsule>(y);
  return (walks(x) || walks(y)) && !capsules;
}

/// A pair that is not two balls: what can be kept is kept.
void update_shapes(const PairContext& c, bool recyclable, ContactPair& record, Slab& slab) {
  const bool stays = recyclable && is_unmoved(c), turns = !stays && recyclable && moved_together(c);
  if (stays || turns) {
    recycle_pair(c, slab);
    carry_reference(c, record, slab);
    if (turns) turn_manifolds(c, record, slab);
  } else {
    collide_pair(c, recyclable, record.memory, slab);
    if (recyclable && is_costly(c)) keep_reference(c, to_index(record.first_manifold), record, slab);
  }
}

}  // namespace

void update_pair(const PairContext& c, ContactPair& record, Slab& slab) {
  record.known = 1;
  record.reference = -1;
  record.first_manifold = static_cast<std::int32_t>(slab.manifolds.size());
  if (c.may_touch() && c.are_balls()) {
    collide_balls(c, slab);
    slab.all_follow = false;
  } else if (c.may_touch()) {
    const bool recyclable = c.settings.recycling && !is_cheap(c);
    update_shapes(c, recyclable, record, slab);
    slab.all_follow = slab.all_follow && recyclable;
  }
  record.version_a = c.bodies.version[c.body_a], record.version_b = c.bodies.version[c.body_b];
  record.manifold_count = static_cast<std::int32_t>(slab.manifolds.size()) - record.first_manifold;
  slab.all_balls = slab.all_balls && record.manifold_count == 1 && c.are_balls();
}

}  // namespace cairn
