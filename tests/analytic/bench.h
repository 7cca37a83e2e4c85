// SPDX-License-Identifier: MIT
// What the closed-form tests share: settings that leave only the discretisation error, ramps, turns, and a comparison
// that records the measured error (--gtest_output=json shows it).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cairn/world/world.h"

namespace cairn::bench {

inline constexpr double kGravity = 9.81;
inline constexpr double kDegree = kPi / 180;

/// No overlap is left alone and every solve is run until nothing changes: what remains is the error of the time step.
inline WorldSettings exact_settings() {
  WorldSettings settings;
  settings.iterations = 2000;
  settings.tolerance = 1e-11;
  settings.stabilisation.slop = 0;
  return settings;
}

inline Quat turn_about(const Vec3& axis, double angle) {
  return from_axis(normalised(axis), std::sin(0.5 * angle), std::cos(0.5 * angle));
}

/// A fixed plane through the origin that falls towards +x at `angle`, and the directions on it.
struct Ramp {
  Vec3 up, down;  ///< unit: out of the ramp, and down the slope
  Quat turn;      ///< carries z to `up` and x to `down`
};

inline Ramp add_ramp(World& world, double angle, const Material& material) {
  const Vec3 up{std::sin(angle), 0, std::cos(angle)};
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space(up, 0), .material = material}});
  return {up, {std::cos(angle), 0, -std::sin(angle)}, turn_about({0, 1, 0}, angle)};
}

inline Material rough(double friction) { return {.friction = friction}; }

inline void run(World& world, int steps, double dt) {
  for (int i = 0; i < steps; ++i) world.step(dt);
}

/// |value - expected| <= tolerance * |expected|.
inline void expect_relative(const char* what, double value, double expected, double tolerance) {
  const double error = std::fabs(value - expected) / std::fabs(expected);
  testing::Test::RecordProperty(what, std::to_string(error / tolerance) + " of " + std::to_string(tolerance));
  EXPECT_LE(error, tolerance) << what << " is " << value << ", the closed form says " << expected;
}

inline void expect_absolute(const char* what, double value, double expected, double tolerance) {
  const double error = std::fabs(value - expected);
  testing::Test::RecordProperty(what, std::to_string(error / tolerance) + " of " + std::to_string(tolerance));
  EXPECT_LE(error, tolerance) << what << " is " << value << ", the closed form says " << expected;
}

}  // namespace cairn::bench
