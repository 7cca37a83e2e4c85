// SPDX-License-Identifier: MIT
// Elastic bodies keep their energy: exactly where one bounces alone, nearly where hundreds meet, and never more than
// they began with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cairn/core/random.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

Material elastic(double restitution = 1) { return {.friction = 0, .restitution = restitution}; }

double energy(World& world, double dt) {
  const StepReport& report = world.step(dt);
  return report.kinetic_energy + report.potential_energy;
}

/// Energies over the first one: the highest and the last.
struct Kept {
  double highest = 0, last = 0;
};

Kept run_gas(const std::string& solver, int side, double seconds, double dt) {
  WorldSettings settings;
  settings.solver = solver;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = elastic()}});
  for (const Vec3& normal : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}})
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space(normal, -0.5 * side), .material = elastic()}});
  Random random(1);
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell{i % side - 0.5 * (side - 1), i / side % side - 0.5 * (side - 1), 1 + i / (side * side) * 1.0};
    const Vec3 off{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)};
    world.add_body({.pose = {0.85 * cell + off, {}}}, {{.shape = make_sphere(0.3), .material = elastic()}});
  }
  const double first = energy(world, dt);
  Kept kept{1, 1};
  for (double t = dt; t < seconds; t += dt) {
    kept.last = energy(world, dt) / first;
    kept.highest = std::max(kept.highest, kept.last);
  }
  return kept;
}

TEST(ElasticGas, KeepsItsEnergyAndNeverGains) {
  for (const char* solver : {"soft_step", "gauss_seidel"})
    for (const double dt : {0.004, 0.01, 1.0 / 60, 1.0 / 30}) {
      const Kept kept = run_gas(solver, 4, 3, dt);
      EXPECT_LE(kept.highest, 1 + 1e-6) << solver << ", dt " << dt;
      EXPECT_GE(kept.last, dt <= 0.004 ? 0.98 : 0.9) << solver << ", dt " << dt;
    }
}

TEST(ElasticBall, KeepsItsEnergyExactly) {
  // x' = x + dt v' - dt^2 a / 2 and v' = -v + dt a: v^2 / 2 + g x stays, whatever dt and wherever in the step it meets.
  for (const auto& [solver, most] : {std::pair{"soft_step", 1e-5}, std::pair{"gauss_seidel", 1e-9}})  // float, double
    for (const double dt : {0.003, 1.0 / 60}) {
      WorldSettings settings;
      settings.solver = solver;
      World world(settings);
      add_ramp(world, 0, elastic());
      world.add_body({.pose = {{0, 0, 1.23}, {}}}, {{.shape = make_sphere(0.1), .material = elastic()}});
      const double first = energy(world, dt);
      for (int i = 0; i < 1000; ++i) ASSERT_NEAR(energy(world, dt) / first, 1, most) << solver << ", step " << i;
    }
}

TEST(ElasticBall, LosesTheSquareOfRestitution) {
  // The speed after the first bounce is e times that of the fall.
  for (const double e : {0.3, 0.7}) {
    World world;
    add_ramp(world, 0, elastic(e));
    const BodyId ball =
        world.add_body({.pose = {{0, 0, 1.1}, {}}}, {{.shape = make_sphere(0.1), .material = elastic(e)}});
    double fall = 0, rise = 0;
    for (int i = 0; i < 400 && rise <= 0; ++i) {
      fall = world.view(ball).velocity.linear.z;
      world.step(0.002);
      rise = world.view(ball).velocity.linear.z;
    }
    expect_absolute("speed", rise, -e * fall - 0.002 * kGravity, 1e-5);
  }
}

TEST(ElasticBox, FallsFlatAndRisesFlat) {
  // Four points at once, on one floor and on two tiles: none is favoured.
  for (const char* solver : {"soft_step", "gauss_seidel"})
    for (const bool tiles : {false, true}) {
      WorldSettings settings;
      settings.solver = solver;
      World world(settings);
      for (const double x : {-1.0, 1.0})
        if (tiles || x < 0)
          world.add_body({.kind = BodyKind::fixed, .pose = {{tiles ? x : 0.0, 0, -0.5}, {}}},
                         {{.shape = make_box({1, 1, 0.5}), .material = elastic(0.8)}});
      const BodyId box =
          world.add_body({.pose = {{0, 0, 1}, {}}}, {{.shape = make_box({0.2, 0.2, 0.2}), .material = elastic(0.8)}});
      double fastest = 0;
      for (int i = 0; i < 80; ++i) {
        world.step(0.01);
        fastest = std::max(fastest, world.view(box).velocity.linear.z);
        EXPECT_LT(norm(world.view(box).velocity.angular), 1e-6) << solver << ", step " << i;
      }
      EXPECT_NEAR(fastest, 0.8 * std::sqrt(2 * kGravity * 0.8), 0.2) << solver;
    }
}

TEST(Impact, IsToldWithItsImpulse) {
  for (const char* solver : {"soft_step", "gauss_seidel"}) {
    WorldSettings settings;
    settings.solver = solver;
    settings.gravity = {};
    World world(settings);
    add_ramp(world, 0, elastic(0.5));
    const BodyId ball = world.add_body({.pose = {{0, 0, 0.2}, {}}, .velocity = {{0, 0, -4}, {}}},
                                       {{.shape = make_sphere(0.1), .material = elastic(0.5)}});
    int told = 0;
    for (int i = 0; i < 10; ++i) {
      world.step(0.01);
      for (const ContactEvent& event : world.events())
        if (event.kind == ContactEventKind::begin) {
          ++told;
          EXPECT_NEAR(event.impulse, world.view(ball).mass * 6, 1e-3 * world.view(ball).mass) << solver;
        }
    }
    EXPECT_EQ(told, 1) << solver;
  }
}

TEST(Impact, MeetsTheMechanismNotTheBody) {
  // A rod on a hinge bounces with e times the speed of its tip, though its own mass at the tip is less.
  for (const char* solver : {"gauss_seidel", "ldl_pgs"}) {
    WorldSettings settings = exact_settings();
    settings.solver = solver;
    settings.gravity = {};
    settings.stabilisation.bounce_speed = 0;
    World world(settings);
    world.add_body({.kind = BodyKind::fixed, .pose = {{0.9, 0, -0.2}, {}}},
                   {{.shape = make_sphere(0.1), .material = elastic(0.5)}});
    const BodyId rod = world.add_body({.pose = {{0.5, 0, 0}, {}}, .velocity = {{0, 0, -0.5}, {0, 1, 0}}},
                                      {{.shape = make_box({0.5, 0.02, 0.02}), .material = elastic(0.5)}});
    world.add_joint(world.joint_at({}, rod, frame_along({}, {0, 1, 0}), HingeJoint{}));
    double spin = 1;
    for (int i = 0; i < 40 && spin > 0; ++i) world.step(0.01), spin = world.view(rod).velocity.angular.y;
    EXPECT_NEAR(spin, -0.5, 0.05) << solver;
  }
}

}  // namespace
}  // namespace cairn
