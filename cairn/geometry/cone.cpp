// SPDX-License-Identifier: MIT
#include "cairn/geometry/cone.h"

namespace cairn {

namespace {

/// The side seen in the half-plane (distance from the axis, z): unit outward normal and unit direction to the apex.
struct SideLine {
  double normal_out, normal_up;  ///< (h, r) / |(h, r)|
  double length;                 ///< of the side
};

SideLine side_line(const Cone& cone) {
  const double length = std::sqrt(cone.radius * cone.radius + cone.height * cone.height);
  return {cone.height / length, cone.radius / length, length};
}

}  // namespace

Cone make_cone(double radius, double height) {
  return {checked_size(radius, "cone radius"), checked_size(height, "cone height")};
}

Aabb bounds(const Cone& shape, const Pose& pose) {
  const Vec3 axis = rotate(pose.orientation, Vec3{0, 0, 1});
  const Vec3 apex = pose.position + apex_z(shape) * axis, base = pose.position + base_z(shape) * axis;
  // A disc with normal n reaches r sqrt(1 - n_i^2) along axis i.
  const auto reach = [&](double n) { return shape.radius * std::sqrt(std::max(0.0, 1 - n * n)); };
  const Vec3 disc{reach(axis.x), reach(axis.y), reach(axis.z)};
  return unite(Aabb{base - disc, base + disc}, apex);
}

Vec3 support(const Cone& shape, const Vec3& direction) {
  // The rim wins where r |d_xy| > h d_z.
  const double across = std::sqrt(direction.x * direction.x + direction.y * direction.y);
  if (shape.radius * across <= shape.height * direction.z) return {0, 0, apex_z(shape)};
  const double s = across > 0 ? shape.radius / across : 0;
  return {s * direction.x, s * direction.y, base_z(shape)};
}

MassProperties mass_properties(const Cone& shape, double density) {
  check_density(density);
  const double r2 = shape.radius * shape.radius, h = shape.height;
  const double mass = density * kPi * r2 * h / 3;
  const double across = mass * (0.15 * r2 + 0.0375 * h * h);
  return {mass, {}, SymMat3::diagonal(across, across, 0.3 * mass * r2)};
}

std::optional<RayHit> ray(const Cone& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  const ClosestPoint start = closest_point(shape, origin);
  if (start.distance <= 0) return RayHit{0, -direction, 0};
  if (dot(start.normal, direction) >= 0) return std::nullopt;  // away from a plane that has all of the shape behind it
  // Stretched so that radius and height are 1 and the apex is at w = 0 above the base at w = 1: distances along the ray
  // stay what they are and flat or slender cones are as easy as others. Solve near the middle, (0, 0, 1/2): far origins
  // do not cancel.
  const double r = shape.radius, h = shape.height;
  const Vec3 o{origin.x / r, origin.y / r, (apex_z(shape) - origin.z) / h};
  const Vec3 d{direction.x / r, direction.y / r, -direction.z / h};
  const double shift = -dot(o - Vec3{0, 0, 0.5}, d) / dot(d, d);
  const Vec3 p = o + shift * d;
  std::optional<RayHit> best;
  // The line enters where it first meets any part. The shape is ahead, so an entry behind the origin is rounding.
  const auto offer = [&](double t, const Vec3& normal, std::int32_t feature) {
    const double distance = std::max(0.0, shift + t);
    if (distance > max_distance || (best && best->distance <= distance)) return;
    best = RayHit{distance, normal, feature};
  };
  // Side: x^2 + y^2 = w^2 between apex and base.
  const SideLine side = side_line(shape);
  const auto offer_side = [&](double t) {
    const Vec3 hit = p + t * d;
    const double across = std::sqrt(hit.x * hit.x + hit.y * hit.y);
    if (hit.z < 0 || hit.z > 1 || across > 1 + 1e-9) return;
    if (!(across > 0)) return offer(t, {0, 0, 1}, 0);
    offer(t, {side.normal_out * hit.x / across, side.normal_out * hit.y / across, side.normal_up}, 0);
  };
  const double a = d.x * d.x + d.y * d.y - d.z * d.z, b = p.x * d.x + p.y * d.y - p.z * d.z;
  const double c = p.x * p.x + p.y * p.y - p.z * p.z;
  if (const double disc = b * b - a * c; disc >= 0) {
    // q / a and c / q: both roots without cancellation, and one of them where a vanishes.
    const double q = -(b + std::copysign(std::sqrt(disc), b));
    if (a != 0) offer_side(q / a);
    if (q != 0) offer_side(c / q);
  }
  // Base: entered from below only.
  if (d.z < 0) {
    const double t = (1 - p.z) / d.z;
    const Vec3 hit = p + t * d;
    if (hit.x * hit.x + hit.y * hit.y <= 1) offer(t, {0, 0, -1}, 1);
  }
  return best;
}

ClosestPoint closest_point(const Cone& shape, const Vec3& point) {
  // In the plane of the axis and the point the cone is a triangle: base, side and (inside) the axis.
  const double across = std::sqrt(point.x * point.x + point.y * point.y);
  const Vec3 radial = across > 0 ? Vec3{point.x / across, point.y / across, 0} : Vec3{1, 0, 0};
  const SideLine side = side_line(shape);
  const double over_base = point.z - base_z(shape);
  const double past_side = side.normal_out * (across - shape.radius) + side.normal_up * over_base;
  const Vec3 side_normal = side.normal_out * radial + Vec3{0, 0, side.normal_up};
  if (past_side <= 0 && over_base >= 0) {
    if (past_side >= -over_base) return {point - past_side * side_normal, side_normal, past_side};
    return {{point.x, point.y, base_z(shape)}, {0, 0, -1}, -over_base};
  }
  // Outside: the nearer of the nearest points of the two segments.
  const Vec3 on_base = std::min(across, shape.radius) * radial + Vec3{0, 0, base_z(shape)};
  const double up_side = side.normal_up * (shape.radius - across) + side.normal_out * over_base;
  const double s = std::clamp(up_side, 0.0, side.length) / side.length;
  const Vec3 on_side = (1 - s) * shape.radius * radial + Vec3{0, 0, base_z(shape) + s * shape.height};
  const double to_base = norm(point - on_base), to_side = norm(point - on_side);
  const bool side_nearer = to_side <= to_base;
  const double distance = side_nearer ? to_side : to_base;
  const Vec3 on_surface = side_nearer ? on_side : on_base;
  // Off the rim and the apex the normal is that of the surface: the difference is noise very near to it.
  if (side_nearer && s > 0 && s < 1) return {on_surface, side_normal, distance};
  if (!side_nearer && across < shape.radius) return {on_surface, {0, 0, -1}, distance};
  return {on_surface, distance > 0 ? (1.0 / distance) * (point - on_surface) : side_normal, distance};
}

}  // namespace cairn
