// SPDX-License-Identifier: MIT
// Joint with six degrees of freedom, each free, limited or locked; springs are drives by position. Slides are along the
// axes of a. Turns: with one axis free, the twist about it; with two, those of a universal joint; with three, the
// components of the rotation vector.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct SixDofJoint {
  std::array<JointAxis, 3> slide{}, turn{};
  friend bool operator==(const SixDofJoint&, const SixDofJoint&) = default;
};

/// InputError that names the field.
void check_joint(const SixDofJoint& joint);
void write_rows(const SixDofJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
