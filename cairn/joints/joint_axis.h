// SPDX-License-Identifier: MIT
// JointAxis: what happens along one direction in which a joint lets its bodies move: limits, drive, friction.
//
// The coordinate is the slide (m) or turn (rad) of b relative to a; forces are N along a slide and N m about a turn.
#pragma once

#include <limits>

namespace cairn {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

enum class DriveKind {
  none,
  velocity,  ///< keeps `speed` with whatever force it takes up to max_force
  position,  ///< a spring and damper that pull the coordinate to `position`, with at most max_force
};

struct AxisDrive {
  DriveKind kind = DriveKind::none;
  double speed = 0;               ///< m/s or rad/s
  double position = 0;            ///< m or rad
  double stiffness = 0;           ///< N/m or N m/rad
  double damping = 0;             ///< N s/m or N m s/rad
  double max_force = kUnlimited;  ///< N or N m
  friend bool operator==(const AxisDrive&, const AxisDrive&) = default;
};

enum class AxisMotion {
  free,
  limited,  ///< within [lower, upper]
  locked,   ///< at 0; for SixDofJoint, the others have a joint without that axis
};

struct JointAxis {
  AxisMotion motion = AxisMotion::free;
  double lower = 0, upper = 0;  ///< m or rad; turns count on beyond half a turn
  double limit_compliance = 0;  ///< m/N or rad/(N m) of the stops; 0: rigid
  double limit_damping = 0;     ///< N s/m or N m s/rad of soft stops
  AxisDrive drive{};
  double friction = 0;  ///< N or N m, largest force that resists the motion
  friend bool operator==(const JointAxis&, const JointAxis&) = default;
};

/// The largest compliance and damping that are told from none at all, and what a spring without stiffness has.
inline constexpr double kMostCompliance = 1e20;

/// InputError that names the axis and the field. `may_lock`: whether the joint has use for a locked axis.
void check_axis(const JointAxis& axis, const char* name, bool may_lock = false);
/// InputError unless least <= value <= most; not-a-number is refused.
void check_joint_number(double value, double least, double most, const char* name);
/// Neither may be negative and not both 0: that would be no spring.
void check_spring(double stiffness, double damping, const char* name);

/// 1 / stiffness, kMostCompliance for 0.
inline double compliance_of(double stiffness) {
  return stiffness * kMostCompliance > 1 ? 1 / stiffness : kMostCompliance;
}

}  // namespace cairn
