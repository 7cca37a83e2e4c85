// SPDX-License-Identifier: MIT
// Robots from URDF: an arm with meshes loads and moves; malformed files are refused with the place and the reason.
#include "cairn/scenefile/urdf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/io/temporary_folder.h"
#include "tests/source_folder.h"

namespace cairn {
namespace {

std::string refusal(const std::string& text, const UrdfSettings& settings = {}, const std::string& folder = "") {
  const Expected<SceneFile> file = parse_urdf(text, "r.urdf", folder, settings);
  if (!file) return file.error().message;
  const Expected<LoadedScene> scene = build_scene(*file);
  return scene ? "" : scene.error().message;
}

const std::string kInertial =
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
std::string link(const std::string& name, const std::string& content = kInertial) {
  return "<link name='" + name + "'>" + content + "</link>\n";
}
std::string joint(const std::string& type, const std::string& content, const std::string& name = "j") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='a'/><child link='b'/>" + content + "</joint>\n";
}
std::string robot(const std::string& content) { return "<robot name='r'>\n" + content + "</robot>"; }
std::string two_links(const std::string& joint_text) { return robot(link("a") + link("b") + joint_text); }

TEST(Urdf, TheExampleArmIsFoundFromEveryFolderAReaderThinksOf) {
  const std::string robots = source_folder() + "/examples/robots";
  for (const std::string& root : {std::string(), robots}) {
    const Expected<SceneFile> file = read_urdf(robots + "/arm.urdf", {.package_root = root});
    EXPECT_TRUE(file) << root << ": " << file.error().message;
  }
  // Else the message names every place that was looked at.
  const Expected<SceneFile> lost = read_urdf(robots + "/arm.urdf", {.package_root = source_folder()});
  ASSERT_FALSE(lost);
  for (const char* part : {"/arm/meshes/forearm.stl and ", "/meshes/forearm.stl: give --package-root DIR"})
    EXPECT_NE(lost.error().message.find(part), std::string::npos) << lost.error().message;
}

TEST(Urdf, TheExampleArmLoadsMovesAndHolds) {
  // package://arm/... lies in a folder of that name, as on a robot.
  const TemporaryFolder packages;
  std::filesystem::copy(source_folder() + "/examples/robots", packages.file("arm"),
                        std::filesystem::copy_options::recursive);
  const SceneFile file = read_urdf(packages.file("arm/arm.urdf"), {.package_root = packages.file("")}).value_or_throw();
  LoadedScene scene = build_scene(file).value_or_throw();
  EXPECT_EQ(scene.name, "arm");
  ASSERT_EQ(scene.world.body_count(), 6u);  // tool0 has no mass: part of the hand
  ASSERT_EQ(scene.joints.size(), 5u);
  ASSERT_EQ(file.notes.size(), 3u);  // two meshes became hulls; effort and velocity
  EXPECT_NE(file.notes[2].find("effort of lift, elbow"), std::string::npos) << file.notes[2];
  const std::vector<BodyId> bodies = scene.world.bodies();
  EXPECT_EQ(scene.world.view(bodies[0]).kind, BodyKind::fixed);
  EXPECT_NEAR(scene.world.view(bodies[2]).mass, 4, 1e-12);
  // Elbow: base 0.12 + 0.05 + 0.42 up; the forearm leans by 1.2 rad.
  const Pose forearm = scene.world.view(bodies[3]).pose;
  EXPECT_NEAR(forearm.position.z, 0.59, 1e-12);
  EXPECT_NEAR(rotate(forearm.orientation, {0, 0, 1}).x, std::sin(1.2), 1e-12);
  const Vec3 before = scene.world.view(bodies[4]).pose.position;
  for (int k = 0; k < 300; ++k) {
    const StepReport& report = scene.world.step(1.0 / 240);
    ASSERT_LT(report.max_joint_error, 5e-3) << k;
    ASSERT_TRUE(report.quarantined.empty());
  }
  EXPECT_GT(norm(scene.world.view(bodies[4]).pose.position - before), 0.1);  // it fell under its weight
  // What is written of it is the same robot.
  const SceneFile again = parse_scene(write_scene(file), "arm.json", "").value_or_throw();
  EXPECT_TRUE(build_scene(again).value_or_throw().world.save() == build_scene(file).value_or_throw().world.save());
}

TEST(Urdf, PackagesOnlyInsideTheGivenRoot) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("secret.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\n";
  std::filesystem::create_directory(folder.file("root"));
  const auto with_mesh = [](const std::string& name) {
    return robot(link("a", "<collision><geometry><mesh filename='" + name + "'/></geometry></collision>"));
  };
  const UrdfSettings settings{.package_root = folder.file("root")};
  EXPECT_NE(refusal(with_mesh("package://p/m.stl")).find("give --package-root DIR"), std::string::npos);
  EXPECT_NE(refusal(with_mesh("package://../secret.obj"), settings).find("inside the folder"), std::string::npos);
  EXPECT_NE(refusal(with_mesh("package:///etc/passwd"), settings).find("not relative"), std::string::npos);
  EXPECT_NE(refusal(with_mesh("file:///etc/passwd"), settings, folder.file("root")).find("link \"a\""),
            std::string::npos);
  EXPECT_NE(refusal(with_mesh("../secret.obj"), settings, folder.file("root")).find("inside the folder"),
            std::string::npos);
  EXPECT_NE(refusal(with_mesh("absent.stl"), settings, folder.file("root")).find("link \"a\": cannot read absent.stl"),
            std::string::npos);
  EXPECT_EQ(refusal(with_mesh("secret.obj"), settings, folder.file("")), "");
  std::ofstream(folder.file("root/empty.stl"));
  EXPECT_NE(refusal(with_mesh("empty.stl"), {}, folder.file("root")).find("link \"a\": empty.stl: is empty"),
            std::string::npos);
  std::ofstream(folder.file("root/picture.stl")) << "\x89PNG";
  EXPECT_NE(refusal(with_mesh("picture.stl"), {}, folder.file("root")).find("PNG"), std::string::npos);
}

TEST(Urdf, WhatIsNoXmlOrTooMuchOfIt) {
  EXPECT_NE(refusal("").find("r.urdf:1:1: the file is empty"), std::string::npos);
  EXPECT_NE(refusal("hello").find("r.urdf:1:1: this is no XML: expected '<', got the byte 0x68"), std::string::npos);
  EXPECT_NE(refusal("\xff\xfe<\0r").find("UTF-16"), std::string::npos);
  EXPECT_NE(refusal("<html><body/></html>").find("this is no URDF"), std::string::npos);
  EXPECT_NE(refusal("<robot><link></robot>").find("this is no XML"), std::string::npos);
  for (const char* zero : {"&#0;", "&#x0;", "&#000;"})
    EXPECT_NE(refusal(std::string("<robot name=\"a") + zero + "b\"/>").find("r.urdf:1:15: "), std::string::npos)
        << zero;
  EXPECT_NE(refusal("<!DOCTYPE lolz [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><robot name='&c;'/>").find("document types"),
            std::string::npos);
  EXPECT_NE(refusal("<!DOCTYPE r SYSTEM 'file:///etc/passwd'><robot/>").find("document types"), std::string::npos);
  std::string deep, wide = "<robot ";
  for (int k = 0; k < 100'000; ++k) deep += "<a>", wide += fmt::format("a{}='1' ", k);
  EXPECT_EQ(parse_urdf(deep, "r", "").error().kind, ErrorKind::limit);
  EXPECT_EQ(parse_urdf(wide + "/>", "r", "").error().kind, ErrorKind::limit);
  EXPECT_EQ(parse_urdf("<robot name='" + std::string(10'000'000, 'x') + "'/>", "r", "").error().kind, ErrorKind::limit);
  EXPECT_NE(refusal("<robot xmlns:xacro='http://ros.org/wiki/xacro'/>").find("expand xacro first"), std::string::npos);
  EXPECT_NE(refusal("<robot><xacro:macro/></robot>").find("expand xacro first"), std::string::npos);
}

TEST(Urdf, TreesThatAreNone) {
  EXPECT_NE(refusal(robot("")).find("no links"), std::string::npos);
  EXPECT_NE(refusal(robot(link("a") + "<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>"))
                .find("the same link"),
            std::string::npos);
  EXPECT_NE(refusal(robot(link("a") + link("b") + link("c") + joint("fixed", "") +
                          "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint>"))
                .find("already hangs from joint \"j\""),
            std::string::npos);
  EXPECT_NE(refusal(robot(link("a") + link("a"))).find("r.urdf:3:2: link \"a\": there already is one at r.urdf:2:2"),
            std::string::npos);
  EXPECT_NE(refusal(two_links(joint("fixed", "") + joint("fixed", ""))).find("there already is one"),
            std::string::npos);
  EXPECT_NE(refusal(robot(link("a") + link("b"))).find("2 roots"), std::string::npos);
  EXPECT_NE(refusal(two_links(joint("fixed", "") +
                              "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"))
                .find("circle"),
            std::string::npos);
  EXPECT_NE(refusal(robot(link("a") + joint("fixed", ""))).find("there is no link \"b\""), std::string::npos);
  EXPECT_NE(refusal(robot(link("a") + "<joint name='j' type='fixed'><parent link='a'/></joint>"))
                .find("<child link=\"...\"> is missing"),
            std::string::npos);
}

TEST(Urdf, NumbersAndLimits) {
  for (const char* xyz : {"1 2", "1,2,3", "1 2 3 4", "a b c", "1/2 3 4", "nan 0 0", "", "1 2 1e999"})
    EXPECT_NE(refusal(two_links(joint("fixed", std::string("<origin xyz='") + xyz + "'/>")))
                  .find("xyz must be 3 finite numbers"),
              std::string::npos)
        << xyz;
  const std::string limit = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
  EXPECT_EQ(refusal(two_links(joint("revolute", limit))), "");
  EXPECT_NE(refusal(two_links(joint("revolute", ""))).find("must have <limit>"), std::string::npos);
  EXPECT_NE(
      refusal(two_links(joint("revolute", "<limit lower='2' upper='1' effort='1' velocity='1'/>"))).find("exchange"),
      std::string::npos);
  EXPECT_NE(
      refusal(two_links(joint("revolute", "<limit lower='0' upper='1' effort='-1' velocity='1'/>"))).find("effort"),
      std::string::npos);
  EXPECT_NE(refusal(two_links(joint("revolute", limit + "<axis xyz='0 0 0'/>"))).find("direction"), std::string::npos);
  EXPECT_NE(refusal(two_links(joint("screw", limit))).find("type must be one of revolute, continuous"),
            std::string::npos);
  const Expected<SceneFile> longer =
      parse_urdf(two_links(joint("revolute", limit + "<axis xyz='0 0 2'/>") + "<gazebo/>"), "r", "");
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->notes.size(), 3u);  // the axis, <gazebo>, effort and velocity
  for (const char* box : {"0 1 1", "-1 1 1", "1 1"})
    EXPECT_NE(
        refusal(robot(link("a", std::string("<collision><geometry><box size='") + box + "'/></geometry></collision>"))),
        "")
        << box;
  EXPECT_NE(
      refusal(robot(link("a", "<collision><geometry><sphere radius='0'/></geometry></collision>"))).find("radius"),
      std::string::npos);
  EXPECT_NE(
      refusal(robot(link("a", "<collision><geometry><torus/></geometry></collision>"))).find("expected one of box"),
      std::string::npos);
}

TEST(Urdf, MassesOfMovingLinks) {
  const std::string ball = "<collision><geometry><sphere radius='0.5'/></geometry></collision>";
  const std::string massless = robot(link("a") + link("b", ball) + joint("continuous", ""));
  EXPECT_NE(refusal(massless).find("must have <inertial>"), std::string::npos);
  const Expected<SceneFile> assumed = parse_urdf(massless, "r", "", {.assume_density = 500});
  ASSERT_TRUE(assumed);
  const LoadedScene scene = build_scene(*assumed).value_or_throw();
  EXPECT_NEAR(scene.world.view(scene.world.bodies().at(1)).mass, 500 * kPi / 6, 1e-9);
  EXPECT_NE(
      refusal(
          robot(
              link("a") +
              link("b",
                   "<inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>") +
              joint("continuous", "")))
          .find("positive"),
      std::string::npos);
  EXPECT_NE(
      refusal(
          robot(
              link("a") +
              link("b",
                   "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial>") +
              joint("continuous", "")))
          .find("principal moments"),
      std::string::npos);
}

TEST(Urdf, LongChainsAreNotDeep) {
  std::string text = link("l0");
  for (int k = 1; k <= 1500; ++k)
    text += link(fmt::format("l{}", k)) + fmt::format(
                                              "<joint name='j{}' type='continuous'><parent link='l{}'/>"
                                              "<child link='l{}'/><origin xyz='1 0 0'/></joint>\n",
                                              k, k - 1, k);
  const LoadedScene scene = build_scene(parse_urdf(robot(text), "r", "").value_or_throw()).value_or_throw();
  EXPECT_EQ(scene.world.body_count(), 1501u);
  EXPECT_NEAR(scene.world.view(scene.world.bodies().at(1500)).pose.position.x, 1500, 1e-9);
}

}  // namespace
}  // namespace cairn
