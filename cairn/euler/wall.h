// SPDX-License-Identifier: MIT
// WallDef: a rigid obstacle that elastic solids meet and cannot move.
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

/// Throws InputError for a definition that cannot be used.
void check_wall(const WallDef& wall);

/// The distance in m from a point in world axes; negative inside.
double signed_distance(const WallDef& wall, const Vec3& point);

}  // namespace cairn
