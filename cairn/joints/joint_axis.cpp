// SPDX-License-Identifier: MIT
#include "cairn/joints/joint_axis.h"

#include <fmt/core.h>

#include "cairn/core/errors.h"
#include "cairn/dynamics/body_def.h"

namespace cairn {

namespace {

void check_drive(const AxisDrive& drive, const char* name) {
  if (drive.kind != DriveKind::none && drive.kind != DriveKind::velocity && drive.kind != DriveKind::position)
    fail_input(fmt::format("{}.drive.kind is none of DriveKind", name));
  check_joint_number(drive.speed, -kLargestSpeed, kLargestSpeed, fmt::format("{}.drive.speed", name).c_str());
  check_joint_number(drive.position, -kLargestPosition, kLargestPosition,
                     fmt::format("{}.drive.position", name).c_str());
  check_joint_number(drive.max_force, 0, kUnlimited, fmt::format("{}.drive.max_force", name).c_str());
  if (drive.kind == DriveKind::position)
    check_spring(drive.stiffness, drive.damping, fmt::format("{}.drive", name).c_str());
}

}  // namespace

void check_joint_number(double value, double least, double most, const char* name) {
  if (!(value >= least && value <= most))
    fail_input(fmt::format("joint: {} is {}, it must lie in [{:g}, {:g}]", name, value, least, most));
}

void check_spring(double stiffness, double damping, const char* name) {
  check_joint_number(stiffness, 0, kLargestForce, fmt::format("{}.stiffness", name).c_str());
  check_joint_number(damping, 0, kLargestForce, fmt::format("{}.damping", name).c_str());
  if (stiffness == 0 && damping == 0)
    fail_input(fmt::format("joint: {} has neither stiffness nor damping; give one of them", name));
}

void check_axis(const JointAxis& axis, const char* name, bool may_lock) {
  if (axis.motion != AxisMotion::free && axis.motion != AxisMotion::limited && axis.motion != AxisMotion::locked)
    fail_input(fmt::format("joint: {}.motion is none of AxisMotion", name));
  if (axis.motion == AxisMotion::locked && !may_lock)
    fail_input(fmt::format("joint: {} cannot be locked; use a joint without that axis, or SixDofJoint", name));
  check_joint_number(axis.lower, -kLargestPosition, kLargestPosition, fmt::format("{}.lower", name).c_str());
  check_joint_number(axis.upper, -kLargestPosition, kLargestPosition, fmt::format("{}.upper", name).c_str());
  if (axis.motion == AxisMotion::limited && axis.lower > axis.upper)
    fail_input(
        fmt::format("joint: {}.lower {} is above {}.upper {}; exchange them", name, axis.lower, name, axis.upper));
  check_joint_number(axis.limit_compliance, 0, kMostCompliance, fmt::format("{}.limit_compliance", name).c_str());
  check_joint_number(axis.limit_damping, 0, kLargestForce, fmt::format("{}.limit_damping", name).c_str());
  check_joint_number(axis.friction, 0, kLargestForce, fmt::format("{}.friction", name).c_str());
  check_drive(axis.drive, name);
}

}  // namespace cairn
