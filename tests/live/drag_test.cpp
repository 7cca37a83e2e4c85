// SPDX-License-Identifier: MIT
// The spring with which a body is pulled.
#include "cairn/live/drag.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/errors.h"

namespace cairn {
namespace {

World empty_world() {
  WorldSettings settings;
  settings.gravity = {};
  return World(settings);
}

void pull(World& world, const LiveDrag& drag, double dt) {
  const BodyView body = world.view(drag.body);
  world.add_force_at(drag.body, drag_force(body, drag, dt), drag_point(body, drag));
  world.step(dt);
}

TEST(LiveDrag, AtTheCentreItIsADampedSpring) {
  // Critically damped from rest at x0: x = x0 (1 + w t) e^(-w t).
  World world = empty_world();
  const BodyId ball = world.add_body({.pose = {{1, 0, 0}}}, {{.shape = make_sphere(0.5)}});
  const LiveDrag drag{.body = ball, .frequency = 0.5};
  const double dt = 1e-4, w = 2 * kPi * drag.frequency;
  for (int k = 0; k < 5000; ++k) pull(world, drag, dt);
  const double t = 0.5;
  EXPECT_NEAR(world.view(ball).pose.position.x, (1 + w * t) * std::exp(-w * t), 1e-3);
}

TEST(LiveDrag, IsStableOnALongLeverWithALongStep) {
  // A thin rod held at its end, with a spring far stiffer than the step can follow.
  World world = empty_world();
  const BodyId rod = world.add_body({}, {{.shape = make_box({1, 0.01, 0.01})}});
  const LiveDrag drag{.body = rod, .anchor = {1, 0, 0}, .target = {1, 0.5, 0.3}, .frequency = 50, .damping = 2};
  for (int k = 0; k < 600; ++k) {
    pull(world, drag, 1.0 / 60);
    ASSERT_LT(norm(world.view(rod).velocity.linear), 100);
  }
  EXPECT_LT(norm(drag_point(world.view(rod), drag) - drag.target), 0.02);
}

TEST(LiveDrag, TheForceHasALimit) {
  World world = empty_world();
  const BodyId ball = world.add_body({}, {{.shape = make_sphere(0.5)}});
  const LiveDrag drag{.body = ball, .target = {1e7, 0, 0}, .frequency = 100, .damping = 0};
  const BodyView view = world.view(ball);
  EXPECT_NEAR(norm(drag_force(view, drag, 1e-3)), 2000 * view.mass, 1e-6 * view.mass);
}

TEST(LiveDrag, BadNumbersAreRefused) {
  EXPECT_THROW(check_drag({.target = {NAN, 0, 0}}), InputError);
  EXPECT_THROW(check_drag({.frequency = 0}), InputError);
  EXPECT_THROW(check_drag({.frequency = 1e9}), InputError);
  EXPECT_THROW(check_drag({.damping = -1}), InputError);
  EXPECT_NO_THROW(check_drag({}));
}

}  // namespace
}  // namespace cairn
