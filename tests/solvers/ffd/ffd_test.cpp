// SPDX-License-Identifier: MIT
#include "cairn/solvers/ffd/ffd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/random.h"
#include "cairn/measures/energy.h"
#include "cairn/problem/residual.h"
#include "cairn/world/world.h"
#include "scenes/ball_lattices.h"
#include "tests/refusal.h"
#include "tests/solvers/random_cluster.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

constexpr FfdMode kModes[] = {FfdMode::coulomb, FfdMode::pe};
constexpr double kGravity = 10;

WorldSettings world_settings(FfdMode mode, int threads = 1) {
  WorldSettings settings;
  settings.solver = "ffd";
  settings.solver_settings = {{"mode", mode == FfdMode::pe ? "pe" : "coulomb"}};
  settings.gravity = {0, 0, -kGravity};
  settings.threads = threads;
  return settings;
}

/// A ball of 1 kg that flies along x towards one of 2 kg, both at 1 m/s.
ContactProblem head_on(double restitution) {
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].inverse_mass = 1, problem.bodies[1].inverse_mass = 0.5;
  problem.bodies[0].inverse_inertia = SymMat3::diagonal(10, 10, 10);
  problem.bodies[1].inverse_inertia = SymMat3::diagonal(5, 5, 5);
  problem.bodies[0].velocity.linear = {1, 0, 0}, problem.bodies[1].velocity.linear = {-1, 0, 0};
  ContactBlock contact;
  const Frame frame = make_frame({1, 0, 0});
  contact.body_a = 0, contact.body_b = 1;
  contact.normal = frame.normal, contact.tangent1 = frame.tangent1, contact.tangent2 = frame.tangent2;
  contact.arm_a = {0.5, 0, 0}, contact.arm_b = {-0.5, 0, 0};
  contact.friction1 = contact.friction2 = 0.5, contact.restitution = restitution;
  problem.contacts = {contact};
  return problem;
}

/// T1.1 and T1.2 of the method: with restitution 1/2 they leave with -1 and 0, without with -1/3 both.
TEST(Ffd, BallsThatMeetHeadOn) {
  for (const FfdMode mode : kModes) {
    const Solved bouncing = solved_by(FfdSolver({.mode = mode}), head_on(0.5), {});
    EXPECT_NEAR(bouncing.solution.velocity[0].linear.x, -1, 1e-15);
    EXPECT_NEAR(bouncing.solution.velocity[1].linear.x, 0, 1e-15);
    EXPECT_NEAR(bouncing.solution.contact_impulse[0][0], 2, 1e-15);
    const Solved soft = solved_by(FfdSolver({.mode = mode}), head_on(0), {});
    for (const Velocity& v : soft.solution.velocity) EXPECT_NEAR(v.linear.x, -1.0 / 3, 1e-15);
  }
}

/// A body that lies on the plane z = 0.
struct Slider {
  Shape shape;
  double height = 0, friction = 0;
};

/// What it does when it slides at 1 m/s along x: its velocity after each step.
std::vector<Velocity> slide(FfdMode mode, const Slider& slider, int steps, double dt) {
  const auto& [shape, height, friction] = slider;
  World world(world_settings(mode));
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = {.friction = 1}}});
  const BodyId body = world.add_body({.pose = {{0, 0, height}}, .velocity = {{1, 0, 0}}},
                                     {{.shape = shape, .material = {.friction = friction}}});
  std::vector<Velocity> velocity;
  for (int i = 0; i < steps; ++i) {
    world.step(dt);
    velocity.push_back(world.view(body).velocity);
  }
  return velocity;
}

/// T1.3: a solid ball slows down by mu g until it rolls with 5/7 of its speed at t = 2 / (7 mu g); in mode pe by 2/7 of
/// mu g, to the same speed.
TEST(Ffd, BallThatSlidesBeginsToRoll) {
  const double dt = 1.0 / 240, slowing = 0.25 * kGravity;
  for (const FfdMode mode : kModes) {
    const double rate = mode == FfdMode::pe ? 2.0 / 7 * slowing : slowing, end = 2.0 / (7 * rate);
    const std::vector<Velocity> v = slide(mode, {make_sphere(0.5), 0.5, 0.0625}, 400, dt);
    for (int i = 0; (i + 2) * dt < end; ++i) EXPECT_NEAR(v[to_index(i)].linear.x, 1 - rate * dt * (i + 1), 1e-6);
    EXPECT_NEAR(v.back().linear.x, 5.0 / 7, 1e-3);
    EXPECT_NEAR(v.back().angular.y, v.back().linear.x / 0.5, 1e-3);
  }
}

