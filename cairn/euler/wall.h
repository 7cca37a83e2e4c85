// SPDX-License-Identifier: MIT
// WallDef: a rigid thing that elastic solids meet and that they do not move.
#pragma once

#include <variant>

#include "cairn/euler/solid.h"

namespace cairn {

struct WallDef {
  std::variant<HalfSpace, SolidShape> shape = HalfSpace{};
  Pose pose{};
  Vec3 velocity{};  ///< m/s; the wall moves with it
  double friction = 0.5;
};

/// Refuses (InputError) what cannot be used.
void check_wall(const WallDef& wall);

/// m, of a point of the world.
double signed_distance(const WallDef& wall, const Vec3& point);

}  // namespace cairn
