// SPDX-License-Identifier: MIT
// What the closed-form tests share: settings that leave only the discretisation error, ramps, turns, and a comparison
// that records the measured error (--gtest_output=json shows it).
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "cairn/world/world.h"

namespace cairn::bench {

inline constexpr double kGravity = 9.81;
inline constexpr double kDegree = kPi / 180;

/// No overlap is left alone and every solve is run until nothing changes: what remains is the error of the time step.
inline WorldSettings exact_settings() {
  WorldSettings settings;
  settings.solver = "gauss_seidel";
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

/// A body without shapes: inertia of a ball of the given radius of gyration.
inline BodyId add_mass(World& world, const Vec3& at, double mass, double gyration = 0.1) {
  const double inertia = mass * gyration * gyration;
  return world.add_body(
      {.pose = {at, {}}, .mass = MassProperties{mass, {}, SymMat3::diagonal(inertia, inertia, inertia)}});
}

/// A uniform rod between two points, `side` m thick.
inline BodyId add_rod(World& world, const Vec3& from, const Vec3& to, double mass, double side) {
  const Vec3 way = to - from;
  const double length = norm(way), along = mass * side * side / 6;
  const double across = mass * (length * length + side * side) / 12;
  return world.add_body({.pose = frame_along(0.5 * (from + to), way),
                         .mass = MassProperties{mass, {}, SymMat3::diagonal(along, across, across)}});
}

inline Material rough(double friction) { return {.friction = friction}; }

inline void run(World& world, int steps, double dt) {
  for (int i = 0; i < steps; ++i) world.step(dt);
}

/// Records the largest error so far under this name in this test, as a part of its tolerance.
inline void record_error(const char* what, double error, double tolerance) {
  static std::map<std::string, double> worst;
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  double& largest = worst[std::string(test->test_suite_name()) + test->name() + what];
  largest = std::max(largest, error);
  testing::Test::RecordProperty(what, fmt::format("{:.2g} of {:g}", largest, tolerance));
}

/// |value - expected| <= tolerance * |expected|.
inline void expect_relative(const char* what, double value, double expected, double tolerance) {
  const double error = std::fabs(value - expected) / std::fabs(expected);
  record_error(what, error, tolerance);
  EXPECT_LE(error, tolerance) << what << " is " << value << ", the closed form says " << expected;
}

inline void expect_absolute(const char* what, double value, double expected, double tolerance) {
  const double error = std::fabs(value - expected);
  record_error(what, error, tolerance);
  EXPECT_LE(error, tolerance) << what << " is " << value << ", the closed form says " << expected;
}

}  // namespace cairn::bench
