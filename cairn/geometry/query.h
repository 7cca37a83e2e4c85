// SPDX-License-Identifier: MIT
// What every shape answers with, and the checks that every shape makes at its door. Lengths in metres, masses in
// kilograms; points, directions and normals are in the shape's own frame unless a name says otherwise.
#pragma once

#include <cstdint>

#include "cairn/math/mat3.h"
#include "cairn/math/pose.h"

namespace cairn {

/// Sizes outside this range are refused: below it contact tolerances are larger than the shape, above it a double
/// position resolves less than a nanometre of it.
inline constexpr double kSmallestSize = 1e-6;
inline constexpr double kLargestSize = 1e6;

inline constexpr double kPi = 3.14159265358979323846;

/// Mass, its centre and the inertia about that centre in the axes of the shape.
struct MassProperties {
  double mass = 0;
  Vec3 centre;
  SymMat3 inertia;
};

/// Where a ray first meets a shape. A ray that begins inside a solid shape hits it at distance 0 with the normal
/// against the ray. Meshes and height fields are surfaces: they are hit from both sides, never from "inside".
struct RayHit {
  double distance = 0;       ///< along the ray
  Vec3 normal;               ///< unit, towards the side the ray comes from
  std::int32_t feature = 0;  ///< face, triangle or child, as documented by the shape
};

/// The point of a shape's surface nearest to a given point.
struct ClosestPoint {
  Vec3 point;           ///< on the surface
  Vec3 normal;          ///< unit, out of the solid; from `point` to an outside query point
  double distance = 0;  ///< signed: negative inside
};

/// `value` when it is a usable length; else an InputError that names it. `what` reads like "sphere radius".
double checked_size(double value, const char* what);

/// Refuses densities (kg/m^3) that are not positive and finite.
void check_density(double density);

/// The same inertia about a point displaced by `d` from the centre of mass: I + m (|d|^2 1 - d d^T).
constexpr SymMat3 shifted_inertia(const SymMat3& about_centre, double mass, const Vec3& d) {
  const double s = dot(d, d);
  return {about_centre.xx + mass * (s - d.x * d.x), about_centre.yy + mass * (s - d.y * d.y),
          about_centre.zz + mass * (s - d.z * d.z), about_centre.xy - mass * d.x * d.y,
          about_centre.xz - mass * d.x * d.z,       about_centre.yz - mass * d.y * d.z};
}

}  // namespace cairn
