// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_layout.h"

#include <algorithm>

namespace cairn {

void LaneLayout::make_layout(std::span<const LaneKey> keys) {
  keys_.assign(keys.begin(), keys.end());
  groups.clear(), stages.clear(), slots.resize(keys.size());
  field_count = record_count = 0;
  count_keys();
  make_groups();
  for (std::size_t i = 0; i < keys.size(); ++i)
    slots[i] = keys[i].is_alone() ? place_alone(keys[i]) : place_in_group(keys[i]);
}

/// Of those that share groups.
void LaneLayout::count_keys() {
  std::uint32_t most = 0;
  for (const LaneKey key : keys_)
    if (!key.is_alone()) most = std::max(most, key.number());
  with_key_.assign(std::size_t{most} + 1, 0);
  for (const LaneKey key : keys_)
    if (!key.is_alone()) ++with_key_[key.number()];
}

/// At the end of the last stage.
void LaneLayout::add_group(int kind, std::uint32_t lanes) {
  groups.push_back({field_count, record_count, static_cast<std::uint16_t>(kind), static_cast<std::uint16_t>(lanes)});
  field_count += static_cast<std::uint32_t>(kLaneFields[to_index(kind)].size);
  record_count += static_cast<std::uint32_t>(kLaneInputs[to_index(kind)].size * kLanes);
  ++stages.back().count;
}

/// Groups of shared keys, in the order of the keys.
void LaneLayout::make_groups() {
  next_lane_.resize(with_key_.size());
  std::uint32_t last_stage = ~0u;
  for (std::uint32_t number = 0; number < with_key_.size(); ++number) {
    if (with_key_[number] == 0) continue;
    const LaneKey key = LaneKey::from_number(number);
    if (key.stage() != last_stage) stages.push_back({static_cast<std::int32_t>(groups.size()), 0, key.batch()});
    last_stage = key.stage();
    next_lane_[number] = static_cast<std::uint32_t>(groups.size()) * kLanes;
    for (std::uint32_t left = with_key_[number]; left > 0;) {
      const std::uint32_t here = std::min<std::uint32_t>(left, kLanes);
      add_group(key.kind(), here);
      left -= here;
    }
  }
}

/// The only lane of a new group in a new stage.
LaneSlot LaneLayout::place_alone(LaneKey key) {
  const LaneSlot slot{field_count * kLanes, record_count, static_cast<std::uint32_t>(key.kind())};
  stages.push_back({static_cast<std::int32_t>(groups.size()), 0, key.batch()});
  add_group(key.kind(), 1);
  return slot;
}

/// The next free lane of the groups with its key.
LaneSlot LaneLayout::place_in_group(LaneKey key) {
  const std::uint32_t at = next_lane_[key.number()]++, lane = at % kLanes;
  const LaneGroup& group = groups[at / kLanes];
  const auto record_size = static_cast<std::uint32_t>(kLaneInputs[group.kind].size);
  return {group.first * kLanes + lane, group.record + lane * record_size, group.kind};
}

}  // namespace cairn
