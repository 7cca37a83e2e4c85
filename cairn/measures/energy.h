// SPDX-License-Identifier: MIT
// Energies of a body as users see it.
#pragma once

#include "cairn/world/world.h"

namespace cairn {

/// m v^2 / 2 + w.I w / 2, J; 0 for fixed and kinematic bodies.
inline double kinetic_energy(const BodyView& body) {
  const Vec3 spin = rotate_back(body.pose.orientation, body.velocity.angular);  // in the axes of the inertia
  return 0.5 * body.mass * dot(body.velocity.linear, body.velocity.linear) + 0.5 * dot(spin, body.inertia * spin);
}

/// -m g.x, J.
inline double potential_energy(const BodyView& body, const Vec3& gravity) {
  return -body.mass * body.gravity_scale * dot(gravity, body.centre);
}

}  // namespace cairn
