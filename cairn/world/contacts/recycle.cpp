// SPDX-License-Identifier: MIT
#include "cairn/world/contacts/recycle.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Of the smaller shape in the frame of the larger one.
Pose relative_pose(const PairContext& c) {
  const bool a_is_larger = c.shapes.ball_radius[c.a] >= c.shapes.ball_radius[c.b];
  const Pose &larger = c.shapes.pose[a_is_larger ? c.a : c.b], &smaller = c.shapes.pose[a_is_larger ? c.b : c.a];
  return inverse(larger) * smaller;
}

}  // namespace

void keep_reference(const PairContext& c, std::size_t first, ContactPair& record, Slab& slab) {
  record.reference = static_cast<std::int32_t>(slab.references.size());
  slab.references.push_back({relative_pose(c), pair_margin(c), static_cast<std::int32_t>(slab.own_normals.size())});
  for (std::size_t k = first; k < slab.manifolds.size(); ++k)
    slab.own_normals.push_back(rotate_back(c.bodies.pose[c.body_a].orientation, slab.manifolds[k].normal));
}

void carry_reference(const PairContext& c, ContactPair& record, Slab& slab) {
  if (c.old->reference < 0) return;
  ContactReference reference = c.old_slab->references[to_index(c.old->reference)];
  const auto first = c.old_slab->own_normals.begin() + reference.first_normal;
  reference.first_normal = static_cast<std::int32_t>(slab.own_normals.size());
  slab.own_normals.insert(slab.own_normals.end(), first, first + c.old->manifold_count);
  record.reference = static_cast<std::int32_t>(slab.references.size());
  slab.references.push_back(reference);
}

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

bool is_unmoved(const PairContext& c) {
  if (c.old == nullptr) return false;
  if (c.old->version_a != c.bodies.version[c.body_a] || c.old->version_b != c.bodies.version[c.body_b]) return false;
  return c.old->manifold_count == 0 || c.old_slab->manifolds[to_index(c.old->first_manifold)].first_anchor >= 0;
}

}  // namespace cairn
