// SPDX-License-Identifier: MIT
#include "cairn/joints/gear_joint.h"

#include <cmath>

#include "cairn/dynamics/body_def.h"
#include "cairn/math/angle.h"

namespace cairn {

void check_joint(const GearJoint& joint) {
  check_vector(joint.point, kLargestPosition, "joint: point");
  check_vector(joint.tangent, 2, "joint: tangent");
  require(std::fabs(dot(joint.tangent, joint.tangent) - 1) < 1e-9, "joint: the tangent of a gear must be unit");
  checked_pose({{}, joint.start_a}, "joint: start_a");
  checked_pose({{}, joint.start_b}, "joint: start_b");
  for (const double radius : {joint.radius_a, joint.radius_b})
    if (!(std::fabs(radius) >= 1e-6 && std::fabs(radius) <= kLargestPosition))
      fail_input("joint: a gear needs wheels whose radius lies in [1e-6, 1e8] m; make_gear finds them");
}

GearJoint make_gear(const Pose& frame_a, const Pose& frame_b, const Pose& carrier, const Vec3& pitch_point) {
  const auto rim = [&](const Pose& frame) {
    return cross(rotate(frame.orientation, {1, 0, 0}), pitch_point - frame.position);
  };
  const Vec3 rim_a = rim(frame_a), rim_b = rim(frame_b);
  if (!(norm(rim_a) > 1e-6 && norm(rim_b) > 1e-6))
    fail_input("make_gear: the pitch point lies on the axis of a wheel; give a point where the rims meet");
  if (norm(cross(rim_a, rim_b)) > 1e-6 * norm(rim_a) * norm(rim_b))
    fail_input("make_gear: the rims do not move along one line; give axes and a pitch point in one plane");
  const Vec3 tangent = normalised(rim_a);
  GearJoint gear;
  gear.point = transform_back(carrier, pitch_point);
  gear.tangent = rotate_back(carrier.orientation, tangent);
  gear.radius_a = dot(tangent, rim_a), gear.radius_b = dot(tangent, rim_b);
  gear.start_a = conjugate(carrier.orientation) * frame_a.orientation;
  gear.start_b = conjugate(carrier.orientation) * frame_b.orientation;
  return gear;
}

void write_rows(const GearJoint& joint, const JointPlace& at, JointRows& out) {
  const Vec3 p = transform(at.carrier, joint.point), t = rotate(at.carrier.orientation, joint.tangent);
  // How far a wheel has turned about its x axis since the start, as the carrier sees it.
  const auto turned = [&](const Quat& start, const Quat& now, double last) {
    return unwrapped(twist_angle(conjugate(start) * conjugate(at.carrier.orientation) * now), last);
  };
  out.turn.x = turned(joint.start_a, at.frame_a.orientation, at.last_turn.x);
  out.turn.y = turned(joint.start_b, at.frame_b.orientation, at.last_turn.y);
  JointRow row;
  row.linear_a = -t, row.angular_a = -cross(p - at.centre_a, t);
  row.linear_b = t, row.angular_b = cross(p - at.centre_b, t);
  out.hold(row, joint.radius_b * out.turn.y - joint.radius_a * out.turn.x);
}

}  // namespace cairn
