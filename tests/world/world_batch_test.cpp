// SPDX-License-Identifier: MIT
// Batches of worlds: the same bits as alone, actions in, observations out, resets.
#include "cairn/world/world_batch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/refusal.h"

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60;

struct CartPole {
  World world;
  BodyId cart, pole;
  JointId slider, hinge;
};

CartPole make_cart_pole() {
  CartPole c;
  c.cart = c.world.add_body({}, {{.shape = make_box({0.2, 0.15, 0.1})}});
  c.pole = c.world.add_body({.pose = {{0, 0, 0.5}, {}}}, {{.shape = make_box({0.02, 0.02, 0.5}), .density = 250}});
  c.slider = c.world.add_joint(c.world.joint_at({}, c.cart, frame_along({}, {1, 0, 0}), PrismaticJoint{}));
  c.hinge = c.world.add_joint(c.world.joint_at(c.cart, c.pole, frame_along({}, {0, 1, 0}), HingeJoint{}));
  return c;
}

WorldBatch make_batch(int count, int threads) {
  std::vector<World> worlds;
  CartPole first;
  for (int i = 0; i < count; ++i) {
    first = make_cart_pole();
    worlds.push_back(std::move(first.world));
  }
  BatchChannels channels;
  channels.actions = {{ActionKind::joint_force, first.slider}};
  channels.observations = {{ObservationKind::joint_position, first.slider},
                           {ObservationKind::joint_speed, first.slider},
                           {ObservationKind::joint_position, first.hinge},
                           {ObservationKind::joint_speed, first.hinge},
                           {ObservationKind::body_orientation, {}, first.pole}};
  return WorldBatch(std::move(worlds), channels, threads);
}

/// One number per world and step.
double push(std::size_t world, int step) { return 30 * std::sin(0.1 * step + static_cast<double>(world)); }

std::vector<Hash128> run(WorldBatch& batch, int steps) {
  std::vector<double> actions(batch.size());
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < batch.size(); ++i) actions[i] = push(i, k);
    batch.step(kStep, actions);
  }
  std::vector<Hash128> hashes;
  for (std::size_t i = 0; i < batch.size(); ++i) hashes.push_back(batch.world(i).state_hash());
  return hashes;
}

TEST(WorldBatch, SameBitsForAnySizeAndThreads) {
  WorldBatch large = make_batch(37, 3), small = make_batch(5, 1), one = make_batch(1, 2);
  const auto of_large = run(large, 60), of_small = run(small, 60), of_one = run(one, 60);
  for (std::size_t i = 0; i < of_small.size(); ++i) EXPECT_EQ(of_large[i], of_small[i]);
  EXPECT_EQ(of_large[0], of_one[0]);
  EXPECT_FALSE(of_large[0] == of_large[1]);
}

TEST(WorldBatch, ForceOnAFreeSliderIsMassTimesAcceleration) {
  WorldSettings settings;
  settings.gravity = {};
  settings.solver = "ldl_pgs";  // in double throughout
  World world(settings);
  const BodyId cart = world.add_body({}, {{.shape = make_box({0.5, 0.5, 0.5})}});  // 1000 kg
  const JointId slider = world.add_joint(world.joint_at({}, cart, frame_along({}, {1, 0, 0}), PrismaticJoint{}));
  std::vector<World> worlds;
  worlds.push_back(std::move(world));
  WorldBatch batch(std::move(worlds), {.actions = {{ActionKind::joint_force, slider}},
                                       .observations = {{ObservationKind::joint_speed, slider},
                                                        {ObservationKind::body_position, {}, cart}}});
  const std::vector<double> action{500};
  batch.step(kStep, action, 60);
  std::vector<double> seen(batch.observation_size());
  batch.observe(seen);
  EXPECT_NEAR(seen[0], 0.5, 1e-9);                   // F t / m after 1 s
  EXPECT_NEAR(seen[1], 0.25 * (61.0 / 60.0), 1e-6);  // F h^2 n (n + 1) / (2 m)
}

TEST(WorldBatch, DrivesFollowTheirTargets) {
  CartPole c = make_cart_pole();
  JointDef def = c.world.joint_def(c.slider);
  std::get<PrismaticJoint>(def.kind).slide.drive = {.kind = DriveKind::velocity, .max_force = 1e6};
  c.world.set_joint(c.slider, def);
  std::vector<World> worlds;
  worlds.push_back(std::move(c.world));
  WorldBatch batch(std::move(worlds), {.actions = {{ActionKind::joint_speed, c.slider}},
                                       .observations = {{ObservationKind::joint_speed, c.slider}}});
  const std::vector<double> action{0.75};
  batch.step(kStep, action, 30);
  std::vector<double> seen(1);
  batch.observe(seen);
  EXPECT_NEAR(seen[0], 0.75, 1e-3);
}

TEST(WorldBatch, ResetGoesBackToTheBits) {
  WorldBatch batch = make_batch(9, 2);
  const Hash128 start = batch.world(0).state_hash();
  const auto first = run(batch, 30);
  std::vector<std::uint8_t> which(9, 0);
  which[4] = 1;
  batch.reset(which);
  EXPECT_EQ(batch.world(4).state_hash(), start);
  EXPECT_EQ(batch.world(3).state_hash(), first[3]);
  batch.reset();
  EXPECT_EQ(run(batch, 30), first);
  const std::string later = batch.world(2).save();
  batch.reset_to(5, later);
  EXPECT_EQ(batch.world(5).state_hash(), batch.world(2).state_hash());
}

TEST(WorldBatch, RefusesWhatDoesNotFit) {
  WorldBatch batch = make_batch(3, 1);
  const std::vector<double> two(2, 0.0);
  EXPECT_NE(refusal([&] { batch.step(kStep, two); }).find("each takes 1"), std::string::npos);
  EXPECT_NE(refusal([&] { batch.step(kStep, {}, 0); }), "");
  EXPECT_NE(refusal([&] { batch.world(3); }).find("no world 3"), std::string::npos);
  EXPECT_NE(refusal([&] { batch.reset_to(0, "rubbish"); }), "");
  std::vector<double> narrow(3);
  EXPECT_NE(refusal([&] { batch.observe(narrow); }), "");
  CartPole c = make_cart_pole();
  std::vector<World> worlds;
  worlds.push_back(std::move(c.world));
  EXPECT_NE(refusal([&] {
              WorldBatch(std::move(worlds), {.actions = {{ActionKind::joint_speed, c.hinge}}});
            }).find("world 0 of the batch"),
            std::string::npos);
}

TEST(WorldBatch, OneWorldThatThrowsDoesNotStopTheOthers) {
  WorldBatch batch = make_batch(8, 2), calm = make_batch(8, 1);
  std::vector<double> actions(8, 1.0);
  actions[6] = std::nan("");
  EXPECT_NE(refusal([&] { batch.step(kStep, actions); }).find("world 6"), std::string::npos);
  actions[6] = 1.0;
  calm.step(kStep, actions);
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == 6) continue;
    EXPECT_EQ(batch.world(i).state_hash(), calm.world(i).state_hash());
  }
}

}  // namespace
}  // namespace cairn
