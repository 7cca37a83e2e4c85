// SPDX-License-Identifier: MIT
// Gear: two wheels whose teeth meet in the pitch point. The row is the force of the teeth there, tangent to both
// wheels,
//
//   y = t.(v_b(p) - v_a(p)),    e = r_b turn_b - r_a turn_a,    r = t.(axis x (p - origin of the frame)),
//
// between two bodies, so that momentum is kept; what it asks of the bearings reaches the third body, the carrier,
// through the hinges that hold the wheels to it. The carrier says where the pitch point is and what turns are counted
// against. The axes are the x axes of the frames, parallel (spur, internal gear) or meeting (bevel). Holds 1 degree of
// freedom.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct GearJoint {
  Vec3 point{};                       ///< pitch point, in the carrier's frame
  Vec3 tangent{0, 1, 0};              ///< unit, of both wheels there, in the carrier's axes
  double radius_a = 0, radius_b = 0;  ///< m, signed: speed of the teeth along the tangent at 1 rad/s
  Quat start_a{}, start_b{};          ///< orientations of the frames relative to the carrier where turns are 0
  friend bool operator==(const GearJoint&, const GearJoint&) = default;
};

/// A gear for wheels where they are now: frames with x along the axes, the carrier's pose, the pitch point; all world.
GearJoint make_gear(const Pose& frame_a, const Pose& frame_b, const Pose& carrier, const Vec3& pitch_point);

/// InputError that names the field.
void check_joint(const GearJoint& joint);
void write_rows(const GearJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
