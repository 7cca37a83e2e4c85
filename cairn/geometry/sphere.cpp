// SPDX-License-Identifier: MIT
#include "cairn/geometry/sphere.h"

namespace cairn {

Sphere make_sphere(double radius) { return {checked_size(radius, "sphere radius")}; }

Aabb bounds(const Sphere& shape, const Pose& pose) {
  const Vec3 r{shape.radius, shape.radius, shape.radius};
  return {pose.position - r, pose.position + r};
}

Vec3 support(const Sphere& shape, const Vec3& direction) {
  const double length = norm(direction);
  return length > 0 ? (shape.radius / length) * direction : Vec3{0, 0, shape.radius};
}

MassProperties mass_properties(const Sphere& shape, double density) {
  check_density(density);
  const double r2 = shape.radius * shape.radius;
  const double mass = density * (4.0 / 3.0) * kPi * r2 * shape.radius;
  const double i = 0.4 * mass * r2;
  return {mass, {}, SymMat3::diagonal(i, i, i)};
}

std::optional<RayHit> ray(const Sphere& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  const double r2 = shape.radius * shape.radius;
  if (dot(origin, origin) <= r2) return RayHit{0, -direction, 0};
  // From the point of the line nearest to the centre the sphere is half a chord away: no cancellation from afar.
  const double nearest = -dot(origin, direction);
  const Vec3 p = origin + nearest * direction;
  const double half_chord2 = r2 - dot(p, p);
  if (nearest < 0 || half_chord2 < 0) return std::nullopt;
  const double half_chord = std::sqrt(half_chord2), distance = nearest - half_chord;
  if (distance > max_distance) return std::nullopt;
  return RayHit{std::max(0.0, distance), normalised(p - half_chord * direction), 0};
}

ClosestPoint closest_point(const Sphere& shape, const Vec3& point) {
  const double length = norm(point);
  const Vec3 n = length > 0 ? (1.0 / length) * point : Vec3{0, 0, 1};
  return {shape.radius * n, n, length - shape.radius};
}

}  // namespace cairn
