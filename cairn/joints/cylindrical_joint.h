// SPDX-License-Identifier: MIT
// Cylindrical joint: b slides along the common x axis and turns about it. Holds 4 of 6 degrees of freedom.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct CylindricalJoint {
  JointAxis slide{};  ///< along x of a
  JointAxis turn{};   ///< about x
  friend bool operator==(const CylindricalJoint&, const CylindricalJoint&) = default;
};

/// InputError that names the field.
void check_joint(const CylindricalJoint& joint);
void write_rows(const CylindricalJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
