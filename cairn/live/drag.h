// SPDX-License-Identifier: MIT
// LiveDrag: a spring and damper with which someone pulls a body by one of its points.
#pragma once

#include "cairn/world/world.h"

namespace cairn {

struct LiveDrag {
  BodyId body{};
  Vec3 anchor{};         ///< where it was taken, in the body's frame
  Vec3 target{};         ///< where that point is pulled to, world
  double frequency = 4;  ///< Hz, of the body alone at the spring
  double damping = 1;    ///< ratio; 1: it comes to the target without swinging
};

/// InputError that names the field.
void check_drag(const LiveDrag& drag);

/// Where the body is taken now, world.
Vec3 drag_point(const BodyView& body, const LiveDrag& drag);

/// The force on the body at its point over a step of dt, by the implicit Euler rule: stable however short the lever and
/// long the step. With W the inverse mass of the point, k = m w^2, c = 2 z m w, e and v its error and velocity:
///
///   (1 + dt (c + dt k) W) F = -(k e + (c + dt k) v)
///
/// at most 2000 m/s^2 times the mass.
Vec3 drag_force(const BodyView& body, const LiveDrag& drag, double dt);

}  // namespace cairn
