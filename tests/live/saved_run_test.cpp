// SPDX-License-Identifier: MIT
// Runs that were acted on by hand: the file has what was done, and computing it again gives the same bits.
#include "cairn/live/saved_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cairn/live/run.h"
#include "tests/io/temporary_folder.h"
#include "tests/live/live_scene.h"

namespace cairn {
namespace {

/// A box on a hinge of the world.
World door(double density = 1000) {
  World world;
  const BodyId leaf =
      world.add_body({.pose = {{0.5, 0, 1}}}, {{.shape = make_box({0.5, 0.05, 1}), .density = density}});
  JointDef def = world.joint_at({}, leaf, frame_along({0, 0, 1}, {0, 0, 1}), HingeJoint{});
  world.add_joint(def);
  return world;
}

TEST(LiveInput, BytesGiveTheSameInputs) {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 55; ++k) eventful_step(run);
  std::vector<LoggedInput> inputs = run.history().inputs();
  inputs.push_back({55, LiveDrive{JointId{3, 1}, {.kind = DriveKind::position, .position = 0.5, .stiffness = 7}}});
  inputs.push_back({56, LiveFriction{0.25}});
  inputs.push_back({57, LiveShot{{1, 2, 3}, {4, 5, 6}, 0.5, 700, ShotForm::cone}});
  const std::string bytes = pack_inputs(inputs);
  const std::vector<LoggedInput> again = unpack_inputs(bytes);
  ASSERT_EQ(again.size(), inputs.size());
  EXPECT_EQ(pack_inputs(again), bytes);
  EXPECT_TRUE(unpack_inputs("").empty());
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    if (length > 0) {
      EXPECT_THROW(unpack_inputs(bytes.substr(0, length)), InputError);
    }
  }
  std::string foreign = bytes;
  foreign[16] = 99;  // the kind of the first
  EXPECT_THROW(unpack_inputs(foreign), InputError);
}

TEST(SavedRun, IsComputedAgainToTheBit) {
  LiveRun run(live_heap(), kLiveDt);
  for (int k = 0; k < 60; ++k) eventful_step(run);
  const TemporaryFolder folder;
  const std::string path = folder.file("hand.h5");
  EXPECT_EQ(write_saved_run(path, saved_run(run.history()), {.scene = "heap"}), 0);

  const RecordingInfo info = read_recording(path).value_or_throw();
  ASSERT_EQ(info.hashes.size(), 60u);
  ASSERT_EQ(info.bodies.size(), 17u + 3u);  // three were shot
  EXPECT_EQ(info.bodies[17].name, "added 1");
  EXPECT_EQ(info.bodies[17].shape, "sphere");
  World start;
  ASSERT_FALSE(start.restore(info.start).has_value());
  InputReplay replay(std::move(start), info.meta.dt, unpack_inputs(info.meta.inputs));
  for (const Hash128& hash : info.hashes) {
    replay.step();
    ASSERT_EQ(replay.world().state_hash(), hash) << "step " << replay.world().step_count();
  }
  EXPECT_EQ(replay.world().state_hash(), run.world().state_hash());
  EXPECT_EQ(replay.added().size(), 3u);

  // Bodies are nowhere before they appear and after they are removed.
  const std::vector<MotionFrame> frames = read_frames(path, 0, info.frames).value_or_throw();
  ASSERT_EQ(frames.size(), 61u);
  EXPECT_TRUE(std::isnan(frames[12].pose[17].position.x));
  EXPECT_FALSE(std::isnan(frames[13].pose[17].position.x));
  EXPECT_FALSE(std::isnan(frames[33].pose[3].position.x));
  EXPECT_TRUE(std::isnan(frames[34].pose[3].position.x));
}

TEST(SavedRun, BeginsInTheMiddleOfAPull) {
  LiveRun run(live_heap(), kLiveDt, {.history_bytes = 1, .snapshot_every = 5});
  for (int k = 0; k < 24; ++k) eventful_step(run);
  const SavedRun saved = saved_run(run.history());
  ASSERT_GT(saved.start.step, 0);
  ASSERT_TRUE(saved.start.drag.has_value());
  const TemporaryFolder folder;
  EXPECT_EQ(write_saved_run(folder.file("pull.h5"), saved, {}), 0);
}

// A hinge about z: a torque T for a time t turns a leaf of inertia I about its edge by T t^2 / (2 I).
TEST(JointReading, AHingeThatIsPushed) {
  World world = door();
  WorldSettings settings = world.settings();
  settings.gravity = {};
  world.set_settings(settings);
  const BodyView leaf = world.view(world.bodies()[0]);
  const double inertia = leaf.mass / 12 * (1.0 + 0.01) + leaf.mass * 0.25, torque = 100, dt = 1e-3;
  for (int k = 0; k < 500; ++k) world.add_torque(world.bodies()[0], {0, 0, torque}), world.step(dt);
  const JointReading r = read_joint(world, world.joints()[0]);
  EXPECT_NEAR(r.velocity, torque * 0.5 / inertia, 2e-3 * torque * 0.5 / inertia);
  EXPECT_NEAR(r.position, 0.5 * torque * 0.25 / inertia, 5e-3 * torque * 0.125 / inertia);
  // The hinge holds the leaf on its circle: m r w^2 towards the axis, and the push across it.
  const double w = r.velocity, angular = torque / inertia;
  EXPECT_NEAR(r.force, leaf.mass * 0.5 * std::hypot(w * w, angular), 0.02 * leaf.mass * angular);
  EXPECT_NEAR(r.effort, 0, 1e-6 * torque);  // nothing drives it
}

TEST(LiveRun, ADriveTurnsAHinge) {
  LiveRun run(door(), kLiveDt);
  const JointId hinge = run.world().joints()[0];
  run.act(LiveDrive{hinge, {.kind = DriveKind::position, .position = 0.8, .stiffness = 4000, .damping = 4000}});
  for (int k = 0; k < 300; ++k) run.step();
  EXPECT_NEAR(read_joint(run.world(), hinge).position, 0.8, 0.01);
  run.begin_seek(0);
  while (!run.continue_seek(1)) {
  }
  EXPECT_NEAR(read_joint(run.world(), hinge).position, 0, 1e-12);
  EXPECT_THROW(run.act(LiveDrive{JointId{7, 0}, {}}), InputError);
}

TEST(LiveRun, FrictionOfAllShapes) {
  LiveRun run(live_heap(), kLiveDt);
  run.act(LiveFriction{0.125});
  for (const BodyId body : run.world().bodies())
    for (const ShapeId shape : run.world().shapes_of(body))
      EXPECT_EQ(run.world().shape_def(shape).material.friction, 0.125);
  EXPECT_THROW(run.act(LiveFriction{-1}), InputError);
}

}  // namespace
}  // namespace cairn
