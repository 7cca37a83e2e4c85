// SPDX-License-Identifier: MIT
#include "cairn/joints/spring_joint.h"

#include "cairn/dynamics/body_def.h"
#include "cairn/joints/distance_joint.h"

namespace cairn {

void check_joint(const SpringJoint& joint) {
  check_joint_number(joint.length, 0, kLargestPosition, "length");
  check_joint_number(joint.max_force, 0, kUnlimited, "max_force");
  check_spring(joint.stiffness, joint.damping, "spring");
}

void write_rows(const SpringJoint& joint, const JointPlace& at, JointRows& out) {
  JointAxis axis;
  axis.drive = {DriveKind::position, 0, joint.length, joint.stiffness, joint.damping, joint.max_force};
  const JointRow row = line_row(at, out.slide.x);
  out.move(at, axis, row, out.slide.x);
}

}  // namespace cairn
