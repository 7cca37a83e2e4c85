// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/contact_cache.h"

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/contacts/pair_contacts.h"
#include "cairn/world/contacts/recycle.h"

namespace cairn {

double pair_margin(const PairContext& c) {
  const Velocity &a = c.bodies.velocity[c.body_a], &b = c.bodies.velocity[c.body_b];
  const Vec3 relative = b.linear - a.linear;
  const double dt = c.settings.dt, radius_a = c.shapes.ball_radius[c.a], radius_b = c.shapes.ball_radius[c.b];
  const double size = std::min(radius_a, radius_b);
  const auto turn2 = [](const Velocity& v, double radius) {
    return v.angular == Vec3{} ? 0.0 : radius * radius * dot(v.angular, v.angular);
  };
  // At rest, which is most of the time, without square roots.
  constexpr double kAtRest = 0.05;
  const double way2 = dt * dt * (dot(relative, relative) + turn2(a, radius_a) + turn2(b, radius_b));
  if (way2 <= kAtRest * kAtRest * c.settings.margin * c.settings.margin) return c.settings.margin;
  const auto turn = [&](std::size_t shape, const Velocity& v, double radius) {
    return c.shapes.sphere_radius[shape] >= 0 ? 0.0 : speculative_turn(v.angular, radius, dt);
  };
  return c.settings.margin + std::min(dt * norm(relative), 2 * kSpeculativeReach * size) + turn(c.a, a, radius_a) +
         turn(c.b, b, radius_b);
}

void ContactCache::match(ThreadPool* pool) {
  const auto total = static_cast<std::int64_t>(next_.pairs.size());
  slab_count_ = to_index(std::max<std::int64_t>(1, (total + kPairBlock - 1) / kPairBlock));
  if (next_.slabs.size() < slab_count_) next_.slabs.resize(slab_count_);
  for (std::size_t s = 0; s < slab_count_; ++s) next_.slabs[s].ended.clear();
  same_pairs_ = next_.pairs == now_.pairs;
  if (same_pairs_) return std::swap(next_.records, now_.records);
  next_.records.resize(next_.pairs.size());
  match_.resize(next_.pairs.size());
  if (total == 0) match_block({0, 0});
  parallel_for(pool, total, kPairBlock, [&](std::int64_t begin, std::int64_t end) { match_block({begin, end}); });
}

/// Merges a block of the new pairs with the stretch of the old ones it replaces.
void ContactCache::match_block(const PairBlock& block) {
  const auto first = now_.pairs.begin(), last = now_.pairs.end();
  const bool is_last = to_index(block.end) == next_.pairs.size();
  auto old = block.begin == 0 ? first : std::lower_bound(first, last, next_.pairs[to_index(block.begin)]);
  const auto stop = is_last ? last : std::lower_bound(old, last, next_.pairs[to_index(block.end)]);
  std::vector<std::int32_t>& ended = next_.slabs[block.slab()].ended;
  const auto skip = [&] {
    const auto i = to_index(old - first);
    if (now_.records[i].touching != 0) ended.push_back(static_cast<std::int32_t>(i));
    ++old;
  };
  for (std::int64_t i = block.begin; i < block.end; ++i) {
    const BroadPair& pair = next_.pairs[to_index(i)];
    while (old != stop && *old < pair) skip();
    const bool found = old != stop && *old == pair;
    match_[to_index(i)] = found ? static_cast<std::int32_t>(old - first) : -1;
    if (found) ++old;
  }
  while (old != stop) skip();
}

void ContactCache::update(const Bodies& bodies, const Shapes& shapes, const DetectSettings& settings,
                          ThreadPool* pool) {
  const DetectInput in{bodies, shapes, settings};
  const auto total = static_cast<std::int64_t>(next_.pairs.size());
  ++updates_;
  if (!same_pairs_ || settings.any_entered) ++entries_;
  if (total == 0) update_block(in, {0, 0});
  parallel_for(pool, total, kPairBlock, [&](std::int64_t begin, std::int64_t end) { update_block(in, {begin, end}); });
  std::swap(now_, next_);
}

/// A block whose bodies have not moved for some updates is left alone; all others are made.
void ContactCache::update_block(const DetectInput& in, const PairBlock& block) {
  const bool unmoved = stands_still(in, block);
  int rests = 0;
  if (unmoved) rests = has_same_pairs(block) ? now_.slabs[block.slab()].rests + 1 : 1;
  Slab& slab = next_.slabs[block.slab()];
  if (rests > Slab::kRests) {
    take_over(block);
    slab.began.clear(), slab.ceased.clear();
  } else {
    make_block(in, block);
    slab.computed = updates_;
  }
  slab.rests = std::min(rests, Slab::kRests + 1);
  slab.unmoved = unmoved ? entries_ : 0;
}

/// The pairs of a block are those of the same block in the step before.
bool ContactCache::has_same_pairs(const PairBlock& block) const {
  return same_pairs_ && block.slab() < now_.slabs.size();
}

/// The slab of the step before becomes that of this one.
void ContactCache::take_over(const PairBlock& block) {
  std::swap(now_.slabs[block.slab()], next_.slabs[block.slab()]);
  next_.slabs[block.slab()].ended.clear();
}

/// None of the bodies of a block has moved since the last update. Looked up again only where the answer may have
/// changed. Without recycling, pairs at rest are asked anew from the axis of the last answer, whose last bits may still
/// change.
bool ContactCache::stands_still(const DetectInput& in, const PairBlock& block) const {
  if (in.settings.moved.empty() || !in.settings.recycling) return false;
  if (has_same_pairs(block) && now_.slabs[block.slab()].unmoved == entries_) return true;
  const auto moved = [&](std::int32_t shape) { return in.settings.moved[to_index(in.shapes.body[to_index(shape)])]; };
  for (auto i = to_index(block.begin); i < to_index(block.end); ++i)
    if ((moved(next_.pairs[i].a) | moved(next_.pairs[i].b)) != 0) return false;
  return true;
}

void ContactCache::make_block(const DetectInput& in, const PairBlock& block) {
  if (update_balls_in_place(in, block) || follow_in_place(in, block)) return;
  Slab& slab = next_.slabs[block.slab()];
  slab.clear_manifolds();
  slab.made = updates_;
  for (auto i = to_index(block.begin); i < to_index(block.end); ++i) {
    const KnownPair known = known_before(i);
    PairContext context(in, next_.pairs[i], i);
    if (known.slab != nullptr) context.old = &known.record, context.old_slab = known.slab;
    next_.records[i] = known.record;
    update_pair(context, next_.records[i], slab);
  }
}

/// What the step before left about pair i of this one.
ContactCache::KnownPair ContactCache::known_before(std::size_t i) const {
  const std::int64_t match = same_pairs_ ? static_cast<std::int64_t>(i) : match_[i];
  if (match < 0) return {};
  const ContactPair& record = same_pairs_ ? next_.records[i] : now_.records[to_index(match)];
  if (record.known == 0) return {};
  return {record, &now_.slabs[to_index(match / kPairBlock)]};
}

/// A block of touching balls with the same pairs as before: its slab is brought up to date where it is, which moves
/// half the memory. False if a pair came apart; what was written by then is a good old state for the usual way.
bool ContactCache::update_balls_in_place(const DetectInput& in, const PairBlock& block) {
  if (block.size() == 0 || !has_same_pairs(block)) return false;
  Slab& slab = now_.slabs[block.slab()];
  if (!slab.all_balls || slab.points.size() != block.size()) return false;
  for (std::size_t k = 0; k < slab.points.size(); ++k) {
    const std::size_t i = to_index(block.begin) + k;
    const PairContext pair(in, next_.pairs[i], i);
    ContactPair& record = next_.records[i];
    if (record.known == 0 || !pair.are_balls() || !pair.may_touch()) return false;
    const BallContact contact = ball_contact(pair);
    if (!contact.found) return false;
    ContactManifold& m = slab.manifolds[k];
    ContactPoint& point = slab.points[k];
    carry_impulse(point, m.normal, contact.normal, point);
    m.normal = contact.normal;
    point.position = contact.position;
    point.separation = static_cast<float>(contact.separation);
    record.version_a = in.bodies.version[pair.body_a], record.version_b = in.bodies.version[pair.body_b];
  }
  take_over(block);
  return true;
}

/// The same for a block whose bodies all are near where its manifolds were made.
bool ContactCache::follow_in_place(const DetectInput& in, const PairBlock& block) {
  if (block.size() == 0 || !has_same_pairs(block) || !in.settings.recycling) return false;
  Slab& slab = now_.slabs[block.slab()];
  if (!slab.all_follow) return false;
  for (auto i = to_index(block.begin); i < to_index(block.end); ++i) {
    const PairContext pair(in, next_.pairs[i], i);
    const ContactPair& record = next_.records[i];
    if (record.known == 0 || record.version_a != in.bodies.version[pair.body_a] ||
        record.version_b != in.bodies.version[pair.body_b])
      return false;
    if (record.manifold_count == 0) continue;
    const AnchorFrame frame_a(in.bodies.pose[pair.body_a]), frame_b(in.bodies.pose[pair.body_b]);
    for (std::int32_t k = 0; k < record.manifold_count; ++k) {
      const ContactManifold& m = slab.manifolds[to_index(record.first_manifold + k)];
      follow_points(frame_a, frame_b, m, slab.anchors.data() + m.first_anchor, slab.points.data() + m.first_point);
    }
  }
  slab.recycled = static_cast<std::int64_t>(slab.manifolds.size());
  take_over(block);
  return true;
}

std::int64_t ContactCache::manifold_count() const {
  std::int64_t sum = 0;
  for (const Slab& slab : slabs()) sum += static_cast<std::int64_t>(slab.manifolds.size());
  return sum;
}

std::int64_t ContactCache::point_count() const {
  std::int64_t sum = 0;
  for (const Slab& slab : slabs()) sum += static_cast<std::int64_t>(slab.points.size());
  return sum;
}

std::int64_t ContactCache::recycled_count() const {
  std::int64_t sum = 0;
  for (const Slab& slab : slabs()) sum += slab.recycled;
  return sum;
}

void ContactCache::restore(ContactGeneration generation) {
  now_ = std::move(generation);
  slab_count_ = now_.slabs.size();
  next_ = {};
}

}  // namespace cairn
