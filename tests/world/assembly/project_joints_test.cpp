// SPDX-License-Identifier: MIT
// Joints on the level of positions: uniform circular motion, momentum, heavy loads, stops, what cannot be closed; and
// sub-steps.
#include "cairn/world/assembly/project_joints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cairn/math/angle.h"
#include "cairn/world/world.h"
#include "scenes/scene.h"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60;

WorldSettings direct(const Vec3& gravity = {}) {
  WorldSettings settings;
  settings.solver = "ldl_pgs";
  settings.gravity = gravity;
  return settings;
}

/// A ball of 2 kg whose inertia is that of its radius of gyration.
BodyId add_mass(World& world, const Vec3& at, double mass = 2, double gyration = 0.1) {
  const double i = mass * gyration * gyration;
  return world.add_body({.pose = {at, {}}, .mass = MassProperties{mass, {}, SymMat3::diagonal(i, i, i)}});
}

double energy(const StepReport& report) { return report.kinetic_energy + report.potential_energy; }

/// A mass on an arm of 1 m turns about the origin at 6 rad/s: a tenth of a radian per step.
struct Whirl {
  static constexpr double kRate = 6, kMass = 2;
  explicit Whirl(const WorldSettings& settings) : world(settings) {
    body = add_mass(world, {1, 0, 0}, kMass);
    joint = world.add_joint(world.joint_at({}, body, {{0, 0, 0}, {}}, BallJoint{}));
    world.set_velocity(body, {{0, kRate, 0}, {0, 0, kRate}});
  }
  World world;
  BodyId body;
  JointId joint;
};

TEST(JointProjection, AWhirlingMassKeepsItsRadiusSpeedAndForce) {
  Whirl whirl(direct());
  const auto speed = [&] { return norm(whirl.world.view(whirl.body).velocity.linear); };
  double settled = 0;
  for (int k = 0; k < 600; ++k) {
    const StepReport& report = whirl.world.step(kDt);
    ASSERT_LT(report.max_joint_error, 1.5e-6) << "step " << k;
    ASSERT_EQ(report.joint_projection.apart, 0);
    if (k == 10) settled = speed();
  }
  EXPECT_NEAR(norm(whirl.world.view(whirl.body).centre), 1, 2e-6);
  // The first step has taken nothing that it could give back: it loses what turning the velocity by a tenth costs.
  EXPECT_GT(settled, Whirl::kRate * std::cos(Whirl::kRate * kDt));
  EXPECT_NEAR(speed(), settled, 1e-4 * settled);
  const double force = Whirl::kMass * settled * settled;  // m v^2 / r
  EXPECT_NEAR(norm(whirl.world.view(whirl.joint).force), force, 2e-3 * force);
}

TEST(JointProjection, WithoutItTheRadiusIsWrong) {
  WorldSettings settings = direct();
  settings.joint_projection.use = JointProjection::off;
  Whirl whirl(settings);
  for (int k = 0; k < 600; ++k) whirl.world.step(kDt);
  EXPECT_GT(norm(whirl.world.view(whirl.body).centre), 1.01);
}

/// Two bodies joined off their centres tumble in free space.
TEST(JointProjection, KeepsMomentumAndTheCentreOfMass) {
  World world(direct());
  const BodyId a = add_mass(world, {0, 0, 0}, 1), b = add_mass(world, {1, 0.2, 0}, 50);
  world.add_joint(world.joint_at(a, b, frame_along({0.4, 0.3, 0.1}, {0, 1, 1}), HingeJoint{}));
  world.set_velocity(a, {{1, 2, 0}, {3, 4, 5}});
  world.set_velocity(b, {{0.3, 0, 0.1}, {0, 1, 0}});
  const auto momentum = [&] {
    return world.view(a).mass * world.view(a).velocity.linear + world.view(b).mass * world.view(b).velocity.linear;
  };
  const auto centre = [&] {
    return (1.0 / 51) * (world.view(a).mass * world.view(a).centre + world.view(b).mass * world.view(b).centre);
  };
  const Vec3 p = momentum(), start = centre();
  for (int k = 0; k < 300; ++k) ASSERT_LT(world.step(kDt).max_joint_error, 1.5e-6);
  EXPECT_LT(norm(momentum() - p), 1e-10);
  EXPECT_LT(norm(centre() - start - (300 * kDt / 51) * p), 1e-10);
}

