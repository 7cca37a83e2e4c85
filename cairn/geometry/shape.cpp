// SPDX-License-Identifier: MIT
#include "cairn/geometry/shape.h"

#include <type_traits>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

template <class T>
constexpr bool kHasSupport = std::is_same_v<T, Sphere> || std::is_same_v<T, Box> || std::is_same_v<T, Capsule> ||
                             std::is_same_v<T, Cylinder> || std::is_same_v<T, Cone> || std::is_same_v<T, ConvexHull>;

void check(const Sphere& s) { make_sphere(s.radius); }
void check(const Box& s) { make_box(s.half); }
void check(const Capsule& s) { make_capsule(s.radius, s.half_length); }
void check(const Cylinder& s) { make_cylinder(s.radius, s.half_height); }
void check(const Cone& s) { make_cone(s.radius, s.height); }
void check(const HalfSpace& s) {
  make_half_space(s.normal, s.offset);
  require(std::fabs(dot(s.normal, s.normal) - 1) <= 1e-9, "half-space normal is not unit; use make_half_space");
}
void check(const ConvexHull& s) { require(s.data != nullptr, "the convex hull has no data; use make_hull"); }
void check(const HeightField& s) { require(s.data != nullptr, "the height field has no data; use make_height_field"); }
void check(const TriangleMesh& s) { require(s.data != nullptr, "the mesh has no data; use make_mesh"); }
void check(const Compound& s) { require(s.data != nullptr, "the compound has no data; use make_compound"); }

}  // namespace

void check_shape(const Shape& shape) {
  std::visit([](const auto& s) { check(s); }, shape);
}

bool has_support(const Shape& shape) {
  return std::visit([]<class T>(const T&) { return kHasSupport<T>; }, shape);
}

Aabb bounds(const Shape& shape, const Pose& pose) {
  return std::visit([&](const auto& s) { return bounds(s, pose); }, shape);
}

Aabb local_bounds(const Shape& shape) {
  const auto* hull = std::get_if<ConvexHull>(&shape);
  return hull != nullptr ? hull->data->box : bounds(shape, Pose{});
}

Vec3 support(const Shape& shape, const Vec3& direction) {
  return std::visit(
      [&]<class T>(const T& s) -> Vec3 {
        if constexpr (kHasSupport<T>) return support(s, direction);
        CAIRN_ASSERT(kHasSupport<T>);
        return {};
      },
      shape);
}

MassProperties mass_properties(const Shape& shape, double density) {
  return std::visit([&](const auto& s) { return mass_properties(s, density); }, shape);
}

std::optional<RayHit> ray(const Shape& shape, const Vec3& origin, const Vec3& direction, double max_distance) {
  CAIRN_ASSERT(std::fabs(dot(direction, direction) - 1) < 1e-9);
  return std::visit([&](const auto& s) { return ray(s, origin, direction, max_distance); }, shape);
}

ClosestPoint closest_point(const Shape& shape, const Vec3& point) {
  return std::visit([&](const auto& s) { return closest_point(s, point); }, shape);
}

}  // namespace cairn
