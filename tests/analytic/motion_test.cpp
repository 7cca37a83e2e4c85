// SPDX-License-Identifier: MIT
// Bodies that touch nothing, against closed forms: free fall, damping, forces, impulses, locked axes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

WorldSettings weightless() {
  WorldSettings settings;
  settings.gravity = {};
  return settings;
}

BodyId add_box(World& world, const BodyDef& def = {}) {
  return world.add_body(def, {{.shape = make_box({0.1, 0.2, 0.3}), .density = 500}});
}

TEST(FreeFall, IsExactWithVelocityVerlet) {
  WorldSettings settings;
  settings.integrator = Integrator::velocity_verlet;
  for (const double dt : {1.0 / 60, 1.0 / 7}) {
    World world(settings);
    const BodyId body = add_box(world, {.pose = {{1, 2, 3}, {}}, .velocity = {{1, 0, 5}, {}}});
    run(world, 100, dt);
    const double t = 100 * dt;
    EXPECT_NEAR(world.view(body).pose.position.x, 1 + t, 1e-11);
    EXPECT_NEAR(world.view(body).pose.position.z, 3 + 5 * t - 0.5 * kGravity * t * t, 1e-10);
    EXPECT_NEAR(world.view(body).velocity.linear.z, 5 - kGravity * t, 1e-11);
  }
}

TEST(FreeFall, IsFirstOrderWithSymplecticEuler) {
  // x_n = -g h^2 n (n + 1) / 2, where h is the step, or the sub-step of a solver that has some.
  for (const auto& [solver, sub_steps] : {std::pair{"gauss_seidel", 1}, std::pair{"soft_step", 8}}) {
    WorldSettings settings;
    settings.solver = solver;
    World world(settings);
    const BodyId body = add_box(world);
    run(world, 60, 1.0 / 60);
    const double n = 60.0 * sub_steps;
    EXPECT_NEAR(world.view(body).pose.position.z, -kGravity * n * (n + 1) / 2 / (n * n), 1e-11);
  }
}

TEST(GravityScale, ScalesTheFall) {
  World world;
  const BodyId feather = add_box(world, {.gravity_scale = 0.25}), balloon = add_box(world, {.pose = {{5, 0, 0}, {}}});
  world.set_gravity_scale(balloon, -1);
  run(world, 60, 1.0 / 60);
  EXPECT_NEAR(world.view(feather).velocity.linear.z, -0.25 * kGravity, 1e-12);
  EXPECT_NEAR(world.view(balloon).velocity.linear.z, kGravity, 1e-12);
}

TEST(Damping, FollowsTheExponential) {
  World world(weightless());
  const double dt = 1e-3, linear = 0.7, angular = 2.5;
  const BodyId body =
      add_box(world, {.velocity = {{3, 0, 0}, {0, 0, 4}}, .linear_damping = linear, .angular_damping = angular});
  run(world, 1000, dt);
  const Velocity v = world.view(body).velocity;
  // The implicit rule exactly, and the exponential to O(dt).
  EXPECT_NEAR(v.linear.x, 3 * std::pow(1 + linear * dt, -1000), 1e-10);
  EXPECT_NEAR(v.angular.z, 4 * std::pow(1 + angular * dt, -1000), 1e-10);
  expect_relative("linear", v.linear.x, 3 * std::exp(-linear), 5e-3);
  expect_relative("angular", v.angular.z, 4 * std::exp(-angular), 5e-3);
}

TEST(Forces, ActForOneStep) {
  World world(weightless());
  const BodyId body = add_box(world);
  const double mass = 0.2 * 0.4 * 0.6 * 500;
  world.add_force(body, {6, 0, 0});
  world.add_force(body, {0, 2, 0});
  world.step(0.5);
  EXPECT_NEAR(world.view(body).velocity.linear.x, 6 * 0.5 / mass, 1e-12);
  EXPECT_NEAR(world.view(body).velocity.linear.y, 2 * 0.5 / mass, 1e-12);
  world.step(0.5);
  EXPECT_NEAR(world.view(body).velocity.linear.x, 6 * 0.5 / mass, 1e-12) << "a force must act during one step only";
}

