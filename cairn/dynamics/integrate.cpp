// SPDX-License-Identifier: MIT
#include "cairn/dynamics/integrate.h"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

struct Matrix {
  Vec3 row[3];
};

/// Solves A x = b by cofactors; A is close to the identity here.
Vec3 solve(const Matrix& a, const Vec3& b) {
  const Vec3 c0 = cross(a.row[1], a.row[2]), c1 = cross(a.row[2], a.row[0]), c2 = cross(a.row[0], a.row[1]);
  return (1.0 / dot(a.row[0], c0)) * (b.x * c0 + b.y * c1 + b.z * c2);
}

/// One step of the midpoint rule by Newton's method.
Vec3 midpoint_step(const SymMat3& inverse_inertia, const Vec3& start, double dt) {
  constexpr int kNewtonSteps = 6;
  Vec3 end = start;
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Vec3 l = 0.5 * (start + end), w = inverse_inertia * l;
    const Vec3 f = end - start - dt * cross(l, w);
    // dF/dL' = 1 - dt/2 (d(L x w)/dL) = 1 - dt/2 ([L]x I^-1 - [w]x)
    const SymMat3& i = inverse_inertia;
    const Vec3 column[3] = {{i.xx, i.xy, i.xz}, {i.xy, i.yy, i.yz}, {i.xz, i.yz, i.zz}};
    const Vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Vec3 d[3];
    for (int c = 0; c < 3; ++c) d[c] = unit[c] - 0.5 * dt * (cross(l, column[c]) - cross(w, unit[c]));
    const Matrix jacobian{{{d[0].x, d[1].x, d[2].x}, {d[0].y, d[1].y, d[2].y}, {d[0].z, d[1].z, d[2].z}}};
    const Vec3 change = solve(jacobian, f);
    end -= change;
    if (dot(change, change) <= 1e-30 * dot(end, end)) break;
  }
  return end;
}

}  // namespace

Vec3 turn_freely(const SymMat3& inertia, const SymMat3& inverse_inertia, const Vec3& w, double dt) {
  const Vec3 start = inertia * w;
  const Vec3 torque = cross(start, w);
  if (dot(torque, torque) <= 1e-28 * dot(start, start) * dot(w, w)) return w;  // turns about a principal axis
  // Newton's method needs the turn per part to be moderate.
  constexpr double kTurnPerPart = 0.5, kMostParts = 64, kSameEnergy = 1e-9;
  const double parts = std::clamp(std::ceil(norm(w) * dt / kTurnPerPart), 1.0, kMostParts);
  Vec3 momentum = start;
  for (int k = 0; k < static_cast<int>(parts); ++k) momentum = midpoint_step(inverse_inertia, momentum, dt / parts);
  if (!is_finite(momentum)) return w;
  // So fast that Newton's method did not get there: the energy at least stays.
  const double energy = dot(start, w), now = dot(momentum, inverse_inertia * momentum);
  if (std::fabs(now - energy) > kSameEnergy * energy) momentum = std::sqrt(energy / now) * momentum;
  return inverse_inertia * momentum;
}

Quat turned(const Quat& orientation, const Vec3& angle) {
  if (angle == Vec3{}) return orientation;
  // exp of a small enough part by its series, then squared back: exp(h) = exp(h / 2^k)^(2^k).
  constexpr double kSmall = 0.25;
  constexpr int kMostHalvings = 64;
  Vec3 half = 0.5 * angle;
  int halvings = 0;
  while (dot(half, half) > kSmall * kSmall && halvings < kMostHalvings) half = 0.5 * half, ++halvings;
  const double s = dot(half, half);
  // Inverses of the products of the factorials' last factors, 1/(2k (2k-1)): a division would take ten times as long.
  constexpr double c1 = 1.0 / 2, c2 = 1.0 / 12, c3 = 1.0 / 30, c4 = 1.0 / 56, c5 = 1.0 / 90;
  constexpr double s1 = 1.0 / 6, s2 = 1.0 / 20, s3 = 1.0 / 42, s4 = 1.0 / 72, s5 = 1.0 / 110;
  const double cosine = 1 - c1 * s * (1 - c2 * s * (1 - c3 * s * (1 - c4 * s * (1 - c5 * s))));
  const double sine = 1 - s1 * s * (1 - s2 * s * (1 - s3 * s * (1 - s4 * s * (1 - s5 * s))));  // over |half|
  Quat turn{cosine, sine * half.x, sine * half.y, sine * half.z};
  for (int k = 0; k < halvings; ++k) turn = normalised(turn * turn);
  return normalised(turn * orientation);
}

Pose moved(const Pose& pose, const Velocity& displacement) {
  return {pose.position + displacement.linear, turned(pose.orientation, displacement.angular)};
}

}  // namespace cairn