TEST(JointProjection, LinksThatTurnByMoreThanARadianPerStepStayTogether) {
  World world(direct({0, 0, -9.81}));
  BodyId last{};
  for (int k = 0; k < 6; ++k) {
    const BodyId link = add_mass(world, {0.5 * k + 0.25, 0, 0}, k == 5 ? 100 : 0.1, 0.15);
    world.add_joint(world.joint_at(last, link, {{0.5 * k, 0, 0}, {}}, BallJoint{}));
    world.set_velocity(link, {{0, 0, 0}, {0, k % 2 == 0 ? 90.0 : -90.0, 20}});
    last = link;
  }
  double walked = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport& report = world.step(kDt);
    ASSERT_LT(report.max_joint_error, 1e-5) << "step " << k;
    walked += static_cast<double>(report.joint_projection.projected);
  }
  EXPECT_GT(walked, 0);  // or this tests nothing
}

TEST(JointProjection, AnErrorFromBeforeIsClosedWithoutAKick) {
  World world(direct());
  const BodyId body = add_mass(world, {1.1, 0, 0});
  JointDef def = world.joint_at({}, body, {{0, 0, 0}, {}}, BallJoint{});
  def.frame_b.position = {-1, 0, 0};
  world.add_joint(def);
  WorldSettings settings = world.settings();
  settings.stabilisation.joint_rate = 0;
  world.set_settings(settings);
  const StepReport& report = world.step(kDt);
  EXPECT_EQ(report.joint_projection.projected, 1);
  EXPECT_NEAR(norm(world.view(body).centre), 1, 1e-6);
  EXPECT_LT(norm(world.view(body).velocity.linear), 1e-12);
}

TEST(JointProjection, PassedStopsAreClosedAndDrivesAreFree) {
  World world(direct());
  WorldSettings settings = world.settings();
  settings.stabilisation.joint_rate = 0;
  world.set_settings(settings);
  JointAxis stopped, driven;
  stopped.motion = AxisMotion::limited, stopped.lower = -0.5, stopped.upper = 0.5;
  driven.drive = {DriveKind::velocity, 2, 0, 0, 0, kUnlimited};
  // Beyond its stop by 0.2 rad; beside it, a hinge that is driven without limit.
  const BodyId beyond = add_mass(world, {1, 0, 0}), turning = add_mass(world, {1, 5, 0});
  JointDef def = world.joint_at({}, beyond, frame_along({0, 0, 0}, {0, 0, 1}), HingeJoint{stopped});
  def.frame_b.orientation =
      from_axis({0, 0, 1}, std::sin(-0.35), std::cos(-0.35)) * def.frame_b.orientation;  // 0.7 rad back
  const JointId stop = world.add_joint(def);
  const JointId drive =
      world.add_joint(world.joint_at({}, turning, frame_along({0, 5, 0}, {0, 0, 1}), HingeJoint{driven}));
  ASSERT_NEAR(world.view(stop).turn.x, -0.7, 1e-9);
  for (int k = 0; k < 30; ++k) world.step(kDt);
  EXPECT_NEAR(world.view(stop).turn.x, -0.5, 2e-6);
  EXPECT_NEAR(world.view(drive).turn.x, 30 * kDt * 2, 1e-2);
}

TEST(JointProjection, WhatCannotBeClosedIsToldAndHarmless) {
  World world(direct({0, 0, -9.81}));
  const BodyId body = add_mass(world, {1.5, 0, 0});
  for (const double x : {0.0, 3.0}) {  // rods of 1 m to points 3 m apart
    JointDef def = world.joint_at({}, body, {{x, 0, 0}, {}}, DistanceJoint{1});
    def.frame_b = {};
    world.add_joint(def);
  }
  for (int k = 0; k < 120; ++k) EXPECT_EQ(world.step(kDt).joint_projection.apart, 1);
  EXPECT_LT(norm(world.view(body).centre - Vec3{1.5, 0, 0}), 2);
  EXPECT_LT(norm(world.view(body).velocity.linear), 20);
}

TEST(JointProjection, CompliantJointsAreLeftAlone) {
  World world(direct({0, 0, -9.81}));
  const BodyId body = add_mass(world, {0, 0, 0}, 2);
  JointDef def = world.joint_at({}, body, {{0, 0, 0}, {}}, FixedJoint{});
  def.linear = {1e-3, 200};  // 1 kN/m
  world.add_joint(def);
  for (int k = 0; k < 600; ++k) EXPECT_EQ(world.step(kDt).joint_projection.projected, 0);
  EXPECT_NEAR(world.view(body).centre.z, -2 * 9.81 * 1e-3, 1e-6);
}

