// SPDX-License-Identifier: MIT
// Fixed joint: the frames stay together, a weld. Holds all 6 degrees of freedom; what can give way is its compliance.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct FixedJoint {
  friend bool operator==(const FixedJoint&, const FixedJoint&) = default;
};

/// InputError that names the field.
void check_joint(const FixedJoint& joint);
void write_rows(const FixedJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
