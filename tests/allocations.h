// SPDX-License-Identifier: MIT
// Counts heap allocations in the program of the allocation tests, which replaces operator new.
#pragma once

/// How often operator new was called so far, by any thread.
long allocation_count();
