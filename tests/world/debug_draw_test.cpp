// SPDX-License-Identifier: MIT
// Debug drawing: edges, contacts and joints as lines, counted by hand.
#include "cairn/world/debug_draw.h"

#include <gtest/gtest.h>

#include <vector>

namespace cairn {
namespace {

struct Drawn : DebugDraw {
  struct Line {
    Vec3 from, to;
    std::uint32_t colour = 0;
  };
  std::vector<Line> lines;
  std::vector<Vec3> points;
  void line(const Vec3& from, const Vec3& to, std::uint32_t colour) override { lines.push_back({from, to, colour}); }
  void point(const Vec3& at, std::uint32_t) override { points.push_back(at); }
};

Drawn drawn(const World& world, const DebugDrawSettings& settings) {
  Drawn out;
  draw(world, out, settings);
  return out;
}

constexpr DebugDrawSettings kNothing{.shapes = false, .contacts = false, .joints = false};

TEST(DebugDraw, ABoxHasTwelveEdges) {
  World world;
  world.add_body({.pose = {{5, 0, 0}, {}}}, {{.shape = make_box({0.5, 1, 1.5})}});
  const Drawn out = drawn(world, {});
  ASSERT_EQ(out.lines.size(), 12u);
  double length = 0;
  for (const Drawn::Line& line : out.lines) length += norm(line.to - line.from);
  EXPECT_NEAR(length, 4 * (1 + 2 + 3), 1e-12);
  EXPECT_TRUE(out.points.empty());
}

TEST(DebugDraw, BoundsHaveTwelveEdgesAndHalfSpacesNone) {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 3}, {}}}, {{.shape = make_sphere(1)}});
  DebugDrawSettings settings = kNothing;
  settings.bounds = true, settings.centres = true;
  const Drawn out = drawn(world, settings);
  ASSERT_EQ(out.lines.size(), 12u);
  for (const Drawn::Line& line : out.lines) EXPECT_NEAR(norm(line.to - line.from), 2, 1e-12);
  ASSERT_EQ(out.points.size(), 2u);
  EXPECT_EQ(out.points[1], (Vec3{0, 0, 3}));
}

TEST(DebugDraw, ContactsCarryTheWeight) {
  World world;
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
  DebugDrawSettings settings = kNothing;
  settings.contacts = true, settings.impulse_length = 1;
  const Drawn out = drawn(world, settings);
  ASSERT_EQ(out.points.size(), 4u);
  ASSERT_EQ(out.lines.size(), 4u);
  double impulse = 0;
  for (const Drawn::Line& line : out.lines) impulse += line.to.z - line.from.z;
  EXPECT_NEAR(impulse, 1000 * 9.81 / 60, 0.5);
}

TEST(DebugDraw, JointsShowBothFrames) {
  World world;
  const BodyId ball = world.add_body({.pose = {{0, 0, 1}, {}}}, {{.shape = make_sphere(0.5)}});
  world.add_joint(world.joint_at({}, ball, {{0, 0, 2}, {}}, BallJoint{}));
  DebugDrawSettings settings = kNothing;
  settings.joints = true, settings.axis_length = 0.25;
  const Drawn out = drawn(world, settings);
  ASSERT_EQ(out.lines.size(), 6u);
  for (const Drawn::Line& line : out.lines) {
    EXPECT_LT(norm(line.from - Vec3{0, 0, 2}), 1e-12);
    EXPECT_NEAR(norm(line.to - line.from), 0.25, 1e-12);
  }
}

TEST(DebugDraw, ColoursTellWhoSleeps) {
  WorldSettings settings;
  settings.sleep.enabled = true;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  world.step(1.0 / 60);
  const std::uint32_t awake = drawn(world, {}).lines[4].colour;
  for (int i = 0; i < 120; ++i) world.step(1.0 / 60);
  EXPECT_NE(drawn(world, {}).lines[4].colour, awake);
}

}  // namespace
}  // namespace cairn
