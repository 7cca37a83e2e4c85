// SPDX-License-Identifier: MIT
// Peer: another engine, run beside Cairn on the same scene. One adapter per engine, each with its engine's defaults:
// what is compared is what a user gets who changes nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/peers/peer_scene.h"

namespace cairn::peers {

/// A body of the world as an engine has it now.
struct PeerState {
  Pose pose;          ///< of the body's frame, as in BodyView
  Velocity velocity;  ///< of the centre of mass
};

class Peer {
 public:
  virtual ~Peer() = default;
  /// At most PeerInfo::most_threads; for the steps that follow.
  virtual void set_threads(int threads) = 0;
  /// One step without sub-steps of the caller's; nothing sleeps.
  virtual void step(double dt) = 0;
  /// In the order of World::bodies().
  virtual void read(std::span<PeerState> out) const = 0;
  /// Points that the last step worked on.
  virtual std::int64_t contacts() const = 0;
};

struct PeerInfo {
  std::string name, version;  ///< version: empty where it was not found when the program was configured
  std::string package;        ///< of Debian
  int most_threads = 1;       ///< what the package was built for, at most 2 are asked for
  /// InputError of kind unsupported, "cannot: ...", for a scene that the engine does not take.
  std::unique_ptr<Peer> (*make)(const PeerScene& scene) = nullptr;

  bool found() const { return make != nullptr; }
};

/// All that there are adapters for, found or not.
std::vector<PeerInfo> peer_table();

// One per adapter.
PeerInfo bullet_peer();
PeerInfo ode_peer();
PeerInfo mujoco_peer();

/// The state of a body whose principal axes an engine has at `pose`.
inline PeerState state_of(const PeerBody& body, const Pose& pose, const Velocity& velocity) {
  return {pose * inverse(body.frame), velocity};
}

}  // namespace cairn::peers
