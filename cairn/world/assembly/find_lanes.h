// SPDX-License-Identifier: MIT
// Which lanes the contacts of a slab need, and where in the layout they belong. Internal to assembly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/world/assembly/assemble.h"

namespace cairn {

/// Finds the lanes of slab s, for the bodies in `assembly.lanes` and the batches of their islands in the step before.
/// Lanes of contacts that are known are kept, and their keys are made anew.
void find_lanes(const ContactSource& from, const Assembly& assembly, std::size_t s, LaneSources::OfSlab& out);

/// Gives the lanes of slab s the batches that their islands have now. True if these are the batches they had.
bool find_batches(const ContactSource& from, const LaneProblem& lanes, std::size_t s, LaneSources::OfSlab& out);

/// Adds the lanes of slab s to the counts of their islands; returns how many contacts they have.
std::int64_t count_lanes(const ContactSource& from, std::size_t s, const LaneSources::OfSlab& lanes,
                         std::vector<IslandCounts>& counts);

}  // namespace cairn
