// SPDX-License-Identifier: MIT
#include "cairn/geometry/half_space.h"

#include "cairn/core/errors.h"

namespace cairn {

HalfSpace make_half_space(const Vec3& normal, double offset) {
  const double length = norm(normal);
  require(std::isfinite(length) && length > 1e-150, "half-space normal is zero or not finite; give a direction");
  require(std::fabs(offset) <= kLargestSize, "half-space offset is not finite or beyond 1e6 m; move the scene nearer");
  return {(1.0 / length) * normal, offset};
}

Aabb bounds(const HalfSpace& shape, const Pose& pose) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Vec3 n = rotate(pose.orientation, shape.normal);
  const Vec3 p = transform(pose, shape.offset * shape.normal);
  Aabb box{{-inf, -inf, -inf}, {inf, inf, inf}};
  const auto cut = [](double along, double off1, double off2, double at, double& lower, double& upper) {
    if (off1 != 0 || off2 != 0) return;
    (along > 0 ? upper : lower) = at;
  };
  cut(n.x, n.y, n.z, p.x, box.lower.x, box.upper.x);
  cut(n.y, n.x, n.z, p.y, box.lower.y, box.upper.y);
  cut(n.z, n.x, n.y, p.z, box.lower.z, box.upper.z);
  return box;
}

MassProperties mass_properties(const HalfSpace&, double) {
  fail_input("a half-space has no finite mass; use it on a static body, or take a box");
}

std::optional<RayHit> ray(const HalfSpace& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  const double height = dot(shape.normal, origin) - shape.offset;
  if (height <= 0) return RayHit{0, -direction, 0};
  const double fall = -dot(shape.normal, direction);
  if (!(fall > 0) || height > fall * max_distance) return std::nullopt;
  return RayHit{height / fall, shape.normal, 0};
}

ClosestPoint closest_point(const HalfSpace& shape, const Vec3& point) {
  const double height = dot(shape.normal, point) - shape.offset;
  return {point - height * shape.normal, shape.normal, height};
}

}  // namespace cairn
