// SPDX-License-Identifier: MIT
// Quarantine: bodies whose numbers break down are frozen with their islands and named; the others do not notice.
#include <gtest/gtest.h>

#include "tests/analytic/bench.h"

namespace cairn {
namespace {

using namespace bench;

constexpr double kStep = 1.0 / 60;

MassProperties dust() { return {1e-9, {}, SymMat3::diagonal(1e-12, 1e-12, 1e-12)}; }

struct Scene {
  World world;
  std::vector<BodyId> healthy;
  BodyId speck, neighbour;  ///< in one island, if present
};

/// Two heaps on a floor and, if wanted, a speck of dust on a box of its own.
Scene make_scene(bool with_speck, int threads = 1) {
  WorldSettings settings;
  settings.threads = threads;
  Scene scene{World(settings), {}, {}, {}};
  World& world = scene.world;
  add_ramp(world, 0, rough(0.5));
  for (int i = 0; i < 20; ++i)
    scene.healthy.push_back(
        world.add_body({.pose = {{i % 2 * 10.0 + 0.1 * i, 0, 0.5 + i / 2 * 1.05}, turn_about({1, 1, 0}, 0.1 * i)}},
                       {{.shape = make_box({0.5, 0.5, 0.5})}}));
  if (!with_speck) return scene;
  scene.neighbour = world.add_body({.pose = {{30, 0, 0.5}, {}}}, {{.shape = make_box({0.5, 0.5, 0.5})}});
  scene.speck = world.add_body({.pose = {{30, 0, 1.1}, {}}, .mass = dust()}, {{.shape = make_sphere(0.1)}});
  return scene;
}

TEST(Quarantine, FreezesTheIslandAndNamesIt) {
  Scene scene = make_scene(true);
  World& world = scene.world;
  run(world, 10, kStep);
  EXPECT_TRUE(world.last_report().quarantined.empty());
  const Pose before = world.view(scene.speck).pose;
  world.add_force(scene.speck, {1e15, 0, 0});
  const StepReport& report = world.step(kStep);
  EXPECT_EQ(report.quarantined, (std::vector<BodyId>{scene.neighbour, scene.speck}));
  for (const BodyId body : {scene.neighbour, scene.speck}) {
    EXPECT_TRUE(world.view(body).quarantined);
    EXPECT_EQ(world.view(body).velocity, Velocity{});
  }
  EXPECT_EQ(world.view(scene.speck).pose, before) << "frozen where it last was well";
  run(world, 10, kStep);
  EXPECT_EQ(world.view(scene.speck).pose, before);
  EXPECT_TRUE(world.last_report().quarantined.empty()) << "named once";
}

TEST(Quarantine, LeavesOtherIslandsBitForBit) {
  for (const int threads : {1, 3}) {
    Scene with = make_scene(true, threads), without = make_scene(false, threads);
    for (int i = 0; i < 120; ++i) {
      if (i == 15) with.world.add_force(with.speck, {1e15, 0, 0});
      with.world.step(kStep), without.world.step(kStep);
      for (std::size_t k = 0; k < with.healthy.size(); ++k) {
        ASSERT_EQ(with.world.view(with.healthy[k]).pose, without.world.view(without.healthy[k]).pose) << "step " << i;
        ASSERT_EQ(with.world.view(with.healthy[k]).velocity, without.world.view(without.healthy[k]).velocity)
            << "step " << i;
      }
    }
    EXPECT_TRUE(with.world.view(with.speck).quarantined);
  }
}

TEST(Quarantine, EndsWhenReleased) {
  Scene scene = make_scene(true);
  World& world = scene.world;
  run(world, 10, kStep);
  world.add_force(scene.speck, {1e15, 0, 0});
  world.step(kStep);
  world.release(scene.neighbour), world.release(scene.speck);
  EXPECT_FALSE(world.view(scene.speck).quarantined);
  world.set_pose(scene.speck, {{30, 0, 5}, {}});
  run(world, 6, kStep);
  EXPECT_NEAR(world.view(scene.speck).velocity.linear.z, -0.1 * kGravity, 1e-12);
}

TEST(Quarantine, StopsWhatFliesOutOfTheWorld) {
  World world;
  const BodyId body = world.add_body({.mass = dust()}, {{.shape = make_sphere(0.1)}});
  for (int i = 0; i < 2000 && !world.view(body).quarantined; ++i) {
    world.add_force(body, {0.1, 0, 0});
    world.step(1);
  }
  EXPECT_TRUE(world.view(body).quarantined);
  EXPECT_TRUE(is_finite(world.view(body).pose) && is_finite(world.view(body).velocity));
}

TEST(Quarantine, OthersRestOnAFrozenBody) {
  Scene scene = make_scene(true);
  World& world = scene.world;
  run(world, 10, kStep);
  world.add_force(scene.speck, {1e15, 0, 0});
  world.step(kStep);
  const BodyId box = world.add_body({.pose = {{30, 0, 3}, {}}}, {{.shape = make_box({0.3, 0.3, 0.3})}});
  run(world, 120, kStep);
  EXPECT_TRUE(world.view(scene.neighbour).quarantined);
  EXPECT_GT(world.view(box).pose.position.z, 1.1);
  EXPECT_FALSE(world.view(box).quarantined);
}

TEST(Quarantine, LetsNeighboursSleep) {
  Scene scene = make_scene(true);
  World& world = scene.world;
  WorldSettings settings = world.settings();
  settings.sleep.enabled = true;
  world.set_settings(settings);
  run(world, 10, kStep);
  world.add_force(scene.speck, {1e15, 0, 0});
  world.step(kStep);
  const BodyId box = world.add_body({.pose = {{30.8, 0, 1.3}, {}}}, {{.shape = make_box({0.3, 0.3, 0.3})}});
  run(world, 180, kStep);
  EXPECT_TRUE(world.view(box).asleep);
  EXPECT_FALSE(world.view(scene.speck).asleep);
  EXPECT_TRUE(world.view(scene.speck).quarantined);
}

}  // namespace
}  // namespace cairn
