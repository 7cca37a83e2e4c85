// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/contact_cache.h"

#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/math/mat3.h"
#include "cairn/world/contacts/make_contacts.h"

namespace cairn {

namespace {

/// Everything that is constant while one pair is worked on.
struct PairContext {
  const Bodies& bodies;
  const Shapes& shapes;
  const DetectSettings& settings;
  std::size_t a, b;  ///< shapes
  std::size_t body_a, body_b;
  const Slab* old_slab;  ///< null: the pair is new
  const ContactPair* old;
  std::int32_t index;  ///< of the pair
};

/// How far ahead contacts of a pair are made: the margin, and the way the bodies may come closer within the step.
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

const ContactManifold* old_manifold(const PairContext& c, std::uint64_t part) {
  if (c.old == nullptr) return nullptr;
  for (std::int32_t k = 0; k < c.old->manifold_count; ++k) {
    const ContactManifold& m = c.old_slab->manifolds[to_index(c.old->first_manifold + k)];
    if (m.part == part) return &m;
  }
  return nullptr;
}

/// Impulses of the old contact, tangents turned into the new frame.
void carry_impulse(const ContactPoint& from, const Vec3& old_normal, const Vec3& normal, ContactPoint& to) {
  to.normal_impulse = from.normal_impulse;
  to.spin_impulse = from.spin_impulse;
  to.tangent_impulse[0] = from.tangent_impulse[0];
  to.tangent_impulse[1] = from.tangent_impulse[1];
  if (old_normal == normal || (from.tangent_impulse[0] == 0 && from.tangent_impulse[1] == 0)) return;
  const Frame before = make_frame(old_normal), now = make_frame(normal);
  const Vec3 tangential =
      double{from.tangent_impulse[0]} * before.tangent1 + double{from.tangent_impulse[1]} * before.tangent2;
  to.tangent_impulse[0] = static_cast<float>(dot(now.tangent1, tangential));
  to.tangent_impulse[1] = static_cast<float>(dot(now.tangent2, tangential));
}

/// Two balls: the most frequent pair, without any detour.
struct BallContact {
  Vec3 normal, position;
  double separation = 0;
  bool found = false;
};

BallContact ball_contact(const PairContext& c) {
  BallContact result;
  const Vec3& centre_a = c.shapes.pose[c.a].position;
  const Vec3 d = c.shapes.pose[c.b].position - centre_a;
  const double radius_a = c.shapes.sphere_radius[c.a], radius_b = c.shapes.sphere_radius[c.b];
  const double reach = radius_a + radius_b, length2 = dot(d, d), near = reach + c.settings.margin;
  if (length2 > near * near) {
    const double far = reach + pair_margin(c);
    if (length2 > far * far) return result;
  }
  const double length = std::sqrt(length2);
  result.normal = length > 0 ? (1.0 / length) * d : Vec3{0, 0, 1};
  // Midway between the surfaces: at r_a + separation / 2 from the centre of a.
  result.position = centre_a + 0.5 * (radius_a - radius_b + length) * result.normal;
  result.separation = length - reach;
  result.found = true;
  return result;
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

Vec3 to_vec(const float* v) { return {double{v[0]}, double{v[1]}, double{v[2]}}; }

/// Where anchors of a body are in the world.
struct AnchorFrame {
  Vec3 position;
  Mat3 turn;

  explicit AnchorFrame(const Pose& pose) : position(pose.position), turn(to_matrix(pose.orientation)) {}
  Vec3 place(const float* anchor) const { return position + turn * to_vec(anchor); }
};

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

/// The same points on both bodies, their separation measured anew.
void follow_points(const AnchorFrame& a, const AnchorFrame& b, const ContactManifold& m, const ContactAnchor* anchor,
                   ContactPoint* point) {
  for (std::int32_t j = 0; j < m.count; ++j) {
    const Vec3 on_a = a.place(anchor[j].on_a), on_b = b.place(anchor[j].on_b);
    point[j].position = 0.5 * (on_a + on_b);
    point[j].separation = static_cast<float>(dot(m.normal, on_b - on_a) + double{anchor[j].offset});
  }
}

/// Of the smaller shape in the frame of the larger one.
Pose relative_pose(const PairContext& c) {
  const bool a_is_larger = c.shapes.ball_radius[c.a] >= c.shapes.ball_radius[c.b];
  const Pose &larger = c.shapes.pose[a_is_larger ? c.a : c.b], &smaller = c.shapes.pose[a_is_larger ? c.b : c.a];
  return inverse(larger) * smaller;
}

/// Notes where the shapes are; the manifolds of the pair, from `first` on, have just been made.
void keep_reference(const PairContext& c, std::size_t first, ContactPair& record, Slab& slab) {
  record.reference = static_cast<std::int32_t>(slab.references.size());
  slab.references.push_back({relative_pose(c), pair_margin(c), static_cast<std::int32_t>(slab.own_normals.size())});
  for (std::size_t k = first; k < slab.manifolds.size(); ++k)
    slab.own_normals.push_back(rotate_back(c.bodies.pose[c.body_a].orientation, slab.manifolds[k].normal));
}

/// Takes the reference of the pair over from the old slab.
void carry_reference(const PairContext& c, ContactPair& record, Slab& slab) {
  if (c.old->reference < 0) return;
  ContactReference reference = c.old_slab->references[to_index(c.old->reference)];
  const auto first = c.old_slab->own_normals.begin() + reference.first_normal;
  reference.first_normal = static_cast<std::int32_t>(slab.own_normals.size());
  slab.own_normals.insert(slab.own_normals.end(), first, first + c.old->manifold_count);
  record.reference = static_cast<std::int32_t>(slab.references.size());
  slab.references.push_back(reference);
}

/// The manifolds still hold, turned with body a: since they were made no point of the smaller shape has moved by more
/// than some millimetres as seen from the larger one, and no contact is foreseen that they could lack. What they lack
/// was farther away than their margin and has come nearer by less than that limit.
bool moved_together(const PairContext& c) {
  constexpr double kTogether = 5, kOfRadius = 0.05;
  if (c.old == nullptr || c.old->reference < 0) return false;
  if (is_edited(c.old->version_a, c.bodies.version[c.body_a]) ||
      is_edited(c.old->version_b, c.bodies.version[c.body_b]))
    return false;
  const ContactReference& reference = c.old_slab->references[to_index(c.old->reference)];
  const Pose now = relative_pose(c);
  const Quat turn = now.orientation * conjugate(reference.relative.orientation);
  const double radius = std::min(c.shapes.ball_radius[c.a], c.shapes.ball_radius[c.b]);
  const double limit = std::min(kTogether * c.settings.recycle_shift, kOfRadius * radius);
  const double sine = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);  // of half the angle
  return 2 * sine <= kTogether * c.settings.recycle_turn &&
         norm(now.position - reference.relative.position) + 2 * sine * radius <= limit &&
         pair_margin(c) <= reference.margin + limit;
}

/// Turns the manifolds of a pair, just recycled, with body a.
void turn_manifolds(const PairContext& c, const ContactPair& record, Slab& slab) {
  const Vec3* own = slab.own_normals.data() + slab.references[to_index(record.reference)].first_normal;
  const AnchorFrame frame_a(c.bodies.pose[c.body_a]), frame_b(c.bodies.pose[c.body_b]);
  for (auto k = to_index(record.first_manifold); k < slab.manifolds.size(); ++k) {
    ContactManifold& m = slab.manifolds[k];
    const Vec3 normal = normalised(rotate(c.bodies.pose[c.body_a].orientation, *own++));
    ContactPoint* point = slab.points.data() + m.first_point;
    for (std::int32_t j = 0; j < m.count; ++j) carry_impulse(point[j], m.normal, normal, point[j]);
    m.normal = normal;
    follow_points(frame_a, frame_b, m, slab.anchors.data() + m.first_anchor, point);
  }
}

/// Keeps the manifolds of a pair that barely moved.
void recycle_pair(const PairContext& c, Slab& slab) {
  const AnchorFrame frame_a(c.bodies.pose[c.body_a]), frame_b(c.bodies.pose[c.body_b]);
  for (std::int32_t k = 0; k < c.old->manifold_count; ++k) {
    ContactManifold m = c.old_slab->manifolds[to_index(c.old->first_manifold + k)];
    const auto first_point = to_index(m.first_point), first_anchor = to_index(m.first_anchor);
    m.pair = c.index;
    m.first_point = static_cast<std::int32_t>(slab.points.size());
    m.first_anchor = static_cast<std::int32_t>(slab.anchors.size());
    const auto count = to_index(m.count);
    const ContactPoint* old_point = c.old_slab->points.data() + first_point;
    const ContactAnchor* anchor = c.old_slab->anchors.data() + first_anchor;
    slab.anchors.insert(slab.anchors.end(), anchor, anchor + count);
    slab.points.insert(slab.points.end(), old_point, old_point + count);
    follow_points(frame_a, frame_b, m, anchor, slab.points.data() + m.first_point);
    slab.manifolds.push_back(m);
    ++slab.recycled;
  }
}

/// The bodies are near where they were when the manifolds of the pair were made, and these can be followed.
bool is_unmoved(const PairContext& c, std::uint32_t version_a, std::uint32_t version_b) {
  if (c.old == nullptr || c.old->version_a != version_a || c.old->version_b != version_b) return false;
  return c.old->manifold_count == 0 || c.old_slab->manifolds[to_index(c.old->first_manifold)].first_anchor >= 0;
}

/// Pairs whose closed form costs no more than recycling.
bool is_cheap(const Shapes& shapes, std::size_t a, std::size_t b) {
  const auto round = [&](std::size_t i) { return shapes.sphere_radius[i] >= 0; };
  const auto simple = [&](std::size_t i) {
    return round(i) || std::holds_alternative<Box>(shapes.shape[i]) ||
           std::holds_alternative<HalfSpace>(shapes.shape[i]) || std::holds_alternative<Capsule>(shapes.shape[i]);
  };
  return (round(a) && simple(b)) || (round(b) && simple(a));
}

/// Pairs that ask the distance walk, for which it pays to look where the shapes are seen from each other.
bool is_costly(const Shapes& shapes, std::size_t a, std::size_t b) {
  const Shape &x = shapes.shape[a], &y = shapes.shape[b];
  if (std::holds_alternative<HalfSpace>(x) || std::holds_alternative<HalfSpace>(y)) return false;
  const auto walks = [](const Shape& s) {
    return std::holds_alternative<Capsule>(s) || std::holds_alternative<Cylinder>(s) ||
           std::holds_alternative<Cone>(s) || std::holds_alternative<ConvexHull>(s) ||
           std::holds_alternative<Compound>(s);
  };
  const bool capsules = std::holds_alternative<Capsule>(x) && std::holds_alternative<Capsule>(y);
  return (walks(x) || walks(y)) && !capsules;
}

}  // namespace

void ContactCache::match(ThreadPool* pool) {
  const auto total = static_cast<std::int64_t>(next_.pairs.size());
  slab_count_ = to_index(std::max<std::int64_t>(1, (total + kPairBlock - 1) / kPairBlock));
  if (next_.slabs.size() < slab_count_) next_.slabs.resize(slab_count_);
  for (std::size_t s = 0; s < slab_count_; ++s) next_.slabs[s].ended.clear();
  same_pairs_ = next_.pairs == now_.pairs;
  if (same_pairs_) return std::swap(next_.records, now_.records);
  next_.records.resize(next_.pairs.size());
  match_.resize(next_.pairs.size());
  if (total == 0) match_block(0, 0, 0);
  parallel_for(pool, total, kPairBlock, [&](std::int64_t begin, std::int64_t end) { match_block(begin, end, total); });
}

/// Merges a block of the new pairs with the stretch of the old ones it replaces.
void ContactCache::match_block(std::int64_t begin, std::int64_t end, std::int64_t total) {
  const auto first = now_.pairs.begin(), last = now_.pairs.end();
  auto old = begin == 0 ? first : std::lower_bound(first, last, next_.pairs[to_index(begin)]);
  const auto stop = end == total ? last : std::lower_bound(old, last, next_.pairs[to_index(end)]);
  std::vector<std::int32_t>& ended = next_.slabs[to_index(begin / kPairBlock)].ended;
  const auto skip = [&] {
    const auto i = to_index(old - first);
    if (now_.records[i].touching != 0) ended.push_back(static_cast<std::int32_t>(i));
    ++old;
  };
  for (std::int64_t i = begin; i < end; ++i) {
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
  const auto total = static_cast<std::int64_t>(next_.pairs.size());
  ++updates_;
  if (!same_pairs_ || settings.any_entered) ++entries_;
  if (total == 0) update_block(bodies, shapes, settings, 0, 0);
  parallel_for(pool, total, kPairBlock,
               [&](std::int64_t begin, std::int64_t end) { update_block(bodies, shapes, settings, begin, end); });
  std::swap(now_, next_);
}

/// A block of touching balls with the same pairs as before: its slab is brought up to date where it is, which moves
/// half the memory. False if a pair came apart; what was written by then is a good old state for the usual way.
bool ContactCache::update_balls_in_place(const Bodies& bodies, const Shapes& shapes, const DetectSettings& settings,
                                         std::int64_t begin, std::int64_t end) {
  const auto block = to_index(begin / kPairBlock);
  if (!same_pairs_ || block >= now_.slabs.size()) return false;
  Slab& slab = now_.slabs[block];
  if (!slab.all_balls || slab.points.size() != to_index(end - begin)) return false;
  for (std::size_t k = 0; k < slab.points.size(); ++k) {
    const std::size_t i = to_index(begin) + k;
    const auto a = to_index(next_.pairs[i].a), b = to_index(next_.pairs[i].b);
    const auto body_a = to_index(shapes.body[a]), body_b = to_index(shapes.body[b]);
    ContactPair& record = next_.records[i];
    const bool as_before = record.known != 0 && shapes.sphere_radius[a] >= 0 && shapes.sphere_radius[b] >= 0 &&
                           (bodies.is_dynamic(body_a) || bodies.is_dynamic(body_b));
    if (!as_before) return false;
    const BallContact contact =
        ball_contact({bodies, shapes, settings, a, b, body_a, body_b, &slab, &record, static_cast<std::int32_t>(i)});
    if (!contact.found) return false;
    ContactManifold& m = slab.manifolds[k];
    ContactPoint& point = slab.points[k];
    carry_impulse(point, m.normal, contact.normal, point);
    m.normal = contact.normal;
    point.position = contact.position;
    point.separation = static_cast<float>(contact.separation);
    record.version_a = bodies.version[body_a], record.version_b = bodies.version[body_b];
  }
  std::swap(slab, next_.slabs[block]);
  next_.slabs[block].ended.clear();
  return true;
}

/// The same for a block whose bodies all are near where its manifolds were made.
bool ContactCache::follow_in_place(const Bodies& bodies, const Shapes& shapes, const DetectSettings& settings,
                                   std::int64_t begin, std::int64_t end) {
  const auto block = to_index(begin / kPairBlock);
  if (!same_pairs_ || !settings.recycling || block >= now_.slabs.size() || !now_.slabs[block].all_follow) return false;
  Slab& slab = now_.slabs[block];
  for (auto i = to_index(begin); i < to_index(end); ++i) {
    const ContactPair& record = next_.records[i];
    const auto a = to_index(next_.pairs[i].a), b = to_index(next_.pairs[i].b);
    const auto body_a = to_index(shapes.body[a]), body_b = to_index(shapes.body[b]);
    if (record.known == 0 || record.version_a != bodies.version[body_a] || record.version_b != bodies.version[body_b])
      return false;
    if (record.manifold_count == 0) continue;
    const AnchorFrame frame_a(bodies.pose[body_a]), frame_b(bodies.pose[body_b]);
    for (std::int32_t k = 0; k < record.manifold_count; ++k) {
      const ContactManifold& m = slab.manifolds[to_index(record.first_manifold + k)];
      follow_points(frame_a, frame_b, m, slab.anchors.data() + m.first_anchor, slab.points.data() + m.first_point);
    }
  }
  slab.recycled = static_cast<std::int64_t>(slab.manifolds.size());
  std::swap(slab, next_.slabs[block]);
  next_.slabs[block].ended.clear();
  return true;
}

/// None of the bodies of a block has moved since the last update. Looked up again only where the answer may have
/// changed.
bool ContactCache::stands_still(const Shapes& shapes, const DetectSettings& settings, std::int64_t begin,
                                std::int64_t end) const {
  const auto block = to_index(begin / kPairBlock);
  if (settings.moved.empty() || !settings.recycling) return false;
  if (same_pairs_ && block < now_.slabs.size() && now_.slabs[block].unmoved == entries_) return true;
  const auto moved = [&](std::int32_t shape) { return settings.moved[to_index(shapes.body[to_index(shape)])]; };
  for (auto i = to_index(begin); i < to_index(end); ++i)
    if ((moved(next_.pairs[i].a) | moved(next_.pairs[i].b)) != 0) return false;
  return true;
}

void ContactCache::update_block(const Bodies& bodies, const Shapes& shapes, const DetectSettings& settings,
                                std::int64_t begin, std::int64_t end) {
  const auto block = to_index(begin / kPairBlock);
  // Without recycling, pairs at rest are asked anew from the axis of the last answer, whose last bits may still change.
  const bool unmoved = settings.recycling && stands_still(shapes, settings, begin, end);
  int rests = 0;
  if (unmoved) rests = same_pairs_ && block < now_.slabs.size() ? now_.slabs[block].rests + 1 : 1;
  if (rests > Slab::kRests) {
    std::swap(now_.slabs[block], next_.slabs[block]);
    next_.slabs[block].ended.clear(), next_.slabs[block].began.clear(), next_.slabs[block].ceased.clear();
  } else {
    make_block(bodies, shapes, settings, begin, end);
    next_.slabs[block].computed = updates_;
  }
  next_.slabs[block].rests = std::min(rests, Slab::kRests + 1);
  next_.slabs[block].unmoved = unmoved ? entries_ : 0;
}

void ContactCache::make_block(const Bodies& bodies, const Shapes& shapes, const DetectSettings& settings,
                              std::int64_t begin, std::int64_t end) {
  if (end > begin && (update_balls_in_place(bodies, shapes, settings, begin, end) ||
                      follow_in_place(bodies, shapes, settings, begin, end)))
    return;
  Slab& slab = next_.slabs[to_index(begin / kPairBlock)];
  slab.manifolds.clear(), slab.points.clear(), slab.anchors.clear();
  slab.references.clear(), slab.own_normals.clear();
  slab.recycled = 0;
  slab.all_balls = slab.all_follow = true;
  slab.made = updates_;
  for (auto i = to_index(begin); i < to_index(end); ++i) {
    const auto a = to_index(next_.pairs[i].a), b = to_index(next_.pairs[i].b);
    const auto body_a = to_index(shapes.body[a]), body_b = to_index(shapes.body[b]);
    const std::int64_t match = same_pairs_ ? static_cast<std::int64_t>(i) : match_[i];
    ContactPair& record = next_.records[i];
    const ContactPair before = match < 0 ? ContactPair{} : same_pairs_ ? record : now_.records[to_index(match)];
    const ContactPair* old = before.known != 0 ? &before : nullptr;
    record = old != nullptr ? before : ContactPair{};
    record.known = 1;
    record.reference = -1;
    record.first_manifold = static_cast<std::int32_t>(slab.manifolds.size());
    const Slab* old_slab = old != nullptr ? &now_.slabs[to_index(match / kPairBlock)] : nullptr;
    const PairContext context{bodies, shapes, settings, a,   b,
                              body_a, body_b, old_slab, old, static_cast<std::int32_t>(i)};
    const std::uint32_t version_a = bodies.version[body_a], version_b = bodies.version[body_b];
    if (body_a == body_b || !(bodies.is_dynamic(body_a) || bodies.is_dynamic(body_b))) {
      // Parts of one body, or bodies that nothing moves: no contact.
    } else if (shapes.sphere_radius[a] >= 0 && shapes.sphere_radius[b] >= 0) {
      collide_balls(context, slab);
      slab.all_follow = false;
    } else {
      const bool recyclable = settings.recycling && !is_cheap(shapes, a, b);
      if (recyclable && is_unmoved(context, version_a, version_b)) {
        recycle_pair(context, slab);
        carry_reference(context, record, slab);
      } else if (recyclable && moved_together(context)) {
        recycle_pair(context, slab);
        carry_reference(context, record, slab);
        turn_manifolds(context, record, slab);
      } else {
        collide_pair(context, recyclable, record.memory, slab);
        if (recyclable && is_costly(shapes, a, b))
          keep_reference(context, to_index(record.first_manifold), record, slab);
      }
      slab.all_follow = slab.all_follow && recyclable;
    }
    record.version_a = version_a, record.version_b = version_b;
    record.manifold_count = static_cast<std::int32_t>(slab.manifolds.size()) - record.first_manifold;
    slab.all_balls =
        slab.all_balls && record.manifold_count == 1 && shapes.sphere_radius[a] >= 0 && shapes.sphere_radius[b] >= 0;
  }
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
