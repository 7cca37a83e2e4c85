// SPDX-License-Identifier: MIT
// LaneSources: which points of the contact cache stand in which lane of a step. Kept from step to step for its memory,
// and because most steps have the layout of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/problem/lanes/lane_layout.h"
#include "cairn/problem/lanes/lane_manifold.h"

namespace cairn {

/// Points of a slab that stand in one lane.
struct LanePoints {
  std::int32_t body_a = 0, body_b = 0;
  std::int32_t manifold = 0, first_point = 0;  ///< in the slab
  std::int32_t count = 0, ordinal = 0;
  std::int32_t edge = 0;  ///< of the slab
  bool is_plain = false;  ///< its material
  bool is_extra = false;  ///< the lane has fields for more
  bool may_be_round = false;
  bool is_round = false;  ///< between balls, or a ball and what cannot move: round wherever they are
  std::uint8_t batch = 0;
  double friction = 0;  ///< of a plain material: one coefficient, no bounce, no grain, no spin

  /// A LaneSingle holds all there is to know about it.
  bool is_single() const { return is_plain && count == 1 && !is_extra; }
};

struct LaneSources {
  struct OfSlab {
    std::vector<LanePoints> points;  ///< per manifold of the lanes
    std::vector<LaneKey> keys;       ///< per manifold of the lanes
    bool filled = false;             ///< as found: its manifolds stand where they stood in the step before
    bool stays = false;              ///< all of it but the keys depends on nothing but the manifolds there are
    std::uint64_t made = 0;          ///< which manifolds these were: Slab::made
    std::uint64_t among = 0;         ///< and among which bodies: LaneBodies::body_set
  };
  std::vector<OfSlab> slabs;               ///< per slab of the cache; those behind are not in use
  std::vector<std::size_t> first;          ///< per slab: its first manifold in the lanes, one more at the end
  std::vector<LaneKey> keys;               ///< per manifold of the lanes
  bool kept = false;                       ///< the layout was that of the step before: maybe it is so again
  std::vector<IslandCounts> counts;        ///< per island
  std::vector<std::uint8_t> island_batch;  ///< per island
  std::vector<std::uint8_t> batch_before;  ///< per body: its batch when lanes were found

  /// visit(i, lane) for every manifold of slab s, i being its number in the lanes.
  template <class Visit>
  void for_lanes_of(std::size_t s, Visit&& visit) const {
    std::size_t i = first[s];
    for (const LanePoints& lane : slabs[s].points) visit(i++, lane);
  }
};

}  // namespace cairn
