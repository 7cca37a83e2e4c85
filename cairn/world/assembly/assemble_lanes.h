// SPDX-License-Identifier: MIT
// From the contact cache straight into lanes and back, without contacts in double in between, which would cost as much
// as the solve. The lanes are those that LaneManifolds makes of the same contacts in double. One thing may differ:
// where a bounce comes to nothing within the step, a manifold that is not round keeps the extra fields of its material.
#pragma once

#include "cairn/problem/lanes/lane_source.h"
#include "cairn/world/assembly/assemble.h"

namespace cairn {

/// After assemble_bodies: contacts to `out.lanes`, with what they start from.
void assemble_lanes(const ContactSource& from, const LaneBatching& batching, ThreadPool* pool, Assembly& out);

/// Impulses of the last sub-step back to the points they belong to, and which pairs pushed each other on the way.
void scatter_lanes(const ContactSource& from, const LaneBatching& batching, const Assembly& assembly,
                   ContactCache& cache, ThreadPool* pool);

/// Impulses of all sub-steps to the solution, for contacts that assemble_contacts made.
void read_lanes(ThreadPool* pool, Assembly& out);

}  // namespace cairn
