// SPDX-License-Identifier: MIT
#include "cairn/joints/universal_joint.h"

#include "cairn/core/index.h"
#include "cairn/math/angle.h"

namespace cairn {

void check_joint(const UniversalJoint& joint) {
  check_axis(joint.turn_x, "turn_x");
  check_axis(joint.turn_y, "turn_y");
}

void write_rows(const UniversalJoint& joint, const JointPlace& at, JointRows& out) {
  out.hold_point(at);
  out.hold_normal(at, 0, 1);
  move_universal(at, {joint.turn_x, joint.turn_y}, 0, out);
}

void move_universal(const JointPlace& at, const std::array<JointAxis, 2>& axes, int first, JointRows& out) {
  const auto x = to_index(first), y = (x + 1) % 3, z = (x + 2) % 3;
  double last[3] = {at.last_turn.x, at.last_turn.y, at.last_turn.z};
  // w_b - w_a = (rate of the first) x_a + (rate of the second) y_b
  last[x] = unwrapped(angle_of(dot(at.axis_b[y], at.axis_a[z]), dot(at.axis_b[y], at.axis_a[y])), last[x]);
  last[y] = unwrapped(angle_of(dot(at.axis_a[x], at.axis_b[z]), dot(at.axis_a[x], at.axis_b[x])), last[y]);
  out.turn = {last[0], last[1], last[2]};
  out.move(at, axes[0], turn_row(at.axis_a[x]), last[x]);
  out.move(at, axes[1], turn_row(at.axis_b[y]), last[y]);
}

}  // namespace cairn
