// SPDX-License-Identifier: MIT
// Joints that are swept with the contacts: closed forms, the direct solve as an oracle, nets that must not gain energy.
#include "cairn/solvers/soft_step/swept_joints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/simd/simd.h"
#include "cairn/solvers/soft_step/soft_step.h"
#include "cairn/world/world.h"
#include "scenes/mechanism_problems.h"
#include "scenes/scene.h"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60, kGravity = 9.81;

WorldSettings swept_settings(const std::string& how = "sweeps") {
  WorldSettings settings;
  settings.solver = "soft_step", settings.solver_settings = {{"joint_solve", how}};
  settings.measure_residual = false;
  return settings;
}

ContactSolution solve_swept(const ContactProblem& problem, SoftStepSettings settings = {}) {
  settings.joint_solve = JointSolve::sweeps;
  ContactSolution solution;
  SolveContext context;
  SoftStepSolver(settings).solve(problem, solution, context);
  return solution;
}

double largest_joint_speed(const ContactProblem& problem, const ContactSolution& solution) {
  double most = 0;
  for (const JointBlock& joint : problem.joints)
    for (std::int32_t k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
      most = std::max(
          most, std::fabs(joint_velocity(problem.joint_rows[to_index(k)], solution.velocity[to_index(joint.body_a)],
                                         solution.velocity[to_index(joint.body_b)])));
  return most;
}

// The force of a joint is the weight that hangs on it, and it breaks above that force and not below.
TEST(SweptJoints, CarryTheWeightThatHangsOnThem) {
  for (const double strength : {0.98, 1.05}) {
    World world(swept_settings());
    std::vector<JointId> joints;
    BodyId last{};
    for (int k = 0; k < 3; ++k) {
      const BodyId ball = world.add_body({.pose = {{0, 0, -1.0 * k}}}, {{.shape = make_sphere(0.2), .mask = 0}});
      JointDef def = world.joint_at(last, ball, {{0, 0, 0.5 - k}, {}}, BallJoint{});
      if (k == 0) def.break_force = strength * 3 * world.view(ball).mass * kGravity;
      joints.push_back(world.add_joint(def));
      last = ball;
    }
    const double weight = world.view(last).mass * kGravity;
    std::size_t broken = 0;
    for (int i = 0; i < 120; ++i) broken += world.step(kDt).broken_joints.size();
    EXPECT_EQ(broken, strength < 1 ? 1u : 0u) << strength;
    if (strength < 1) continue;
    EXPECT_EQ(world.last_report().solve.joints.swept_mechanisms, 1);
    EXPECT_EQ(world.last_report().solve.joints.mechanisms, 0);
    for (std::size_t k = 0; k < joints.size(); ++k)
      EXPECT_NEAR(world.view(joints[k]).force.z, weight * static_cast<double>(3 - k), 1e-3 * weight) << k;
    EXPECT_LT(world.last_report().max_joint_error, 1e-3);
  }
}

// u' = u + dt a + M^-1 J^T l, whatever the joints; and sweeps come to J u' = 0.
TEST(SweptJoints, ImpulsesMakeTheVelocities) {
  for (const ContactProblem& problem :
       {scenes::hanging_chain(6, 2, 0.02), scenes::ragdolls(3, 0.05), scenes::track_ring(12, 0.02),
        scenes::wheeled_vehicle(scenes::vehicle_rows())}) {
    const ContactSolution few = solve_swept(problem), many = solve_swept(problem, {.sub_steps = 4, .relax = 400});
    const std::vector<Velocity> exact = velocities_from_impulses(problem, few);
    double speed = 0;
    for (const Velocity& v : few.velocity) speed = std::max(speed, norm(v.linear));
    ASSERT_GT(speed, 0.01);
    for (std::size_t i = 0; i < exact.size(); ++i)
      EXPECT_LT(norm(exact[i].linear - few.velocity[i].linear), 1e-4 * speed) << i;
    EXPECT_LT(largest_joint_speed(problem, many), 1e-3 * speed);
  }
}

// A drive with a force limit: m v = F dt while it pulls with all it has, the target when it can.
TEST(SweptJoints, ADriveReachesItsBoundOrItsSpeed) {
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
    const ContactSolution solution = solve_swept(problem);
    const double expected = std::min(1.0, 0.5 * most * problem.dt);
    EXPECT_NEAR(solution.velocity[1].linear.x, expected, 1e-6);
    EXPECT_NEAR(solution.joint_impulse[0], 2 * expected, 1e-5);
  }
}

// A spring with a weight hangs lower by m g / k, and a stop holds where it is.
TEST(SweptJoints, SpringsAndStopsHoldWhereTheyMust) {
  World world(swept_settings());
  JointAxis held{.motion = AxisMotion::limited, .lower = -0.1, .upper = 0.3};
  const BodyId slider = world.add_body({.pose = {{0, 0, 0}}}, {{.shape = make_sphere(0.2), .mask = 0}});
  world.add_joint(world.joint_at({}, slider, frame_along({0, 0, 0}, {0, 0, -1}), PrismaticJoint{held}));
  const BodyId weight = world.add_body({.pose = {{3, 0, 0}}}, {{.shape = make_sphere(0.2), .mask = 0}});
  const double stiffness = 5000;
  world.add_joint(world.joint_at({}, weight, {{3, 0, 1}, {}}, SpringJoint{1, stiffness, 300}));
  for (int i = 0; i < 600; ++i) world.step(kDt);
  EXPECT_EQ(world.last_report().solve.joints.swept_mechanisms, 2);
  EXPECT_NEAR(world.view(slider).pose.position.z, -0.3, 2e-3);
  const double sag = world.view(weight).mass * kGravity / stiffness;
  EXPECT_NEAR(world.view(weight).pose.position.z, -1 - sag, 0.01 * sag);
}

