// SPDX-License-Identifier: MIT
// Distance joint: a rod without mass between the origins of the frames. Holds 1 of 6 degrees of freedom.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct DistanceJoint {
  double length = 1;  ///< m
  friend bool operator==(const DistanceJoint&, const DistanceJoint&) = default;
};

/// The row along the line from a to b, and how long it is. Where the points coincide it is the x axis of a.
JointRow line_row(const JointPlace& at, double& distance);

/// InputError that names the field.
void check_joint(const DistanceJoint& joint);
void write_rows(const DistanceJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
