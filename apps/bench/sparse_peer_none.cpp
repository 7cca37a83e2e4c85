// SPDX-License-Identifier: MIT
// Built where CHOLMOD is not found.
#include "apps/bench/sparse_peer.h"

namespace cairn::cli {

std::unique_ptr<SparsePeer> make_cholmod_peer() { return nullptr; }

}  // namespace cairn::cli
