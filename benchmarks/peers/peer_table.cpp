// SPDX-License-Identifier: MIT
#include "benchmarks/peers/peer.h"

namespace cairn::peers {

std::vector<PeerInfo> peer_table() { return {bullet_peer(), ode_peer(), mujoco_peer()}; }

}  // namespace cairn::peers
