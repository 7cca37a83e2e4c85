// SPDX-License-Identifier: MIT
// Spring and damper between the origins of the frames: force = -stiffness (distance - length) - damping rate, by the
// implicit Euler rule, stable for any stiffness. Holds nothing.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct SpringJoint {
  double length = 0;              ///< m, without force
  double stiffness = 1000;        ///< N/m
  double damping = 0;             ///< N s/m
  double max_force = kUnlimited;  ///< N
  friend bool operator==(const SpringJoint&, const SpringJoint&) = default;
};

/// InputError that names the field.
void check_joint(const SpringJoint& joint);
void write_rows(const SpringJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
