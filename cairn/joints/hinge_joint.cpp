// SPDX-License-Identifier: MIT
#include "cairn/joints/hinge_joint.h"

namespace cairn {

void check_joint(const HingeJoint& joint) { check_axis(joint.turn, "turn"); }

void write_rows(const HingeJoint& joint, const JointPlace& at, JointRows& out) {
  out.hold_point(at);
  out.hold_direction(at, 0);
  out.move_twist(at, joint.turn, 0);
}

}  // namespace cairn
