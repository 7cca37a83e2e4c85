// SPDX-License-Identifier: MIT
// Joints in a world: handles, edits, breaking, sleeping, snapshots, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/world/world.h"

namespace cairn {
namespace {

constexpr double kDt = 1.0 / 60;

BodyId add_box(World& world, const Vec3& centre, const Vec3& half = {0.2, 0.2, 0.2}) {
  return world.add_body({.pose = {centre, {}}}, {{.shape = make_box(half)}});
}

/// One of every kind, a chain of links over the ground and a pile to fall on.
void add_workshop(World& world) {
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  JointAxis driven;
  driven.motion = AxisMotion::limited, driven.lower = -0.5, driven.upper = 0.5;
  driven.drive = {DriveKind::velocity, 1, 0, 0, 0, 20};
  driven.friction = 0.5;
  const JointKind kinds[] = {BallJoint{0.6, driven, 0.1},
                             HingeJoint{driven},
                             PrismaticJoint{driven},
                             CylindricalJoint{driven, {}},
                             FixedJoint{},
                             DistanceJoint{0.7},
                             RopeJoint{0.8, 0, 0},
                             SpringJoint{0.4, 800, 10},
                             UniversalJoint{driven, {}},
                             PlanarJoint{{}, driven, driven},
                             SixDofJoint{{driven}, {driven}}};
  double x = 0;
  for (const JointKind& kind : kinds) {
    const BodyId upper = add_box(world, {x, 0, 1.6}), lower = add_box(world, {x, 0, 1.0});
    world.add_joint(world.joint_at({}, upper, frame_along({x, 0, 2}, {0, 0, 1}), BallJoint{}));
    world.add_joint(world.joint_at(upper, lower, frame_along({x, 0, 1.3}, {1, 0, 0}), kind));
    x += 1;
  }
  const BodyId wheel_a = add_box(world, {x, 0, 1}), wheel_b = add_box(world, {x, 0.8, 1});
  const Pose axle_a = frame_along({x, 0, 1}, {1, 0, 0}), axle_b = frame_along({x, 0.8, 1}, {1, 0, 0});
  world.add_joint(world.joint_at({}, wheel_a, axle_a, HingeJoint{}));
  world.add_joint(world.joint_at({}, wheel_b, axle_b, HingeJoint{}));
  JointDef gear = world.joint_at(wheel_a, wheel_b, axle_a, make_gear(axle_a, axle_b, {}, {x, 0.5, 1}));
  gear.frame_b = world.joint_at({}, wheel_b, axle_b, FixedJoint{}).frame_b;
  world.add_joint(gear);
  BodyId last{};
  for (int k = 0; k < 8; ++k) {
    const BodyId link = add_box(world, {3 + 0.5 * k, 2, 1}, {0.2, 0.05, 0.05});
    world.add_joint(
        world.joint_at(last, link, frame_along({2.75 + 0.5 * k, 2, 1}, {0, k % 2 == 0 ? 1.0 : 0.0, 1}), HingeJoint{}));
    last = link;
  }
  for (int k = 0; k < 3; ++k) add_box(world, {6, 2, 0.2 + 0.4 * k});
}

TEST(WorldJoints, HandlesAreCheckedEverywhere) {
  World world;
  const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0});
  const JointDef def = world.joint_at(a, b, {{0.5, 0, 0}, {}}, BallJoint{});
  const JointId joint = world.add_joint(def);
  EXPECT_TRUE(world.contains(joint));
  EXPECT_EQ(world.joints(), std::vector{joint});
  world.remove_joint(joint);
  EXPECT_FALSE(world.contains(joint));
  EXPECT_THROW(world.remove_joint(joint), InputError);
  EXPECT_THROW(world.view(joint), InputError);
  EXPECT_THROW(world.joint_def(joint), InputError);
  EXPECT_THROW(world.set_joint(joint, def), InputError);
  EXPECT_THROW(world.set_joint_enabled(joint, false), InputError);
  EXPECT_THROW(world.remove_joint({}), InputError);
  const JointId again = world.add_joint(def);
  EXPECT_FALSE(again == joint);  // the slot is the same, the generation is not
  EXPECT_EQ(again.index, joint.index);
}

