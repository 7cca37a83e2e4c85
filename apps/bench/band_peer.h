// SPDX-License-Identifier: MIT
// LAPACK's banded Cholesky beside ours, for `bench schurpa` only.
#pragma once

#include <span>

namespace cairn::cli {

/// Whether the program was built with LAPACK.
bool has_band_peer();

/// dpbtrf in place on the lower half of a band, column by column. False where it fails, or where there is none.
bool factor_band_peer(int size, int bandwidth, std::span<double> band);

}  // namespace cairn::cli
