// SPDX-License-Identifier: MIT
// Messages to viewers: read back byte by byte as docs/viewer.md says, and compared with the world.
#include "cairn/live/frame.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/core/bytes.h"
#include "tests/live/live_scene.h"

namespace cairn {
namespace {

std::string text(ByteReader& in) {
  std::string s;
  in.text(s);
  return s;
}

Vec3 vector(ByteReader& in) {
  const float x = in.get<float>(), y = in.get<float>(), z = in.get<float>();
  return {double{x}, double{y}, double{z}};
}

Pose pose(ByteReader& in) {
  Pose p;
  p.position = vector(in);
  p.orientation.w = double{in.get<float>()};
  const Vec3 v = vector(in);
  p.orientation.x = v.x, p.orientation.y = v.y, p.orientation.z = v.z;
  return p;
}

/// A floor, a box on it with a hinge to the world, and a ball on top.
World hinged_world() {
  WorldSettings settings;
  World world(settings);
  world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
  const BodyId box = world.add_body({.pose = {{0, 0, 0.5}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  world.add_body({.pose = {{0, 0, 1.3}}}, {{.shape = make_sphere(0.3)}});
  world.add_joint(world.joint_at({}, box, {{0, 0, 0.5}}, HingeJoint{}));
  return world;
}

TEST(LiveFrame, TheSceneSaysWhatThereIs) {
  const World world = hinged_world();
  const auto scene = make_live_scene(world, 0.01,
                                     {"tower",
                                      "cairn",
                                      world.bodies(),
                                      {"floor", "box", "ball"},
                                      {{{1, 2, 3}, {}, {0, 0, 1}, 50, "side"}},
                                      {0, 0x80ff8000u, 0},
                                      {"door"}},
                                     5);
  ByteReader in(scene->bytes);
  EXPECT_EQ(in.raw(4), "SCEN");
  EXPECT_EQ(in.get<std::uint64_t>(), 5u);
  EXPECT_EQ(text(in), "tower");
  EXPECT_EQ(text(in), "soft_step");
  EXPECT_EQ(text(in), "cairn");
  EXPECT_EQ(in.get<double>(), 0.01);
  for (std::size_t n = in.count(16); n > 0; --n) {
    in.raw(12 * in.count(12));
    in.raw(12 * in.count(12));
  }
  ASSERT_EQ(in.count(1), 3u);
  const char* names[] = {"floor", "box", "ball"};
  const char* shapes[] = {"half_space", "box", "sphere"};
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_EQ(text(in), names[b]);
    EXPECT_EQ(text(in), shapes[b]);
    EXPECT_EQ(in.get<std::uint8_t>(), b == 0 ? 0 : 1);
    EXPECT_EQ(in.get<float>(), static_cast<float>(world.view(world.bodies()[b]).mass));
    in.get<std::uint32_t>();
    EXPECT_NEAR(pose(in).position.z, world.view(world.bodies()[b]).pose.position.z, 1e-6);
    EXPECT_EQ(in.get<std::uint32_t>(), b == 1 ? 0x80ff8000u : 0u);
  }
  ASSERT_EQ(in.count(8), statistic_names().size());
  for (const char* name : statistic_names()) EXPECT_EQ(text(in), name);
  std::vector<std::string> solvers(in.count(8));
  for (std::string& name : solvers) name = text(in);
  EXPECT_EQ(solvers, solvers_for(world));
  for (const SolverInfo& info : solver_table())
    EXPECT_EQ(std::count(solvers.begin(), solvers.end(), info.name), info.joints ? 1 : 0) << info.name;
  ASSERT_EQ(in.count(72), 1u);
  EXPECT_EQ(text(in), "hinge");
  EXPECT_EQ(text(in), "door");
  EXPECT_EQ(in.get<std::int32_t>(), -1);
  EXPECT_EQ(in.get<std::int32_t>(), 1);
  EXPECT_NEAR(pose(in).position.z, 0.5, 1e-6);
  EXPECT_NEAR(norm(pose(in).position), 0, 1e-6);
  EXPECT_EQ(in.get<JointCoordinate>(), JointCoordinate::turn);
  EXPECT_TRUE(std::isnan(in.get<float>()) && std::isnan(in.get<float>()));  // no limits
  EXPECT_EQ(in.get<std::uint8_t>(), 0);                                     // no drive
  in.raw(5 * 4);
  ASSERT_EQ(in.count(40), 1u);  // cameras of the scene file
  EXPECT_EQ(text(in), "side");
  const float camera[] = {1, 2, 3, 0, 0, 0, 0, 0, 1, 50};
  for (const float x : camera) EXPECT_EQ(in.get<float>(), x);
  EXPECT_TRUE(in.finished());
}

TEST(LiveFrame, AFrameIsTheState) {
  LiveRun run(hinged_world(), kLiveDt);
  for (int k = 0; k < 20; ++k) run.step();
  const World& world = run.world();
  const auto scene = make_live_scene(world, run.dt(), {"tower", "cairn", world.bodies(), {}}, 2);
  LiveFrame frame = take_live_frame(run, scene, true, true);
  frame.playing = true, frame.speed = 0.5, frame.rate = 0.25;
  const std::string bytes = pack_live_frame(frame, true, true);
  ByteReader in(bytes);
  EXPECT_EQ(in.raw(4), "FRAM");
  EXPECT_EQ(in.get<std::uint64_t>(), 2u);
  EXPECT_EQ(in.get<double>(), world.time());
  EXPECT_EQ(in.get<std::uint64_t>(), 20u);
  EXPECT_EQ(in.get<std::uint64_t>(), 0u);
  EXPECT_EQ(in.get<std::uint64_t>(), 20u);
  EXPECT_EQ(in.get<std::uint8_t>(), 1);
  EXPECT_EQ(in.get<float>(), 0.5f);
  EXPECT_EQ(in.get<float>(), 0.25f);
  EXPECT_EQ(text(in), "soft_step");
  EXPECT_EQ(text(in), world.state_hash().to_string());
  const BodyId moving[] = {world.bodies()[1], world.bodies()[2]};
  for (const BodyId body : moving) EXPECT_NEAR(norm(pose(in).position - world.view(body).pose.position), 0, 1e-6);
  for (const BodyId body : moving) {
    EXPECT_NEAR(norm(vector(in) - world.view(body).velocity.linear), 0, 1e-6);
    EXPECT_NEAR(norm(vector(in) - world.view(body).velocity.angular), 0, 1e-6);
  }
  for (int k = 0; k < 2; ++k) EXPECT_EQ(in.get<std::uint8_t>(), 1);  // awake
  ASSERT_EQ(in.get<std::uint8_t>(), 1);
  EXPECT_EQ(in.get<std::int32_t>(), in.get<std::int32_t>());  // the ball lies on the box: one island
  EXPECT_EQ(in.get<std::uint16_t>(), 3);                      // floor, ball and hinge
  EXPECT_EQ(in.get<std::uint16_t>(), 1);
  const std::vector<ContactView> contacts = world.contacts();
  ASSERT_EQ(in.count(51), contacts.size());
  for (const ContactView& c : contacts) {
    EXPECT_EQ(in.get<std::uint32_t>(), c.body_a.index);
    EXPECT_EQ(in.get<std::uint32_t>(), c.body_b.index);
    EXPECT_LE(in.get<std::uint8_t>(), 2);
    EXPECT_EQ(in.get<std::int16_t>(), c.colour);
    EXPECT_GE(c.colour, 0);
    EXPECT_EQ(in.get<float>(), static_cast<float>(c.separation));
    for (const Vec3& v : {c.point, c.normal, c.impulse}) EXPECT_NEAR(norm(vector(in) - v), 0, 1e-4);
  }
  ASSERT_EQ(in.count(4), statistic_names().size());
  for (const float x : run.record().statistics) EXPECT_EQ(in.get<float>(), x);
  ASSERT_EQ(in.get<std::uint32_t>(), 1u);
  const JointReading hinge = read_joint(world, world.joints()[0]);
  for (const double x : {hinge.position, hinge.velocity, hinge.effort, hinge.force, hinge.torque})
    EXPECT_EQ(in.get<float>(), static_cast<float>(x));
  EXPECT_TRUE(std::isnan(in.get<float>()));  // nothing drives it
  EXPECT_TRUE(in.finished());
}

TEST(LiveFrame, WhatIsNotAskedForIsLeftOut) {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 30; ++k) run.step();
  const auto scene = make_live_scene(run.world(), run.dt(), {}, 1);
  const LiveFrame frame = take_live_frame(run, scene, true, true);
  ASSERT_FALSE(frame.motion.contacts.empty());
  const std::size_t bare = pack_live_frame(frame, false, false).size();
  EXPECT_EQ(pack_live_frame(frame, true, false).size(), bare + 51 * frame.motion.contacts.size());
  EXPECT_EQ(pack_live_frame(frame, false, true).size(), bare + 6 * 16);
}

}  // namespace
}  // namespace cairn
