// SPDX-License-Identifier: MIT
// The contacts of one pair of shapes: made anew, or kept from the step before. Internal to the contact cache.
#pragma once

#include "cairn/world/contacts/pair_context.h"

namespace cairn {

/// Adds the manifolds of a pair to the end of `slab`. `record` is what was known about it, or empty; it is brought up
/// to date. Says of the slab whether it may be updated in place from now on.
void update_pair(const PairContext& c, ContactPair& record, Slab& slab);

}  // namespace cairn
