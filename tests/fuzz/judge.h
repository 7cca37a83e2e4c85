// SPDX-License-Identifier: MIT
// Judge: plays a sequence on several worlds that must stay equal, bit for bit.
//
//   the first      as the sequence says
//   its twin       other threads, broad phase and instruction set, and judged where the first is not
//   a restored one made from a snapshot of the first every few steps
#pragma once

#include "tests/fuzz/call.h"
#include "tests/fuzz/player.h"

namespace cairn::fuzz {

/// What the twin differs in.
enum Difference : unsigned {
  kThreads = 1,
  kBroadPhase = 2,
  kMeasure = 4,
  kSimd = 8,
  kEverything = 15,
};

/// Throws a Finding if anything happens that must not. `verbose` tells the calls of the first world on stdout.
void judge(const Sequence& sequence, unsigned differences = kEverything, bool verbose = false);

}  // namespace cairn::fuzz
