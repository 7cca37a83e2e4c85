// SPDX-License-Identifier: MIT
#include "cairn/euler/solid_shape.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"

namespace cairn {

namespace {

double distance(const Sphere& s, const Vec3& p) { return norm(p) - s.radius; }

/// Outside it is the length of the positive part of q, inside the distance to the nearest face.
double corner_distance(const Vec3& q) {
  const Vec3 out = max(q, Vec3{});
  return norm(out) + std::min(std::max({q.x, q.y, q.z}), 0.0);
}

double distance(const Box& s, const Vec3& p) {
  return corner_distance({std::fabs(p.x) - s.half.x, std::fabs(p.y) - s.half.y, std::fabs(p.z) - s.half.z});
}

double distance(const Cylinder& s, const Vec3& p) {
  const double side = std::sqrt(p.x * p.x + p.y * p.y) - s.radius, cap = std::fabs(p.z) - s.half_height;
  const double out = std::max(side, 0.0), above = std::max(cap, 0.0);
  return std::sqrt(out * out + above * above) + std::min(std::max(side, cap), 0.0);
}

double distance(const Capsule& s, const Vec3& p) {
  return norm({p.x, p.y, p.z - std::clamp(p.z, -s.half_length, s.half_length)}) - s.radius;
}

double distance(const Torus& s, const Vec3& p) {
  const double out = std::sqrt(p.x * p.x + p.y * p.y) - s.ring;
  return std::sqrt(out * out + p.z * p.z) - s.tube;
}

double distance(const TriangleMesh& s, const Vec3& p) { return closest_point(s, p).distance; }

}  // namespace

Torus make_torus(double ring, double tube) {
  checked_size(ring, "torus ring radius");
  checked_size(tube, "torus tube radius");
  require(tube < ring, "the tube of a torus must be thinner than its ring");
  return {ring, tube};
}

void check_solid_shape(const SolidShape& shape) {
  struct Check {
    void operator()(const Sphere& s) const { make_sphere(s.radius); }
    void operator()(const Box& s) const { make_box(s.half); }
    void operator()(const Cylinder& s) const { make_cylinder(s.radius, s.half_height); }
    void operator()(const Capsule& s) const { make_capsule(s.radius, s.half_length); }
    void operator()(const Torus& s) const { make_torus(s.ring, s.tube); }
    void operator()(const TriangleMesh& s) const {
      require(s.data != nullptr, "a mesh without data cannot be a solid: make it with make_mesh");
      require(s.data->report.closed, "the mesh is not closed: a solid needs a surface without holes, wound outwards");
      mass_properties(s, 1.0);  // refuses a mesh that is inside out
    }
  };
  std::visit(Check{}, shape);
}

double signed_distance(const SolidShape& shape, const Vec3& point) {
  return std::visit([&](const auto& s) { return distance(s, point); }, shape);
}

Aabb bounds(const SolidShape& shape, const Pose& pose) {
  return std::visit(
      [&](const auto& s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Torus>)
          return bounds(Box{{s.ring + s.tube, s.ring + s.tube, s.tube}}, pose);
        else
          return bounds(s, pose);
      },
      shape);
}

double volume(const SolidShape& shape) {
  return std::visit(
      [](const auto& s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Torus>)
          return 2 * kPi * kPi * s.ring * s.tube * s.tube;
        else
          return mass_properties(s, 1.0).mass;
      },
      shape);
}

}  // namespace cairn
