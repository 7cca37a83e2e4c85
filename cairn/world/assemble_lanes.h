// SPDX-License-Identifier: MIT
// From the contact cache straight into lanes and back, without contacts in double in between, which would cost as much
// as the solve. Gives the same bits as `assemble` and LaneManifolds together.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/solvers/soft_step.h"
#include "cairn/world/assemble.h"

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
  double friction = 0;  ///< of a plain material: one coefficient, no bounce, no grain, no spin
};

/// Where the lanes of a world come from; kept from step to step for its memory, and because most steps have the layout
/// of the one before.
struct LaneSources {
  struct OfSlab {
    std::vector<LanePoints> points;   ///< per manifold of the lanes
    std::vector<std::uint32_t> keys;  ///< per manifold of the lanes
    std::int64_t contacts = 0;
    bool filled = false;      ///< as found: its manifolds stand where they stood in the step before
    bool stays = false;       ///< all of it but the keys depends on nothing but the manifolds there are
    std::uint64_t made = 0;   ///< which manifolds these were: Slab::made
    std::uint64_t among = 0;  ///< and among which bodies: LaneProblem::body_set
  };
  std::vector<OfSlab> slabs;
  std::vector<std::size_t> first;   ///< per slab: its first manifold in the lanes, one more at the end
  std::vector<std::uint32_t> keys;  ///< per manifold of the lanes
  bool kept = false;                ///< the layout was that of the step before: maybe it is so again
};

/// After assemble_bodies.
void assemble_lanes(const ContactSource& from, const WorldSettings& settings, double step_ratio, ThreadPool* pool,
                    LaneSolver& solver, LaneSources& sources, Assembly& out);

/// Impulses of the last sub-step back to the points they belong to.
void scatter_lanes(const ContactSource& from, LaneSolver& solver, const LaneSources& sources, ContactCache& cache,
                   ThreadPool* pool);

}  // namespace cairn
