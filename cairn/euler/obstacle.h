// SPDX-License-Identifier: MIT
// Obstacle: a rigid thing as the contact rows of solids see it, be it a wall or a shape of a rigid body.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cairn/euler/wall.h"
#include "cairn/geometry/shape.h"

namespace cairn {

/// Valid for one sub-step.
struct Obstacle {
  std::int32_t number = 0;                            ///< tells it from all others, and stays from step to step
  std::function<double(const Vec3& point)> distance;  ///< m, of a point of the world, negative inside
  Aabb box;                                           ///< outside of it the distance is positive
  double friction = 0;
  Vec3 centre;             ///< m, of the velocity
  Velocity velocity;       ///< without contact, at the end of the sub-step
  std::int32_t body = -1;  ///< of the rigid problem; -1: nothing moves it
};

/// Numbers of obstacles: walls count from 0, shapes of rigid bodies from here.
inline constexpr std::int32_t kFirstShape = 1 << 20;

/// Walls refer to `walls`, which must stay.
std::vector<Obstacle> wall_obstacles(std::span<const WallDef> walls);

/// The box of all points that may be inside a shape; half-spaces have an infinite one.
inline constexpr Aabb kEverywhere{{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}};

}  // namespace cairn
