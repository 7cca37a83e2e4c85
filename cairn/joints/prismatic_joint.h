// SPDX-License-Identifier: MIT
// Prismatic joint (slider): b slides along the x axis of a and does not turn. Holds 5 of 6 degrees of freedom.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct PrismaticJoint {
  JointAxis slide{};  ///< along x of a
  friend bool operator==(const PrismaticJoint&, const PrismaticJoint&) = default;
};

/// InputError that names the field.
void check_joint(const PrismaticJoint& joint);
void write_rows(const PrismaticJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
