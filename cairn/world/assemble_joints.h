// SPDX-License-Identifier: MIT
// Joints to rows of the problem and back.
#pragma once

#include "cairn/world/assemble.h"
#include "cairn/world/joints.h"

namespace cairn {

/// Appends the joints that can move something to an assembled problem, with their warm start: a block for the rows that
/// hold, then blocks of up to six for those with bounds. `step_ratio` as for contacts.
void assemble_joints(const Bodies& bodies, const WorldSettings& settings, double step_ratio, ThreadPool* pool,
                     Joints& joints, Assembly& out);

/// Impulses of the solution back to the joints, and the forces they make.
void scatter_joint_impulses(const Assembly& assembly, ThreadPool* pool, Joints& joints);

}  // namespace cairn
