// SPDX-License-Identifier: MIT
// Continuous bodies: fast and small, and yet they never pass through anything.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cairn/core/random.h"
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

/// Between two walls 1 m apart an elastic ball of 200 m/s bounces three times in a step, and none of its speed is lost.
/// The mirror images of its place make a straight line.
TEST(Continuous, BouncesSeveralTimesInAStep) {
  for (const char* solver : {"soft_step", "gauss_seidel"}) {
    WorldSettings settings = weightless();
    settings.solver = solver;
    World world(settings);
    for (const double x : {-0.5, 0.5})
      world.add_body({.kind = BodyKind::fixed, .pose = {{x, 0, 0}, {}}},
                     {{.shape = make_box({0.005, 2, 2}), .material = {.restitution = 1}}});
    const BodyId ball = throw_ball(world, true, {0, 0, 0}, 1);
    world.step(kStep);
    const double room = 2 * (0.5 - 0.005 - 0.015);           // from touch to touch
    const double way = 200 * kStep - 0.5 * room - 2 * room;  // after the third
    EXPECT_NEAR(std::fabs(world.view(ball).velocity.linear.x), 200, 1e-3) << solver;
    // It turns a skin before each wall.
    EXPECT_NEAR(world.view(ball).pose.position.x, 0.5 * room - way, 3 * 2 * 2.4e-3) << solver;
  }
}

/// The impact of a ball on a free block keeps momentum and angular momentum, and takes energy.
TEST(Continuous, ImpactsKeepMomentum) {
  for (const double restitution : {0.0, 0.6, 1.0}) {
    World world(weightless());
    const BodyId block = world.add_body({.pose = {{0, 0.1, 0.05}, {}}}, {{.shape = make_box({0.2, 0.3, 0.3})}});
    const BodyId ball = throw_ball(world, true, {-1, 0, 0}, restitution);
    const auto sum = [&](auto&& term) { return term(world.view(block)) + term(world.view(ball)); };
    const auto mass = [&](const auto& body) { return body.mass; };
    const auto momentum = [&] { return sum([&](const auto& b) { return mass(b) * b.velocity.linear; }); };
    const auto spin = [&] {
      return sum([&](const auto& b) {
        const Mat3 turn = to_matrix(b.pose.orientation);
        return mass(b) * cross(b.centre, b.velocity.linear) + rotate(turn, b.inertia) * b.velocity.angular;
      });
    };
    world.step(1e-4);
    const Vec3 p = momentum(), l = spin();
    const double energy = world.last_report().kinetic_energy;
    world.step(kStep);
    EXPECT_GT(world.view(block).velocity.linear.x, 0) << "they must have met";
    EXPECT_LT(norm(momentum() - p), 1e-5 * norm(p)) << restitution;
    // The block starts on its new way in the next step, so it is a little behind.
    EXPECT_LT(norm(spin() - l), 0.02 * norm(cross(Vec3{0, 0.3, 0}, p))) << restitution;
    EXPECT_LE(world.last_report().kinetic_energy, energy * (1 + 1e-6)) << restitution;
  }
}

/// A thin bar that turns by five radians in a step does not turn through a wall.
TEST(Continuous, ASpinningBarDoesNotTunnel) {
  for (const char* solver : {"soft_step", "gauss_seidel"})
    for (int i = 0; i < 20; ++i) {
      WorldSettings settings = weightless();
      settings.solver = solver;
      World world(settings);
      add_wall(world);
      const BodyId bar = world.add_body(
          {.pose = {{-0.3 - 0.02 * i, 0, 0}, {}}, .velocity = {{2, 0, 0}, {0, 300, 20}}, .continuous = true},
          {{.shape = make_box({0.01, 0.01, 0.4})}});
      for (int k = 0; k < 60; ++k) {
        world.step(kStep);
        EXPECT_LT(world.view(bar).pose.position.x, 0) << solver << ", start " << i << ", step " << k;
      }
    }
}

/// What a body meets within a step and leaves again is told: it begins and ends.
TEST(Continuous, TellsWhatItMetWithinAStep) {
  World world(weightless());
  add_wall(world);
  const BodyId ball = throw_ball(world, true, {-1, 0, 0}, 1);
  world.step(kStep);
  ASSERT_EQ(world.events().size(), 2u);
  EXPECT_EQ(world.events()[0].kind, ContactEventKind::begin);
  EXPECT_EQ(world.events()[1].kind, ContactEventKind::end);
  EXPECT_NEAR(world.events()[0].impulse, 2 * 200 * world.view(ball).mass, 1e-6 * 400);
  EXPECT_NEAR(std::fabs(world.events()[0].normal.x), 1, 1e-9);
}

/// A sleeping block is woken by what hits it, and takes the momentum.
TEST(Continuous, WakesWhatItHits) {
  WorldSettings settings = weightless();
  settings.sleep.enabled = true, settings.sleep.time = 0.05;
  World world(settings);
  const BodyId block = world.add_body({}, {{.shape = make_box({0.2, 0.3, 0.3}), .density = 50}});
  const BodyId ball = throw_ball(world, true, {-40, 0, 0});
  run(world, 8, kStep);
  ASSERT_TRUE(world.view(block).asleep);
  run(world, 12, kStep);
  EXPECT_FALSE(world.view(block).asleep);
  EXPECT_GT(world.view(block).velocity.linear.x, 0);
  EXPECT_LT(world.view(ball).pose.position.x, world.view(block).pose.position.x);
}

/// A hall full of fast bodies: none gets out, energy never grows, and threads change no bit.
TEST(Continuous, AHallOfFastBodies) {
  constexpr double kHall = 5;
  Hash128 bits[2];
  for (const int threads : {1, 3}) {
    WorldSettings settings = weightless();
    settings.solver = "gauss_seidel", settings.threads = threads;
    World world(settings);
    Random random(7);
    for (const Vec3& side : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      for (const double sign : {-1.0, 1.0}) {
        const Vec3 half = Vec3{6, 6, 6} - 5.98 * side;
        world.add_body({.kind = BodyKind::fixed, .pose = {sign * kHall * side, {}}}, {{.shape = make_box(half)}});
      }
    std::vector<BodyId> flock;
    for (int i = 0; i < 60; ++i) {
      const auto any = [&](double size) {
        return Vec3{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
      };
      const Shape shapes[] = {make_sphere(0.05), make_box({0.05, 0.03, 0.04}), make_capsule(0.03, 0.05)};
      flock.push_back(world.add_body({.pose = {any(4.5), {}}, .velocity = {any(800), any(50)}, .continuous = true},
                                     {{.shape = shapes[i % 3], .material = {.restitution = 0.3 * (i % 4)}}}));
    }
    double energy = 1e300;
    for (int k = 0; k < 60; ++k) {
      world.step(kStep);
      EXPECT_LE(world.last_report().kinetic_energy, energy * (1 + 1e-6)) << k;
      energy = world.last_report().kinetic_energy;
    }
    for (const BodyId body : flock) {
      const Vec3 at = world.view(body).centre;
      EXPECT_TRUE(std::fabs(at.x) < kHall && std::fabs(at.y) < kHall && std::fabs(at.z) < kHall);
    }
    bits[threads == 1 ? 0 : 1] = world.state_hash();
  }
  EXPECT_TRUE(bits[0] == bits[1]);
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
