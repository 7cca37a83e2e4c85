// SPDX-License-Identifier: MIT
#include "cairn/joints/joint_rows.h"

#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/math/angle.h"

namespace cairn {

namespace {

constexpr Vec3 kUnit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

double& component(Vec3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
double component(const Vec3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

bool is_linear(const JointRow& row) { return !(row.linear_b == Vec3{}); }

inline void write_slide(const JointPlace& at, const Vec3& n, JointRow& row) {
  row.linear_a = -n, row.angular_a = -cross(at.arm_a, n);
  row.linear_b = n, row.angular_b = cross(at.arm_b, n);
}

inline void write_turn(const Vec3& direction, JointRow& row) {
  row.linear_a = {}, row.angular_a = -direction;
  row.linear_b = {}, row.angular_b = direction;
}

/// The next row that holds, with everything but its directions: these are written in place.
inline JointRow& next_held(JointRows& rows, const JointSoftness& soft, double error, double& error2) {
  CAIRN_ASSERT(rows.holding == rows.count && rows.holding < 6);
  JointRow& row = rows.row[to_index(rows.count++)];
  ++rows.holding;
  row.error = error, row.target_velocity = 0;
  row.compliance = soft.compliance, row.damping = soft.damping;
  row.lower = -kUnlimited, row.upper = kUnlimited;
  if (soft.compliance == 0) error2 += error * error;
  return row;
}

/// Whether there is anything along an axis: most are free.
inline bool acts(const JointAxis& axis) {
  return axis.motion == AxisMotion::limited || axis.drive.kind != DriveKind::none || axis.friction > 0;
}

inline void hold_turn_about(JointRows& rows, const Vec3& direction, double error) {
  write_turn(direction, next_held(rows, rows.angular, error, rows.misalignment2));
}

}  // namespace

void JointPlace::derive() {
  for (std::size_t i = 0; i < 3; ++i) {
    axis_a[i] = rotate(frame_a.orientation, kUnit[i]);
    axis_b[i] = rotate(frame_b.orientation, kUnit[i]);
  }
  offset = frame_b.position - frame_a.position;
  arm_a = frame_b.position - centre_a;
  arm_b = frame_b.position - centre_b;
  turn = conjugate(frame_a.orientation) * frame_b.orientation;
  if (turn.w < 0) turn = {-turn.w, -turn.x, -turn.y, -turn.z};
}

double JointPlace::reach() const {
  const auto length = [](const Vec3& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); };
  return length(arm_b) + length(arm_a - offset) + length(offset);
}

/// Half of the most that |e''| can be on the way, s in [0, 1]. Normals and turns have |e''| <= turn^2. A slide is
/// n(s).o(s) with |n'| <= turn, |n''| <= turn^2, |o'| <= shift + turn reach, |o''| <= turn^2 reach, so that
/// |e''| <= turn^2 (reach + |o'|) + 2 turn |o'| + turn^2 reach.
double most_bend(double turn, double shift, double reach) { return turn * (turn * (0.5 + 2.5 * reach) + 1.5 * shift); }

JointRow slide_row(const JointPlace& at, const Vec3& n) {
  JointRow row;
  write_slide(at, n, row);
  return row;
}

JointRow turn_row(const Vec3& direction) {
  JointRow row;
  write_turn(direction, row);
  return row;
}

JointRow& JointRows::add(const JointRow& from) {
  CAIRN_ASSERT(count < kMostJointRows);
  return row[to_index(count++)] = from;
}

void JointRows::hold(const JointRow& from, double error) {
  CAIRN_ASSERT(holding == count && holding < 6);
  const JointSoftness& soft = is_linear(from) ? linear : angular;
  JointRow& held = add(from);
  held.error = error;
  held.compliance = soft.compliance, held.damping = soft.damping;
  ++holding;
  if (soft.compliance == 0) (is_linear(from) ? separation2 : misalignment2) += error * error;
}

void JointRows::hold_slide(const JointPlace& at, int i) {
  const Vec3& n = at.axis_a[to_index(i)];
  write_slide(at, n, next_held(*this, linear, dot(n, at.offset), separation2));
}

void JointRows::hold_point(const JointPlace& at) {
  for (int i = 0; i < 3; ++i) hold_slide(at, i);
}

void JointRows::hold_turn(const JointPlace& at) {
  const Vec3 v{at.turn.x, at.turn.y, at.turn.z};
  for (int i = 0; i < 3; ++i) {
    const Vec3 direction = at.turn.w * kUnit[i] + cross(v, kUnit[i]);
    hold_turn_about(*this, rotate(at.frame_a.orientation, direction), 2 * component(v, i));
  }
}

void JointRows::hold_normal(const JointPlace& at, int axis_a, int axis_b) {
  const Vec3 &n = at.axis_a[to_index(axis_a)], &m = at.axis_b[to_index(axis_b)];
  hold_turn_about(*this, cross(m, n), dot(n, m));
}

void JointRows::hold_direction(const JointPlace& at, int i) {
  hold_normal(at, (i + 1) % 3, i);
  hold_normal(at, (i + 2) % 3, i);
}

void JointRows::move_slide(const JointPlace& at, const JointAxis& axis, int i) {
  const Vec3& n = at.axis_a[to_index(i)];
  component(slide, i) = dot(n, at.offset);
  if (acts(axis)) move(at, axis, slide_row(at, n), component(slide, i));
}

void JointRows::move_twist(const JointPlace& at, const JointAxis& axis, int i) {
  const Vec3 &n = at.axis_a[to_index(i)], &m = at.axis_b[to_index(i)];
  const double part = component(Vec3{at.turn.x, at.turn.y, at.turn.z}, i);
  component(turn, i) = unwrapped(2 * angle_of(part, at.turn.w), component(at.last_turn, i));
  if (!acts(axis)) return;
  constexpr double kOpposed = 1e-6;  // swung by half a turn the twist has no meaning
  const double scale = 1 + dot(n, m);
  move(at, axis, turn_row(scale > kOpposed ? (1 / scale) * (n + m) : n), component(turn, i));
}

/// Rigid: within the step the coordinate may reach the stop but not pass it, J u' + excess / dt <= 0 (or >= 0); once
/// beyond, it comes back at the rate of joint errors. Soft: the spring and damper of the row, which begin at the stop.
void JointRows::stop(const JointPlace& at, const JointRow& from, double excess, bool from_above,
                     const JointSoftness& soft) {
  JointRow& added = add(from);
  const bool beyond = from_above ? excess > 0 : excess < 0;
  added.compliance = soft.compliance, added.damping = soft.damping;
  if (beyond)
    added.error = excess;
  else
    added.target_velocity = -excess / at.dt;
  (from_above ? added.upper : added.lower) = 0;
  if (beyond && soft.compliance == 0) (is_linear(from) ? separation2 : misalignment2) += excess * excess;
}

void JointRows::rub(const JointPlace& at, const JointRow& from, double force) {
  JointRow& added = add(from);
  added.lower = -force * at.dt, added.upper = force * at.dt;
}

void JointRows::move(const JointPlace& at, const JointAxis& axis, const JointRow& from, double coordinate) {
  if (axis.motion == AxisMotion::limited) {
    const JointSoftness soft{axis.limit_compliance, axis.limit_damping};
    const double above = coordinate - axis.upper, below = coordinate - axis.lower;
    const bool nearer_upper = -above < below;
    stop(at, from, nearer_upper ? above : below, nearer_upper, soft);
    JointRow& stopped = row[to_index(count - 1)];
    if (axis.lower == axis.upper) {  // nowhere to go
      stopped.lower = -kUnlimited, stopped.upper = kUnlimited;
      stopped.error = above, stopped.target_velocity = 0;
    }
  }
  const AxisDrive& drive = axis.drive;
  if (drive.kind != DriveKind::none) {
    JointRow& added = add(from);
    added.lower = -drive.max_force * at.dt, added.upper = drive.max_force * at.dt;
    if (drive.kind == DriveKind::velocity) {
      added.target_velocity = drive.speed;
    } else {
      added.error = coordinate - drive.position;
      added.compliance = compliance_of(drive.stiffness), added.damping = drive.damping;
    }
  }
  if (axis.friction > 0) rub(at, from, axis.friction);
}

}  // namespace cairn
