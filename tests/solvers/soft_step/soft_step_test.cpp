// SPDX-License-Identifier: MIT
#include "cairn/solvers/soft_step/soft_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "cairn/problem/residual.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/soft_step/lane_kernels.h"
#include "cairn/world/world.h"
#include "scenes/mechanism_problems.h"
#include "tests/analytic/bench.h"
#include "tests/solvers/solved.h"

namespace cairn {
namespace {

using bench::kGravity;

Velocity random_velocity(Random& random, double size) {
  const auto number = [&] { return size * random.uniform(-1, 1); };
  return {{number(), number(), number()}, {number(), number(), number()}};
}

Vec3 random_unit(Random& random) {
  for (;;) {
    const Vec3 v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (dot(v, v) > 0.01 && dot(v, v) < 1) return (1.0 / norm(v)) * v;
  }
}

/// Manifolds of one to four points, several per pair, between bodies of every kind, balls among them, with all the
/// extras.
ContactProblem random_problem(std::uint64_t seed, int bodies, int manifolds, bool extras) {
  Random random(seed);
  ContactProblem problem;
  for (int i = 0; i < bodies; ++i) {
    ProblemBody body;
    body.velocity = random_velocity(random, i % 7 == 0 && !extras ? 0 : 1);
    if (i % 7 != 0) {  // else it cannot move, or not by itself
      body.inverse_mass = random.uniform(0.1, 2);
      const double a = random.uniform(0.5, 3), b = random.uniform(0.5, 3), c = random.uniform(0.5, 3);
      body.inverse_inertia = {a + 1, b + 1, c + 1, 0.3 * a, -0.2 * b, 0.1 * c};
      body.acceleration = {{0, 0, -kGravity}, {0.1, 0, 0}};
      if (i % 7 == 3) body.inverse_inertia = {}, body.acceleration.angular = {};
      if (i % 7 > 3) body.inverse_inertia = {a, a, a, 0, 0, 0};
    }
    problem.bodies.push_back(body);
  }
  for (int k = 0; k < manifolds; ++k) {
    ContactBlock c;
    c.body_a = static_cast<std::int32_t>(random.uniform(0, bodies));
    c.body_b = static_cast<std::int32_t>(random.uniform(0, bodies));
    const auto moves = [&](std::int32_t b) { return b % 7 != 0; };
    if (c.body_a == c.body_b || (!moves(c.body_a) && !moves(c.body_b))) continue;
    for (int normals = k % 3 == 0 ? 2 : 1; normals > 0; --normals) {
      const Frame frame = make_frame(random_unit(random));
      c.normal = frame.normal, c.tangent1 = frame.tangent1, c.tangent2 = frame.tangent2;
      c.friction1 = c.friction2 = random.uniform(0, 1);
      if (extras && k % 5 == 0) c.friction2 = 0.5 * c.friction1;
      if (extras && k % 5 == 1) c.restitution = 0.5;
      c.spin_radius = extras && k % 5 == 2 ? 0.05 : 0;
      for (int p = k % 4; p >= 0; --p) {
        c.arm_a = 0.5 * random_unit(random), c.arm_b = 0.5 * random_unit(random);
        if (k % 8 == 0) c.arm_a = random.uniform(0.1, 1) * c.normal, c.arm_b = -random.uniform(0.1, 1) * c.normal;
        c.gap = random.uniform(-0.01, 0.005);
        problem.contacts.push_back(c);
      }
    }
  }
  return problem;
}

Solved solve(const ContactProblem& problem, const SoftStepSettings& settings = {}, ThreadPool* pool = nullptr) {
  return solved_by(SoftStepSolver(settings), problem, {.pool = pool, .measure_end = true});
}

void expect_same_bits(const ContactSolution& a, const ContactSolution& b, const std::string& what) {
  ASSERT_EQ(a.velocity.size(), b.velocity.size());
  EXPECT_EQ(std::memcmp(a.velocity.data(), b.velocity.data(), a.velocity.size() * sizeof(Velocity)), 0) << what;
  EXPECT_EQ(std::memcmp(a.displacement.data(), b.displacement.data(), a.displacement.size() * sizeof(Velocity)), 0)
      << what;
  ASSERT_EQ(a.contact_carry.size(), b.contact_carry.size());
  EXPECT_EQ(std::memcmp(a.contact_carry.data(), b.contact_carry.data(), a.contact_carry.size() * 32), 0) << what;
  EXPECT_EQ(std::memcmp(a.contact_impulse.data(), b.contact_impulse.data(), a.contact_impulse.size() * 32), 0) << what;
}

class Forced {
 public:
  explicit Forced(const std::string& name) { force_simd(name); }
  ~Forced() { force_simd("auto"); }
};

TEST(LaneKernels, EveryInstructionSetGivesTheBitsOfScalars) {
  const std::vector<std::string> names = simd_names();
  ASSERT_GE(names.size(), 2u) << "nothing to compare on this machine";
  EXPECT_EQ(names.front(), "scalar");
  for (const bool extras : {false, true})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const ContactProblem problem = random_problem(seed, 60, 100, extras);
      Solved scalar;
      {
        const Forced forced("scalar");
        scalar = solve(problem);
      }
      for (const std::string& name : names) {
        const Forced forced(name);
        expect_same_bits(solve(problem).solution, scalar.solution, name);
      }
    }
}

TEST(LaneKernels, UnknownInstructionSetsAreRefused) {
  EXPECT_THROW(force_simd("avx1024"), InputError);
  EXPECT_THROW(force_simd(""), InputError);
}

TEST(SoftStep, SameBitsForAnyThreads) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const ContactProblem problem = random_problem(seed, 2000, 5000, true);
    const Solved one = solve(problem);
    for (const int threads : {2, 3, 8}) {
      ThreadPool pool(threads);
      expect_same_bits(solve(problem, {}, &pool).solution, one.solution, std::to_string(threads));
    }
  }
}