/// T1.4: a flat box slows down by mu g. In mode pe by 3 % less: friction tips it, and what holds its front edge then
/// comes after friction.
TEST(Ffd, BoxThatSlidesSlowsDownByFriction) {
  const double dt = 1.0 / 240, slowing = 0.25 * kGravity;
  for (const FfdMode mode : kModes) {
    const std::vector<Velocity> v = slide(mode, {make_box({1, 1, 0.05}), 0.05, 0.0625}, 60, dt);
    EXPECT_NEAR(v.back().linear.x, 1 - slowing * dt * 60, (mode == FfdMode::pe ? 0.03 : 0.01) * slowing * dt * 60);
    EXPECT_NEAR(v.back().linear.y, 0, 1e-3);
  }
}

/// T1.5: a box on ice that is pushed gains F dt / m in every step, though it has contacts.
TEST(Ffd, ForcesActOnBodiesThatRest) {
  const double dt = 1.0 / 60, force = 3;
  for (const FfdMode mode : kModes) {
    World world(world_settings(mode));
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0), .material = {.friction = 0}}});
    const BodyId box =
        world.add_body({.pose = {{0, 0, 0.5}}}, {{.shape = make_box({0.5, 0.5, 0.5}), .material = {.friction = 0}}});
    for (int i = 1; i <= 30; ++i) {
      world.add_force(box, {force, 0, 0});
      world.step(dt);
      EXPECT_NEAR(world.view(box).velocity.linear.x, i * force * dt / world.view(box).mass, 1e-12);
      EXPECT_NEAR(world.view(box).velocity.linear.z, 0, 1e-9);
    }
  }
}

/// T1.6: between two walls that close nothing is right: the body is stopped, and that is told.
TEST(Ffd, BodyBetweenClosingWallsIsStopped) {
  ContactProblem problem;
  problem.bodies.resize(3);
  problem.bodies[0].velocity.linear = {1, 0, 0}, problem.bodies[1].velocity.linear = {-1, 0, 0};
  problem.bodies[2].inverse_mass = 1, problem.bodies[2].inverse_inertia = SymMat3::diagonal(3, 3, 3);
  problem.bodies[2].velocity = {{0.3, 0.2, 0}, {0, 0, 1}};
  for (const double side : {1.0, -1.0}) {
    ContactBlock contact;
    const Frame frame = make_frame({side, 0, 0});
    contact.body_a = side > 0 ? 0 : 1, contact.body_b = 2;
    contact.normal = frame.normal, contact.tangent1 = frame.tangent1, contact.tangent2 = frame.tangent2;
    contact.arm_b = {-0.5 * side, 0, 0}, contact.friction1 = contact.friction2 = 0.5;
    problem.contacts.push_back(contact);
  }
  for (const FfdMode mode : kModes) {
    const Solved stopped = solved_by(FfdSolver({.mode = mode}), problem, {});
    EXPECT_EQ(stopped.solution.velocity[2], Velocity{});
    ASSERT_EQ(stopped.report.notes.size(), 1u);
    EXPECT_NE(stopped.report.notes[0].find("stopped"), std::string::npos);
  }
}

/// A wall that moves takes a body with it at its own speed, and a belt by friction.
TEST(Ffd, MovingWallsAndBelts) {
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].velocity.linear = {0.5, 0, 2};
  problem.bodies[1].inverse_mass = 1, problem.bodies[1].inverse_inertia = SymMat3::diagonal(0, 0, 0);
  problem.bodies[1].acceleration.linear = {0, 0, -kGravity};
  ContactBlock contact;
  contact.body_a = 0, contact.body_b = 1, contact.friction1 = contact.friction2 = 1;
  problem.contacts = {contact};
  for (const FfdMode mode : kModes)
    EXPECT_NEAR(solved_by(FfdSolver({.mode = mode}), problem, {}).solution.velocity[1].linear.z, 2, 1e-14);
  EXPECT_NEAR(solved_by(FfdSolver(), problem, {}).solution.velocity[1].linear.x, 0.5, 1e-14);
}

/// T1.7: free flight of a box keeps the length of its angular momentum and its energy to round-off. The direction
/// drifts with the square of the step, as with every solver (integrate.h).
TEST(Ffd, FreeFlightKeepsAngularMomentum) {
  WorldSettings settings = world_settings(FfdMode::coulomb);
  settings.gravity = {};
  World world(settings);
  const BodyId box = world.add_body({.velocity = {{}, {0.1, 5, 0.1}}}, {{.shape = make_box({0.5, 1, 1.5})}});
  const auto momentum_of = [](const BodyView& body) {
    const Quat& q = body.pose.orientation;
    return rotate(q, body.inertia * rotate_back(q, body.velocity.angular));
  };
  const BodyView before = world.view(box);
  for (int i = 0; i < 1000; ++i) world.step(1.0 / 240);
  const BodyView after = world.view(box);
  EXPECT_NEAR(norm(momentum_of(after)), norm(momentum_of(before)), 1e-9 * norm(momentum_of(before)));
  EXPECT_LT(norm(momentum_of(after) - momentum_of(before)), 1e-3 * norm(momentum_of(before)));
  EXPECT_NEAR(kinetic_energy(after), kinetic_energy(before), 1e-9 * kinetic_energy(before));
}

