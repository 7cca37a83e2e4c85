// SPDX-License-Identifier: MIT
#include "cairn/live/drag.h"

#include <fmt/core.h>

namespace cairn {

namespace {

constexpr double kMostAcceleration = 2000;  // m/s^2

/// What a force at r from the centre does to the velocity there: W f = f / m + (I^-1 (r x f)) x r.
SymMat3 point_inverse_mass(const BodyView& body, const Vec3& r) {
  const SymMat3 inverse_inertia = inverse(body.inertia);  // body axes
  const Quat back = conjugate(body.pose.orientation);
  const auto act = [&](const Vec3& f) {
    const Vec3 turn = rotate(body.pose.orientation, inverse_inertia * rotate(back, cross(r, f)));
    return (1.0 / body.mass) * f + cross(turn, r);
  };
  const Vec3 x = act({1, 0, 0}), y = act({0, 1, 0}), z = act({0, 0, 1});
  return {x.x, y.y, z.z, y.x, z.x, z.y};
}

}  // namespace

void check_drag(const LiveDrag& drag) {
  check_vector(drag.anchor, kLargestPosition, "drag: point");
  check_vector(drag.target, kLargestPosition, "drag: target");
  if (!(drag.frequency >= 0.01 && drag.frequency <= 100))
    fail_input(fmt::format("drag: frequency is {}, it must lie in [0.01, 100] Hz", drag.frequency));
  if (!(drag.damping >= 0 && drag.damping <= 10))
    fail_input(fmt::format("drag: damping is {}, it must lie in [0, 10]", drag.damping));
}

Vec3 drag_point(const BodyView& body, const LiveDrag& drag) { return transform(body.pose, drag.anchor); }

Vec3 drag_force(const BodyView& body, const LiveDrag& drag, double dt) {
  const Vec3 point = drag_point(body, drag), r = point - body.centre;
  const Vec3 error = point - drag.target, velocity = body.velocity.linear + cross(body.velocity.angular, r);
  const double w = 2 * kPi * drag.frequency;
  const double k = body.mass * w * w, c = 2 * drag.damping * body.mass * w;
  const double s = dt * (c + dt * k);
  const SymMat3 inverse_mass = s * point_inverse_mass(body, r);
  SymMat3 system = inverse_mass;
  system.xx += 1, system.yy += 1, system.zz += 1;
  const Vec3 force = -(inverse(system) * (k * error + (c + dt * k) * velocity));
  const double size = norm(force), most = kMostAcceleration * body.mass;
  return size > most ? (most / size) * force : force;
}

}  // namespace cairn
