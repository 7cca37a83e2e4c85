// SPDX-License-Identifier: MIT
#include "cairn/dynamics/body_def.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/math/symmetric_eigen.h"

namespace cairn {

namespace {

constexpr double kTriangleTolerance = 1e-6;  ///< relative: thin plates meet the bound exactly, up to rounding

std::string text(const Vec3& v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); }

void check_number(double value, double least, double most, const char* what) {
  if (!(value >= least && value <= most))
    fail_input(fmt::format("{} is {}, it must lie in [{:g}, {:g}]", what, value, least, most));
}

}  // namespace

void check_vector(const Vec3& v, double largest, const char* what) {
  const double components[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; ++i)
    if (!(std::fabs(components[i]) <= largest))
      fail_input(fmt::format("{} is {}: its {} component must be finite and at most {:g} in size", what, text(v),
                             "xyz"[i], largest));
}

Pose checked_pose(const Pose& pose, const char* what) {
  check_vector(pose.position, kLargestPosition, what);
  const Quat& q = pose.orientation;
  if (!is_finite(q)) fail_input(fmt::format("{}: the orientation is not finite", what));
  const double length = std::sqrt(norm2(q));
  if (!(length > 0.9 && length < 1.1))
    fail_input(fmt::format("{}: the orientation ({}, {}, {}, {}) has norm {}; pass a unit quaternion", what, q.w, q.x,
                           q.y, q.z, length));
  // A unit quaternion passes unchanged, so that poses read from a world go back bit for bit.
  return std::fabs(length - 1) < 1e-15 ? pose : Pose{pose.position, normalised(q)};
}

void check_mass(const MassProperties& mass) {
  check_number(mass.mass, kSmallestMass, kLargestMass, "mass");
  check_vector(mass.centre, kLargestPosition, "centre of mass");
  if (!is_finite(mass.inertia)) fail_input("inertia must be finite");
  const SymMat3& m = mass.inertia;
  const std::array<double, 3> e = symmetric_eigenvalues(m);
  if (!(e[0] > 0) || e[0] + e[1] < e[2] * (1 - kTriangleTolerance))
    fail_input(
        fmt::format("inertia has principal moments {}, {}, {}: they must be positive and none larger than the sum of "
                    "the others; BodyDef::repair_inertia replaces it by the nearest possible one",
                    e[0], e[1], e[2]));
  if (!(e[0] >= kSmallestInertia && e[2] <= kLargestInertia && is_usable(mass)))
    fail_input(
        fmt::format("inertia has principal moments {:g}, {:g}, {:g}: they must lie in [{:g}, {:g}] kg m^2 and not be "
                    "too far apart; use other units, or a larger inertia",
                    e[0], e[1], e[2], kSmallestInertia, kLargestInertia));
}

bool is_usable(const MassProperties& mass, double slack) {
  constexpr double kRounding = 2;  // of an inverse
  const SymMat3 i = inverse(mass.inertia);
  const auto fits = [&](double x) {
    return x > 0 && x <= slack * kRounding / kSmallestInertia && x * slack * kRounding >= 1 / kLargestInertia;
  };
  return mass.mass * slack >= kSmallestMass && mass.mass <= slack * kLargestMass && is_finite(i) && fits(i.xx) &&
         fits(i.yy) && fits(i.zz);
}

void check_body_def(const BodyDef& def) {
  require(def.kind == BodyKind::dynamic || def.kind == BodyKind::fixed || def.kind == BodyKind::kinematic,
          "body kind is none of BodyKind");
  checked_pose(def.pose, "body pose");
  check_vector(def.velocity.linear, kLargestSpeed, "body velocity");
  check_vector(def.velocity.angular, kLargestSpeed, "body angular velocity");
  check_number(def.linear_damping, 0, 1e6, "linear damping");
  check_number(def.angular_damping, 0, 1e6, "angular damping");
  check_number(def.gravity_scale, -1e6, 1e6, "gravity scale");
  require(def.locked_axes <= kLockAll, "locked axes have bits that LockedAxes does not name");
  if (def.mass && !def.repair_inertia) check_mass(*def.mass);
}

void check_shape_def(const ShapeDef& def) {
  check_shape(def.shape);
  checked_pose(def.pose, "shape pose");
  check_material(def.material);
  if (def.density != 0) check_density(def.density);
}

SymMat3 repaired_inertia(const SymMat3& inertia) {
  if (!is_finite(inertia)) fail_input("inertia must be finite, it cannot be repaired");
  SymmetricEigen eigen = symmetric_eigen(inertia);
  const double largest = *std::max_element(eigen.value.begin(), eigen.value.end());
  if (!(largest > 0)) fail_input("inertia has no positive principal moment, it cannot be repaired");
  for (double& e : eigen.value) e = std::max(e, 1e-6 * largest);
  // The triangle inequality: raise the two smaller ones alike until their sum is the largest.
  auto& e = eigen.value;
  std::size_t top = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (e[i] > e[top]) top = i;
  const std::size_t i = (top + 1) % 3, j = (top + 2) % 3;
  const double lack = e[top] - e[i] - e[j];
  if (lack > 0) e[i] += 0.5 * lack, e[j] += 0.5 * lack;
  return recompose(eigen);
}

}  // namespace cairn
