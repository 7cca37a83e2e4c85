// SPDX-License-Identifier: MIT
// Planar joint: b slides in the plane normal to the x axis of a and turns about that axis. Holds 3 of 6 degrees of
// freedom.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct PlanarJoint {
  JointAxis slide_y{}, slide_z{};  ///< along y and z of a
  JointAxis turn{};                ///< about x
  friend bool operator==(const PlanarJoint&, const PlanarJoint&) = default;
};

/// InputError that names the field.
void check_joint(const PlanarJoint& joint);
void write_rows(const PlanarJoint& joint, const JointPlace& at, JointRows& out);

}  // namespace cairn
