// SPDX-License-Identifier: MIT
// The caller's contact filter: which of the pairs that are near each other may touch.
#include <algorithm>
#include <utility>

#include "cairn/core/index.h"
#include "cairn/world/world_state.h"

namespace cairn {

void World::set_contact_filter(ContactFilter filter) {
  state_->check_outside_step("set_contact_filter");
  // What the last step knew of resting pairs was known with the other filter.
  state_->is_broken_off = true;
  state_->filter = std::move(filter);
}

namespace {

/// Edits are refused while the filter is asked, and allowed again however it ends: it may throw.
class Asking {
 public:
  explicit Asking(bool& is_filtering) : is_filtering_(is_filtering) { is_filtering_ = true; }
  ~Asking() { is_filtering_ = false; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  bool& is_filtering_;
};

bool is_refused(const WorldState& world, const BroadPair& pair) {
  const std::size_t a = to_index(pair.a), b = to_index(pair.b);
  return !world.filter({world.shape_ids.at(a), world.shape_ids.at(b), world.body_ids.at(to_index(world.shapes.body[a])),
                        world.body_ids.at(to_index(world.shapes.body[b]))});
}

}  // namespace

void drop_refused_pairs(WorldState& world) {
  const Asking asking(world.is_filtering);
  std::erase_if(world.cache.next_pairs(), [&](const BroadPair& pair) { return is_refused(world, pair); });
}

bool is_refused_on_the_way(WorldState& world, const BroadPair& pair) {
  if (!world.filter) return false;
  if (world.filter_error) return true;
  const Asking asking(world.is_filtering);
  try {
    return is_refused(world, pair);
  } catch (...) {
    world.filter_error = std::current_exception();
    return true;
  }
}

void tell_filter_error(WorldState& world) {
  if (world.filter_error) std::rethrow_exception(std::exchange(world.filter_error, nullptr));
}

}  // namespace cairn