TEST(SoftStep, VelocitiesAreThoseOfTheImpulses) {
  // C7 in float; one point per manifold, where forces at points and forces at the middle are the same.
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ContactProblem problem = random_problem(seed, 40, 60, false);
    std::vector<ContactBlock> single;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k)
      if (k == 0 || !(problem.contacts[k].normal == problem.contacts[k - 1].normal))
        single.push_back(problem.contacts[k]);
    problem.contacts = single;
    const Solved solved = solve(problem);
    const std::vector<Velocity> expected = velocities_from_impulses(problem, solved.solution);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(norm(expected[i].linear - solved.solution.velocity[i].linear), 2e-4) << seed << " " << i;
      EXPECT_LT(norm(expected[i].angular - solved.solution.velocity[i].angular), 2e-4) << seed << " " << i;
    }
  }
}

/// Round manifolds are a shorter way to the same answer: bodies that are balls but for the last digits go the long way.
/// In pairs, where rounding does not grow: some ten operations on speeds of up to 5, in float.
TEST(SoftStep, BallsMoveAsBodiesThatAreAlmostBalls) {
  int round = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ContactProblem problem = random_problem(seed, 80, 200, false);
    std::vector<ContactBlock> single;
    std::vector<bool> used(problem.bodies.size());
    for (ContactBlock c : problem.contacts) {
      const auto a = to_index(c.body_a), b = to_index(c.body_b);
      if (used[a] || used[b]) continue;
      used[a] = problem.bodies[a].is_dynamic(), used[b] = problem.bodies[b].is_dynamic();
      c.arm_a = 0.5 * c.normal, c.arm_b = -0.3 * c.normal;
      single.push_back(c);
    }
    problem.contacts = single;
    for (ProblemBody& body : problem.bodies)
      if (body.is_dynamic()) body.inverse_inertia = {2, 2, 2, 0, 0, 0};
    ContactProblem almost = problem;
    for (ProblemBody& body : almost.bodies) body.inverse_inertia.xx *= 1 + 1e-9;
    SoftStepSolver solver(SoftStepSettings{});
    ContactSolution solution;
    SolveContext context;
    solver.solve(problem, solution, context);
    for (const LaneSlot& slot : solver.lanes().slots) round += lane_kind(static_cast<int>(slot.kind)).round ? 1 : 0;
    const ContactSolution expected = solve(almost).solution;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
      EXPECT_LT(norm(solution.velocity[i].linear - expected.velocity[i].linear), 1e-5) << seed << " " << i;
      EXPECT_LT(norm(solution.velocity[i].angular - expected.velocity[i].angular), 1e-5) << seed << " " << i;
    }
  }
  EXPECT_GT(round, 200);
}