TEST(WorldJoints, BadDefinitionsChangeNothing) {
  World world;
  const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0}), gone = add_box(world, {2, 0, 0});
  world.remove_body(gone);
  const std::string before = world.save();
  const JointDef good = world.joint_at(a, b, {{0.5, 0, 0}, {}}, BallJoint{});
  const auto refuses = [&](auto&& change) {
    JointDef def = good;
    change(def);
    EXPECT_THROW(world.add_joint(def), InputError);
  };
  refuses([&](JointDef& d) { d.body_b = d.body_a; });
  refuses([&](JointDef& d) { d.body_b = {}; });
  refuses([&](JointDef& d) { d.body_b = gone; });
  refuses([&](JointDef& d) { d.body_a = gone; });
  refuses([&](JointDef& d) { d.carrier = a; });
  refuses([&](JointDef& d) { d.frame_a.position.x = std::numeric_limits<double>::quiet_NaN(); });
  refuses([&](JointDef& d) { d.frame_b.orientation = {0, 0, 0, 0}; });
  refuses([&](JointDef& d) { d.kind = BallJoint{-1, {}, 0}; });
  EXPECT_EQ(world.save(), before);
  const JointId joint = world.add_joint(good);
  JointDef other = good;
  other.kind = HingeJoint{};
  EXPECT_THROW(world.set_joint(joint, other), InputError);  // another kind
}

TEST(WorldJoints, SolversWithoutJointsSayWhichTakeThem) {
  for (const char* without : {"reference"}) {
    WorldSettings settings;
    settings.solver = without;
    World world(settings);
    const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0});
    const JointDef def = world.joint_at(a, b, {{0.5, 0, 0}, {}}, BallJoint{});
    try {
      world.add_joint(def);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("gauss_seidel"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("ldl_pgs"), std::string::npos) << error.what();
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    }
    settings.solver = "gauss_seidel";
    world.set_settings(settings);
    world.add_joint(def);
    settings.solver = without;
    EXPECT_THROW(world.set_settings(settings), InputError);
    EXPECT_EQ(world.settings().solver, "gauss_seidel");
  }
}

TEST(WorldJoints, GoWithTheirBodies) {
  World world;
  const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0}), c = add_box(world, {2, 0, 0});
  const JointId ab = world.add_joint(world.joint_at(a, b, {{0.5, 0, 0}, {}}, BallJoint{}));
  const JointId bc = world.add_joint(world.joint_at(b, c, {{1.5, 0, 0}, {}}, BallJoint{}));
  const JointId of_c = world.add_joint(world.joint_at({}, c, {{2, 0, 0}, {}}, BallJoint{}));
  world.remove_body(b);
  EXPECT_FALSE(world.contains(ab));
  EXPECT_FALSE(world.contains(bc));
  EXPECT_TRUE(world.contains(of_c));
  world.step(kDt);
  EXPECT_EQ(world.last_report().joints, 1);
}

TEST(WorldJoints, ConnectedBodiesCollideOnlyIfAsked) {
  for (const bool collide : {false, true}) {
    WorldSettings settings;
    settings.gravity = {};
    World world(settings);
    const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {0.3, 0, 0});  // overlap
    JointDef def = world.joint_at(a, b, {{0.15, 0, 0}, {}}, PrismaticJoint{});
    def.collide_connected = collide;
    const JointId joint = world.add_joint(def);
    world.step(kDt);
    EXPECT_EQ(world.last_report().contacts > 0, collide);
    if (collide) continue;
    world.remove_joint(joint);
    world.step(kDt);
    EXPECT_GT(world.last_report().contacts, 0);
  }
}

