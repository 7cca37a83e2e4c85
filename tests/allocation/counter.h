// SPDX-License-Identifier: MIT
// Counts what operator new gives out, in the whole program. Replaces operator new, hence a program of its own.
#pragma once

namespace cairn {

/// Calls of operator new so far, of all threads.
long allocation_count();

}  // namespace cairn
