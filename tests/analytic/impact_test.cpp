// SPDX-License-Identifier: MIT
// Impacts against closed forms: restitution, oblique impacts, chains of balls, momentum, and the rod of Painleve.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "cairn/core/random.h"
#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

Material bouncy(double restitution, double friction = 0) { return {.friction = friction, .restitution = restitution}; }

WorldSettings weightless() {
  WorldSettings settings = exact_settings();
  settings.gravity = {};
  settings.stabilisation.bounce_speed = 0;
  return settings;
}

TEST(ObliqueImpact, SlidesOrRollsOffAsTheConeSays) {
  // v_t > 7/2 mu (1 + e) v_n slides throughout: v_t' = v_t - mu (1 + e) v_n, w' = 5 mu (1 + e) v_n / (2 R); else it
  // leaves rolling with v_t' = 5/7 v_t.
  const double radius = 0.2, fall = 2;
  for (const double e : {0.0, 0.5, 1.0})
    for (const double mu : {0.1, 0.3})
      for (const double along : {0.5, 4.0}) {
        World world(weightless());
        add_ramp(world, 0, bouncy(e, mu));
        const BodyId ball = world.add_body({.pose = {{0, 0, radius}, {}}, .velocity = {{along, 0, -fall}, {}}},
                                           {{.shape = make_sphere(radius), .material = bouncy(e, mu)}});
        world.step(1e-3);
        const Velocity v = world.view(ball).velocity;
        const double push = mu * (1 + e) * fall;
        const bool slides = along > 3.5 * push;
        EXPECT_NEAR(v.linear.z, e * fall, 1e-6);
        EXPECT_NEAR(v.linear.x, slides ? along - push : 5.0 / 7 * along, 1e-6) << "e " << e << " mu " << mu;
        EXPECT_NEAR(v.angular.y, slides ? 2.5 * push / radius : 5.0 / 7 * along / radius, 1e-6)
            << "e " << e << " mu " << mu;
      }
}

/// A ball of radius 0.1 that falls by 1 m: its highest points after each bounce and when it comes to rest.
struct Bounces {
  std::vector<double> heights;
  double rest = 0, path = 0;
};

Bounces let_bounce(double e, double dt) {
  WorldSettings settings = exact_settings();
  settings.integrator = Integrator::velocity_verlet;
  settings.stabilisation.bounce_speed = 2 * kGravity * dt;  // what one or two steps of weight make is no bounce
  World world(settings);
  add_ramp(world, 0, bouncy(e));
  const BodyId ball = world.add_body({.pose = {{0, 0, 1.1}, {}}}, {{.shape = make_sphere(0.1), .material = bouncy(e)}});
  Bounces result;
  double before = 1, speed_before = 0;
  for (int i = 1; i * dt < 5; ++i) {
    world.step(dt);
    const double height = world.view(ball).pose.position.z - 0.1, speed = world.view(ball).velocity.linear.z;
    if (speed_before > 0 && speed <= 0) result.heights.push_back(std::max(before, height));
    result.path += std::fabs(height - before);
    if (std::fabs(speed) > 1e-9) result.rest = i * dt;
    before = height, speed_before = speed;
  }
  return result;
}

TEST(BouncingBall, KeepsTheSquareOfRestitution) {
  // Heights h e^2n, rest at sqrt(2h/g) (1+e)/(1-e), path h (1+e^2)/(1-e^2). A ball bounces up to dt too early, at up to
  // the speed of the fall times dt above the floor: every bounce errs by O(dt), the sum too.
  const double fall = std::sqrt(2 * kGravity);
  for (const double e : {0.5, 0.8}) {
    const double time = std::sqrt(2 / kGravity) * (1 + e) / (1 - e), path = (1 + e * e) / (1 - e * e);
    const Bounces coarse = let_bounce(e, 1e-3), fine = let_bounce(e, 1e-4);
    ASSERT_GE(coarse.heights.size(), 3u);
    for (std::size_t n = 0; n < 3; ++n) {
      const double height = std::pow(e, 2.0 * static_cast<double>(n + 1));
      expect_absolute("height", coarse.heights[n], height, static_cast<double>(n + 1) * fall * 1e-3);
      expect_absolute("height, fine", fine.heights[n], height, static_cast<double>(n + 1) * fall * 1e-4);
    }
    expect_relative("time to rest", fine.rest, time, 5e-3);
    expect_relative("path", fine.path, path, 5e-3);
    // First order: a tenth of dt leaves at most a fifth of the error.
    EXPECT_LT(std::fabs(fine.rest - time), 0.2 * std::fabs(coarse.rest - time));
  }
}

TEST(TwoSpheres, PartWithTheRestitutionTheyMeetWith) {
  for (const double e : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    World world(weightless());
    const BodyId a = world.add_body({.pose = {{-1, 0, 0}, {}}, .velocity = {{3, 0, 0}, {}}},
                                    {{.shape = make_sphere(0.5), .material = bouncy(e)}});
    const BodyId b = world.add_body({.pose = {{1, 0, 0}, {}}, .velocity = {{-1, 0, 0}, {}}},
                                    {{.shape = make_sphere(0.4), .material = bouncy(e)}});
    run(world, 100, 0.01);
    const double out = world.view(b).velocity.linear.x - world.view(a).velocity.linear.x;
    EXPECT_NEAR(out / 4, e, 1e-3);
  }
}

