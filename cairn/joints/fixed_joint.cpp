// SPDX-License-Identifier: MIT
#include "cairn/joints/fixed_joint.h"

namespace cairn {

void check_joint(const FixedJoint&) {}

void write_rows(const FixedJoint&, const JointPlace& at, JointRows& out) {
  out.hold_point(at);
  out.hold_turn(at);
}

}  // namespace cairn
