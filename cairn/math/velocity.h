// SPDX-License-Identifier: MIT
// Velocity of a rigid body: of its centre of mass, and its rate of turning. Also used for displacements and
// accelerations, which have the same two parts.
#pragma once

#include "cairn/math/vec3.h"

namespace cairn {

struct Velocity {
  Vec3 linear{}, angular{};
  friend constexpr bool operator==(const Velocity&, const Velocity&) = default;
};

inline bool is_finite(const Velocity& v) { return is_finite(v.linear) && is_finite(v.angular); }

}  // namespace cairn
