// SPDX-License-Identifier: MIT
#include "cairn/joints/distance_joint.h"

#include "cairn/dynamics/body_def.h"

namespace cairn {

void check_joint(const DistanceJoint& joint) { check_joint_number(joint.length, 1e-6, kLargestPosition, "length"); }

JointRow line_row(const JointPlace& at, double& distance) {
  constexpr double kNoDirection = 1e-12;  // m
  distance = norm(at.offset);
  return slide_row(at, distance > kNoDirection ? (1 / distance) * at.offset : at.axis_a[0]);
}

void write_rows(const DistanceJoint& joint, const JointPlace& at, JointRows& out) {
  const JointRow row = line_row(at, out.slide.x);
  out.hold(row, out.slide.x - joint.length);
}

}  // namespace cairn
