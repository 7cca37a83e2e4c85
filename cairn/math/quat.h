// SPDX-License-Identifier: MIT
// Unit quaternions: orientations, and how they change with angular velocity.
#pragma once

#include "cairn/math/mat3.h"
#include "cairn/math/vec3.h"

namespace cairn {

/// w + x i + y j + z k, of norm 1 when it stands for an orientation.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
constexpr Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }
constexpr double norm2(const Quat& q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }
inline bool is_finite(const Quat& q) { return std::isfinite(q.w + q.x + q.y + q.z); }

/// The nearest unit quaternion; `q` must not be zero.
inline Quat normalised(const Quat& q) {
  const double s = 1.0 / std::sqrt(norm2(q));
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// q v q*: v = v + 2 w (u x v) + 2 u x (u x v) with u the vector part.
constexpr Vec3 rotate(const Quat& q, const Vec3& v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}
constexpr Vec3 rotate_back(const Quat& q, const Vec3& v) { return rotate(conjugate(q), v); }

/// A rotation matrix by rows.
struct Mat3 {
  Vec3 row0{1, 0, 0}, row1{0, 1, 0}, row2{0, 0, 1};
  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

constexpr Vec3 operator*(const Mat3& m, const Vec3& v) { return {dot(m.row0, v), dot(m.row1, v), dot(m.row2, v)}; }
constexpr Vec3 multiply_transposed(const Mat3& m, const Vec3& v) { return v.x * m.row0 + v.y * m.row1 + v.z * m.row2; }

constexpr Mat3 to_matrix(const Quat& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
          {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
          {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}

/// R S R^T: a symmetric matrix (inertia) given in body axes, in world axes.
constexpr SymMat3 rotate(const Mat3& r, const SymMat3& s) {
  const Vec3 a = s * r.row0, b = s * r.row1, c = s * r.row2;  // columns of S R^T
  return {dot(r.row0, a), dot(r.row1, b), dot(r.row2, c), dot(r.row0, b), dot(r.row0, c), dot(r.row1, c)};
}

/// A rotation about a unit axis. The half angle enters through its sine and cosine, which the caller provides.
constexpr Quat from_axis(const Vec3& axis, double sine_of_half, double cosine_of_half) {
  return {cosine_of_half, sine_of_half * axis.x, sine_of_half * axis.y, sine_of_half * axis.z};
}

}  // namespace cairn
