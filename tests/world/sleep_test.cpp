// SPDX-License-Identifier: MIT
// Sleeping: when islands fall asleep, and everything that wakes them.
#include <gtest/gtest.h>

#include <functional>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kStep = 1.0 / 60;

struct Nap {
  World world;
  BodyId floor, low, high, far;

  static WorldSettings settings() {
    WorldSettings s;
    s.sleep.enabled = true;
    return s;
  }

  /// Two boxes on each other and one apart, all asleep.
  explicit Nap(BodyKind floor_kind = BodyKind::fixed) : world(settings()) {
    floor = world.add_body({.kind = floor_kind, .pose = {{0, 0, -0.5}, {}}}, {{.shape = make_box({20, 20, 0.5})}});
    const auto box = [&](const Vec3& p) {
      return world.add_body({.pose = {p, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
    };
    low = box({0, 0, 0.5}), high = box({0, 0, 1.5}), far = box({5, 0, 0.5});
    run(world, 120, kStep);
  }
  bool sleeps(BodyId body) const { return world.view(body).asleep; }
};

TEST(Sleep, ComesToIslandsThatRest) {
  Nap nap;
  for (const BodyId body : {nap.low, nap.high, nap.far}) {
    EXPECT_TRUE(nap.sleeps(body));
    EXPECT_EQ(nap.world.view(body).velocity, Velocity{});
  }
  const StepReport& report = nap.world.last_report();
  EXPECT_EQ(report.islands, 2);
  EXPECT_EQ(report.sleeping_islands, 2);
  EXPECT_EQ(report.awake_bodies, 0);
  EXPECT_EQ(report.contacts, 0) << "sleeping contacts are not solved";
  EXPECT_EQ(nap.world.contacts().size(), 12u) << "but they can be seen";
  const Hash128 before = nap.world.state_hash();
  run(nap.world, 60, kStep);
  EXPECT_EQ(nap.world.state_hash(), before) << "a sleeping world does not move";
}

TEST(Sleep, NeedsTheWholeTime) {
  World world(Nap::settings());
  add_ramp(world, 0, rough(0.5));
  const BodyId body = world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  run(world, 29, kStep);
  EXPECT_FALSE(world.view(body).asleep);
  run(world, 5, kStep);
  EXPECT_TRUE(world.view(body).asleep);
}

TEST(Sleep, IsRefusedToThoseWhoMayNot) {
  Nap nap;
  nap.world.set_may_sleep(nap.high, false);
  run(nap.world, 200, kStep);
  EXPECT_FALSE(nap.sleeps(nap.high));
  EXPECT_FALSE(nap.sleeps(nap.low)) << "they are one island";
  EXPECT_TRUE(nap.sleeps(nap.far));
}

TEST(Sleep, SwitchedOffIsTheSameAsNever) {
  Hash128 hash[2];
  for (int k = 0; k < 2; ++k) {
    WorldSettings settings;
    settings.sleep.enabled = k == 1;
    settings.sleep.time = 1e9;
    World world(settings);
    add_ramp(world, 0, rough(0.5));
    for (int i = 0; i < 8; ++i)
      world.add_body({.pose = {{0.1 * i, 0, 0.6 + 1.1 * i}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
    run(world, 200, kStep);
    hash[k] = world.state_hash();
  }
  EXPECT_EQ(hash[0], hash[1]);
}

/// Does this to a sleeping scene, steps once and says whether the tower and the box apart woke.
void expect_wakes(const char* what, bool tower, bool apart, const std::function<void(Nap&)>& act,
                  BodyKind floor = BodyKind::fixed) {
  Nap nap(floor);
  ASSERT_TRUE(nap.sleeps(nap.low) && nap.sleeps(nap.high) && nap.sleeps(nap.far)) << what;
  act(nap);
  nap.world.step(kStep);
  EXPECT_EQ(nap.world.contains(nap.low) && !nap.sleeps(nap.low), tower) << what;
  EXPECT_EQ(!nap.sleeps(nap.high), tower) << what;
  EXPECT_EQ(!nap.sleeps(nap.far), apart) << what;
}

TEST(Waking, ByEdits) {
  const Velocity up{{0, 0, 1}, {}};
  expect_wakes("nothing", false, false, [](Nap&) {});
  expect_wakes("wake", true, false, [](Nap& n) { n.world.wake(n.low); });
  expect_wakes("add_force", true, false, [](Nap& n) { n.world.add_force(n.high, {1, 0, 0}); });
  expect_wakes("add_force_at", true, false, [](Nap& n) { n.world.add_force_at(n.high, {1, 0, 0}, {}); });
  expect_wakes("add_torque", true, false, [](Nap& n) { n.world.add_torque(n.high, {1, 0, 0}); });
  expect_wakes("add_impulse", true, false, [](Nap& n) { n.world.add_impulse(n.low, {1, 0, 0}); });
  expect_wakes("add_impulse_at", true, false, [](Nap& n) { n.world.add_impulse_at(n.low, {1, 0, 0}, {}); });
  expect_wakes("add_angular_impulse", true, false, [](Nap& n) { n.world.add_angular_impulse(n.low, {1, 0, 0}); });
  expect_wakes("set_velocity", true, false, [&](Nap& n) { n.world.set_velocity(n.low, up); });
  expect_wakes("set_mass", true, false, [](Nap& n) { n.world.set_mass(n.low, {5, {}, SymMat3::diagonal(1, 1, 1)}); });
  expect_wakes("set_damping", true, false, [](Nap& n) { n.world.set_damping(n.low, 1, 1); });
  expect_wakes("set_gravity_scale", true, false, [](Nap& n) { n.world.set_gravity_scale(n.low, 2); });
  expect_wakes("set_locked_axes", true, false, [](Nap& n) { n.world.set_locked_axes(n.low, kLockX); });
  expect_wakes("add_shape", true, false, [](Nap& n) { n.world.add_shape(n.high, {.shape = make_sphere(0.1)}); });
  expect_wakes("set_material", true, false,
               [](Nap& n) { n.world.set_material(n.world.shapes_of(n.low)[0], rough(1)); });
  expect_wakes("set_filter", true, false, [](Nap& n) { n.world.set_filter(n.world.shapes_of(n.low)[0], 2, ~0u); });
  expect_wakes("set_collision", true, false, [](Nap& n) { n.world.set_collision(n.low, n.high, false); });
  expect_wakes("set_pose: its support is gone", true, false, [](Nap& n) {
    n.world.set_pose(n.low, {{9, 0, 0.5}, {}});
  });
}

TEST(Waking, ByWhatCarriesThem) {
  expect_wakes("remove_body of the floor", true, true, [](Nap& n) { n.world.remove_body(n.floor); });
  expect_wakes("set_pose of the floor", true, true, [](Nap& n) { n.world.set_pose(n.floor, {{0, 0, -3}, {}}); });
  expect_wakes("set_filter of the floor", true, true,
               [](Nap& n) { n.world.set_filter(n.world.shapes_of(n.floor)[0], 1, 0); });
  expect_wakes("set_material of the floor", true, true,
               [](Nap& n) { n.world.set_material(n.world.shapes_of(n.floor)[0], rough(0)); });
  expect_wakes("remove_shape of the floor", true, true,
               [](Nap& n) { n.world.remove_shape(n.world.shapes_of(n.floor)[0]); });
  expect_wakes(
      "a moving floor", true, true,
      [](Nap& n) {
        n.world.set_velocity(n.floor, {{0.1, 0, 0}, {}});
      },
      BodyKind::kinematic);
  expect_wakes("set_kind of the floor", true, true, [](Nap& n) { n.world.set_kind(n.floor, BodyKind::dynamic); });
}

TEST(Waking, ByTheBodyBelowRemoved) {
  Nap nap;
  nap.world.remove_body(nap.low);
  nap.world.step(kStep);
  EXPECT_FALSE(nap.sleeps(nap.high));
  EXPECT_TRUE(nap.sleeps(nap.far));
  run(nap.world, 200, kStep);
  EXPECT_NEAR(nap.world.view(nap.high).pose.position.z, 0.5, 0.01);
}

TEST(Waking, ByTouchOfAnAwakeBody) {
  Nap nap;
  nap.world.add_body({.pose = {{0, 0, 4}, {}}, .velocity = {{0, 0, -5}, {}}}, {{.shape = make_sphere(0.3)}});
  run(nap.world, 10, kStep);
  EXPECT_TRUE(nap.sleeps(nap.high)) << "not yet touched";
  run(nap.world, 30, kStep);
  EXPECT_FALSE(nap.sleeps(nap.high));
  EXPECT_FALSE(nap.sleeps(nap.low));
  EXPECT_TRUE(nap.sleeps(nap.far));
}

TEST(Waking, BySettings) {
  expect_wakes("gravity", true, true, [](Nap& n) {
    WorldSettings s = n.world.settings();
    s.gravity = {0, 0, -5};
    n.world.set_settings(s);
  });
  expect_wakes("sleep switched off", true, true, [](Nap& n) {
    WorldSettings s = n.world.settings();
    s.sleep.enabled = false;
    n.world.set_settings(s);
  });
  expect_wakes("more sweeps", false, false, [](Nap& n) {
    WorldSettings s = n.world.settings();
    s.iterations = 60;
    n.world.set_settings(s);
  });
}

}  // namespace
}  // namespace cairn
