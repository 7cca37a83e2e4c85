// SPDX-License-Identifier: MIT
// A world that a second thread edits while it steps: noticed and refused, and nothing has changed. The contact listener
// runs inside the step and waits for the second thread, so that the two always meet.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <thread>

#include "cairn/world/world.h"
#include "tests/refusal.h"

namespace cairn {
namespace {

struct Fixture {
  World world;
  BodyId ground, ball, other;
  JointId joint;

  Fixture() {
    ground = world.add_body({.kind = BodyKind::fixed}, {{.shape = make_half_space({0, 0, 1}, 0)}});
    ball = world.add_body({.pose = {{0, 0, 0.499}}}, {{.shape = make_sphere(0.5)}, {.shape = make_sphere(0.1)}});
    other = world.add_body({.pose = {{5, 0, 3}}}, {{.shape = make_sphere(0.5)}});
    joint = world.add_joint(world.joint_at({}, other, {{5, 0, 3}}, BallJoint{}));
  }
};

/// Every function that changes a world.
std::map<std::string, std::function<void()>> edits_of(Fixture& f) {
  World& w = f.world;
  const ShapeId shape = w.shapes_of(f.ball)[0];
  const JointDef def = w.joint_def(f.joint);
  return {{"step", [&w] { w.step(0.01); }},
          {"set_settings", [&w] { w.set_settings({}); }},
          {"measure_cpu_times", [&w] { w.measure_cpu_times(true); }},
          {"keep_warm_start", [&w] { w.keep_warm_start(true); }},
          {"set_contact_listener", [&w] { w.set_contact_listener({}); }},
          {"save", [&w] { w.save(); }},
          {"add_body", [&w] { w.add_body({}, {{.shape = make_sphere(1)}}); }},
          {"remove_body", [&w, b = f.ball] { w.remove_body(b); }},
          {"add_shape", [&w, b = f.ball] { w.add_shape(b, {.shape = make_sphere(1)}); }},
          {"remove_shape", [&w, shape] { w.remove_shape(shape); }},
          {"set_pose",
           [&w, b = f.ball] {
             w.set_pose(b, {{1, 2, 3}});
           }},
          {"set_velocity",
           [&w, b = f.ball] {
             w.set_velocity(b, {{1, 2, 3}, {}});
           }},
          {"set_kind", [&w, b = f.ball] { w.set_kind(b, BodyKind::fixed); }},
          {"set_mass",
           [&w, b = f.ball] {
             w.set_mass(b, {1, {}, SymMat3::diagonal(1, 1, 1)});
           }},
          {"set_damping", [&w, b = f.ball] { w.set_damping(b, 1, 1); }},
          {"set_gravity_scale", [&w, b = f.ball] { w.set_gravity_scale(b, 2); }},
          {"set_locked_axes", [&w, b = f.ball] { w.set_locked_axes(b, kLockX); }},
          {"set_continuous", [&w, b = f.ball] { w.set_continuous(b, true); }},
          {"set_may_sleep", [&w, b = f.ball] { w.set_may_sleep(b, false); }},
          {"set_material", [&w, shape] { w.set_material(shape, {.friction = 0.1}); }},
          {"set_filter", [&w, shape] { w.set_filter(shape, 2, 2); }},
          {"set_collision", [&w, a = f.ball, b = f.other] { w.set_collision(a, b, false); }},
          {"add_force",
           [&w, b = f.ball] {
             w.add_force(b, {1, 0, 0});
           }},
          {"add_force_at",
           [&w, b = f.ball] {
             w.add_force_at(b, {1, 0, 0}, {});
           }},
          {"add_torque",
           [&w, b = f.ball] {
             w.add_torque(b, {1, 0, 0});
           }},
          {"add_impulse",
           [&w, b = f.ball] {
             w.add_impulse(b, {1, 0, 0});
           }},
          {"add_impulse_at",
           [&w, b = f.ball] {
             w.add_impulse_at(b, {1, 0, 0}, {});
           }},
          {"add_angular_impulse",
           [&w, b = f.ball] {
             w.add_angular_impulse(b, {1, 0, 0});
           }},
          {"wake", [&w, b = f.ball] { w.wake(b); }},
          {"release", [&w, b = f.ball] { w.release(b); }},
          {"add_joint", [&w, def] { w.add_joint(def); }},
          {"set_joint", [&w, j = f.joint, def] { w.set_joint(j, def); }},
          {"set_joint_enabled", [&w, j = f.joint] { w.set_joint_enabled(j, false); }},
          {"remove_joint", [&w, j = f.joint] { w.remove_joint(j); }},
          {"restore", [&w] {
             if (const auto error = w.restore("")) fail_input(error->message);
           }}};
}

TEST(SecondThread, EditsDuringAStepAreRefusedByName) {
  Fixture f, untouched;
  const auto edits = edits_of(f);
  std::map<std::string, std::string> answers;
  int met = 0;
  f.world.set_contact_listener([&](const ContactEvent&) {
    ++met;
    std::thread([&] {
      for (const auto& [name, edit] : edits) answers[name] = refusal(edit);
    }).join();
  });
  f.world.step(0.01);
  EXPECT_EQ(met, 1);  // the ball begins to touch the ground
  ASSERT_EQ(answers.size(), edits.size());
  for (const auto& [name, answer] : answers) {
    EXPECT_EQ(answer.find(name + "() was called while another thread"), 0u) << name << ": " << answer;
    EXPECT_NE(answer.find("wait until"), std::string::npos);
  }
  // Nothing has changed: both go on alike.
  f.world.set_contact_listener({});
  untouched.world.step(0.01);
  EXPECT_TRUE(f.world.save() == untouched.world.save());
}

TEST(SecondThread, BetweenStepsAnyThreadMayEdit) {
  Fixture names;
  for (const auto& [name, unused] : edits_of(names)) {
    if (name == "restore") continue;  // refused for what it is given
    Fixture f;
    f.world.step(0.01);
    const std::function<void()> edit = edits_of(f).at(name);
    std::thread([&] { EXPECT_EQ(refusal(edit), "") << name; }).join();
  }
}

TEST(SecondThread, TheListenerItselfMayEditAndRemove) {
  Fixture f;
  BodyId added;
  f.world.set_contact_listener([&](const ContactEvent&) {
    added = f.world.add_body({.pose = {{9, 9, 9}}}, {{.shape = make_sphere(1)}});
    f.world.set_velocity(f.other, {{1, 0, 0}, {}});
    f.world.remove_body(f.ball);
    f.world.remove_joint(f.joint);
    EXPECT_TRUE(f.world.contains(f.ball));
  });
  f.world.step(0.01);
  EXPECT_TRUE(f.world.contains(added));
  EXPECT_FALSE(f.world.contains(f.ball));
  EXPECT_FALSE(f.world.contains(f.joint));
  EXPECT_EQ(f.world.view(f.other).velocity.linear.x, 1);
}

TEST(SecondThread, AStepThatThrowsLeavesTheDoorOpen) {
  Fixture f;
  f.world.set_contact_listener([](const ContactEvent&) { throw std::runtime_error("listener"); });
  EXPECT_THROW(f.world.step(0.01), std::runtime_error);
  f.world.set_contact_listener({});
  std::thread([&] { EXPECT_NO_THROW(f.world.set_velocity(f.ball, {{1, 0, 0}, {}})); }).join();
  EXPECT_NO_THROW(f.world.step(0.01));
}

}  // namespace
}  // namespace cairn
