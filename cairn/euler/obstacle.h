// SPDX-License-Identifier: MIT
// Obstacle: a wall or a shape of a rigid body, as the contact rows of solids see it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/euler/wall.h"
#include "cairn/geometry/shape.h"

namespace cairn {

/// An obstacle is valid for one sub-step.
struct Obstacle {
  std::int32_t number = 0;                            ///< unique, and the same in every step
  std::function<double(const Vec3& point)> distance;  ///< m, of a point in world axes; negative inside
  Aabb box;                                           ///< outside of it the distance is positive
  double friction = 0;
  Vec3 centre;             ///< m, the point that `velocity` belongs to
  Velocity velocity;       ///< at the end of the sub-step if nothing touched
  std::int32_t body = -1;  ///< body of the rigid problem; -1: contacts cannot move it
};

/// Numbers of obstacles: walls count from 0, shapes of rigid bodies from here.
inline constexpr std::int32_t kFirstShape = 1 << 20;

/// Obstacles of walls. They refer to `walls`, which must outlive them.
std::vector<Obstacle> wall_obstacles(std::span<const WallDef> walls);

/// The box of all points that may be inside a shape; half-spaces have an infinite one.
inline constexpr Aabb kEverywhere{{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}};

}  // namespace cairn
