// SPDX-License-Identifier: MIT
#include "cairn/geometry/capsule.h"

namespace cairn {

Capsule make_capsule(double radius, double half_length) {
  return {checked_size(radius, "capsule radius"), checked_size(half_length, "capsule half-length")};
}

Aabb bounds(const Capsule& shape, const Pose& pose) {
  const Vec3 axis = rotate(pose.orientation, Vec3{0, 0, shape.half_length});
  const Vec3 half{std::fabs(axis.x) + shape.radius, std::fabs(axis.y) + shape.radius, std::fabs(axis.z) + shape.radius};
  return {pose.position - half, pose.position + half};
}

Vec3 support(const Capsule& shape, const Vec3& direction) {
  const double length = norm(direction);
  const Vec3 on_ball = length > 0 ? (shape.radius / length) * direction : Vec3{0, 0, shape.radius};
  return on_ball + Vec3{0, 0, direction.z < 0 ? -shape.half_length : shape.half_length};
}

MassProperties mass_properties(const Capsule& shape, double density) {
  check_density(density);
  const double r = shape.radius, l = shape.half_length;
  const double tube = density * kPi * r * r * 2 * l;
  const double ball = density * (4.0 / 3.0) * kPi * r * r * r;
  // A hemisphere's centre of mass is 3 r / 8 beyond its flat side, hence the cross term 3 l r / 4.
  const double across = tube * (r * r / 4 + l * l / 3) + ball * (0.4 * r * r + l * l + 0.75 * l * r);
  const double along = tube * r * r / 2 + ball * 0.4 * r * r;
  return {tube + ball, {}, SymMat3::diagonal(across, across, along)};
}

std::optional<RayHit> ray(const Capsule& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  const double r = shape.radius, l = shape.half_length;
  const ClosestPoint start = closest_point(shape, origin);
  if (start.distance <= 0) return RayHit{0, -direction, 0};
  if (dot(start.normal, direction) >= 0) return std::nullopt;  // away from a plane that has all of the shape behind it
  // Solve from the point of the line nearest to the centre, so that far origins do not cancel.
  const double shift = -dot(origin, direction);
  const Vec3 p = origin + shift * direction;
  std::optional<RayHit> best;
  // The line enters where it first meets any part. The shape is ahead, so an entry behind the origin is rounding.
  const auto offer = [&](double t, const Vec3& normal, std::int32_t feature) {
    const double distance = std::max(0.0, shift + t);
    if (distance > max_distance || (best && best->distance <= distance)) return;
    best = RayHit{distance, normal, feature};
  };
  // Side: |p + t d|^2 = r^2 in x and y, where the hit lies between the caps.
  const double a = direction.x * direction.x + direction.y * direction.y;
  const double b = p.x * direction.x + p.y * direction.y, c = p.x * p.x + p.y * p.y - r * r;
  if (a > 0 && b * b >= a * c) {
    const double t = (-b - std::sqrt(b * b - a * c)) / a;
    const Vec3 hit = p + t * direction;
    if (std::fabs(hit.z) <= l) offer(t, normalised(Vec3{hit.x, hit.y, 0}), 0);
  }
  // Caps: two balls; the part of a ball inside the tube is never met first.
  for (const std::int32_t cap : {1, 2}) {
    const Vec3 from = p - Vec3{0, 0, cap == 1 ? -l : l};
    const double nearest = -dot(from, direction);
    const Vec3 q = from + nearest * direction;
    const double half_chord2 = r * r - dot(q, q);
    if (half_chord2 < 0) continue;
    const double half_chord = std::sqrt(half_chord2);
    offer(nearest - half_chord, normalised(q - half_chord * direction), cap);
  }
  return best;
}

ClosestPoint closest_point(const Capsule& shape, const Vec3& point) {
  const Vec3 on_axis{0, 0, std::clamp(point.z, -shape.half_length, shape.half_length)};
  const Vec3 off = point - on_axis;
  const double length = norm(off);
  const Vec3 n = length > 0 ? (1.0 / length) * off : Vec3{1, 0, 0};  // on the axis every side is as near
  return {on_axis + shape.radius * n, n, length - shape.radius};
}

}  // namespace cairn
