// SPDX-License-Identifier: MIT
// 3x3 matrices: symmetric ones (inertia) and general ones (frames), in double.
#pragma once

#include "cairn/math/vec3.h"

namespace cairn {

/// A symmetric 3x3 matrix; inverse inertia in world axes is the usual one.
struct SymMat3 {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  static constexpr SymMat3 diagonal(double a, double b, double c) { return {a, b, c, 0, 0, 0}; }
  friend constexpr bool operator==(const SymMat3&, const SymMat3&) = default;
};

/// The same from all sides: a number times the identity.
constexpr bool is_isotropic(const SymMat3& m) {
  return m.xx == m.yy && m.yy == m.zz && m.xy == 0 && m.xz == 0 && m.yz == 0;
}
constexpr SymMat3 operator*(double s, const SymMat3& m) {
  return {s * m.xx, s * m.yy, s * m.zz, s * m.xy, s * m.xz, s * m.yz};
}
constexpr Vec3 operator*(const SymMat3& m, const Vec3& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

inline bool is_finite(const SymMat3& m) {
  return std::isfinite(m.xx) && std::isfinite(m.yy) && std::isfinite(m.zz) && std::isfinite(m.xy) &&
         std::isfinite(m.xz) && std::isfinite(m.yz);
}

constexpr double determinant(const SymMat3& m) {
  return m.xx * (m.yy * m.zz - m.yz * m.yz) - m.xy * (m.xy * m.zz - m.yz * m.xz) + m.xz * (m.xy * m.yz - m.yy * m.xz);
}

/// The inverse by cofactors; the determinant must not be zero.
constexpr SymMat3 inverse(const SymMat3& m) {
  const double s = 1.0 / determinant(m);
  return {s * (m.yy * m.zz - m.yz * m.yz), s * (m.xx * m.zz - m.xz * m.xz), s * (m.xx * m.yy - m.xy * m.xy),
          s * (m.xz * m.yz - m.xy * m.zz), s * (m.xy * m.yz - m.xz * m.yy), s * (m.xy * m.xz - m.xx * m.yz)};
}

/// Positive semidefinite up to round-off: all principal minors at least -tolerance times their natural scale.
inline bool is_positive_semidefinite(const SymMat3& m, double tolerance = 1e-12) {
  const double scale = std::fabs(m.xx) + std::fabs(m.yy) + std::fabs(m.zz);
  const double t1 = -tolerance * scale, t2 = t1 * scale, t3 = t2 * scale;
  return m.xx >= t1 && m.yy >= t1 && m.zz >= t1 && m.xx * m.yy - m.xy * m.xy >= t2 && m.xx * m.zz - m.xz * m.xz >= t2 &&
         m.yy * m.zz - m.yz * m.yz >= t2 && determinant(m) >= t3;
}

/// A contact frame: right-handed unit vectors (normal, tangent1, tangent2).
struct Frame {
  Vec3 normal, tangent1, tangent2;
};

/// A frame with the given unit normal. The first tangent depends on the normal alone and has no jump except where
/// the normal crosses the direction -z (Duff et al. 2017, "Building an orthonormal basis, revisited").
inline Frame make_frame(const Vec3& n) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1.0 / (sign + n.z);
  const double b = n.x * n.y * a;
  const Vec3 t1{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
  return {n, t1, cross(n, t1)};
}

/// A frame whose first tangent is `axis` projected on the contact plane: how the axes of anisotropic friction, which
/// are attached to a body, reach the contact. Falls back to make_frame where the axis is (nearly) the normal.
inline Frame make_frame_along(const Vec3& n, const Vec3& axis) {
  const Vec3 in_plane = axis - dot(axis, n) * n;
  const double length = norm(in_plane);
  if (!(length > 1e-9 * norm(axis))) return make_frame(n);
  const Vec3 t1 = (1.0 / length) * in_plane;
  return {n, t1, cross(n, t1)};
}

}  // namespace cairn
