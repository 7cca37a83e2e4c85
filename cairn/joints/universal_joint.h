// SPDX-License-Identifier: MIT
// Universal joint (Cardan): b turns about the x axis of a and about its own y axis, which stay normal to each other.
// Holds 4 of 6 degrees of freedom. Of a and b at no turn: b = turn about x of a, then about the y that came of it.
#pragma once

#include "cairn/joints/joint_rows.h"

namespace cairn {

struct UniversalJoint {
  JointAxis turn_x{};  ///< about x of a
  JointAxis turn_y{};  ///< about y of b
  friend bool operator==(const UniversalJoint&, const UniversalJoint&) = default;
};

/// InputError that names the field.
void check_joint(const UniversalJoint& joint);
void write_rows(const UniversalJoint& joint, const JointPlace& at, JointRows& out);
/// The two turns of frames whose axis `first` of a and the next of b are normal to each other.
void move_universal(const JointPlace& at, const std::array<JointAxis, 2>& axes, int first, JointRows& out);

}  // namespace cairn