TEST(Forces, AtAPointTurnTheBody) {
  World world(weightless());
  const BodyId body = add_box(world, {.pose = {{1, 0, 0}, {}}});
  const double mass = 24, about_z = mass / 3 * (0.01 + 0.04), about_x = mass / 3 * (0.04 + 0.09);
  world.add_force_at(body, {0, 3, 0}, {1.1, 0, 0});
  world.step(0.01);
  EXPECT_NEAR(world.view(body).velocity.angular.z, 0.1 * 3 * 0.01 / about_z, 1e-12);
  EXPECT_NEAR(world.view(body).velocity.linear.y, 3 * 0.01 / mass, 1e-12);
  const BodyId other = add_box(world, {.pose = {{5, 0, 0}, {}}});
  world.add_torque(other, {2, 0, 0});
  world.step(0.01);
  EXPECT_NEAR(world.view(other).velocity.angular.x, 2 * 0.01 / about_x, 1e-12);
}

TEST(Impulses, ActAtOnce) {
  World world(weightless());
  const BodyId body = add_box(world);
  const double mass = 24, about_z = mass / 3 * (0.01 + 0.04), about_y = mass / 3 * (0.01 + 0.09);
  world.add_impulse(body, {0, 0, 12});
  EXPECT_NEAR(world.view(body).velocity.linear.z, 0.5, 1e-14);
  world.add_impulse_at(body, {0, 1, 0}, {0.1, 0, 0});
  EXPECT_NEAR(world.view(body).velocity.linear.y, 1 / mass, 1e-14);
  EXPECT_NEAR(world.view(body).velocity.angular.z, 0.1 / about_z, 1e-14);
  world.add_angular_impulse(body, {0, 1, 0});
  EXPECT_NEAR(world.view(body).velocity.angular.y, 1 / about_y, 1e-14);
}

TEST(LockedAxes, LetTheOthersMove) {
  // Velocities are floats within soft_step.
  for (const auto& [solver, held, free] :
       {std::tuple{"gauss_seidel", 1e-12, 1e-9}, std::tuple{"soft_step", 1e-9, 1e-6}})
    for (const Integrator integrator : {Integrator::symplectic_euler, Integrator::velocity_verlet}) {
      WorldSettings settings;
      settings.solver = solver, settings.integrator = integrator;
      World world(settings);
      const BodyId body =
          add_box(world, {.velocity = {{1, 2, 3}, {1, 2, 3}}, .locked_axes = kLockZ | kLockTurnX | kLockTurnY});
      run(world, 60, 1.0 / 60);
      const BodyView view = world.view(body);
      EXPECT_NEAR(view.pose.position.z, 0, held);
      EXPECT_NEAR(view.pose.position.x, 1, free);
      EXPECT_NEAR(view.pose.position.y, 2, free);
      // Only turned about z: the axis z of the body is that of the world.
      EXPECT_NEAR(rotate(view.pose.orientation, {0, 0, 1}).z, 1, 1e-12);
      EXPECT_NEAR(view.velocity.angular.z, 3, free);
      EXPECT_EQ(view.velocity.angular.x, 0);
      EXPECT_EQ(view.velocity.angular.y, 0);
    }
}

TEST(LockedAxes, TurnAsIfHeldByBearings) {
  // A turned box about the one free axis: the moment is the diagonal element of the inertia, not of its inverse.
  World world(weightless());
  const Quat turn = turn_about({1, 1, 0}, 0.7);
  const BodyId body = add_box(world, {.pose = {{}, turn}, .locked_axes = kLockTurnX | kLockTurnY});
  const SymMat3 inertia = rotate(to_matrix(turn), world.view(body).inertia);
  world.add_torque(body, {0, 0, 5});
  world.step(0.01);
  EXPECT_NEAR(world.view(body).velocity.angular.z, 5 * 0.01 / inertia.zz, 1e-12);
  EXPECT_EQ(world.view(body).velocity.angular.x, 0);
}

TEST(AllAxesLocked, HoldABodyLikeAFixedOne) {
  for (const auto& [solver, held] : {std::pair{"gauss_seidel", 1e-12}, std::pair{"soft_step", 1e-9}}) {
    WorldSettings settings;
    settings.solver = solver;
    World world(settings);
    const BodyId body = add_box(world, {.velocity = {{1, 1, 1}, {1, 1, 1}}});
    world.set_locked_axes(body, kLockAll);
    run(world, 100, 1.0 / 60);
    EXPECT_LT(norm(world.view(body).pose.position), held);
    EXPECT_LT(norm(world.view(body).velocity.linear), 10 * held);
    EXPECT_NEAR(world.view(body).pose.orientation.w, 1, 1e-12);
  }
}

}  // namespace
}  // namespace cairn
