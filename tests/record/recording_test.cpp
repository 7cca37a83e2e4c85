// SPDX-License-Identifier: MIT
// Recordings: what is read is what was stepped, bit for bit; the run can be computed again; damaged files are errors.
#include "cairn/record/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "cairn/core/index.h"
#include "scenes/scene.h"
#include "tests/io/temporary_folder.h"

namespace cairn {
namespace {

scenes::Scene small_scene() { return scenes::make_scene("pyramid_3").value_or_throw(); }

std::string recorded(const TemporaryFolder& folder, scenes::Scene& scene, int steps,
                     const RecorderSettings& settings = {}) {
  const std::string path = folder.file("run.h5");
  RecordingMeta meta{
      .scene = scene.name, .parameters = "friction=0.5", .scene_text = "{}\n", .solver = "s", .dt = scene.dt};
  Recorder recorder(path, scene.world, meta, settings);
  for (int k = 0; k < steps; ++k) scene.world.step(scene.dt), recorder.add(scene.world);
  recorder.close();
  return path;
}

TEST(Recording, HoldsEveryStepBitForBit) {
  const TemporaryFolder folder;
  scenes::Scene scene = small_scene(), again = small_scene();
  const std::string path = recorded(folder, scene, 30);
  EXPECT_EQ(folder.entries(), 1u);
  const RecordingInfo info = read_recording(path).value_or_throw();
  EXPECT_EQ(info.meta.scene, "pyramid_3");
  EXPECT_EQ(info.meta.parameters, "friction=0.5");
  EXPECT_EQ(info.meta.scene_text, "{}\n");
  EXPECT_EQ(info.meta.dt, scene.dt);
  EXPECT_EQ(info.first_step, 0);
  EXPECT_EQ(info.frames, 31);
  ASSERT_EQ(info.hashes.size(), 30u);
  ASSERT_EQ(info.bodies.size(), 7u);
  EXPECT_EQ(info.bodies[1].shape, "box");
  EXPECT_EQ(info.bodies[0].kind, BodyKind::fixed);
  EXPECT_NEAR(info.bodies[1].mass, 1000, 1e-9);
  EXPECT_TRUE(info.start == again.world.save());
  const std::vector<MotionFrame> frames = read_frames(path, 0, info.frames).value_or_throw();
  const std::vector<BodyId> bodies = again.world.bodies();
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (k > 0) again.world.step(again.dt);
    const MotionFrame expected = take_frame(again.world, bodies);
    EXPECT_EQ(frames[k].step, static_cast<std::int64_t>(k));
    EXPECT_EQ(frames[k].time, expected.time);
    EXPECT_EQ(frames[k].pose, expected.pose);
    EXPECT_EQ(frames[k].awake, expected.awake);
    ASSERT_EQ(frames[k].contacts.size(), expected.contacts.size());
    for (std::size_t c = 0; c < expected.contacts.size(); ++c) {
      EXPECT_EQ(frames[k].contacts[c].body_b, expected.contacts[c].body_b);
      EXPECT_EQ(frames[k].contacts[c].impulse, expected.contacts[c].impulse);
      EXPECT_EQ(frames[k].contacts[c].mode, expected.contacts[c].mode);
    }
    if (k > 0) {
      EXPECT_EQ(info.hashes[k - 1], again.world.state_hash());
      EXPECT_EQ(info.times[k - 1], again.world.time());
    }
  }
  // Statistics by name.
  const auto column = std::find(info.statistic_names.begin(), info.statistic_names.end(), "contacts");
  ASSERT_NE(column, info.statistic_names.end());
  EXPECT_EQ(info.statistics[to_index(column - info.statistic_names.begin())].back(),
            static_cast<double>(again.world.last_report().contacts));
}

TEST(Recording, TheStateAtTheBeginningComputesTheSameAgain) {
  const TemporaryFolder folder;
  scenes::Scene scene = scenes::make_scene("ball_pile_3").value_or_throw();
  for (int k = 0; k < 10; ++k) scene.world.step(scene.dt);  // a recording may begin late
  const RecordingInfo info =
      read_recording(recorded(folder, scene, 40, {.every = 7, .contacts = false})).value_or_throw();
  EXPECT_EQ(info.first_step, 10);
  EXPECT_EQ(info.frames, 1 + 6);  // steps 14, 21, ..., 49
  World world;
  ASSERT_FALSE(world.restore(info.start));
  for (const Hash128& hash : info.hashes) {
    world.step(info.meta.dt);
    ASSERT_EQ(world.state_hash(), hash);
  }
}

TEST(Recording, ContactModesOfASlidingAndARestingBox) {
  // On a plane of slope tan(30 deg) a box slides with friction 0.3 and sticks with 0.9.
  for (const auto& [friction, mode] : {std::pair{0.3, ContactMode::slide}, std::pair{0.9, ContactMode::stick}}) {
    World world;
    Material material;
    material.friction = friction;
    world.add_body({.kind = BodyKind::fixed},
                   {{.shape = make_half_space({0.5, 0, std::sqrt(0.75)}, 0), .material = material}});
    const Quat slope{std::cos(kPi / 12), 0, std::sin(kPi / 12), 0};
    world.add_body({.pose = {rotate(slope, {0, 0, 0.5}), slope}},
                   {{.shape = make_box({0.5, 0.5, 0.5}), .material = material}});
    for (int k = 0; k < 30; ++k) world.step(1.0 / 60);
    int pressed = 0;
    for (const ContactView& c : world.contacts()) {
      if (dot(c.impulse, c.normal) <= 0) continue;
      EXPECT_EQ(contact_mode(world, c), mode) << friction;
      ++pressed;
    }
    EXPECT_GE(pressed, 2);
  }
}

TEST(Recording, RefusesWhatItCannotKeep) {
  const TemporaryFolder folder;
  scenes::Scene scene = small_scene();
  const std::string path = recorded(folder, scene, 2);
  EXPECT_THROW(Recorder(path, scene.world, {}), InputError);  // exists
  EXPECT_NO_THROW(Recorder(path, scene.world, {}, {.overwrite = true}).close());
  EXPECT_THROW(Recorder(folder.file("no/such/run.h5"), scene.world, {}), InputError);
  Recorder recorder(folder.file("other.h5"), scene.world, {});
  scene.world.add_body({}, {{.shape = make_sphere(1)}});
  scene.world.step(scene.dt);
  EXPECT_THROW(recorder.add(scene.world), InputError);
}

TEST(Recording, EmptyWorldsCanBeRecorded) {
  const TemporaryFolder folder;
  World world;
  Recorder recorder(folder.file("empty.h5"), world, {});
  world.step(0.01);
  recorder.add(world);
  recorder.close();
  EXPECT_EQ(read_recording(folder.file("empty.h5")).value_or_throw().frames, 2);
  EXPECT_TRUE(read_frames(folder.file("empty.h5"), 0, 2).value_or_throw().at(1).pose.empty());
}

TEST(Recording, DamagedFilesAreErrorsWithTheirName) {
  const TemporaryFolder folder;
  scenes::Scene scene = small_scene();
  const std::string path = recorded(folder, scene, 3);
  EXPECT_NE(read_recording(folder.file("absent.h5")).error().message.find("absent.h5"), std::string::npos);
  EXPECT_NE(read_frames(path, 2, 9).error().message.find("rows"), std::string::npos);
  EXPECT_FALSE(read_frames(path, -1, 2));
  EXPECT_FALSE(read_frames(path, 0, std::int64_t{1} << 62));
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t k = 1; k <= 8; ++k) {
    const std::string cut = folder.file("cut.h5");
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() * k / 9);
    EXPECT_FALSE(read_recording(cut)) << k;
  }
  // Flipped bytes give an error or a recording, never a crash here; what is read of the state is checked by its hash.
  for (std::size_t k = 0; k < 60; ++k) {
    std::string bad = bytes;
    bad[bytes.size() / 60 * k] = static_cast<char>(bad[bytes.size() / 60 * k] ^ 0x41);
    std::ofstream(folder.file("bad.h5"), std::ios::binary) << bad;
    const Expected<RecordingInfo> info = read_recording(folder.file("bad.h5"));
    World world;
    if (info) (void)world.restore(info->start);
  }
}

}  // namespace
}  // namespace cairn
