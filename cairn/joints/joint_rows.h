// SPDX-License-Identifier: MIT
// What all joints are made of: where a joint is in a step, and the rows that hold, limit and drive it.
//
// Frames a and b sit on the two bodies and coincide when every coordinate is 0. Rows are exact derivatives of their
// errors, so that a free pair keeps its momentum to rounding however far the joint is apart:
//
//   slide along unit axis n of a   e = n.(p_b - p_a)    J: n through p_b for both bodies
//   axes n of a, m of b normal     e = n.m              J: (w_b - w_a).(m x n)
//   no turn, q = q_a* q_b          e = 2 vec(q)         J: (w_b - w_a).(q_w e_i + vec(q) x e_i) in axes of a
//   twist about e_i, q = swing t   e = angle of t       J: (w_b - w_a).(a_i + b_i) / (1 + a_i.b_i)
#pragma once

#include <array>
#include <cstdint>

#include "cairn/joints/joint_axis.h"
#include "cairn/math/pose.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

/// Six axes with a limit, a drive and friction each.
inline constexpr int kMostJointRows = 18;

/// Where a joint is, world axes. Derived from the poses of its bodies in every step.
struct JointPlace {
  Pose frame_a, frame_b;
  Vec3 centre_a, centre_b;  ///< of mass of the bodies
  Pose carrier;             ///< frame of the third body of a gear; the world's if there is none
  Vec3 last_turn;           ///< rad, coordinates of the last step: turns count on from them
  double dt = 1;

  std::array<Vec3, 3> axis_a, axis_b;  ///< derived: the axes of the frames
  Vec3 offset;                         ///< derived: p_b - p_a
  Vec3 arm_a, arm_b;                   ///< derived: from the centres to p_b
  Quat turn;                           ///< derived: q_a* q_b with w >= 0

  void derive();
  /// At least the distances from the centres to the points of their bodies and between those, added up.
  double reach() const;
};

/// Compliance and damping of what a joint holds; see JointRow.
struct JointSoftness {
  double compliance = 0, damping = 0;
};

/// The rows of one joint in one step, and what they were made from. How many there are depends on the definition of the
/// joint alone. Those that hold (without bounds) come first.
struct JointRows {
  JointSoftness linear, angular;  ///< of the rows that hold; set before they are written

  std::array<JointRow, kMostJointRows> row;
  int count = 0;
  int holding = 0;           ///< the first rows, up to six, have no bounds
  Vec3 slide, turn;          ///< m and rad, coordinates of the joint
  double separation2 = 0;    ///< m^2, sum of the squares of the errors of rigid rows
  double misalignment2 = 0;  ///< rad^2

  // What joints hold; to be called before what follows.
  void hold_point(const JointPlace& at);
  void hold_slide(const JointPlace& at, int axis);
  void hold_turn(const JointPlace& at);
  /// Axis i of both frames stays the same.
  void hold_direction(const JointPlace& at, int axis);
  /// Axis i of a and axis j of b stay normal to each other.
  void hold_normal(const JointPlace& at, int axis_a, int axis_b);
  /// A row of another kind: angular if it has no linear part.
  void hold(const JointRow& row, double error);

  // What they let move. The coordinate goes to slide or turn.
  void move_slide(const JointPlace& at, const JointAxis& axis, int i);
  /// The twist about axis i, the swing aside.
  void move_twist(const JointPlace& at, const JointAxis& axis, int i);
  /// Limit, drive and friction along `row`.
  void move(const JointPlace& at, const JointAxis& axis, const JointRow& row, double coordinate);
  /// coordinate <= most, or >= least.
  void stop(const JointPlace& at, const JointRow& row, double excess, bool from_above, const JointSoftness& soft);
  /// As much force as it takes, up to `force`, against any motion along the row.
  void rub(const JointPlace& at, const JointRow& row, double force);

 private:
  JointRow& add(const JointRow& row);
};

/// How far rows that hold frames (joint.h) can bend: |e(x + d) - e(x) - J(x) d| for bodies that turn by no more than
/// `turn` (rad, both together, at most 1), shift by `shift` relative to each other, and a joint of that reach.
double most_bend(double turn, double shift, double reach);

/// A row along a direction through the point of b; and one about a direction. Without error.
JointRow slide_row(const JointPlace& at, const Vec3& direction);
JointRow turn_row(const Vec3& direction);

}  // namespace cairn
