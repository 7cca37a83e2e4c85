// SPDX-License-Identifier: MIT
#include "cairn/joints/ball_joint.h"

#include "cairn/dynamics/body_def.h"
#include "cairn/math/angle.h"

namespace cairn {

void check_joint(const BallJoint& joint) {
  check_joint_number(joint.cone, 0, kUnlimited, "cone");
  check_joint_number(joint.friction, 0, kLargestForce, "friction");
  check_axis(joint.twist, "twist");
}

namespace {

/// The swing is the angle between the x axes; it grows with the turn about their normal.
void limit_swing(const JointPlace& at, double cone, JointRows& out) {
  const Vec3 normal = cross(at.axis_a[0], at.axis_b[0]);
  const double sine = norm(normal);
  const double swing = angle_of(sine, dot(at.axis_a[0], at.axis_b[0]));
  constexpr double kAligned = 1e-9;  // any normal will do
  out.stop(at, turn_row(sine > kAligned ? (1 / sine) * normal : at.axis_a[1]), swing - cone, true, {});
}

}  // namespace

void write_rows(const BallJoint& joint, const JointPlace& at, JointRows& out) {
  out.hold_point(at);
  if (joint.cone < kUnlimited) limit_swing(at, joint.cone, out);
  out.move_twist(at, joint.twist, 0);
  if (!(joint.friction > 0)) return;
  for (const Vec3& axis : at.axis_a) out.rub(at, turn_row(axis), joint.friction);
}

}  // namespace cairn
