// SPDX-License-Identifier: MIT
// What users write to make bodies and shapes. A body without shapes is allowed if its mass is given.
#pragma once

#include <cstdint>
#include <optional>

#include "cairn/core/handle.h"
#include "cairn/dynamics/material.h"
#include "cairn/geometry/shape.h"
#include "cairn/math/pose.h"
#include "cairn/math/velocity.h"

namespace cairn {

using BodyId = Handle<struct BodyTag>;
using ShapeId = Handle<struct ShapeTag>;

enum class BodyKind {
  dynamic,    ///< moved by forces and contacts
  fixed,      ///< never moves
  kinematic,  ///< moves with the velocity it is given, whatever it meets
};

/// Translations and rotations a dynamic body does not make, by world axis.
enum LockedAxes : std::uint32_t {
  kLockNone = 0,
  kLockX = 1,
  kLockY = 2,
  kLockZ = 4,
  kLockTurnX = 8,
  kLockTurnY = 16,
  kLockTurnZ = 32,
  kLockTurns = kLockTurnX | kLockTurnY | kLockTurnZ,
  kLockAll = 63,
};

/// The largest numbers the world accepts; beyond them squares and products lose their meaning.
inline constexpr double kLargestPosition = 1e8;                            ///< m
inline constexpr double kLargestSpeed = 1e6;                               ///< m/s and rad/s
inline constexpr double kLargestForce = 1e15;                              ///< N and N m
inline constexpr double kSmallestMass = 1e-9;                              ///< kg
inline constexpr double kLargestMass = 1e15;                               ///< kg
inline constexpr double kSmallestInertia = 1e-27, kLargestInertia = 1e33;  ///< kg m^2, principal moments

struct BodyDef {
  BodyKind kind = BodyKind::dynamic;
  Pose pose{};                           ///< of the body's own frame, in which its shapes are placed
  Velocity velocity{};                   ///< of the centre of mass
  std::optional<MassProperties> mass{};  ///< in the body's frame; none: from the shapes and their densities
  bool repair_inertia = false;           ///< replace a given inertia that no solid can have by the nearest possible one
  double linear_damping = 0;             ///< 1/s
  double angular_damping = 0;            ///< 1/s
  double gravity_scale = 1;
  std::uint32_t locked_axes = kLockNone;
  bool may_sleep = true;
  bool continuous = false;  ///< never passes through anything, however fast
  std::uint64_t user = 0;   ///< yours
};

struct ShapeDef {
  Shape shape{};
  Pose pose{};  ///< in the body's frame
  Material material{};
  double density = 1000;  ///< kg/m^3; 0: adds no mass
  std::uint32_t layer = 1;
  std::uint32_t mask = 0xffffffff;  ///< layers it meets; both must agree
  std::uint64_t user = 0;
};

/// Each throws InputError that names the field, its value and what is allowed.
void check_body_def(const BodyDef& def);
void check_shape_def(const ShapeDef& def);
void check_mass(const MassProperties& mass);
/// Whether a step can work with a mass: within the limits above, and with an inverse. Masses that shapes make are not
/// always the same to the last bit, since they may be added up in another order: `slack` widens the limits by a factor.
bool is_usable(const MassProperties& mass, double slack = 1);
/// A pose at the door: finite, in range, and its quaternion normalised; refused if the norm is off by more than 10 %.
Pose checked_pose(const Pose& pose, const char* what);
void check_vector(const Vec3& v, double largest, const char* what);
/// The nearest inertia that some solid has: eigenvalues positive and none larger than the sum of the others.
SymMat3 repaired_inertia(const SymMat3& inertia);

}  // namespace cairn
