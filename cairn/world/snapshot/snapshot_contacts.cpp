// SPDX-License-Identifier: MIT
// Contacts and colours. Manifolds, points and anchors of a slab stand one after the other in the order of pairs, so
// that only their numbers are written and every index is made anew by reading.
#include <fmt/core.h>

#include <cmath>

#include "cairn/core/index.h"
#include "cairn/world/snapshot/snapshot_archive.h"
#include "cairn/world/snapshot/snapshot_parts.h"

namespace cairn {

namespace {

constexpr std::int32_t kMostPoints = 4;  ///< of a manifold

template <class A, Is<ContactPair> T>
void archive(A& a, T& r) {
  archive_all(a, r.memory.axis, r.memory.walk[0], r.memory.walk[1], r.memory.walk[2]);
  archive_all(a, r.version_a, r.version_b, r.manifold_count, r.touching, r.known);
}
template <class A, Is<ContactManifold> T>
void archive(A& a, T& m) {
  archive_all(a, m.normal, m.part, m.count);
}
template <class A, Is<ContactPoint> T>
void archive(A& a, T& p) {
  archive_all(a, p.position, p.separation, p.feature, p.normal_impulse, p.tangent_impulse[0], p.tangent_impulse[1]);
  archive(a, p.spin_impulse);
}
template <class A, Is<ContactAnchor> T>
void archive(A& a, T& x) {
  archive_all(a, x.on_a[0], x.on_a[1], x.on_a[2], x.on_b[0], x.on_b[1], x.on_b[2], x.offset);
}

template <class A, Is<ContactReference> T>
void archive(A& a, T& r) {
  archive_all(a, r.relative, r.margin);
}

/// False for what is not a number.
bool is_within(float x, double largest) { return std::fabs(double{x}) <= largest; }

void check_point(const ContactPoint& p) {
  constexpr double kTurned = 2;  // impulses along the tangents are turned with the frame
  check_vector(p.position, 2 * kFarthest, "point of contact");
  require(is_within(p.separation, 10 * kFarthest), "a separation is out of range");
  for (const float impulse : {p.normal_impulse, p.tangent_impulse[0], p.tangent_impulse[1], p.spin_impulse})
    require(is_within(impulse, kTurned * kLargestImpulse), "an impulse is out of range");
}

void check_anchor(const ContactAnchor& x) {
  for (const float place : {x.on_a[0], x.on_a[1], x.on_a[2], x.on_b[0], x.on_b[1], x.on_b[2], x.offset})
    require(is_within(place, 10 * kFarthest), "an anchor is out of range");
}

/// One manifold at the end of the slab.
void load_manifold(ByteReader& in, std::int32_t pair, bool anchored, Slab& slab) {
  ContactManifold m;
  archive(in, m);
  require(std::fabs(dot(m.normal, m.normal) - 1) <= 1e-9, "a normal is not unit");
  require(m.count >= 1 && m.count <= kMostPoints, "a manifold has no points, or more than four");
  require(slab.points.size() < 0x7ffffff0, "there are too many points");
  m.pair = pair;
  m.first_point = static_cast<std::int32_t>(slab.points.size());
  if (anchored) m.first_anchor = static_cast<std::int32_t>(slab.anchors.size());
  for (std::int32_t k = 0; k < m.count; ++k) {
    archive(in, slab.points.emplace_back());
    check_point(slab.points.back());
    if (!anchored) continue;
    archive(in, slab.anchors.emplace_back());
    check_anchor(slab.anchors.back());
  }
  slab.manifolds.push_back(m);
}

/// Both shapes are there, or were until they were removed after the step.
bool is_known_shape(const WorldState& world, std::int32_t shape) {
  if (shape < 0 || to_index(shape) >= world.shapes.size()) return false;
  const auto i = to_index(shape);
  return world.shapes.body[i] >= 0 || (world.any_removed && world.removed_shape[i] != 0);
}

void load_reference(ByteReader& in, ContactPair& record, Slab& slab) {
  record.reference = static_cast<std::int32_t>(slab.references.size());
  ContactReference& reference = slab.references.emplace_back();
  archive(in, reference);
  check_vector(reference.relative.position, 4 * kFarthest, "relative position");
  require(std::fabs(norm2(reference.relative.orientation) - 1) <= 1e-9, "a relative orientation is not unit");
  require(reference.margin >= 0 && reference.margin <= kFarthest, "a margin is out of range");
  reference.first_normal = static_cast<std::int32_t>(slab.own_normals.size());
  for (std::int32_t k = 0; k < record.manifold_count; ++k) {
    archive(in, slab.own_normals.emplace_back());
    require(std::fabs(dot(slab.own_normals.back(), slab.own_normals.back()) - 1) <= 1e-9, "a normal is not unit");
  }
}

void load_pair(ByteReader& in, const WorldState& world, std::size_t index, ContactGeneration& g) {
  BroadPair& pair = g.pairs[index];
  ContactPair& record = g.records[index];
  archive(in, pair), archive(in, record);
  require(pair.a < pair.b && is_known_shape(world, pair.a) && is_known_shape(world, pair.b), "its shapes do not exist");
  require(index == 0 || g.pairs[index - 1] < pair, "it is out of order");
  require(record.touching <= 1 && record.known <= 1, "its flags are neither yes nor no");
  require(record.memory.axis >= -1 && record.memory.axis < 15, "its axis is none");
  for (const float x : record.memory.walk) require(is_within(x, 2), "its axis of the walk is out of range");
  Slab& slab = g.slabs[index / ContactCache::kPairBlock];
  record.first_manifold = static_cast<std::int32_t>(slab.manifolds.size());
  require(record.manifold_count >= 0 && slab.manifolds.size() < 0x40000000 && record.manifold_count < 0x40000000,
          "its number of manifolds is out of range");
  const bool anchored = record.manifold_count > 0 && in.get<bool>();
  for (std::int32_t k = 0; k < record.manifold_count; ++k)
    load_manifold(in, static_cast<std::int32_t>(index), anchored, slab);
  if (!in.get<bool>()) return;
  require(anchored || record.manifold_count == 0, "its manifolds can move along and have no anchors");
  load_reference(in, record, slab);
}

void save_manifold(ByteWriter& out, const Slab& slab, const ContactManifold& m) {
  archive(out, m);
  for (std::int32_t k = 0; k < m.count; ++k) {
    archive(out, slab.points[to_index(m.first_point + k)]);
    if (m.first_anchor >= 0) archive(out, slab.anchors[to_index(m.first_anchor + k)]);
  }
}

}  // namespace

void save_contacts(const WorldState& world, ByteWriter& out) {
  const ContactGeneration& g = world.cache.generation();
  out.size(g.pairs, 39);
  for (std::size_t i = 0; i < g.pairs.size(); ++i) {
    const ContactPair& record = g.records[i];
    archive(out, g.pairs[i]), archive(out, record);
    const Slab& slab = g.slabs[i / ContactCache::kPairBlock];
    const ContactManifold* first = slab.manifolds.data() + record.first_manifold;
    if (record.manifold_count > 0) out.number(first->first_anchor >= 0);
    for (std::int32_t k = 0; k < record.manifold_count; ++k) save_manifold(out, slab, first[k]);
    out.number(record.reference >= 0);
    if (record.reference < 0) continue;
    const ContactReference& reference = slab.references[to_index(record.reference)];
    archive(out, reference);
    for (std::int32_t k = 0; k < record.manifold_count; ++k)
      archive(out, slab.own_normals[to_index(reference.first_normal + k)]);
  }
}

void load_contacts(ByteReader& in, WorldState& world) {
  ContactGeneration g;
  in.size(g.pairs, 39);
  require(g.pairs.size() < 0x7fffffff, "there are too many pairs");
  g.records.resize(g.pairs.size());
  g.slabs.resize((g.pairs.size() + ContactCache::kPairBlock - 1) / ContactCache::kPairBlock);
  for (std::size_t i = 0; i < g.pairs.size(); ++i) {
    try {
      load_pair(in, world, i, g);
    } catch (const InputError& error) {
      fail_input(fmt::format("pair {}: {}", i, error.what()), error.kind());
    }
  }
  world.cache.restore(std::move(g));
}

void save_colours(const WorldState& world, ByteWriter& out) {
  const PairColours& colours = world.graph.colours();
  out.size(colours.keys(), 20);
  for (std::size_t k = 0; k < colours.keys().size(); ++k)
    archive_all(out, colours.keys()[k], colours.edges()[k].a, colours.edges()[k].b, colours.colour()[k]);
}

void load_colours(ByteReader& in, WorldState& world) {
  const std::size_t count = in.count(20);
  std::vector<std::uint64_t> keys(count);
  std::vector<Edge> edges(count);
  std::vector<std::int32_t> colours(count);
  for (std::size_t k = 0; k < count; ++k) archive_all(in, keys[k], edges[k].a, edges[k].b, colours[k]);
  world.graph.colours().restore(keys, edges, colours, static_cast<std::int32_t>(world.bodies.size()));
}

}  // namespace cairn
