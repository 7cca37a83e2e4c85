// SPDX-License-Identifier: MIT
// Parting: islands most of whose contacts overlap deeply, as scenes do that begin overlapping, come apart gently.
//
// Push-out as a velocity would add up along a chain of bodies, and they would fly apart. So the solve sees these
// contacts closed without overlap, and the bodies are moved apart without any velocity (split impulses): with positions
// d,
//
//   0 <= lambda  _|_  J d - p >= 0,   p = min(rate (overlap - slop), speed dt),   d = M^-1 J^T lambda
//
// scaled per island so that no body moves by more than speed dt. They stay where they then are, if they can.
#pragma once

#include "cairn/world/assembly/assemble.h"

namespace cairn {

/// Finds the bodies of islands to be parted. After assemble_rows: islands with joints are left to the solver.
void find_parting(const ContactSource& from, ThreadPool* pool, Assembly& out);

/// Adds to the displacements of the solution what parts them.
void part_bodies(const ContactSource& from, const WorldSettings& settings, Assembly& out);

}  // namespace cairn