TEST(WorldJoints, BreakAboveTheirForce) {
  for (const double strength : {0.99, 1.01}) {
    World world;
    const BodyId box = add_box(world, {0, 0, 0});
    const double weight = 9.81 * world.view(box).mass;
    JointDef def = world.joint_at({}, box, {{0, 0, 0}, {}}, FixedJoint{});
    def.break_force = strength * weight;
    const JointId joint = world.add_joint(def);
    const StepReport& report = world.step(kDt);
    EXPECT_EQ(report.broken_joints.size(), strength < 1 ? 1u : 0u);
    EXPECT_EQ(world.contains(joint), strength > 1);
    if (strength < 1) {
      EXPECT_EQ(report.broken_joints[0], joint);
      world.step(kDt);
      EXPECT_NEAR(world.view(box).velocity.linear.z, -9.81 * kDt, 1e-9);
      EXPECT_TRUE(world.last_report().broken_joints.empty());
    } else {
      EXPECT_NEAR(world.view(joint).force.z, weight, 1e-6 * weight);
    }
  }
  // Torque: a weight on a lever of 0.5 m.
  World world;
  const BodyId box = add_box(world, {0.5, 0, 0});
  const double moment = 0.5 * 9.81 * world.view(box).mass;
  JointDef def = world.joint_at({}, box, {{0, 0, 0}, {}}, FixedJoint{});
  def.break_torque = 0.98 * moment;
  world.add_joint(def);
  for (int i = 0; i < 3; ++i) world.step(kDt);
  EXPECT_TRUE(world.joints().empty());
}

TEST(WorldJoints, MayBeRemovedByTheListener) {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  const BodyId box = add_box(world, {0, 0, 0.2});
  const JointId joint = world.add_joint(world.joint_at({}, box, {{0, 0, 0.2}, {}}, FixedJoint{}));
  world.set_contact_listener([&](const ContactEvent&) {
    if (world.contains(joint)) world.remove_joint(joint);
  });
  for (int i = 0; i < 3; ++i) world.step(kDt);
  EXPECT_FALSE(world.contains(joint));
}

TEST(WorldJoints, IslandsAndSleepSeeThem) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0});
  const JointId weld = world.add_joint(world.joint_at({}, a, {{0, 0, 0}, {}}, FixedJoint{}));
  const JointId ab = world.add_joint(world.joint_at(a, b, {{0.5, 0, 0}, {}}, FixedJoint{}));
  for (int i = 0; i < 120; ++i) world.step(kDt);
  EXPECT_EQ(world.last_report().islands, 1);
  EXPECT_TRUE(world.view(a).asleep);
  EXPECT_TRUE(world.view(b).asleep);
  world.add_impulse(b, {0, 0, 30});  // wakes its neighbour through the joint
  world.step(kDt);
  EXPECT_FALSE(world.view(a).asleep);
  for (int i = 0; i < 240; ++i) world.step(kDt);
  EXPECT_TRUE(world.view(b).asleep);
  world.remove_joint(ab);
  world.step(kDt);
  EXPECT_FALSE(world.view(b).asleep);
  EXPECT_LT(world.view(b).velocity.linear.z, 0);
  EXPECT_TRUE(world.contains(weld));
}

TEST(WorldJoints, DisabledJointsLetGo) {
  World world;
  const BodyId box = add_box(world, {0, 0, 0});
  const JointId joint = world.add_joint(world.joint_at({}, box, {{0, 0, 0}, {}}, BallJoint{}));
  world.step(kDt);
  EXPECT_NEAR(world.view(box).velocity.linear.z, 0, 1e-9);
  world.set_joint_enabled(joint, false);
  world.step(kDt);
  EXPECT_NEAR(world.view(box).velocity.linear.z, -9.81 * kDt, 1e-9);
  EXPECT_EQ(world.last_report().joints, 0);
  world.set_joint_enabled(joint, true);
  for (int i = 0; i < 120; ++i) world.step(kDt);
  EXPECT_LT(world.view(joint).separation, 1e-4);
}

