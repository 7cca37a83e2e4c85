// SPDX-License-Identifier: MIT
#include "cairn/joints/six_dof_joint.h"

#include "cairn/core/index.h"
#include "cairn/joints/universal_joint.h"
#include "cairn/math/angle.h"

namespace cairn {

void check_joint(const SixDofJoint& joint) {
  constexpr const char* kNames[6] = {"slide[0]", "slide[1]", "slide[2]", "turn[0]", "turn[1]", "turn[2]"};
  for (std::size_t i = 0; i < 3; ++i) {
    check_axis(joint.slide[i], kNames[i], true);
    check_axis(joint.turn[i], kNames[3 + i], true);
  }
}

namespace {

bool is_locked(const JointAxis& axis) { return axis.motion == AxisMotion::locked; }

/// Three free turns, each along the mean of the axes it has on a and b.
void move_freely(const SixDofJoint& joint, const JointPlace& at, JointRows& out) {
  out.turn = rotation_vector(at.turn);
  const double coordinate[3] = {out.turn.x, out.turn.y, out.turn.z};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 mean = at.axis_a[i] + at.axis_b[i];
    const double length = norm(mean);
    constexpr double kOpposed = 1e-6;
    out.move(at, joint.turn[i], turn_row(length > kOpposed ? (1 / length) * mean : at.axis_a[i]), coordinate[i]);
  }
}

}  // namespace

void write_rows(const SixDofJoint& joint, const JointPlace& at, JointRows& out) {
  int locked = 0, locked_sum = 0, free_sum = 0;
  for (int i = 0; i < 3; ++i) {
    const bool lock = is_locked(joint.turn[to_index(i)]);
    locked += lock ? 1 : 0, locked_sum += lock ? i : 0, free_sum += lock ? 0 : i;
    if (is_locked(joint.slide[to_index(i)])) out.hold_slide(at, i);
  }
  const int first = (locked_sum + 1) % 3, second = (locked_sum + 2) % 3;  // free, where one axis is locked
  if (locked == 3) out.hold_turn(at);
  if (locked == 2) out.hold_direction(at, free_sum);
  if (locked == 1) out.hold_normal(at, first, second);
  for (int i = 0; i < 3; ++i)
    if (const JointAxis& axis = joint.slide[to_index(i)]; !is_locked(axis)) out.move_slide(at, axis, i);
  if (locked == 2) out.move_twist(at, joint.turn[to_index(free_sum)], free_sum);
  if (locked == 1) move_universal(at, {joint.turn[to_index(first)], joint.turn[to_index(second)]}, first, out);
  if (locked == 0) move_freely(joint, at, out);
}

}  // namespace cairn
