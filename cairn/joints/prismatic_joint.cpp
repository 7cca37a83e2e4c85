// SPDX-License-Identifier: MIT
#include "cairn/joints/prismatic_joint.h"

namespace cairn {

void check_joint(const PrismaticJoint& joint) { check_axis(joint.slide, "slide"); }

void write_rows(const PrismaticJoint& joint, const JointPlace& at, JointRows& out) {
  out.hold_slide(at, 1);
  out.hold_slide(at, 2);
  out.hold_turn(at);
  out.move_slide(at, joint.slide, 0);
}

}  // namespace cairn
