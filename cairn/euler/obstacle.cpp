// SPDX-License-Identifier: MIT
#include "cairn/euler/obstacle.h"

#include <cmath>

#include "cairn/core/errors.h"

namespace cairn {

void check_wall(const WallDef& wall) {
  if (const auto* plane = std::get_if<HalfSpace>(&wall.shape))
    make_half_space(plane->normal, plane->offset);
  else
    check_solid_shape(std::get<SolidShape>(wall.shape));
  require(is_finite(wall.pose) && std::fabs(norm2(wall.pose.orientation) - 1) < 1e-6,
          "the pose of a wall must be finite, with a unit quaternion");
  require(is_finite(wall.velocity), "the velocity of a wall must be finite");
  require(std::isfinite(wall.friction) && wall.friction >= 0, "the friction coefficient must not be negative");
}

double signed_distance(const WallDef& wall, const Vec3& point) {
  const Vec3 p = transform_back(wall.pose, point);
  if (const auto* plane = std::get_if<HalfSpace>(&wall.shape)) return dot(plane->normal, p) - plane->offset;
  return signed_distance(std::get<SolidShape>(wall.shape), p);
}

std::vector<Obstacle> wall_obstacles(std::span<const WallDef> walls) {
  std::vector<Obstacle> obstacles;
  for (const WallDef& wall : walls) {
    Obstacle o;
    o.number = static_cast<std::int32_t>(obstacles.size());
    o.distance = [&wall](const Vec3& point) { return signed_distance(wall, point); };
    const auto* solid = std::get_if<SolidShape>(&wall.shape);
    o.box = solid != nullptr ? bounds(*solid, wall.pose) : kEverywhere;
    o.friction = wall.friction;
    o.centre = wall.pose.position;
    o.velocity.linear = wall.velocity;
    obstacles.push_back(std::move(o));
  }
  return obstacles;
}

}  // namespace cairn
