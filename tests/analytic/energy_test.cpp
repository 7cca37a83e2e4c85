// SPDX-License-Identifier: MIT
// D2: in a scene that nothing drives the energy never rises above what it was, by more than 1e-3 of its scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "cairn/core/random.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

/// The largest rise above the lowest energy seen so far, over `reference`.
double largest_rise(World& world, int steps, double dt, double reference) {
  double lowest = INFINITY, rise = 0;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step(dt);
    const double energy = report.kinetic_energy + report.potential_energy;
    lowest = std::min(lowest, energy);
    rise = std::max(rise, energy - lowest);
  }
  return rise / reference;
}

/// Bodies dropped in a heap from about a metre; the reference is the energy of that fall.
double drop_rise(const char* solver, double restitution, const std::function<Shape(int)>& shape) {
  WorldSettings settings;
  settings.solver = solver;
  World world(settings);
  const Material material{.friction = 0.5, .restitution = restitution};
  add_ramp(world, 0, material);
  Random random(3);
  double mass = 0;
  for (int i = 0; i < 36; ++i) {
    const Vec3 p{(i % 3 - 1) * 0.5, (i / 3 % 3 - 1) * 0.5, 1 + (i / 9) * 0.6};
    const BodyId body = world.add_body({.pose = {p, turn_about({1, 2, 3}, random.uniform(0, 3))},
                                        .velocity = {{}, {random.uniform(-2, 2), random.uniform(-2, 2), 0}}},
                                       {{.shape = shape(i), .material = material}});
    mass += world.view(body).mass;
  }
  return largest_rise(world, 500, 1.0 / 120, mass * kGravity * 1);
}

TEST(Energy, NeverRisesWhereNothingDrives) {
  // Soft contacts give back what they took while boxes turned on them.
  for (const auto& [solver, most] : {std::pair{"gauss_seidel", 1e-3}, std::pair{"soft_step", 2e-3}})
    for (const double e : {0.0, 0.5}) {
      expect_absolute("spheres", drop_rise(solver, e, [](int) { return make_sphere(0.2); }), 0, most);
      expect_absolute("boxes", drop_rise(solver, e, [](int) { return make_box({0.2, 0.15, 0.1}); }), 0, most);
      expect_absolute("mixed",
                      drop_rise(solver, e,
                                [](int i) -> Shape {
                                  if (i % 3 == 0) return make_capsule(0.1, 0.1);
                                  if (i % 3 == 1) return make_cylinder(0.15, 0.1);
                                  return make_box({0.1, 0.1, 0.2});
                                }),
                      0, most);
    }
}

TEST(Energy, OfFreelyTurningBodiesIsKept) {
  WorldSettings settings;
  settings.gravity = {};
  World world(settings);
  world.add_body({.velocity = {{}, {1, 2, 3}}}, {{.shape = make_box({0.1, 0.2, 0.3})}});
  const double before = world.step(0.01).kinetic_energy;
  run(world, 500, 0.01);
  EXPECT_NEAR(world.last_report().kinetic_energy / before, 1, 1e-9);
}

TEST(Energy, OfARestingStackDiesOut) {
  // With default settings a tower of ten must come to what the world itself calls rest, or it could never sleep.
  World world;
  add_ramp(world, 0, rough(0.5));
  for (int i = 0; i < 10; ++i)
    world.add_body({.pose = {{0, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5}), .material = rough(0.5)}});
  run(world, 60, 1.0 / 60);
  const double early = world.last_report().kinetic_energy;
  run(world, 540, 1.0 / 60);
  EXPECT_LT(world.last_report().kinetic_energy, 0.1 * early);
  for (const BodyId id : world.bodies()) {
    EXPECT_LT(norm(world.view(id).velocity.linear), world.settings().sleep.linear_speed);
    EXPECT_LT(norm(world.view(id).velocity.angular), world.settings().sleep.angular_speed);
  }
}

TEST(Energy, OfAStackInSubStepsLeavesNoSway) {
  // Points solved in an order that is always the same tilt the stack: then 1e-7 J per body stay for minutes.
  WorldSettings settings;
  settings.solver = "soft_step", settings.sleep.enabled = false;
  World world(settings);
  add_ramp(world, 0, rough(0.5));
  for (int i = 0; i < 10; ++i)
    world.add_body({.pose = {{0, 0, 0.5 + i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5}), .material = rough(0.5)}});
  run(world, 900, 1.0 / 60);
  double most = 0;
  for (int i = 0; i < 300; ++i) most = std::max(most, world.step(1.0 / 60).kinetic_energy);
  EXPECT_LT(most / 10, 1e-9);
}

}  // namespace
}  // namespace cairn
