// SPDX-License-Identifier: MIT
// Bodies: all bodies of a world, by slot. Slots are those of the handles; a slot without a body has status 0.
//
// Hot arrays are read by detection and assembly in every step, the records only where something acts on the body.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cairn/core/kept_memory.h"
#include "cairn/dynamics/body_def.h"

namespace cairn {

/// Bits of Bodies::status.
enum BodyStatus : std::uint8_t {
  kLive = 1,
  kDynamic = 2,
  kKinematic = 4,
  kAsleep = 8,
  kQuarantined = 16,
  kTouched = 32,  ///< edited since the last detection: its shapes must be placed anew
};

/// Mass and inertia of a dynamic body; all zero for others. Body axes, about the centre of mass.
struct MassState {
  double mass = 0, inverse_mass = 0;
  SymMat3 inertia, inverse_inertia;
  friend bool operator==(const MassState&, const MassState&) = default;
};

/// What is read when something acts on a body.
struct BodyRecord {
  Vec3 centre;                         ///< of mass, in the body's frame
  std::optional<MassProperties> mass;  ///< given by the user; none: from the shapes
  double linear_damping = 0, angular_damping = 0, gravity_scale = 1;
  std::uint32_t locked_axes = kLockNone;
  bool may_sleep = true, continuous = false;
  std::uint64_t user = 0;
  Vec3 force, torque;                 ///< for the next step; cleared by it
  double rest_time = 0;               ///< s it has been slow
  std::vector<std::uint32_t> shapes;  ///< slots, ascending
};

/// Versions count moves in their lower bits and edits above them. Moves that run over look like an edit: harmless.
inline constexpr std::uint32_t kMovesOfVersion = 16;
constexpr std::uint32_t edited_version(std::uint32_t version) {
  return ((version >> kMovesOfVersion) + 1) << kMovesOfVersion;
}
constexpr bool is_edited(std::uint32_t before, std::uint32_t now) {
  return before >> kMovesOfVersion != now >> kMovesOfVersion;
}

struct Bodies {
  std::vector<std::uint8_t> status;  ///< BodyStatus bits
  KeptVector<Pose> pose;             ///< of the centre of mass, with the body's axes
  KeptVector<Velocity> velocity;     ///< of the centre of mass
  std::vector<MassState> mass;
  std::vector<BodyRecord> record;
  std::vector<Pose> reference;         ///< where contacts were last made anew
  std::vector<std::uint32_t> version;  ///< raised when the body leaves the neighbourhood of `reference`; above
                                       ///< kMovesOfVersion bits when it is edited

  std::size_t size() const { return status.size(); }
  bool is_live(std::size_t i) const { return (status[i] & kLive) != 0; }
  bool is_dynamic(std::size_t i) const { return (status[i] & kDynamic) != 0; }
  /// Moved by forces and contacts in this step.
  bool is_active(std::size_t i) const { return (status[i] & (kDynamic | kAsleep | kQuarantined)) == kDynamic; }
  bool is_moving_kinematic(std::size_t i) const {
    return (status[i] & kKinematic) != 0 && !(velocity[i] == Velocity{});
  }
  void resize(std::size_t count) {
    status.resize(count), pose.resize(count), velocity.resize(count), mass.resize(count), record.resize(count);
    reference.resize(count), version.resize(count);
  }
};

/// Calls visit(i) for the bodies that are active, kinematic or touched, in order. Eight that are none of it are passed
/// over at once: most bodies of a large world sleep or are fixed.
template <class Visit>
void for_each_stirred(const Bodies& bodies, Visit&& visit) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const std::size_t size = bodies.size();
  for (std::size_t first = 0; first < size; first += 8) {
    const std::size_t count = std::min<std::size_t>(8, size - first);
    std::uint64_t eight = 0;
    std::memcpy(&eight, bodies.status.data() + first, count);
    // A byte of `still` is zero where a body is dynamic and neither asleep nor frozen.
    const std::uint64_t still = (eight & kEach * (kDynamic | kAsleep | kQuarantined)) ^ kEach * kDynamic;
    const bool any_active = ((still - kEach) & ~still & kEach * 0x80) != 0;
    if (!any_active && (eight & kEach * (kKinematic | kTouched)) == 0) continue;
    for (std::size_t i = first; i < first + count; ++i)
      if (bodies.is_active(i) || (bodies.status[i] & (kKinematic | kTouched)) != 0) visit(i);
  }
}

inline BodyKind kind_of(const Bodies& bodies, std::size_t i) {
  if (bodies.is_dynamic(i)) return BodyKind::dynamic;
  return (bodies.status[i] & kKinematic) != 0 ? BodyKind::kinematic : BodyKind::fixed;
}

/// Of the body's own frame; and where that would be with the centre of mass at another pose.
inline Pose frame_of(const Bodies& bodies, std::size_t i, const Pose& pose) {
  return {pose.position - rotate(pose.orientation, bodies.record[i].centre), pose.orientation};
}
inline Pose frame_of(const Bodies& bodies, std::size_t i) { return frame_of(bodies, i, bodies.pose[i]); }

/// Inverse inertia in world axes, without the rotations that are locked. Locking takes rows and columns out of the
/// inertia, not of its inverse: the body turns about the free axes as if held by bearings.
SymMat3 world_inverse_inertia(const Bodies& bodies, std::size_t i, const Quat& orientation);
inline SymMat3 world_inverse_inertia(const Bodies& bodies, std::size_t i) {
  return world_inverse_inertia(bodies, i, bodies.pose[i].orientation);
}

}  // namespace cairn
