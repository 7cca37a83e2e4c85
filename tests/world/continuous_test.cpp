// SPDX-License-Identifier: MIT
// Continuous bodies: fast and small, and yet they never pass through anything.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kStep = 1.0 / 60;

WorldSettings weightless() {
  WorldSettings settings;
  settings.gravity = {};
  return settings;
}

/// A ball of 3 cm across, thrown along +x at 200 m/s from `start`.
BodyId throw_ball(World& world, bool continuous, const Vec3& start, double restitution = 0) {
  return world.add_body({.pose = {start, {}}, .velocity = {{200, 0, 0}, {}}, .continuous = continuous},
                        {{.shape = make_sphere(0.015), .material = {.restitution = restitution}}});
}

void add_wall(World& world, BodyKind kind = BodyKind::fixed) {  // 1 cm thick, at x = 0
  world.add_body({.kind = kind}, {{.shape = make_box({0.005, 2, 2}), .density = 7800}});
}

TEST(Continuous, BallStopsAtAThinWall) {
  int passed = 0;
  for (int i = 0; i < 40; ++i) {  // wherever in its step it meets the wall
    const double start = -5 - 0.08 * i;
    for (const bool continuous : {false, true}) {
      World world(weightless());
      add_wall(world);
      const BodyId ball = throw_ball(world, continuous, {start, 0, 0});
      run(world, 6, kStep);
      const double x = world.view(ball).pose.position.x;
      if (continuous) {
        EXPECT_LT(x, 0) << "start " << start;
        EXPECT_GT(x, -0.06) << "it must stop at the wall, not before it";
      } else {
        passed += x > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(passed, 30) << "without the flag most pass, else the test shows nothing";
}

TEST(Continuous, BallBouncesBackFromTheWall) {
  World world(weightless());
  add_wall(world);
  const BodyId ball = throw_ball(world, true, {-5, 0, 0}, 1);
  run(world, 6, kStep);
  EXPECT_NEAR(world.view(ball).velocity.linear.x, -200, 1e-4);  // a float knows it to 1e-5
}

TEST(Continuous, BallStopsAtAThinMesh) {
  const std::array<Vec3, 4> corners{Vec3{0, -2, -2}, {0, 2, -2}, {0, 2, 2}, {0, -2, 2}};
  const std::array<std::array<std::int32_t, 3>, 2> sides{{{0, 2, 1}, {0, 3, 2}}};  // seen from -x
  for (int i = 0; i < 20; ++i) {
    World world(weightless());
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_mesh(corners, sides)}});
    const BodyId ball = throw_ball(world, true, {-5 - 0.17 * i, 0.1 * i - 1, 0.3});
    run(world, 6, kStep);
    EXPECT_LT(world.view(ball).pose.position.x, 0) << i;
    EXPECT_GT(world.view(ball).pose.position.x, -0.06) << i;
  }
}

TEST(Continuous, BallPushesAMovingWall) {
  World world(weightless());
  const BodyId wall =
      world.add_body({.velocity = {{-50, 0, 0}, {}}}, {{.shape = make_box({0.005, 2, 2}), .density = 7800}});
  const BodyId ball = throw_ball(world, true, {-6, 0, 0});
  run(world, 20, kStep);
  EXPECT_LT(world.view(ball).pose.position.x, world.view(wall).pose.position.x);
  EXPECT_LT(world.view(ball).velocity.linear.x, world.view(wall).velocity.linear.x + 1e-3);
}

TEST(Continuous, BallHitsASpinningBar) {
  // A bar of 4 m spins about z across the way of a ball, which must meet it on the side it comes from. Aimed at the hub
  // and, where the bar is slow enough to be there all the time, far from it.
  struct Aim {
    double spin, y;
  };
  for (const Aim& aim : {Aim{0, 1.5}, Aim{5, 0}, Aim{-5, 0}, Aim{20, 0}, Aim{-20, 0}, Aim{5, 1}, Aim{-5, 1}})
    for (int i = 0; i < 20; ++i) {
      World world(weightless());
      const BodyId bar =
          world.add_body({.velocity = {{}, {0, 0, aim.spin}}}, {{.shape = make_box({0.02, 2, 0.05}), .density = 7800}});
      const BodyId ball = throw_ball(world, true, {-5 - 0.17 * i, aim.y, 0});
      bool met = false;
      for (int k = 0; k < 4 && !met; ++k) {
        world.step(kStep);
        met = !world.events().empty();
      }
      EXPECT_TRUE(met) << "spin " << aim.spin << ", aim " << aim.y << ", start " << i;
      EXPECT_LT(transform_back(world.view(bar).pose, world.view(ball).centre).x, 0)
          << "spin " << aim.spin << ", aim " << aim.y << ", start " << i;
    }
}

