// SPDX-License-Identifier: MIT
// A top on its tip, started in steady precession: the gyroscopic terms and a point contact that must not wander.
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr double kMass = 1, kLever = 0.1;           // kg; m from tip to centre of mass
constexpr double kAcross = 0.0175, kAlong = 0.005;  // kg m^2: I1 about the tip, I3 about the axis
constexpr double kGravity = 9.81;                   // m/s^2
constexpr double kConeRadius = 0.08;                // m, of what touches: a cone whose apex is the tip

/// The slow root of I1 cos(tilt) W^2 - I3 spin W + m g l = 0, by the form that does not cancel; 0 where there is none.
double steady_precession(double tilt, double spin) {
  const double b = kAlong * spin, c = kMass * kGravity * kLever;
  const double discriminant = b * b - 4 * kAcross * std::cos(tilt) * c;
  return discriminant >= 0 ? 2 * c / (b + std::sqrt(discriminant)) : 0;
}

/// The axis precesses about z with 0.996036 rad/s by default, at constant tilt.
void build_spinning_top(World& world, const SceneValues& values) {
  const double tilt = values.get("tilt") * kDegree, spin = values.get("spin");
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  const Vec3 axis{std::sin(tilt), 0, std::cos(tilt)};  // from the tip up
  const double precession = steady_precession(tilt, spin);
  const Vec3 angular = Vec3{0, 0, precession} + (spin - precession * std::cos(tilt)) * axis;
  const double about_centre = kAcross - kMass * kLever * kLever;         // Steiner
  world.add_body({.pose = {kLever * axis, turn({0, 1, 0}, kPi + tilt)},  // the cone's apex points down the axis
                  .velocity = {cross(angular, kLever * axis), angular},
                  .mass = MassProperties{kMass, {}, SymMat3::diagonal(about_centre, about_centre, kAlong)}},
                 {{.shape = make_cone(kConeRadius, kLever / 0.75), .material = material}});
}

}  // namespace

std::vector<SceneFamily> top_scenes() {
  return {
      {.name = "spinning_top",
       .summary = "a top on its tip in steady precession (0.996036 rad/s at the defaults)",
       .parameters = {friction_parameter(1),
                      {"spin", 200, 0, 1000, "rad/s about the axis"},
                      {"tilt", 30, 0, 50, "degrees from the vertical"}},
       .build = build_spinning_top,
       .steps = 20000,
       .measure_from = 0,
       .measure_to = 20000,
       .dt = 0.0001,
       .floor = 0},
  };
}

}  // namespace cairn::scenes
