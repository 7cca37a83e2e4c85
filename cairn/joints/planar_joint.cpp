// SPDX-License-Identifier: MIT
#include "cairn/joints/planar_joint.h"

namespace cairn {

void check_joint(const PlanarJoint& joint) {
  check_axis(joint.slide_y, "slide_y");
  check_axis(joint.slide_z, "slide_z");
  check_axis(joint.turn, "turn");
}

void write_rows(const PlanarJoint& joint, const JointPlace& at, JointRows& out) {
  out.hold_slide(at, 0);
  out.hold_direction(at, 0);
  out.move_slide(at, joint.slide_y, 1);
  out.move_slide(at, joint.slide_z, 2);
  out.move_twist(at, joint.turn, 0);
}

}  // namespace cairn
