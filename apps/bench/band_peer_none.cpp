// SPDX-License-Identifier: MIT
// Built where LAPACK is not found.
#include "apps/bench/band_peer.h"

namespace cairn::cli {

bool has_band_peer() { return false; }
bool factor_band_peer(int, int, std::span<double>) { return false; }

}  // namespace cairn::cli
