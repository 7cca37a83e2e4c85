// SPDX-License-Identifier: MIT
// JointProblem: the joints of a problem and the bodies they join, without owning them. What solves joints alone takes
// this, so that a part of a step needs no copy of rows and bodies.
#pragma once

#include <cstdint>
#include <span>

#include "cairn/problem/contact_problem.h"

namespace cairn {

/// Valid as long as what it was made from.
struct JointProblem {
  JointProblem() = default;
  JointProblem(const ContactProblem& problem)  // NOLINT: a problem is one of its joints
      : law(&problem), bodies(problem.bodies), joints(problem.joints), joint_rows(problem.joint_rows) {}

  const ContactProblem* law = nullptr;  ///< whose dt and stabilisation hold; nothing else of it is looked at
  std::span<const ProblemBody> bodies;
  std::span<const JointBlock> joints;
  std::span<const JointRow> joint_rows;
  std::span<const std::uint8_t> left_out;  ///< per joint: 1 where it belongs to no mechanism here; empty: none is

  bool leaves_out(std::size_t joint) const { return !left_out.empty() && left_out[joint] != 0; }
};

}  // namespace cairn
