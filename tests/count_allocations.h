// SPDX-License-Identifier: MIT
// Counts every operator new of a program that is linked with count_allocations.cpp.
#pragma once

namespace cairn {

long allocation_count();

}  // namespace cairn
