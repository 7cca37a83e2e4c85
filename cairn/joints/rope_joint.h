// SPDX-License-Identifier: MIT
// Rope: the origins of the frames get no farther apart than its length. One row that only pulls.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct RopeJoint {
  double length = 1;      ///< m
  double compliance = 0;  ///< m/N; 0: does not stretch
  double damping = 0;     ///< N s/m of one that stretches
  friend bool operator==(const RopeJoint&, const RopeJoint&) = default;
};

/// InputError that names the field.
void check_joint(const RopeJoint& joint);
void write_rows(const RopeJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
