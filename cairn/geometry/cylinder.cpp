// SPDX-License-Identifier: MIT
#include "cairn/geometry/cylinder.h"

namespace cairn {

Cylinder make_cylinder(double radius, double half_height) {
  return {checked_size(radius, "cylinder radius"), checked_size(half_height, "cylinder half-height")};
}

Aabb bounds(const Cylinder& shape, const Pose& pose) {
  const Vec3 axis = rotate(pose.orientation, Vec3{0, 0, 1});
  // A disc with normal n reaches r sqrt(1 - n_i^2) along axis i.
  const auto reach = [&](double n) {
    return std::fabs(n) * shape.half_height + shape.radius * std::sqrt(std::max(0.0, 1 - n * n));
  };
  const Vec3 half{reach(axis.x), reach(axis.y), reach(axis.z)};
  return {pose.position - half, pose.position + half};
}

Vec3 support(const Cylinder& shape, const Vec3& direction) {
  const double across = std::sqrt(direction.x * direction.x + direction.y * direction.y);
  const double s = across > 0 ? shape.radius / across : 0;
  return {s * direction.x, s * direction.y, direction.z < 0 ? -shape.half_height : shape.half_height};
}

MassProperties mass_properties(const Cylinder& shape, double density) {
  check_density(density);
  const double r2 = shape.radius * shape.radius, h = shape.half_height;
  const double mass = density * kPi * r2 * 2 * h;
  const double across = mass * (r2 / 4 + h * h / 3);
  return {mass, {}, SymMat3::diagonal(across, across, mass * r2 / 2)};
}

std::optional<RayHit> ray(const Cylinder& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  // Solve from the point of the line nearest to the centre, so that far origins do not cancel.
  const double shift = -dot(origin, direction);
  const Vec3 p = origin + shift * direction;
  double enter = -shift, leave = max_distance - shift;
  std::int32_t feature = -1;
  // Inside the infinite tube: |p + t d|^2 <= r^2 in x and y.
  const double a = direction.x * direction.x + direction.y * direction.y;
  const double b = p.x * direction.x + p.y * direction.y;
  const double c = p.x * p.x + p.y * p.y - shape.radius * shape.radius;
  if (a > 0) {
    if (b * b < a * c) return std::nullopt;
    const double root = std::sqrt(b * b - a * c), in = (-b - root) / a;
    if (in > enter) {
      enter = in;
      feature = 0;
    }
    leave = std::min(leave, (-b + root) / a);
  } else if (c > 0) {
    return std::nullopt;
  }
  // Between the two discs.
  if (direction.z != 0) {
    const double side = direction.z > 0 ? -shape.half_height : shape.half_height;
    const double in = (side - p.z) / direction.z;
    if (in > enter) {
      enter = in;
      feature = direction.z > 0 ? 1 : 2;
    }
    leave = std::min(leave, (-side - p.z) / direction.z);
  } else if (std::fabs(p.z) > shape.half_height) {
    return std::nullopt;
  }
  if (enter > leave) return std::nullopt;
  if (feature < 0) return RayHit{0, -direction, 0};
  const Vec3 hit = p + enter * direction;
  const Vec3 normal = feature == 0 ? normalised(Vec3{hit.x, hit.y, 0}) : Vec3{0, 0, feature == 1 ? -1.0 : 1.0};
  return RayHit{shift + enter, normal, feature};
}

ClosestPoint closest_point(const Cylinder& shape, const Vec3& point) {
  // In the plane of the axis and the point the cylinder is a rectangle: radius by half-height.
  const double across = std::sqrt(point.x * point.x + point.y * point.y);
  const Vec3 radial = across > 0 ? Vec3{point.x / across, point.y / across, 0} : Vec3{1, 0, 0};
  const Vec3 up{0, 0, point.z < 0 ? -1.0 : 1.0};
  const double past_side = across - shape.radius, past_disc = std::fabs(point.z) - shape.half_height;
  if (past_side <= 0 && past_disc <= 0) {
    if (past_side >= past_disc) return {shape.radius * radial + Vec3{0, 0, point.z}, radial, past_side};
    return {{point.x, point.y, up.z * shape.half_height}, up, past_disc};
  }
  const double out_side = std::max(0.0, past_side), out_disc = std::max(0.0, past_disc);
  const double distance = std::sqrt(out_side * out_side + out_disc * out_disc);
  const Vec3 normal = (1.0 / distance) * (out_side * radial + out_disc * up);
  return {
      std::min(across, shape.radius) * radial + Vec3{0, 0, std::clamp(point.z, -shape.half_height, shape.half_height)},
      normal, distance};
}

}  // namespace cairn