/// A ring of twenty links hung from one of them, every joint there twice: far more rows than degrees of freedom.
TEST(WorldJoints, DoubledRingsHangTogether) {
  WorldSettings settings;
  settings.iterations = 200;
  World world(settings);
  constexpr int kLinks = 20;
  const double radius = 1, step = 2 * 3.14159265358979 / kLinks;
  const auto corner = [&](int k) { return Vec3{radius * std::cos(step * k), 0, radius * std::sin(step * k)}; };
  std::vector<BodyId> links;
  for (int k = 0; k < kLinks; ++k) {
    const Vec3 way = corner(k + 1) - corner(k);
    links.push_back(world.add_body({.pose = frame_along(0.5 * (corner(k) + corner(k + 1)), way)},
                                   {{.shape = make_box({0.4 * norm(way), 0.02, 0.02})}}));
  }
  for (int k = 0; k < kLinks; ++k)
    for (int twice = 0; twice < 2; ++twice)
      world.add_joint(world.joint_at(links[to_index(k)], links[to_index(k + 1) % kLinks],
                                     frame_along(corner(k + 1), {0, 1, 0}), HingeJoint{}));
  world.add_joint(world.joint_at({}, links[5], {corner(5), {}}, FixedJoint{}));
  double worst = 0;
  for (int i = 0; i < 1200; ++i) worst = std::max(worst, world.step(kDt / 4).max_joint_error);
  EXPECT_LT(worst, 0.02);
  EXPECT_TRUE(world.last_report().quarantined.empty());
}

/// A drive brings a wheel to 10 rad/s against its own largest torque: what it does is what the wheel then has.
TEST(WorldJoints, DrivesReportTheirWork) {
  for (const char* solver : {"gauss_seidel", "ldl_pgs"}) {
    WorldSettings settings;
    settings.solver = solver;
    settings.gravity = {};
    World world(settings);
    const BodyId wheel = world.add_body({.pose = {}, .mass = MassProperties{3, {}, SymMat3::diagonal(0.5, 0.5, 0.5)}});
    JointAxis axis;
    axis.drive = {DriveKind::velocity, 10, 0, 0, 0, 8};
    world.add_joint(world.joint_at({}, wheel, frame_along({}, {1, 0, 0}), HingeJoint{axis}));
    double work = 0;
    for (int k = 0; k < 60; ++k) {
      const StepReport& report = world.step(kDt);
      work += report.drive_work;
      ASSERT_NEAR(work, report.kinetic_energy, 1e-9) << solver << ", step " << k;
    }
    EXPECT_NEAR(work, 0.5 * 0.5 * 100, 1e-6);
  }
}

/// A mass on a spring, thrown upwards: what it has of kinetic and potential energy comes from the spring, to the order
/// of the step (the potential energy at the end is not that of the mean velocity).
TEST(WorldJoints, SpringsReportTheirWork) {
  World world;
  const BodyId mass = world.add_body({.pose = {}, .mass = MassProperties{2, {}, SymMat3::diagonal(1, 1, 1)}});
  JointDef def = world.joint_at({}, mass, {{0, 0, 0}, {}}, SpringJoint{1, 40, 0.5});
  def.frame_a.position = {0, 0, 2};
  world.add_joint(def);
  const auto energy = [&] {
    const BodyView view = world.view(mass);
    return 0.5 * view.mass * dot(view.velocity.linear, view.velocity.linear) + 9.81 * view.mass * view.centre.z;
  };
  double work = 0, largest = 0;
  const double start = energy();
  for (int k = 0; k < 2000; ++k) {
    work += world.step(1e-3).drive_work;
    largest = std::max(largest, std::fabs(work));
    ASSERT_NEAR(energy() - start, work, 0.05);
  }
  EXPECT_GT(largest, 5);
}

