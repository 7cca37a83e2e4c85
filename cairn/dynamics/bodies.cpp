// SPDX-License-Identifier: MIT
#include "cairn/dynamics/bodies.h"

namespace cairn {

namespace {

/// The inverse of the part of an inertia that belongs to the free axes; zero elsewhere.
SymMat3 free_inverse(const SymMat3& m, bool x, bool y, bool z) {
  const int free = int{x} + int{y} + int{z};
  if (free == 3) return inverse(m);
  if (free == 1) return {x ? 1 / m.xx : 0, y ? 1 / m.yy : 0, z ? 1 / m.zz : 0, 0, 0, 0};
  if (free == 0) return {};
  // Two free axes (p, q): the inverse of [[a, c], [c, b]].
  const double a = x ? m.xx : m.yy, b = z ? m.zz : m.yy, c = !z ? m.xy : !y ? m.xz : m.yz;
  const double s = 1 / (a * b - c * c);
  if (!z) return {s * b, s * a, 0, -s * c, 0, 0};
  if (!y) return {s * b, 0, s * a, 0, -s * c, 0};
  return {0, s * b, s * a, 0, 0, -s * c};
}

}  // namespace

SymMat3 world_inverse_inertia(const Bodies& bodies, std::size_t i, const Quat& orientation) {
  const MassState& mass = bodies.mass[i];
  const std::uint32_t locked = bodies.record[i].locked_axes;
  if (is_isotropic(mass.inverse_inertia) && (locked & kLockTurns) == 0) return mass.inverse_inertia;
  const Mat3 r = to_matrix(orientation);
  if ((locked & kLockTurns) == 0) return rotate(r, mass.inverse_inertia);
  return free_inverse(rotate(r, mass.inertia), (locked & kLockTurnX) == 0, (locked & kLockTurnY) == 0,
                      (locked & kLockTurnZ) == 0);
}

}  // namespace cairn