TEST(SoftStep, WhatNothingTouchesFallsExactly) {
  ContactProblem problem;
  problem.bodies.resize(1);
  problem.bodies[0].inverse_mass = 1;
  problem.bodies[0].velocity.linear = {1, 2, 3};
  problem.bodies[0].acceleration.linear = {0, 0, -kGravity};
  const Solved solved = solve(problem, {.sub_steps = 5});
  EXPECT_DOUBLE_EQ(solved.solution.velocity[0].linear.z, 3 - problem.dt * kGravity);
  double z = 0, v = 3;
  for (int k = 0; k < 5; ++k) v -= problem.dt / 5 * kGravity, z += problem.dt / 5 * v;
  EXPECT_NEAR(solved.solution.displacement[0].linear.z, z, 1e-15);
}

WorldSettings soft_settings(const NamedSettings& settings = {}) {
  WorldSettings result;
  result.solver = "soft_step", result.solver_settings = settings;
  return result;
}

/// A box of 1 m on the ground.
BodyId add_box_on_ground(World& world, double friction, const Vec3& velocity) {
  bench::add_ramp(world, 0, bench::rough(friction));
  return world.add_body({.pose = {{0, 0, 0.5}, {}}, .velocity = {velocity, {}}},
                        {{.shape = make_box({0.5, 0.5, 0.5}), .material = bench::rough(friction)}});
}

TEST(SoftStep, RestsAsDeepAsItsSpringSays) {
  // (load / effective mass) / w^2. Each corner carries a quarter of m g; its effective mass is
  // 1 / (1/m + (r x n)^2 / I) = 1 / (1 + 0.5 * 6) m = m / 4.
  World world(soft_settings({{"sub_steps", "4"}, {"hertz", "30"}}));
  const BodyId box = add_box_on_ground(world, 0.5, {});
  bench::run(world, 300, 1.0 / 60);
  const double omega = 2 * kPi * 30;
  EXPECT_NEAR(world.view(box).pose.position.z, 0.5 - kGravity / (omega * omega), 2e-6);
  EXPECT_LT(norm(world.view(box).velocity.linear), 1e-6);
}

TEST(SoftStep, SlidesToAHaltOverItsDistance) {
  World world(soft_settings());
  const BodyId box = add_box_on_ground(world, 0.5, {5, 0, 0});
  bench::run(world, 120, 1.0 / 60);
  bench::expect_relative("distance", world.view(box).pose.position.x, 25 / (2 * 0.5 * kGravity), 0.005);
  EXPECT_LT(norm(world.view(box).velocity.linear), 1e-5);
}

TEST(SoftStep, BouncesByNewtonsLaw) {
  WorldSettings settings = soft_settings();
  settings.gravity = {};
  World world(settings);
  const Material material{.friction = 0, .restitution = 0.6};
  bench::add_ramp(world, 0, material);
  const BodyId ball = world.add_body({.pose = {{0, 0, 0.6}, {}}, .velocity = {{0, 0, -2}, {}}},
                                     {{.shape = make_sphere(0.5), .material = material}});
  bench::run(world, 30, 1.0 / 60);
  EXPECT_NEAR(world.view(ball).velocity.linear.z, 0.6 * 2, 1e-5);
}

TEST(SoftStep, AMovingBeltCarriesWhatLiesOnIt) {
  World world(soft_settings());
  world.add_body({.kind = BodyKind::kinematic, .pose = {{0, 0, -0.5}, {}}, .velocity = {{2, 0, 0}, {}}},
                 {{.shape = make_box({50, 5, 0.5})}});
  const BodyId box = world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  bench::run(world, 180, 1.0 / 60);
  EXPECT_NEAR(world.view(box).velocity.linear.x, 2, 1e-5);
  EXPECT_LT(std::fabs(world.view(box).velocity.angular.y), 1e-5);
}