/// Four parallel hinges in a loop: three of twenty rows too many, beside a chain without any.
TEST(WorldJoints, RedundancyIsToldPerMechanism) {
  for (const char* solver : {"ldl_pgs", "soft_step"}) {
    WorldSettings settings;
    settings.solver = solver;
    World world(settings);
    const BodyId link = add_box(world, {5, 0, 0});
    world.add_joint(world.joint_at({}, link, {{4.5, 0, 0}, {}}, BallJoint{}));
    const Vec3 corner[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}};
    BodyId last{};
    JointId first{};
    for (int k = 0; k < 4; ++k) {
      const BodyId next = k < 3 ? add_box(world, 0.5 * (corner[k] + corner[k + 1]), {0.1, 0.1, 0.1}) : BodyId{};
      const bool is_end = k == 3;
      const JointId joint = world.add_joint(
          world.joint_at(is_end ? next : last, is_end ? last : next, frame_along(corner[k], {0, 1, 0}), HingeJoint{}));
      if (k == 0) first = joint;
      last = next;
    }
    const StepReport& report = world.step(1e-3);
    EXPECT_EQ(report.solve.joints.mechanisms, 2);
    EXPECT_EQ(report.solve.joints.redundant_rows, 3);
    EXPECT_EQ(report.solve.joints.redundant_mechanisms, 1);
    ASSERT_EQ(report.redundant.size(), 1U) << solver;
    EXPECT_EQ(report.redundant[0].joint, first);
    EXPECT_EQ(report.redundant[0].rows, 20);
    EXPECT_EQ(report.redundant[0].redundant, 3);
  }
}

TEST(WorldJoints, BrokenNumbersFreezeTheWholeMechanism) {
  World world;
  const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0}), other = add_box(world, {0, 9, 0});
  world.add_joint(world.joint_at(a, b, {{0.5, 0, 0}, {}}, BallJoint{}));
  world.add_force(a, {1e14, 0, 0});
  for (int i = 0; i < 3; ++i) world.add_force(a, {1e14, 0, 0}), world.step(kDt);
  EXPECT_TRUE(world.view(a).quarantined);
  EXPECT_TRUE(world.view(b).quarantined);
  EXPECT_FALSE(world.view(other).quarantined);
  for (int i = 0; i < 5; ++i) world.step(kDt);
  EXPECT_TRUE(std::isfinite(world.view(b).pose.position.x));
}

TEST(WorldJoints, SnapshotsGoOnAsIfNothingHappened) {
  World world;
  add_workshop(world);
  for (int i = 0; i < 40; ++i) world.step(kDt);
  const std::string saved = world.save();
  World copy;
  ASSERT_FALSE(copy.restore(saved).has_value());
  EXPECT_EQ(copy.save(), saved);
  EXPECT_EQ(copy.joints(), world.joints());
  for (int i = 0; i < 40; ++i) world.step(kDt), copy.step(kDt);
  EXPECT_EQ(copy.state_hash(), world.state_hash());
  EXPECT_EQ(copy.save(), world.save());
}

TEST(WorldJoints, SameBitsForAnyNumberOfThreads) {
  for (const char* solver : {"gauss_seidel", "ldl_pgs"}) {
    std::string first;
    for (const int threads : {1, 2, 3}) {
      WorldSettings settings;
      settings.solver = solver;
      settings.threads = threads;
      World world(settings);
      add_workshop(world);
      for (int i = 0; i < 60; ++i) world.step(kDt);
      EXPECT_LT(world.last_report().max_joint_error, 0.05) << solver;
      const std::string now = world.save();
      if (first.empty()) first = now;
      EXPECT_EQ(now, first) << solver << ", " << threads;
    }
  }
}

}  // namespace
}  // namespace cairn