/// T1.8: the same bits for any number of threads and any order of the contacts.
TEST(Ffd, SameBitsForAnyThreadsAndAnyOrder) {
  Random random(8);
  const ContactProblem problem = random_cluster(random, {.bodies = 60, .pairs = 150, .friction = 0.4}).problem;
  for (const FfdMode mode : kModes)
    for (const int sweeps : {1, 3}) {
      const FfdSettings settings{.mode = mode, .sweeps = sweeps};
      const std::vector<Velocity> wanted = solved_by(FfdSolver(settings), problem, {}).solution.velocity;
      ContactProblem shuffled = problem;
      for (const int threads : {1, 2, 4, 8}) {
        const auto pool = make_pool(threads);
        for (std::size_t i = shuffled.contacts.size(); i > 1; --i)
          std::swap(shuffled.contacts[i - 1], shuffled.contacts[random.below(i)]);
        EXPECT_EQ(solved_by(FfdSolver(settings), problem, {.pool = pool.get()}).solution.velocity, wanted) << threads;
        EXPECT_EQ(solved_by(FfdSolver(settings), shuffled, {.pool = pool.get()}).solution.velocity, wanted) << threads;
      }
    }
}

/// One body on what cannot move, without friction: the one exact answer, which `reference` has too.
TEST(Ffd, OneBodyWithoutFrictionIsExact) {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    ContactProblem problem;
    problem.bodies.resize(2);
    ProblemBody& body = problem.bodies[1];
    body.inverse_mass = random.uniform(0.1, 3), body.inverse_inertia = {2, 1.5, 1, 0.2, -0.1, 0.3};
    body.velocity = {random_vector(random, 2), random_vector(random, 2)};
    for (std::size_t k = 0; k < 1 + random.below(8); ++k) {
      ContactBlock contact;
      const Frame frame = make_frame(normalised(Vec3{random.uniform(-1, 1), random.uniform(-1, 1), 1.2}));
      contact.body_a = 0, contact.body_b = 1;
      contact.normal = frame.normal, contact.tangent1 = frame.tangent1, contact.tangent2 = frame.tangent2;
      contact.arm_b = random_vector(random, 1);
      problem.contacts.push_back(contact);
    }
    const Solved answer = solved_by(FfdSolver(), problem, {});
    EXPECT_LT(residual(problem, answer.solution).residual, 1e-7) << trial;
    EXPECT_LT(residual(problem, answer.solution).c7_consistency, 1e-9) << trial;
  }
}

/// A pair by itself keeps its momentum, with friction and off centre.
TEST(Ffd, PairsKeepMomentum) {
  Random random(6);
  for (int trial = 0; trial < 50; ++trial) {
    ContactProblem problem = head_on(random.uniform());
    problem.contacts[0].arm_a = random_vector(random, 0.5), problem.contacts[0].arm_b = random_vector(random, 0.5);
    problem.bodies[0].velocity.angular = random_vector(random, 3);
    // With friction they slide, and it is at its bound: the two bodies may differ in its direction.
    const double friction = trial % 2 == 0 ? 0 : 0.1;
    problem.contacts[0].friction1 = problem.contacts[0].friction2 = friction;
    const Solved answer = solved_by(FfdSolver(), problem, {});
    Vec3 momentum{};
    for (std::size_t i = 0; i < 2; ++i)
      momentum += (1 / problem.bodies[i].inverse_mass) *
                  (answer.solution.velocity[i].linear - problem.bodies[i].velocity.linear);
    EXPECT_LT(norm(momentum), 2 * friction * answer.solution.contact_impulse[0][0] + 1e-12) << trial;
  }
}

/// Two sweeps carry support one layer further: one finds the layer below held, the next stops on it. Of three layers at
/// rest the upper two fall after the first sweep, and nothing falls after the fifth.
TEST(Ffd, SweepsCarrySupportUpwards) {
  const ContactProblem problem = scenes::ball_grid(3);
  const auto falling = [&](int sweeps) {
    const Solved answer = solved_by(FfdSolver({.sweeps = sweeps}), problem, {});
    return std::count_if(answer.solution.velocity.begin(), answer.solution.velocity.end(),
                         [](const Velocity& v) { return norm(v.linear) > 1e-12; });
  };
  EXPECT_EQ(falling(1), 18);
  EXPECT_EQ(falling(3), 9);
  EXPECT_EQ(falling(5), 0);
}

TEST(Ffd, RefusesJointsWithTheReason) {
  ContactProblem problem = head_on(0);
  problem.joint_rows.resize(1);
  problem.joint_rows[0].linear_b = {1, 0, 0};
  problem.joints = {{0, 1, 0, 1}};
  const std::string message = refusal([&] { solved_by(FfdSolver(), problem, {}); });
  EXPECT_NE(message.find("joints"), std::string::npos);
  EXPECT_NE(message.find("soft_step"), std::string::npos);
}

}  // namespace
}  // namespace cairn
