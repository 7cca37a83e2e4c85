// SPDX-License-Identifier: MIT
// Recycling: manifolds that are kept from an earlier step. Their points sit on the two bodies (ContactAnchor), and go
// with them. Internal to the contact cache.
//
//   is_unmoved        both bodies are near where they were: the manifolds stay as they are
//   moved_together    the shapes hardly moved against each other: the manifolds turn with body a
#pragma once

#include <cstddef>
#include <cstdint>

#include "cairn/world/contacts/pair_context.h"

namespace cairn {

/// Where anchors of a body are in the world.
struct AnchorFrame {
  Vec3 position;
  Mat3 turn;

  explicit AnchorFrame(const Pose& pose) : position(pose.position), turn(to_matrix(pose.orientation)) {}
  Vec3 place(const float* anchor) const {
    return position + turn * Vec3{double{anchor[0]}, double{anchor[1]}, double{anchor[2]}};
  }
};

/// The same points on both bodies, their separation measured anew.
inline void follow_points(const AnchorFrame& a, const AnchorFrame& b, const ContactManifold& m,
                          const ContactAnchor* anchor, ContactPoint* point) {
  for (std::int32_t j = 0; j < m.count; ++j) {
    const Vec3 on_a = a.place(anchor[j].on_a), on_b = b.place(anchor[j].on_b);
    point[j].position = 0.5 * (on_a + on_b);
    point[j].separation = static_cast<float>(dot(m.normal, on_b - on_a) + double{anchor[j].offset});
  }
}

/// The bodies are near where they were when the manifolds of the pair were made, and these can be followed.
bool is_unmoved(const PairContext& c);
/// The manifolds still hold, turned with body a: since they were made no point of the smaller shape has moved by more
/// than some millimetres as seen from the larger one, and no contact is foreseen that they could lack. What they lack
/// was farther away than their margin and has come nearer by less than that limit.
bool moved_together(const PairContext& c);

/// Keeps the manifolds of a pair that barely moved.
void recycle_pair(const PairContext& c, Slab& slab);
/// Turns the manifolds of a pair, just recycled, with body a.
void turn_manifolds(const PairContext& c, const ContactPair& record, Slab& slab);

/// Notes where the shapes are; the manifolds of the pair, from `first` on, have just been made.
void keep_reference(const PairContext& c, std::size_t first, ContactPair& record, Slab& slab);
/// Takes the reference of the pair over from the old slab.
void carry_reference(const PairContext& c, ContactPair& record, Slab& slab);

}  // namespace cairn
