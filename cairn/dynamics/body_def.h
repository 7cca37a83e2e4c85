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

/// Handles: an index and a generation. One of a thing that was removed is recognised. {} is the null handle.
using BodyId = Handle<struct BodyTag>;
using ShapeId = Handle<struct ShapeTag>;

/// How a body moves. Only dynamic bodies have a mass.
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

/// A body as the user writes it. Everything has a default: BodyDef{} is a dynamic body at rest at the origin.
struct BodyDef {
  BodyKind kind = BodyKind::dynamic;
  Pose pose{};                           ///< of the body's own frame, in which its shapes are placed
  Velocity velocity{};                   ///< of the centre of mass
  std::optional<MassProperties> mass{};  ///< in the body's frame; none: from the shapes and their densities
  bool repair_inertia = false;           ///< replace a given inertia that no solid can have by the nearest possible one
  double linear_damping = 0;             ///< 1/s: v' = v / (1 + rate dt)
  double angular_damping = 0;            ///< 1/s
  double gravity_scale = 1;              ///< factor on WorldSettings::gravity; 0 floats
  std::uint32_t locked_axes = kLockNone;  ///< bits of LockedAxes
  bool may_sleep = true;                  ///< false: its island stays awake
  bool continuous = false;                ///< continuous collision: passes through nothing, however fast it is
  std::uint64_t user = 0;                 ///< user data: never looked at
};

/// A shape as the user writes it.
struct ShapeDef {
  Shape shape{};                    ///< make_sphere, make_box, ... (cairn/geometry/shape.h)
  Pose pose{};                      ///< in the body's frame
  Material material{};              ///< friction and restitution; combined with that of the other shape
  double density = 1000;            ///< kg/m^3; 0: adds no mass
  std::uint32_t layer = 1;          ///< collision layers it is in, as bits
  std::uint32_t mask = 0xffffffff;  ///< layers it meets; two shapes meet if each one's mask has a layer of the other
  std::uint64_t user = 0;           ///< user data: never looked at
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
/// InputError unless every component is finite and at most `largest` in size.
void check_vector(const Vec3& v, double largest, const char* what);
/// The nearest inertia that some solid has: eigenvalues positive and none larger than the sum of the others.
SymMat3 repaired_inertia(const SymMat3& inertia);

}  // namespace cairn