/// Two boxes on one kind of joint, pushed: where the lower one is after a second.
Vec3 end_of(const JointKind& kind, const std::string& how, double& apart) {
  World world(swept_settings(how));
  const BodyId upper = world.add_body({.pose = {{0, 0, 1.6}}}, {{.shape = make_box({0.2, 0.2, 0.2}), .mask = 0}});
  const BodyId lower = world.add_body({.pose = {{0, 0, 1}}, .velocity = {{0.5, 0.3, 0}, {0.2, 0, 0.4}}},
                                      {{.shape = make_box({0.2, 0.2, 0.2}), .mask = 0}});
  world.add_joint(world.joint_at({}, upper, frame_along({0, 0, 2}, {0, 0, 1}), BallJoint{}));
  JointDef def = world.joint_at(upper, lower, frame_along({0, 0, 1.3}, {1, 0, 0}), kind);
  const bool has_length = std::holds_alternative<DistanceJoint>(kind) || std::holds_alternative<RopeJoint>(kind) ||
                          std::holds_alternative<SpringJoint>(kind);
  if (has_length) def.frame_a = def.frame_b = {};  // the centres, 0.6 m apart
  world.add_joint(def);
  for (int i = 0; i < 60; ++i) apart = std::max(apart, world.step(kDt).max_joint_error);
  return world.view(lower).pose.position;
}

TEST(SweptJoints, EveryKindMovesAsWithTheDirectSolve) {
  const JointAxis limited{.motion = AxisMotion::limited, .lower = -0.2, .upper = 0.2, .friction = 0.5};
  const JointKind kinds[] = {BallJoint{0.6, limited, 0.1},
                             HingeJoint{limited},
                             PrismaticJoint{limited},
                             CylindricalJoint{limited, {}},
                             FixedJoint{},
                             DistanceJoint{0.6},
                             RopeJoint{0.65, 0, 0},
                             SpringJoint{0.6, 8000, 100},
                             UniversalJoint{limited, {}},
                             PlanarJoint{{}, limited, limited},
                             SixDofJoint{{limited}, {limited}}};
  for (const JointKind& kind : kinds) {
    double swept_apart = 0, apart = 0;
    const Vec3 swept = end_of(kind, "sweeps", swept_apart), direct = end_of(kind, "direct", apart);
    EXPECT_LT(norm(swept - direct), 0.05) << kind_name(kind);
    EXPECT_LT(swept_apart, 0.01) << kind_name(kind);
  }
}

// Repro of a net that gained energy without end: no net does, whatever its size, and its joints stay together.
TEST(SweptJoints, NetsNeverGainEnergy) {
  for (const int size : {7, 10, 14}) {  // smaller ones are solved directly
    scenes::Scene scene = scenes::make_scene("joint_net_" + std::to_string(size), {}, [](WorldSettings& settings) {
                            settings.measure_residual = false;
                          }).value_or_throw();
    double most = -1e30, apart = 0;
    for (int i = 0; i < 240; ++i) {
      const StepReport& report = scene.world.step(scene.dt);
      ASSERT_TRUE(report.quarantined.empty()) << size;
      most = std::max(most, report.kinetic_energy + report.potential_energy);
      apart = std::max(apart, report.max_joint_error);
    }
    EXPECT_EQ(scene.world.last_report().solve.joints.swept_mechanisms, 1) << size;
    const double weight = 1000 * 4.0 / 3 * kPi * 0.064 * kGravity * size * size;
    EXPECT_LT(most, 1e-3 * weight) << size;  // J: lifted by a millimetre
    EXPECT_LT(apart, 0.06) << size;
  }
}

// Colours are solved side by side, and lanes are as wide as the processor has them.
TEST(SweptJoints, SameBitsForAnyThreadsAndInstructions) {
  const auto hash_of = [](int threads, const char* simd) {
    force_simd(simd);
    scenes::Scene scene = scenes::make_scene("joint_net_24", {}, [&](WorldSettings& settings) {
                            settings.threads = threads;
                          }).value_or_throw();
    for (int i = 0; i < 20; ++i) scene.world.step(scene.dt);
    EXPECT_EQ(scene.world.last_report().solve.joints.swept_mechanisms, 1);
    force_simd("auto");
    return scene.world.state_hash();
  };
  const auto expected = hash_of(1, "auto");
  for (const int threads : {2, 3, 8}) EXPECT_EQ(hash_of(threads, "auto"), expected) << threads;
  for (const std::string& simd : simd_names()) EXPECT_EQ(hash_of(1, simd.c_str()), expected) << simd;
}

}  // namespace
}  // namespace cairn
