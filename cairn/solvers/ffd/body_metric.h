// SPDX-License-Identifier: MIT
// The six coordinates of a body in which its kinetic energy is half a square: u = u0 + L z with M^-1 = L L^T. A row
// (j_v, j_w) of a Jacobian becomes r = L^T (j_v, j_w), so that r . r is the inverse of the mass that the row perceives.
#pragma once

#include <array>
#include <cmath>

#include "cairn/problem/contact_problem.h"

namespace cairn {

using Six = std::array<double, 6>;

inline double dot(const Six& a, const Six& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}
/// z += factor r
inline void add(Six& z, double factor, const Six& r) {
  for (std::size_t i = 0; i < 6; ++i) z[i] += factor * r[i];
}

/// L of one body: a root of its inverse mass, and the lower triangle of its inverse inertia. Zero along locked axes.
class BodyMetric {
 public:
  BodyMetric() = default;
  explicit BodyMetric(const ProblemBody& body) : shift_(std::sqrt(body.inverse_mass)) {
    const SymMat3& w = body.inverse_inertia;
    const double least = kFlat * (w.xx + w.yy + w.zz);
    if (w.xx > least) xx_ = std::sqrt(w.xx), yx_ = w.xy / xx_, zx_ = w.xz / xx_;
    if (const double d = w.yy - yx_ * yx_; d > least) yy_ = std::sqrt(d), zy_ = (w.yz - zx_ * yx_) / yy_;
    if (const double d = w.zz - zx_ * zx_ - zy_ * zy_; d > least) zz_ = std::sqrt(d);
  }

  /// L^T (linear, angular)
  Six weigh(const Vec3& linear, const Vec3& angular) const {
    return {shift_ * linear.x,
            shift_ * linear.y,
            shift_ * linear.z,
            xx_ * angular.x + yx_ * angular.y + zx_ * angular.z,
            yy_ * angular.y + zy_ * angular.z,
            zz_ * angular.z};
  }
  /// u + L z
  Velocity moved(const Velocity& u, const Six& z) const {
    return {u.linear + shift_ * Vec3{z[0], z[1], z[2]},
            u.angular + Vec3{xx_ * z[3], yx_ * z[3] + yy_ * z[4], zx_ * z[3] + zy_ * z[4] + zz_ * z[5]}};
  }
  /// z of the body at rest, seen from u: L z = -u, as far as L reaches.
  Six stopped(const Velocity& u) const {
    Six z{};
    if (shift_ > 0) z[0] = -u.linear.x / shift_, z[1] = -u.linear.y / shift_, z[2] = -u.linear.z / shift_;
    if (xx_ > 0) z[3] = -u.angular.x / xx_;
    if (yy_ > 0) z[4] = (-u.angular.y - yx_ * z[3]) / yy_;
    if (zz_ > 0) z[5] = (-u.angular.z - zx_ * z[3] - zy_ * z[4]) / zz_;
    return z;
  }

 private:
  static constexpr double kFlat = 1e-15;  // of the trace: smaller pivots are axes that are locked

  double shift_ = 0;
  double xx_ = 0, yx_ = 0, yy_ = 0, zx_ = 0, zy_ = 0, zz_ = 0;
};

}  // namespace cairn
