// SPDX-License-Identifier: MIT
// Joints against closed forms: pendulum, spring and damper, drives with limits, stops, friction, gears. The mechanisms
// of the IFToMM library of benchmarks are in iftomm_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "cairn/math/angle.h"
#include "tests/analytic/bench.h"

namespace cairn::bench {
namespace {

constexpr double kDt = 1.0 / 60;

WorldSettings without_gravity() {
  WorldSettings settings = exact_settings();
  settings.gravity = {};
  return settings;
}

JointAxis driven(double speed, double max_force) {
  JointAxis axis;
  axis.drive = {DriveKind::velocity, speed, 0, 0, 0, max_force};
  return axis;
}

JointAxis limited(double lower, double upper) {
  JointAxis axis;
  axis.motion = AxisMotion::limited, axis.lower = lower, axis.upper = upper;
  return axis;
}

/// Small swings of a rod about a hinge at its end: T = 2 pi sqrt(2 L / (3 g)).
TEST(Pendulum, SmallSwingsHaveThePeriodOfTheRod) {
  World world(exact_settings());
  const BodyId rod = add_rod(world, {0, 0, 0}, {0, 0, -1}, 2, 0.01);
  const JointId hinge = world.add_joint(world.joint_at({}, rod, frame_along({}, {0, 1, 0}), HingeJoint{}));
  world.set_velocity(rod, {{-0.5 * 0.01, 0, 0}, {0, 0.01, 0}});
  constexpr double kStep = 1e-3;
  double last = 0, period = 0;
  for (int i = 1; i < 5000 && period == 0; ++i) {
    world.step(kStep);
    const double angle = world.view(hinge).turn.x;
    if (last < 0 && angle >= 0) period = kStep * (i - angle / (angle - last));
    last = angle;
  }
  EXPECT_NEAR(period, kTurn * std::sqrt(2.0 / 3 / kGravity), 1e-3);
}

/// m x'' + c x' + k x = 0. The joint is the implicit Euler rule to rounding, and near the closed form at small steps.
TEST(Spring, HasItsFrequencyAndDamping) {
  const double mass = 3, stiffness = 500, damping = 6, start = 0.2;
  for (const double dt : {1.0 / 60, 1e-4}) {
    World world(without_gravity());
    const BodyId body = add_mass(world, {2 + start, 0, 0}, mass);
    JointDef def = world.joint_at({}, body, {{2 + start, 0, 0}, {}}, SpringJoint{2, stiffness, damping});
    def.frame_a = {};
    world.add_joint(def);
    const double omega = std::sqrt(stiffness / mass), zeta = damping / (2 * std::sqrt(stiffness * mass));
    const double omega_d = omega * std::sqrt(1 - zeta * zeta);
    double x = start, v = 0;
    const int steps = static_cast<int>(1 / dt);
    for (int i = 0; i < steps; ++i) {
      world.step(dt);
      v = (v - dt * stiffness / mass * x) / (1 + dt * damping / mass + dt * dt * stiffness / mass);
      x += dt * v;
      ASSERT_NEAR(world.view(body).pose.position.x - 2, x, 1e-9) << i;
    }
    if (dt > 1e-3) continue;
    const double t = dt * steps;
    const double exact =
        start * std::exp(-zeta * omega * t) * (std::cos(omega_d * t) + zeta * omega / omega_d * std::sin(omega_d * t));
    EXPECT_NEAR(x, exact, 0.5 * omega * omega * dt * t * start);  // the damping of the implicit rule
  }
}

/// Rows that hold are springs, too: a weight on a soft weld sinks by compliance times weight.
TEST(Spring, CompliantWeldSinksByItsLoad) {
  World world(exact_settings());
  const BodyId body = add_mass(world, {0, 0, 0}, 5);
  JointDef def = world.joint_at({}, body, {{0, 0, 0}, {}}, FixedJoint{});
  def.linear = {1e-4, 800};
  const JointId joint = world.add_joint(def);
  run(world, 600, kDt);
  EXPECT_NEAR(world.view(body).pose.position.z, -1e-4 * 5 * kGravity, 1e-9);
  EXPECT_NEAR(world.view(joint).force.z, 5 * kGravity, 1e-6);
  EXPECT_EQ(world.view(joint).separation, 0);  // a spring is not apart
}

TEST(Drive, VelocityTakesNoMoreThanItsTorque) {
  World world(without_gravity());
  const BodyId wheel = add_mass(world, {}, 2, 0.5);  // 0.5 kg m^2
  const JointId hinge =
      world.add_joint(world.joint_at({}, wheel, frame_along({}, {0, 0, 1}), HingeJoint{driven(4, 3)}));
  run(world, 30, kDt);  // 3 / 0.5 = 6 rad/s^2 for half a second
  EXPECT_NEAR(world.view(wheel).velocity.angular.z, 3, 1e-9);
  EXPECT_NEAR(world.view(hinge).torque.z, 3, 1e-9);
  run(world, 90, kDt);
  EXPECT_NEAR(world.view(wheel).velocity.angular.z, 4, 1e-9);
  EXPECT_NEAR(world.view(hinge).torque.z, 0, 1e-6);
  EXPECT_GT(world.view(hinge).turn.x, 0.5 * kTurn);  // counts on beyond half a turn
  // Another speed.
  JointDef def = world.joint_def(hinge);
  std::get<HingeJoint>(def.kind).turn.drive.speed = -1;
  world.set_joint(hinge, def);
  run(world, 120, kDt);
  EXPECT_NEAR(world.view(wheel).velocity.angular.z, -1, 1e-9);
}

/// Stop, drive and friction are rows along one axis: whichever of them gives way, the others must be seen to.
TEST(Drive, LeavesItsStopAgain) {
  for (const char* solver : {"soft_step", "ldl_pgs", "gauss_seidel"})
    for (const double friction : {0.0, 1.0}) {
      SCOPED_TRACE(std::string(solver) + ", friction " + std::to_string(friction));
      WorldSettings settings = without_gravity();
      choose_solver(settings, solver, {});
      World world(settings);
      const BodyId wheel = add_mass(world, {}, 2, 0.5);  // 0.5 kg m^2
      JointAxis axis = driven(1, 20);
      axis.motion = AxisMotion::limited, axis.lower = 0, axis.upper = 0.5, axis.friction = friction;
      const JointId hinge = world.add_joint(world.joint_at({}, wheel, frame_along({}, {0, 0, 1}), HingeJoint{axis}));
      run(world, 120, kDt);
      EXPECT_NEAR(world.view(hinge).turn.x, 0.5, 1e-3);
      JointDef def = world.joint_def(hinge);
      std::get<HingeJoint>(def.kind).turn.drive.speed = -1;
      world.set_joint(hinge, def);
      run(world, 15, kDt);
      EXPECT_NEAR(world.view(wheel).velocity.angular.z, -1, 1e-3);
      EXPECT_NEAR(world.view(hinge).turn.x, 0.25, 0.02);  // a quarter of a second, less what it takes to turn
      run(world, 60, kDt);
      EXPECT_NEAR(world.view(hinge).turn.x, 0, 1e-3);
    }
}

TEST(Drive, PositionHoldsAgainstALoad) {
  World world(exact_settings());
  const BodyId body = add_mass(world, {0, 0, 0}, 4);
  PrismaticJoint joint;
  joint.slide.drive = {DriveKind::position, 0, 0.5, 2000, 300, kUnlimited};
  const JointId slider = world.add_joint(world.joint_at({}, body, frame_along({}, {0, 0, 1}), joint));
  run(world, 1200, kDt);
  EXPECT_NEAR(world.view(slider).slide.x, 0.5 - 4 * kGravity / 2000, 1e-9);
  // Too weak to carry the weight: falls with what is left.
  joint.slide.drive.max_force = 30;
  JointDef def = world.joint_def(slider);
  def.kind = joint;
  world.set_joint(slider, def);
  run(world, 10, kDt);
  EXPECT_NEAR(world.view(body).velocity.linear.z, -10 * kDt * (kGravity - 30.0 / 4), 1e-9);
}

TEST(Stops, HoldASlideAndATurn) {
  World world(exact_settings());
  const BodyId weight = add_mass(world, {0, 0, 0}, 2);
  const JointId slider =
      world.add_joint(world.joint_at({}, weight, frame_along({}, {0, 0, 1}), PrismaticJoint{limited(-0.5, 1)}));
  const BodyId rod = add_rod(world, {5, 0, 0}, {6, 0, 0}, 1, 0.01);
  const JointId hinge =
      world.add_joint(world.joint_at({}, rod, frame_along({5, 0, 0}, {0, 1, 0}), HingeJoint{limited(-1, 0.7)}));
  for (int i = 0; i < 300; ++i) {
    world.step(kDt);
    EXPECT_GT(world.view(slider).slide.x, -0.5 - 1e-6);
    EXPECT_LT(world.view(hinge).turn.x, 0.7 + 1e-3);
  }
  EXPECT_NEAR(world.view(slider).slide.x, -0.5, 1e-6);
  EXPECT_NEAR(world.view(slider).force.z, 2 * kGravity, 1e-6);
  EXPECT_NEAR(world.view(hinge).turn.x, 0.7, 1e-3);
  // The stop carries the moment of the weight.
  EXPECT_NEAR(world.view(hinge).torque.y, -0.5 * kGravity * std::cos(0.7), 1e-3);
}

TEST(Stops, SoftOnesBeginAtTheStopAndGiveWay) {
  World world(exact_settings());
  const BodyId weight = add_mass(world, {0, 0, 0}, 2);
  JointAxis axis = limited(-0.5, 1);
  axis.limit_compliance = 1e-3, axis.limit_damping = 100;
  const JointId slider = world.add_joint(world.joint_at({}, weight, frame_along({}, {0, 0, 1}), PrismaticJoint{axis}));
  run(world, 15, kDt);  // 0.33 m down
  EXPECT_NEAR(world.view(weight).velocity.linear.z, -15 * kDt * kGravity, 1e-9);
  run(world, 585, kDt);
  EXPECT_NEAR(world.view(slider).slide.x, -0.5 - 1e-3 * 2 * kGravity, 1e-9);
  EXPECT_NEAR(world.view(slider).force.z, 2 * kGravity, 1e-6);
}

TEST(Stops, ConeAndTwistHoldABall) {
  World world(exact_settings());
  const BodyId rod = add_rod(world, {0, 0, 0}, {1, 0, 0}, 1, 0.1);
  const JointId ball = world.add_joint(world.joint_at({}, rod, {}, BallJoint{0.5, limited(-0.2, 0.2), 0}));
  world.set_velocity(rod, {{}, {3, 0, 0}});
  for (int i = 0; i < 300; ++i) {
    world.step(kDt);
    const Vec3 axis = rotate(world.view(rod).pose.orientation, {1, 0, 0});
    EXPECT_LT(std::acos(axis.x), 0.5 + 2e-3);
    EXPECT_LT(std::fabs(world.view(ball).turn.x), 0.2 + 2e-3);
  }
  EXPECT_NEAR(std::acos(rotate(world.view(rod).pose.orientation, {1, 0, 0}).x), 0.5, 2e-3);  // hangs on the cone
}

TEST(Stops, RopePullsOnlyWhenTaut) {
  World world(exact_settings());
  const BodyId weight = add_mass(world, {0, 0, -0.5}, 2);
  JointDef def = world.joint_at({}, weight, {{0, 0, -0.5}, {}}, RopeJoint{1, 0, 0});
  def.frame_a = {};
  const JointId rope = world.add_joint(def);
  run(world, 10, kDt);
  EXPECT_NEAR(world.view(weight).velocity.linear.z, -10 * kDt * kGravity, 1e-9);
  EXPECT_EQ(norm(world.view(rope).force), 0);
  run(world, 110, kDt);
  EXPECT_NEAR(world.view(weight).pose.position.z, -1, 1e-6);
  EXPECT_NEAR(world.view(rope).force.z, 2 * kGravity, 1e-6);
}

TEST(JointFriction, HoldsUpToItsForce) {
  for (const double force : {25.0, 15.0}) {  // the weight is 19.62 N
    World world(exact_settings());
    const BodyId weight = add_mass(world, {0, 0, 0}, 2);
    PrismaticJoint joint;
    joint.slide.friction = force;
    world.add_joint(world.joint_at({}, weight, frame_along({}, {0, 0, 1}), joint));
    run(world, 60, kDt);
    EXPECT_NEAR(world.view(weight).velocity.linear.z, -std::max(0.0, kGravity - force / 2), 1e-9);
  }
}

/// Cardan's joint with its shafts bent by beta: w_out / w_in = cos(beta) / (1 - sin^2(beta) sin^2(turn)).
TEST(Universal, TurnsUnevenlyAsCardanSays) {
  World world(without_gravity());
  const double beta = 0.5;
  const Vec3 bent{std::cos(beta), std::sin(beta), 0};
  const BodyId in = add_mass(world, {-1, 0, 0}, 1), out = add_mass(world, bent, 1);
  const JointId driver =
      world.add_joint(world.joint_at({}, in, frame_along({-1, 0, 0}, {1, 0, 0}), HingeJoint{driven(1, kUnlimited)}));
  world.add_joint(world.joint_at({}, out, frame_along(bent, bent), HingeJoint{}));
  // The cross: one axle on the driver, normal to it, the other on the driven shaft; both normal to each other.
  JointDef def = world.joint_at(in, out, {}, UniversalJoint{});
  const Vec3 axle_in{0, 0, 1}, axle_out = normalised(cross(bent, axle_in));
  def.frame_a = {{1, 0, 0}, frame_along({}, axle_in).orientation};
  // y of frame b along axle_out: x of b is free to choose normal to it.
  const Vec3 side = cross(axle_out, axle_in);
  const Mat3 m{{side.x, axle_out.x, axle_in.x}, {side.y, axle_out.y, axle_in.y}, {side.z, axle_out.z, axle_in.z}};
  const double w = 0.5 * std::sqrt(1 + m.row0.x + m.row1.y + m.row2.z);
  def.frame_b = {-bent, normalised(Quat{w, (m.row2.y - m.row1.z) / (4 * w), (m.row0.z - m.row2.x) / (4 * w),
                                        (m.row1.x - m.row0.y) / (4 * w)})};
  const JointId universal = world.add_joint(def);
  // The driver's axle starts normal to the plane of the shafts: there the driven shaft is slowest.
  constexpr double kStep = 2e-3;
  run(world, 20, kStep);
  for (int i = 0; i < 1000; ++i) {
    const double s = std::sin(beta) * std::sin(world.view(driver).turn.x);
    world.step(kStep);
    ASSERT_NEAR(dot(world.view(out).velocity.angular, bent), std::cos(beta) / (1 - s * s), 2e-3) << i;
  }
  EXPECT_LT(world.view(universal).misalignment, 1e-3);
}

/// Wheels of 1 and 2 m on a fixed frame, and on a free one that must take the reaction.
TEST(Gear, KeepsItsRatioAndTheMomentum) {
  for (const bool fixed : {true, false}) {
    World world(without_gravity());
    const BodyId frame = add_mass(world, {0, 1.5, 0}, 10, 1);
    const BodyId small = add_mass(world, {0, 0, 0}, 1, 0.5), large = add_mass(world, {0, 3, 0}, 4, 1);
    if (fixed) world.add_joint(world.joint_at({}, frame, {{0, 1.5, 0}, {}}, FixedJoint{}));
    const Pose axle_a = frame_along({0, 0, 0}, {1, 0, 0}), axle_b = frame_along({0, 3, 0}, {1, 0, 0});
    const JointId hinge_a = world.add_joint(world.joint_at(frame, small, axle_a, HingeJoint{}));
    const JointId hinge_b = world.add_joint(world.joint_at(frame, large, axle_b, HingeJoint{}));
    JointDef gear = world.joint_at(small, large, axle_a, FixedJoint{});
    gear.kind = make_gear(axle_a, axle_b, world.view(frame).pose, {0, 1, 0});
    gear.frame_b = world.joint_at({}, large, axle_b, FixedJoint{}).frame_b;
    gear.carrier = frame;
    world.add_joint(gear);
    world.add_angular_impulse(small, {2, 0, 0});
    run(world, 300, kDt);
    const double a = world.view(hinge_a).turn.x, b = world.view(hinge_b).turn.x;
    EXPECT_GT(a, 5);
    EXPECT_NEAR(a, -2 * b, 1e-3 * a);
    Vec3 momentum, spin;
    for (const BodyId body : {frame, small, large}) {
      const BodyView view = world.view(body);
      momentum += view.mass * view.velocity.linear;
      spin += view.inertia.xx * view.velocity.angular + view.mass * cross(view.centre, view.velocity.linear);
    }
    if (fixed) {  // J = I_a w + I_b w / 4 with the reaction at the teeth
      EXPECT_NEAR(world.view(small).velocity.angular.x, 2 / (0.25 + 4.0 / 4), 1e-3);
    } else {
      EXPECT_LT(norm(momentum), 1e-9);
      EXPECT_NEAR(spin.x, 2, 1e-9);
    }
  }
}

}  // namespace
}  // namespace cairn::bench
