// SPDX-License-Identifier: MIT
// Ball joint: the origins of the frames stay together. Holds 3 of 6 degrees of freedom. A cone limits how far the x
// axis of b swings away from that of a, and a twist limit how far b turns about it.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct BallJoint {
  double cone = kUnlimited;  ///< rad, largest swing
  JointAxis twist{};         ///< about x, the swing aside
  double friction = 0;       ///< N m about each axis
  friend bool operator==(const BallJoint&, const BallJoint&) = default;
};

/// InputError that names the field.
void check_joint(const BallJoint& joint);
void write_rows(const BallJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
