// SPDX-License-Identifier: MIT
#include "cairn/joints/rope_joint.h"

#include "cairn/dynamics/body_def.h"
#include "cairn/joints/distance_joint.h"

namespace cairn {

void check_joint(const RopeJoint& joint) {
  check_joint_number(joint.length, 0, kLargestPosition, "length");
  check_joint_number(joint.compliance, 0, kMostCompliance, "compliance");
  check_joint_number(joint.damping, 0, kLargestForce, "damping");
}

void write_rows(const RopeJoint& joint, const JointPlace& at, JointRows& out) {
  const JointRow row = line_row(at, out.slide.x);
  out.stop(at, row, out.slide.x - joint.length, true, {joint.compliance, joint.damping});
}

}  // namespace cairn
