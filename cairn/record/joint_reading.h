// SPDX-License-Identifier: MIT
// JointReading: what a joint does after a step, in the numbers that people plot: recordings, tables and viewers have
// the same.
#pragma once

#include "cairn/world/world.h"

namespace cairn {

/// Joints with one free direction (hinges and prismatic ones) have a position, a velocity and an effort; others NaN.
struct JointReading {
  double position = 0;  ///< rad or m
  double velocity = 0;  ///< rad/s or m/s, of b relative to a
  double effort = 0;    ///< N m or N on b along the free direction: drive, friction and stops, mean over the step
  double force = 0;     ///< N, length of the whole force on b
  double torque = 0;    ///< N m, the same about the joint
};
inline constexpr const char* kReadingNames[] = {"position", "velocity", "effort", "force", "torque"};
JointReading read_joint(const World& world, JointId joint);
/// Of a joint that broke or was removed.
JointReading no_reading();

enum class JointCoordinate : std::uint8_t { none, turn, slide };
JointCoordinate coordinate_of(const JointKind& kind);
/// Its free direction with limits and drive; null where there is not exactly one.
JointAxis* axis_of(JointKind& kind);
const JointAxis* axis_of(const JointKind& kind);

}  // namespace cairn
