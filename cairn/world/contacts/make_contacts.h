// SPDX-License-Identifier: MIT
// make_contacts: the points of a manifold of the narrow phase as the contact cache keeps them, with the impulses of
// those they replace.
#pragma once

#include <span>

#include "cairn/world/contacts/contact_cache.h"

namespace cairn {

struct NewContacts {
  const Manifold& manifold;  ///< at least one point
  const Pose &body_a, &body_b;
  std::span<const ContactPoint> old;  ///< what the last step had here, may be empty
  Vec3 old_normal;                    ///< of `old`
};

/// Writes manifold.count points and, unless null, as many anchors. Impulses come from the old point with the same
/// feature, else from the nearest within reach, with the tangents turned into the new frame; else they are zero.
void make_contacts(const NewContacts& contacts, ContactPoint* points, ContactAnchor* anchors);

}  // namespace cairn
