// SPDX-License-Identifier: MIT
// Integration of one rigid body: free turning, and poses from displacements.
#pragma once

#include "cairn/math/pose.h"
#include "cairn/math/velocity.h"

namespace cairn {

/// The angular velocity after turning freely for dt, both in body axes. Implicit midpoint rule on the angular momentum
///
///   L' = L + dt (L_m x I^-1 L_m),   L_m = (L + L') / 2,
///
/// whose two invariants are quadratic, so that kinetic energy and |L| are kept to rounding for any dt: long thin
/// bodies at high spin never blow up, and the tennis racket keeps flipping.
Vec3 turn_freely(const SymMat3& inertia, const SymMat3& inverse_inertia, const Vec3& angular_velocity, double dt);

/// The orientation after turning by the vector `angle` (rad, world axes): exp(angle / 2) q. Only sums and products, so
/// the same bits on every machine.
Quat turned(const Quat& orientation, const Vec3& angle);

/// The pose after a displacement (m, rad).
Pose moved(const Pose& pose, const Velocity& displacement);

}  // namespace cairn