/// 25 links of 1 kg carry 1000 kg from the horizontal down and up again.
struct ChainCase {
  const char* solver;
  int sub_steps;
  double most_lost;  ///< of the energy that the chain could lose
};
void PrintTo(const ChainCase& c, std::ostream* out) { *out << c.solver << "_" << c.sub_steps; }
class HeavyChain : public ::testing::TestWithParam<ChainCase> {};

TEST_P(HeavyChain, NeverTearsAndNeverGainsEnergy) {
  scenes::Scene scene = scenes::make_scene("heavy_chain_1000", {}, [](WorldSettings& settings) {
                          settings.solver = GetParam().solver;
                          settings.sub_steps = GetParam().sub_steps;
                        }).value_or_throw();
  double last = 0;
  for (int k = 0; k < 600; ++k) {
    const StepReport& report = scene.world.step(kDt);
    ASSERT_LT(report.max_joint_error, 1e-5) << "step " << k;
    ASSERT_EQ(report.joint_projection.apart, 0);
    ASSERT_LE(last = energy(report), 0) << "step " << k;  // at the start it is 0
  }
  const double scale = 1000 * 9.81 * 25;
  EXPECT_GT(last, -GetParam().most_lost * scale);
}
INSTANTIATE_TEST_SUITE_P(Solvers, HeavyChain,
                         ::testing::Values(ChainCase{"ldl_pgs", 1, 0.15}, ChainCase{"ldl_pgs", 4, 0.05},
                                           ChainCase{"soft_step", 1, 0.15}));

TEST(JointProjection, SameBitsForAnyNumberOfThreadsAndBothWaysIntoLanes) {
  const auto run = [](const char* solver, int threads, bool measured) {
    scenes::Scene scene = scenes::make_scene("hinge_chains", {{"chains", "20"}}, [&](WorldSettings& settings) {
                            settings.solver = solver;
                            settings.threads = threads;
                            settings.measure_residual = measured;
                          }).value_or_throw();
    for (int k = 0; k < 60; ++k) scene.world.step(kDt);
    EXPECT_GT(scene.world.last_report().contacts, 0);
    return scene.world.state_hash();
  };
  for (const char* solver : {"ldl_pgs", "soft_step"}) EXPECT_EQ(run(solver, 1, true), run(solver, 4, true)) << solver;
  EXPECT_EQ(run("soft_step", 1, true), run("soft_step", 3, false));
}

TEST(JointProjection, BadSettingsAreNamed) {
  WorldSettings settings;
  settings.joint_projection.tolerance = 0;
  EXPECT_THROW(World{settings}, InputError);
  settings = {};
  settings.sub_steps = 0;
  EXPECT_THROW(World{settings}, InputError);
}

TEST(SubSteps, AreStepsOfAPartOfTheTime) {
  const auto run = [](int sub_steps, int steps) {
    WorldSettings settings = direct({0, 0, -9.81});
    settings.sub_steps = sub_steps;
    World world(settings);
    world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
    BodyId last{};
    for (int k = 0; k < 5; ++k) {
      const BodyId link = world.add_body({.pose = {{0.5 * k, 0, 1}, {}}}, {{.shape = make_box({0.2, 0.1, 0.1})}});
      if (k > 0) world.add_joint(world.joint_at(last, link, {{0.5 * k - 0.25, 0, 1}, {}}, BallJoint{}));
      last = link;
    }
    for (int k = 0; k < steps; ++k) world.step(sub_steps / 240.0);
    return world.state_hash();
  };
  EXPECT_EQ(run(4, 30), run(1, 120));
}

TEST(SubSteps, ForcesActOverTheWholeStep) {
  WorldSettings settings;
  settings.gravity = {};
  settings.sub_steps = 5;
  World world(settings);
  const BodyId body = add_mass(world, {}, 2);
  world.add_force(body, {3, 0, 0});
  world.step(0.1);
  EXPECT_NEAR(world.view(body).velocity.linear.x, 3 * 0.1 / 2, 1e-14);
  world.step(0.1);
  EXPECT_NEAR(world.view(body).velocity.linear.x, 3 * 0.1 / 2, 1e-14);
}

TEST(SubSteps, EventsOfAllAreTold) {
  WorldSettings settings;
  settings.sub_steps = 4;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 1}, {}}, .velocity = {{0, 0, -20}, {}}}, {{.shape = make_sphere(0.5)}});
  int begins = 0;
  world.set_contact_listener(
      [&](const ContactEvent& event) { begins += event.kind == ContactEventKind::begin ? 1 : 0; });
  world.step(0.04);  // touches in the third of four parts
  EXPECT_EQ(begins, 1);
}

}  // namespace
}  // namespace cairn
