// SPDX-License-Identifier: MIT
// The caller's contact filter: which of the pairs that are near each other may touch.
#include <algorithm>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

void World::set_contact_filter(ContactFilter filter) {
  state_->check_outside_step("set_contact_filter");
  // What the last step knew of resting pairs was known with the other filter.
  state_->is_broken_off = true;
  state_->filter = std::move(filter);
}

void drop_refused_pairs(WorldState& world) {
  // Down again however the filter ends: it may throw.
  struct Filtering {
    bool& is_filtering;
    ~Filtering() { is_filtering = false; }
  };
  world.is_filtering = true;
  const Filtering filtering{world.is_filtering};
  const auto is_refused = [&](const BroadPair& pair) {
    const std::size_t a = to_index(pair.a), b = to_index(pair.b);
    return !world.filter({world.shape_ids.at(a), world.shape_ids.at(b),
                          world.body_ids.at(to_index(world.shapes.body[a])),
                          world.body_ids.at(to_index(world.shapes.body[b]))});
  };
  std::erase_if(world.cache.next_pairs(), is_refused);
}

}  // namespace cairn
