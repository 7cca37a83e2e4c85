// SPDX-License-Identifier: MIT
// Angles from sums, products, quotients and square roots alone: the same bits on every machine, which the C library
// does not promise of its arc tangent.
#pragma once

#include <cmath>

#include "cairn/math/quat.h"

namespace cairn {

inline constexpr double kTurn = 6.283185307179586476925;  ///< rad

/// The angle of (x, y) from the x axis, in [-pi, pi]; 0 for the origin. Good to a few units of the last place.
inline double angle_of(double y, double x) {
  const double length = std::sqrt(x * x + y * y);
  if (!(length > 0)) return 0;
  // tan(a/2) = y / (length + x), from the side on which nothing cancels; two more halvings make the series short:
  // tan(a/2) = t / (1 + sqrt(1 + t^2)).
  const double mirrored = x < 0 ? -x : x;
  double t = y / (length + mirrored);
  constexpr int kHalvings = 2;
  for (int k = 0; k < kHalvings; ++k) t = t / (1 + std::sqrt(1 + t * t));
  // atan t = t - t^3/3 + t^5/5 - ..., |t| <= tan(pi/16): the first term left out is below 1e-17.
  constexpr int kLast = 23;
  const double s = t * t;
  double sum = 1.0 / kLast;
  for (int n = kLast - 2; n >= 1; n -= 2) sum = 1.0 / n - s * sum;
  const double angle = 8 * t * sum;  // halved once by the quotient and twice above
  if (x >= 0) return angle;
  return y < 0 ? -0.5 * kTurn - angle : 0.5 * kTurn - angle;
}

/// The turn about the x axis in q = swing * turn, where the swing is about an axis normal to x; in [-pi, pi].
inline double twist_angle(const Quat& q) {
  const double side = q.w < 0 ? -1.0 : 1.0;  // q and -q are one orientation
  return 2 * angle_of(side * q.x, side * q.w);
}

/// The turn of a unit quaternion as a vector: the shorter way round, at most half a turn.
inline Vec3 rotation_vector(const Quat& q) {
  const double side = q.w < 0 ? -1.0 : 1.0;  // q and -q are one orientation
  const Vec3 v{side * q.x, side * q.y, side * q.z};
  const double sine = std::sqrt(dot(v, v));
  constexpr double kStraight = 1e-8;  // angle / sin(angle / 2) is 2 to rounding
  return (sine > kStraight ? 2 * angle_of(sine, side * q.w) / sine : 2.0) * v;
}

/// `angle` plus the number of whole turns that brings it nearest to `last`.
inline double unwrapped(double angle, double last) { return angle + kTurn * std::floor((last - angle) / kTurn + 0.5); }

}  // namespace cairn
