// SPDX-License-Identifier: MIT
// Islands, parts of mass splitting and colours, as a world tells them.
#include <gtest/gtest.h>

#include <set>

#include "cairn/world/world.h"

namespace cairn {
namespace {

TEST(WorldGroups, AStackAndALonelyBall) {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  for (int k = 0; k < 3; ++k) world.add_body({.pose = {{0, 0, 0.5 + k}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  world.add_body({.pose = {{10, 0, 5}}}, {{.shape = make_sphere(0.5)}});
  world.step(1.0 / 60);
  const BodyGroups groups = world.groups();
  ASSERT_EQ(groups.island.size(), 5u);
  EXPECT_EQ(groups.island[0], -1);  // the floor
  EXPECT_EQ(groups.island[1], groups.island[2]);
  EXPECT_EQ(groups.island[2], groups.island[3]);
  EXPECT_GE(groups.island[4], 0);
  EXPECT_NE(groups.island[4], groups.island[1]);
  // Floor and second; first and third; second; nothing.
  EXPECT_EQ(groups.sub_bodies, (std::vector<std::int32_t>{0, 2, 2, 1, 0}));
}

TEST(WorldGroups, SeveralShapesAndAJointBetweenTwoBodiesAreOnePart) {
  World world;
  const ShapeDef left{.shape = make_box({0.2, 0.2, 0.2}), .pose = {{-0.5, 0, 0}}};
  const ShapeDef right{.shape = make_box({0.2, 0.2, 0.2}), .pose = {{0.5, 0, 0}}};
  const BodyId lower = world.add_body({.pose = {{0, 0, 0}}}, {left, right});
  const BodyId upper = world.add_body({.pose = {{0, 0, 0.4}}}, {left, right});
  JointDef joint = world.joint_at(lower, upper, {{0, 0, 0.2}}, BallJoint{});
  joint.collide_connected = true;
  world.add_joint(joint);
  world.step(1.0 / 60);
  EXPECT_GE(world.contacts().size(), 8u);
  EXPECT_EQ(world.groups().sub_bodies, (std::vector<std::int32_t>{1, 1}));
}

TEST(WorldGroups, TouchingPairsThatShareABodyHaveDifferentColours) {
  World world;
  for (int k = 0; k < 6; ++k) world.add_body({.pose = {{0.99 * k, 0, 0}}}, {{.shape = make_sphere(0.5)}});
  world.step(1.0 / 60);
  const std::vector<ContactView> contacts = world.contacts();
  ASSERT_EQ(contacts.size(), 5u);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    EXPECT_GE(contacts[k].colour, 0);
    for (std::size_t j = 0; j < k; ++j) {
      const std::set<std::uint32_t> bodies{contacts[j].body_a.index, contacts[j].body_b.index, contacts[k].body_a.index,
                                           contacts[k].body_b.index};
      if (bodies.size() < 4) {
        EXPECT_NE(contacts[j].colour, contacts[k].colour);
      }
    }
  }
}

TEST(WorldGroups, ARestoredWorldHasNoneBeforeItsNextStep) {
  World world;
  for (int k = 0; k < 3; ++k) world.add_body({.pose = {{0.99 * k, 0, 0}}}, {{.shape = make_sphere(0.5)}});
  world.step(1.0 / 60);
  World restored;
  ASSERT_FALSE(restored.restore(world.save()).has_value());
  for (const std::int32_t island : restored.groups().island) EXPECT_EQ(island, -1);
  for (const ContactView& contact : restored.contacts()) EXPECT_EQ(contact.colour, -1);
  world.step(1.0 / 60), restored.step(1.0 / 60);
  EXPECT_EQ(world.groups().island, restored.groups().island);
}

}  // namespace
}  // namespace cairn
