// SPDX-License-Identifier: MIT
// LiveScene and LiveFrame: what a viewer is told of a run, and the bytes it is told in (docs/viewer.md). The page's
// reader is in viewer/src.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/live/run.h"
#include "cairn/record/frame.h"
#include "cairn/record/pictures.h"

namespace cairn {

/// What does not change from step to step. Immutable once made.
struct LiveScene {
  std::uint64_t generation = 0;  ///< another number for another list of bodies, joints or solvers
  std::vector<BodyId> bodies;    ///< numbers of bodies are places here
  std::vector<JointId> joints;
  std::vector<bool> moves;  ///< per body
  std::string bytes;        ///< message SCEN
};

/// Names for people.
struct LiveNames {
  std::string scene, program;
  std::vector<BodyId> bodies;            ///< at the beginning
  std::vector<std::string> titles;       ///< of those, or empty
  std::vector<PictureCamera> cameras{};  ///< views of the scene; the first is the one to begin with
  std::vector<std::uint32_t> colours{};  ///< of those bodies, as RecordedBody, or empty
  std::vector<std::string> joints{};     ///< of the joints at the beginning, or empty
};

inline constexpr std::size_t kMostReadings = 256;  ///< joints: with more, frames have no readings

/// Solvers that take the world as it is.
std::vector<std::string> solvers_for(const World& world);
/// "NAME" or "NAME:setting=value,...".
std::string solver_label(const WorldSettings& settings);

std::shared_ptr<const LiveScene> make_live_scene(const World& world, double dt, const LiveNames& names,
                                                 std::uint64_t generation);

/// One state. Immutable once made, so that threads can share it.
struct LiveFrame {
  std::shared_ptr<const LiveScene> scene;
  std::uint64_t version = 0;  ///< frames of equal versions show the same
  std::int64_t oldest = 0, newest = 0;
  bool playing = false;
  double speed = 1, rate = 0;
  std::string solver, hash;
  MotionFrame motion;               ///< of all bodies of the scene, and of its joints unless they are very many
  std::vector<std::uint8_t> flags;  ///< per body: bit 0 awake, bit 1 quarantined
  bool has_contacts = false, has_groups = false;
  BodyGroups groups;
  std::vector<float> statistics;
  std::vector<double> targets{};  ///< of the drives of motion.joints
};

/// Poses, velocities, flags and what else is asked for.
LiveFrame take_live_frame(const LiveRun& run, std::shared_ptr<const LiveScene> scene, bool contacts, bool groups);

/// Message FRAM. Contacts and groups that the frame does not have are left out.
std::string pack_live_frame(const LiveFrame& frame, bool contacts, bool groups);

}  // namespace cairn
