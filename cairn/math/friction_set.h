// SPDX-License-Identifier: MIT
// Friction sets as projections: the nearest admissible point (Poulsen 2010, section 2.4; equation (2.43) with argmin).
//
// A contact impulse is (n, s, t[, spin]). Admissible: n >= 0 and the tangential part in a set that grows with n:
//
//   half-line   n >= 0                                                     project_half_line
//   disc        |(s,t)| <= mu n                                            project_disc
//   ellipse(oid) (s/a)^2 + (t/b)^2 [+ (spin/c)^2] <= 1, axes = coefficient * n   project_ellipsoid
//   box         |s| <= a, |t| <= b, ...: the pyramid whose corners exceed the disc by sqrt(2)   project_box
//   cone        |(s,t)| <= mu n, projected with n: the full Coulomb cone   project_cone
//
// Used by the prox family, mass splitting, ffd and the residual. soft_step projects in lanes of float: solve_friction
// in cairn/solvers/soft_step/lane_kernels.cpp.
//
// Spin (Contensou): with the scaled variable torque / Rc a disc of uniform pressure carries at most (2/3) mu n, and
// the ellipsoid couples it to sliding (Poulsen 2010 (2.61) corrected; kSpinBound).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn {

/// Maximal drilling torque of a disc of uniform pressure over (mu n Rc).
inline constexpr double kSpinBound = 2.0 / 3.0;

/// Which set a solver projects on. The problem's law is the ellipsoid of its coefficients (a disc when they are
/// equal); `box` and `cone` are models that a solver may choose and the ruler will judge.
enum class FrictionSet { disc, ellipse, box, cone };

/// Friction coefficients of a contact: semi-axes of the friction set per unit of normal impulse.
struct FrictionAxes {
  double s = 0;     ///< along tangent 1
  double t = 0;     ///< along tangent 2
  double spin = 0;  ///< about the normal, for the scaled torque; 0 where there is no spin row

  friend constexpr bool operator==(const FrictionAxes&, const FrictionAxes&) = default;
};

constexpr double project_half_line(double z) { return z > 0 ? z : 0; }

/// The disc of radius `radius` >= 0. The square root is taken outside the disc only.
inline void project_disc(double radius, double& s, double& t) {
  const double length2 = s * s + t * t;
  if (length2 <= radius * radius) return;
  const double scale = radius / std::sqrt(length2);
  s *= scale;
  t *= scale;
}

template <int N>
void project_box(const std::array<double, N>& half, std::array<double, N>& z) {
  for (int i = 0; i < N; ++i) z[i] = std::clamp(z[i], -half[i], half[i]);
}

/// The nearest point of the ellipsoid sum (x_i / a_i)^2 <= 1. Axes with a_i = 0 are flat.
///
/// Outside, x_i = a_i^2 z_i / (a_i^2 + T) where T >= 0 is the root of g(T) = sum (a_i z_i / (a_i^2 + T))^2 - 1, convex
/// and decreasing. At the start T0 = max_i(a_i |z_i| - a_i^2) one term is 1, so g(T0) >= 0 and Newton's method
/// rises monotonically to the root.
template <int N>
void project_ellipsoid(const std::array<double, N>& a, std::array<double, N>& z) {
  double inside = 0, start = 0, scale = 0;
  for (int i = 0; i < N; ++i) {
    if (!(a[i] > 0)) {
      z[i] = 0;
      continue;
    }
    const double ratio = z[i] / a[i];
    inside += ratio * ratio;
    start = std::max(start, a[i] * std::fabs(z[i]) - a[i] * a[i]);
    scale = std::max(scale, a[i] * a[i]);
  }
  if (inside <= 1) return;

  double root = start;
  for (int step = 0; step < 100; ++step) {
    double g = -1, slope = 0;
    for (int i = 0; i < N; ++i) {
      if (!(a[i] > 0)) continue;
      const double denominator = a[i] * a[i] + root;
      const double term = a[i] * z[i] / denominator;
      g += term * term;
      slope -= 2 * term * term / denominator;
    }
    const double next = root - g / slope;
    if (!(next > root)) break;  // at the root to the last bit: monotone from below
    root = next;
  }
  for (int i = 0; i < N; ++i)
    if (a[i] > 0) z[i] = a[i] * a[i] * z[i] / (a[i] * a[i] + root);
}

/// The full Coulomb cone |(s,t)| <= mu n in the metric of the identity: normal and tangential part together.
inline void project_cone(double mu, double& n, double& s, double& t) {
  const double length = std::sqrt(s * s + t * t);
  if (mu * length <= -n) {  // the polar cone, first: without friction it meets the test below at length 0
    n = s = t = 0;
    return;
  }
  if (length <= mu * n) return;
  n = (n + mu * length) / (1 + mu * mu);
  const double scale = mu * n / length;
  s *= scale;
  t *= scale;
}

/// Projects the tangential part z[1..D-1] of a contact impulse whose normal part z[0] is already admissible, on the
/// given set. D = 2 (one tangent), 3 (two tangents), 4 (two tangents and spin).
template <int D>
inline void project_friction(FrictionSet set, const FrictionAxes& mu, double* z) {
  const double n = z[0];
  if constexpr (D == 2) {
    z[1] = std::clamp(z[1], -mu.s * n, mu.s * n);
  } else if constexpr (D == 3) {
    if (set == FrictionSet::disc) {
      project_disc(mu.s * n, z[1], z[2]);
      return;
    }
    std::array<double, 2> point{z[1], z[2]};
    const std::array<double, 2> axes{mu.s * n, mu.t * n};
    set == FrictionSet::box ? project_box<2>(axes, point) : project_ellipsoid<2>(axes, point);
    z[1] = point[0];
    z[2] = point[1];
  } else {
    std::array<double, 3> point{z[1], z[2], z[3]};
    const std::array<double, 3> axes{mu.s * n, mu.t * n, mu.spin * n};
    set == FrictionSet::box ? project_box<3>(axes, point) : project_ellipsoid<3>(axes, point);
    std::copy(point.begin(), point.end(), z + 1);
  }
}

/// Projects a whole contact impulse: normal first, friction on the set of the new normal impulse (the decoupled prox of
/// Poulsen 2010), or both at once for the cone.
template <int D>
void project_contact(FrictionSet set, const FrictionAxes& mu, double* z) {
  if constexpr (D == 3) {
    if (set == FrictionSet::cone) {
      project_cone(mu.s, z[0], z[1], z[2]);
      return;
    }
  }
  z[0] = project_half_line(z[0]);
  project_friction<D>(set, mu, z);
}

}  // namespace cairn
