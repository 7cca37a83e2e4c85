// SPDX-License-Identifier: MIT
// Robots as they begin: poses, drives, ground, and the robots of the examples.
#include "cairn/scenefile/robot_setup.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cairn/record/joint_reading.h"
#include "cairn/scenefile/urdf.h"
#include "tests/source_folder.h"

namespace cairn {
namespace {

constexpr double kG = 9.81;

/// A bar of 2 kg on a hinge about y at the origin; it hangs 0.5 m to its centre. At its end a second one like it.
std::string two_bars() {
  const auto link = [](const char* name) {
    return fmt::format(
        "<link name='{}'><inertial><origin xyz='0 0 -0.5'/><mass value='2'/><inertia ixx='0.17' iyy='0.17' izz='0.01' "
        "ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><box size='0.1 0.1 1'/></geometry><material name='m'>"
        "<color rgba='1 0.5 0 1'/></material></visual><collision><origin xyz='0 0 -0.5'/><geometry>"
        "<box size='0.1 0.1 1'/></geometry></collision></link>",
        name);
  };
  const auto joint = [](const char* name, const char* parent, const char* child, const char* more) {
    return fmt::format(
        "<joint name='{}' type='revolute'><parent link='{}'/><child link='{}'/><origin xyz='0 0 -{}'/><axis xyz='0 1 "
        "0'/>"
        "<limit lower='-2' upper='2' effort='400' velocity='3'/>{}</joint>",
        name, parent, child, std::string(parent) == "base" ? 0 : 1, more);
  };
  return "<robot name='bars'><link name='base'/>" + link("upper") + link("lower") + joint("top", "base", "upper", "") +
         joint("middle", "upper", "lower", "<mimic joint='top' multiplier='-0.5' offset='0.1'/>") + "</robot>";
}

double position(const LoadedScene& scene, const std::string& name) {
  for (const auto& [joint, id] : scene.joints)
    if (joint == name) return read_joint(scene.world, id).position;
  return NAN;
}

LoadedScene made(SceneFile file, const RobotSetup& setup) {
  const auto error = set_up_robot(file, setup);
  EXPECT_FALSE(error.has_value()) << error->message;
  return build_scene(file).value_or_throw();
}

TEST(RobotSetup, AJointBeginsWhereThePoseSays) {
  const SceneFile file = parse_urdf(two_bars(), "bars", "").value_or_throw();
  const LoadedScene scene = made(file, {.pose = {{"top", 0.4}}});
  EXPECT_NEAR(position(scene, "top"), 0.4, 1e-12);
  EXPECT_NEAR(position(scene, "middle"), -0.5 * 0.4 + 0.1, 1e-12);  // mimics
  // About y by q: (0, 0, -1) goes to (-sin q, 0, -cos q).
  const Vec3 middle = scene.world.view(scene.world.bodies()[2]).pose.position;
  EXPECT_NEAR(norm(middle - Vec3{-std::sin(0.4), 0, -std::cos(0.4)}), 0, 1e-12);
  EXPECT_EQ(scene.body_colours[1], 0xff0080ffu);
}

TEST(RobotSetup, AJointThatIsNamedKeepsItsOwnValueThoughItMimics) {
  const SceneFile file = parse_urdf(two_bars(), "bars", "").value_or_throw();
  const LoadedScene scene = made(file, {.pose = {{"top", 0.4}, {"middle", 0.3}}});
  EXPECT_NEAR(position(scene, "middle"), 0.3, 1e-12);
}

// Its value followed itself without end.
TEST(RobotSetup, AJointThatMimicsItselfIsRefused) {
  std::string text = two_bars();
  text.replace(text.find("joint='top'"), 11, "joint='middle'");
  const auto file = parse_urdf(text, "bars", "");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("cannot mimic itself"), std::string::npos) << file.error().message;
}

TEST(RobotSetup, BadNamesAndPosesAreRefused) {
  SceneFile file = parse_urdf(two_bars(), "bars", "").value_or_throw();
  EXPECT_NE(set_up_robot(file, {.pose = {{"tpo", 0}}})->message.find("top, middle"), std::string::npos);
  EXPECT_NE(set_up_robot(file, {.drive = {{"tpo", 0}}})->message.find("there is no hinge"), std::string::npos);
  EXPECT_NE(set_up_robot(file, {.pose = {{"top", 3}}})->message.find("goes from -2 to 2"), std::string::npos);
}

// A spring k that holds the two bars out at q gives way by M / k with M the moment of their weight.
TEST(RobotSetup, HoldGivesWayByTheWeightOverTheStiffness) {
  const double q = 1.2, k = 2000;
  SceneFile file = parse_urdf(two_bars(), "bars", "").value_or_throw();
  file.mimics.clear();
  LoadedScene scene = made(file, {.pose = {{"top", q}}, .hold = true, .stiffness = k, .damping = 200});
  for (int step = 0; step < 600; ++step) scene.world.step(1.0 / 240);
  const double top = position(scene, "top"), lower = top + position(scene, "middle");
  const double moment = 2 * kG * (0.5 * std::sin(top) + std::sin(top) + 0.5 * std::sin(lower));
  EXPECT_NEAR(q - top, moment / k, 0.02 * moment / k);
  for (const auto& [name, joint] : scene.joints)
    if (name == "top") {
      EXPECT_NEAR(read_joint(scene.world, joint).effort, moment, 0.02 * moment);
    }
}

TEST(RobotSetup, EffortIsTheLargestForceOfADrive) {
  SceneFile file = parse_urdf(two_bars(), "bars", "").value_or_throw();
  ASSERT_EQ(file.joints[0].name, "top");
  EXPECT_EQ(std::get<HingeJoint>(file.joints[0].def.kind).turn.drive.max_force, 400);
  const std::string text = write_scene(file);
  const SceneFile again = parse_scene(text, "again", "").value_or_throw();
  EXPECT_EQ(std::get<HingeJoint>(again.joints[0].def.kind).turn.drive.max_force, 400);
  EXPECT_EQ(again.bodies[1].colour, "#ff8000ff");
}

TEST(RobotSetup, TheQuadrupedStands) {
  const std::string path = source_folder() + "/examples/robots/quadruped.urdf";
  const SceneFile file = read_urdf(path, {.fixed_base = false}).value_or_throw();
  LoadedScene scene = made(file, {.hold = true, .ground = true});
  ASSERT_EQ(scene.joints.size(), 12u);
  ASSERT_EQ(scene.body_names[1], "torso");
  const BodyId torso = scene.world.bodies()[1];
  const double height = scene.world.view(torso).pose.position.z;
  for (int k = 0; k < 300; ++k) scene.world.step(1.0 / 60);
  const BodyView end = scene.world.view(torso);
  EXPECT_NEAR(end.pose.position.z, height, 0.01);
  EXPECT_LT(norm(end.velocity.linear), 0.01);
  EXPECT_GT(std::fabs(end.pose.orientation.w), 0.999);
}

TEST(RobotSetup, TheArmHoldsItsPoseAndGrips) {
  const SceneFile file = read_urdf(source_folder() + "/examples/robots/gripper_arm.urdf").value_or_throw();
  LoadedScene scene = made(file, {.pose = {{"lift", 0.6}, {"elbow", 1.2}}, .drive = {{"grip", -0.03}}, .hold = true});
  ASSERT_EQ(scene.joints.size(), 8u);
  for (int k = 0; k < 300; ++k) scene.world.step(1.0 / 60);
  EXPECT_NEAR(position(scene, "lift"), 0.6, 0.01);
  EXPECT_NEAR(position(scene, "elbow"), 1.2, 0.01);
  EXPECT_NEAR(position(scene, "grip"), -0.03, 1e-3);
  EXPECT_NEAR(position(scene, "grip_right"), 0.03, 1e-3);  // mimics
}

}  // namespace
}  // namespace cairn
