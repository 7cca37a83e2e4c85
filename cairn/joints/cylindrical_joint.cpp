// SPDX-License-Identifier: MIT
#include "cairn/joints/cylindrical_joint.h"

namespace cairn {

void check_joint(const CylindricalJoint& joint) {
  check_axis(joint.slide, "slide");
  check_axis(joint.turn, "turn");
}

void write_rows(const CylindricalJoint& joint, const JointPlace& at, JointRows& out) {
  out.hold_slide(at, 1);
  out.hold_slide(at, 2);
  out.hold_direction(at, 0);
  out.move_slide(at, joint.slide, 0);
  out.move_twist(at, joint.turn, 0);
}

}  // namespace cairn
