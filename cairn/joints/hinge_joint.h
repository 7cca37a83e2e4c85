// SPDX-License-Identifier: MIT
// Hinge: the bodies turn about the common x axis of the frames. Holds 5 of 6 degrees of freedom.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct HingeJoint {
  JointAxis turn{};  ///< about x
  friend bool operator==(const HingeJoint&, const HingeJoint&) = default;
};

/// InputError that names the field.
void check_joint(const HingeJoint& joint);
void write_rows(const HingeJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