TEST(Continuous, CompoundStopsToo) {
  World world(weightless());
  add_wall(world);
  const Shape pair =
      make_compound({{make_sphere(0.015), {{0, -0.05, 0}, {}}}, {make_box({0.01, 0.01, 0.01}), {{0, 0.05, 0}, {}}}});
  const BodyId body =
      world.add_body({.pose = {{-5, 0, 0}, {}}, .velocity = {{200, 0, 0}, {}}, .continuous = true}, {{.shape = pair}});
  run(world, 6, kStep);
  EXPECT_LT(world.view(body).pose.position.x, 0);
}

TEST(Continuous, SeveralShapesStopToo) {
  World world(weightless());
  add_wall(world);
  const BodyId body = world.add_body({.pose = {{-5, 0, 0}, {}}, .velocity = {{200, 0, 0}, {}}, .continuous = true},
                                     {{.shape = make_sphere(0.01), .pose = {{-0.1, 0, 0}, {}}},
                                      {.shape = make_sphere(0.01), .pose = {{0.1, 0, 0}, {}}}});
  run(world, 6, kStep);
  EXPECT_LT(world.view(body).pose.position.x, 0);
  EXPECT_GT(world.view(body).pose.position.x, -0.2);
}

TEST(Continuous, SlidesAlongAFloor) {
  // What touches already is no obstacle: a fast ball on a floor goes on.
  World world;
  add_ramp(world, 0, rough(0));
  const BodyId ball = throw_ball(world, true, {0, 0, 0.015});
  run(world, 60, kStep);
  EXPECT_NEAR(world.view(ball).pose.position.x, 200, 1);
}

TEST(Continuous, LooksPastWhatItDoesNotMeet) {
  World world(weightless());
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_box({0.005, 2, 2}), .layer = 2}});
  const BodyId ghost = throw_ball(world, true, {-5, 0, 0});
  world.set_filter(world.shapes_of(ghost)[0], 1, 1);
  run(world, 6, kStep);
  EXPECT_NEAR(world.view(ghost).pose.position.x, -5 + 200 * 0.1, 1e-9);
}

TEST(Continuous, TwoBallsMeetHeadOn) {
  for (int i = 0; i < 20; ++i) {
    World world(weightless());
    const BodyId left = throw_ball(world, true, {-5 - 0.11 * i, 0, 0});
    const BodyId right = world.add_body({.pose = {{5, 0, 0}, {}}, .velocity = {{-200, 0, 0}, {}}, .continuous = true},
                                        {{.shape = make_sphere(0.015)}});
    run(world, 10, kStep);
    EXPECT_LT(world.view(left).pose.position.x, world.view(right).pose.position.x) << i;
  }
}

/// A box that turns by half a radian in a step, beside the ground: what stops its way must not keep it in the air.
TEST(Continuous, ABoxThatSpinsFastComesToRest) {
  for (const char* solver : {"soft_step", "gauss_seidel"})
    for (int i = 0; i < 20; ++i) {
      WorldSettings settings;
      settings.solver = solver;
      World world(settings);
      world.add_body({.kind = BodyKind::fixed},
                     {{.shape = make_half_space({0, 0, 1}, 0), .material = {.friction = 0.8}}});
      const BodyId box =
          world.add_body({.pose = {{0, 0, 0.5 + 0.02 * i}, {}},
                          .velocity = {{8.4, 4.8, -15.5}, {-27.5, 87.5, -2.5}},
                          .continuous = true},
                         {{.shape = make_box({0.1, 0.1, 0.1}), .material = {.friction = 0.8}, .density = 25}});
      run(world, 600, kStep);
      EXPECT_LT(norm(world.view(box).velocity.linear), 0.01) << solver << ", start " << i;
      EXPECT_NEAR(world.view(box).pose.position.z, 0.1, 5e-3) << solver << ", start " << i;
    }
}

TEST(Continuous, CanBeSwitched) {
  World world(weightless());
  add_wall(world);
  const BodyId ball = throw_ball(world, false, {-5, 0, 0});
  world.set_continuous(ball, true);
  run(world, 6, kStep);
  EXPECT_LT(world.view(ball).pose.position.x, 0);
}

}  // namespace
}  // namespace cairn