TEST(SoftStep, ManySubStepsComeToTheTrajectoryOfTheReference) {
  // A box that lands on an edge and tumbles over.
  const auto run = [](WorldSettings settings, double dt) {
    settings.stabilisation.slop = 1e-4;
    World world(settings);
    bench::add_ramp(world, 0, bench::rough(0.5));
    const BodyId box = world.add_body({.pose = {{0, 0, 0.75}, bench::turn_about({1, 0, 0}, 0.3)}},
                                      {{.shape = make_box({0.5, 0.5, 0.5})}});
    bench::run(world, static_cast<int>(std::lround(0.4 / dt)), dt);
    return world.view(box).pose.position;
  };
  WorldSettings reference;
  reference.solver = "reference", reference.tolerance = 1e-10;
  const Vec3 exact = run(reference, 1.0 / 3840);
  const double coarse = norm(run(soft_settings({{"sub_steps", "4"}}), 1.0 / 60) - exact);
  const double fine = norm(run(soft_settings({{"sub_steps", "16"}}), 1.0 / 240) - exact);
  EXPECT_LT(coarse, 0.05);
  EXPECT_LT(fine, 0.01);
  EXPECT_LT(fine, coarse);
}

// Joints hold to the precision of float velocities, and the impulses are those that make the velocities.
TEST(SoftStep, JointsHoldAndTheirImpulsesMakeTheVelocities) {
  const ContactProblem problem = scenes::hanging_chain(20, 1000, 0.02);
  ContactSolution solution;
  SolveContext context;
  SoftStepSolver().solve(problem, solution, context);
  const std::vector<Velocity> exact = velocities_from_impulses(problem, solution);
  double speed = 0;
  for (const Velocity& v : solution.velocity) speed = std::max(speed, norm(v.linear));
  ASSERT_GT(speed, 0.01);
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_LT(norm(exact[i].linear - solution.velocity[i].linear), 1e-4 * speed) << i;
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      EXPECT_NEAR(joint_velocity(problem.joint_rows[to_index(k)], solution.velocity[to_index(joint.body_a)],
                                 solution.velocity[to_index(joint.body_b)]),
                  0, 1e-5 * speed);
}

// A drive with a force limit: m v = F dt while it pulls with all it has, the target when it can.
TEST(SoftStep, ADriveReachesItsBoundOrItsSpeed) {
  for (const double most : {3.0, 300.0}) {  // N
    ContactProblem problem;
    problem.dt = 0.01;
    problem.bodies.resize(2);
    problem.bodies[1].inverse_mass = 0.5, problem.bodies[1].inverse_inertia = {1, 1, 1, 0, 0, 0};
    JointRow row;
    row.linear_a = {-1, 0, 0}, row.linear_b = {1, 0, 0};
    row.target_velocity = 1;
    row.lower = -most * problem.dt, row.upper = most * problem.dt;
    problem.joint_rows = {row};
    problem.joints = {{0, 1, 0, 1}};
    ContactSolution solution;
    SolveContext context;
    SoftStepSolver().solve(problem, solution, context);
    const double expected = std::min(1.0, 0.5 * most * problem.dt);
    EXPECT_NEAR(solution.velocity[1].linear.x, expected, 1e-6);
    EXPECT_NEAR(solution.joint_impulse[0], 2 * expected, 1e-5);
  }
}

TEST(SoftStep, BadNumbersAreRefusedAtTheDoor) {
  ContactProblem problem = random_problem(1, 10, 10, false);
  problem.contacts.at(0).gap = std::nan("");
  EXPECT_THROW(solve(problem), InputError);
  SolveContext context;
  DelassusSolution flat;
  EXPECT_THROW(SoftStepSolver().solve(DelassusProblem{}, flat, context), InputError);
}

}  // namespace
}  // namespace cairn
