// SPDX-License-Identifier: MIT
// How far the numbers of a world go. The doors of the API, quarantine and the reader of snapshots all look here: what a
// world takes, or a step leaves, can be saved and restored. Those of bodies are in cairn/dynamics/body_def.h.
#pragma once

#include <cmath>

namespace cairn {

/// Steps that World::step takes, and the parts they may be done in.
inline constexpr double kShortestStep = 1e-7, kLongestStep = 1;  ///< s
inline constexpr int kMostSubSteps = 10000;
inline constexpr double kShortestSubStep = kShortestStep / kMostSubSteps;  ///< s

/// False for what is not a number.
constexpr bool is_step(double dt) { return dt >= kShortestStep && dt <= kLongestStep; }
/// Of a step or of a part of one: dividing keeps the order, so none is shorter than the shortest.
constexpr bool is_sub_step(double dt) { return dt >= kShortestSubStep && dt <= kLongestStep; }

/// Beyond these a state has lost its meaning, and its squares their digits: the body is quarantined.
inline constexpr double kBrokenSpeed = 1e9;      ///< m/s and rad/s
inline constexpr double kBrokenPosition = 1e12;  ///< m
/// Farther than a kinematic body gets, which nothing stops, at kBrokenSpeed in a quadrillion of the longest steps.
inline constexpr double kFarthest = 1e24;  ///< m, and rad that a joint has turned

/// The largest impulse that is kept to begin the next step from.
inline constexpr double kLargestImpulse = 1e36;  ///< N s and N m s
/// A solver that diverges may leave any number. Beyond the limit it is no answer, and 0 is as good to begin from.
inline double kept_impulse(double impulse) { return std::fabs(impulse) <= kLargestImpulse ? impulse : 0; }

}  // namespace cairn