std::array<double, 3> cradle(double gap) {
  World world(weightless());
  BodyId ball[3];
  for (int i = 0; i < 3; ++i)
    ball[i] = world.add_body({.pose = {{i * (1 + gap), 0, 0}, {}}, .velocity = {{i == 0 ? 1.0 : 0.0, 0, 0}, {}}},
                             {{.shape = make_sphere(0.5), .material = bouncy(1)}});
  run(world, gap > 0 ? 100 : 1, 0.01);
  return {world.view(ball[0]).velocity.linear.x, world.view(ball[1]).velocity.linear.x,
          world.view(ball[2]).velocity.linear.x};
}

TEST(NewtonsCradle, SolvesTouchingBallsAtOnceAndGapsOneByOne) {
  // The documented behaviour: Newton's law in one simultaneous solve, (-1/3, 2/3, 2/3) v, which keeps the energy; the
  // cradle of the shops, (0, 0, 1) v, comes out where there are gaps, one impact after the other.
  const std::array<double, 3> touching = cradle(0), apart = cradle(0.05);
  const double expected[2][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(touching[i], expected[0][i], 1e-9);
    EXPECT_NEAR(apart[i], expected[1][i], 1e-9);
  }
}

TEST(Collisions, KeepMomentum) {
  // D1: balls that meet in free space, spinning, rough and bouncing. Linear and angular momentum about the origin.
  World world(weightless());
  Random random(7);
  std::vector<BodyId> balls;
  for (int i = 0; i < 27; ++i) {
    const Vec3 p{i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0};
    const Vec3 w{random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
    balls.push_back(world.add_body({.pose = {p, {}}, .velocity = {-2.0 * p, w}},
                                   {{.shape = make_sphere(0.2 + 0.01 * i), .material = bouncy(0.5, 0.4)}}));
  }
  const auto momentum = [&] {
    std::array<Vec3, 2> sum{};
    for (const BodyId id : balls) {
      const BodyView b = world.view(id);
      sum[0] += b.mass * b.velocity.linear;
      sum[1] += b.mass * cross(b.centre, b.velocity.linear) + b.inertia * b.velocity.angular;
    }
    return sum;
  };
  double scale = 0;
  for (const BodyId id : balls) scale += world.view(id).mass * norm(world.view(id).velocity.linear);
  const std::array<Vec3, 2> before = momentum();
  std::int64_t met = 0;
  for (int i = 0; i < 200; ++i) met += world.step(0.01).contacts;
  ASSERT_GT(met, 100);
  const std::array<Vec3, 2> after = momentum();
  expect_absolute("momentum", norm(after[0] - before[0]) / scale, 0, 1e-12);
  expect_absolute("angular momentum", norm(after[1] - before[1]) / scale, 0, 1e-12);
}

TEST(Collisions, OfBoxesKeepLinearMomentum) {
  World world(weightless());
  Random random(9);
  std::vector<BodyId> boxes;
  for (int i = 0; i < 27; ++i) {
    const Vec3 p{i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0};
    const Vec3 w{random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
    boxes.push_back(world.add_body({.pose = {p, {}}, .velocity = {-2.0 * p, w}},
                                   {{.shape = make_box({0.2, 0.25, 0.15 + 0.01 * i}), .material = bouncy(0.5, 0.4)}}));
  }
  Vec3 before, after;
  double scale = 0;
  for (const BodyId id : boxes) {
    before += world.view(id).mass * world.view(id).velocity.linear;
    scale += world.view(id).mass * norm(world.view(id).velocity.linear);
  }
  std::int64_t met = 0;
  for (int i = 0; i < 200; ++i) met += world.step(0.01).contacts;
  ASSERT_GT(met, 1000);
  for (const BodyId id : boxes) after += world.view(id).mass * world.view(id).velocity.linear;
  expect_absolute("momentum", norm(after - before) / scale, 0, 1e-12);
}

TEST(PainleveRod, HasASolutionAtTheLevelOfImpulses) {
  // A slender rod on its tip, sliding: for mu = 2 no acceleration fits between 37.4 and 79.2 degrees, yet impulses
  // always do. The solve must say so by a small residual.
  const double length = 1, tip = 1e-3, mu = 2;
  for (const double degrees : {20.0, 45.0, 60.0, 75.0, 85.0})
    for (const double speed : {-3.0, 3.0}) {
      WorldSettings settings = exact_settings();
      settings.solver = "reference";
      World world(settings);
      add_ramp(world, 0, rough(mu));
      const double angle = degrees * kDegree;
      const Vec3 along{std::cos(angle), 0, std::sin(angle)};
      const MassProperties mass{1, {}, SymMat3::diagonal(length * length / 12, length * length / 12, 1e-6)};
      const BodyId rod =
          world.add_body({.pose = {{0, 0, tip + 0.5 * length * along.z}, turn_about({0, 1, 0}, 0.5 * kPi - angle)},
                          .velocity = {{speed, 0, 0}, {}},
                          .mass = mass},
                         {{.shape = make_sphere(tip), .pose = {{0, 0, -0.5 * length}, {}}, .material = rough(mu)}});
      for (int i = 0; i < 5; ++i) {
        const StepReport& report = world.step(1e-3);
        EXPECT_LE(report.solve.residual, 1e-8) << degrees << " degrees, step " << i;
      }
      EXPECT_TRUE(is_finite(world.view(rod).pose) && is_finite(world.view(rod).velocity));
    }
}

}  // namespace
}  // namespace cairn
