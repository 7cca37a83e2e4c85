// SPDX-License-Identifier: MIT
// Checkpoints: damage is always found, the other file is used then, and nothing is lost by writing.
#include "cairn/record/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cairn/core/bytes.h"
#include "cairn/world/snapshot/snapshot_file.h"
#include "cairn/world/world.h"
#include "tests/io/temporary_folder.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

Checkpoint small_checkpoint(std::int64_t step = 3) {
  World world;
  world.add_body({}, {{.shape = make_sphere(0.5)}});
  for (std::int64_t k = 0; k < step; ++k) world.step(0.01);
  return {"ball", {{1, 2}, "{\n  \"dt\": 0.01\n}\n"}, 0.01, step, 10, world.save()};
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string refusal(const std::string& bytes) {
  try {
    unpack_checkpoint(bytes);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Checkpoint, ComesBack) {
  const Checkpoint given = small_checkpoint(), read = unpack_checkpoint(pack_checkpoint(given));
  EXPECT_EQ(read.scene, given.scene);
  EXPECT_EQ(difference(read.identity, given.identity), "");
  EXPECT_EQ(read.dt, given.dt);
  EXPECT_EQ(read.step, 3);
  EXPECT_EQ(read.last_step, 10);
  EXPECT_TRUE(read.state == given.state);
}

TEST(Checkpoint, EveryFlippedBitCutAndAdditionIsFound) {
  const std::string good = pack_checkpoint(small_checkpoint());
  for (std::size_t k = 0; k < 8 * good.size(); ++k) {
    std::string bad = good;
    bad[k / 8] = static_cast<char>(bad[k / 8] ^ (1 << (k % 8)));
    ASSERT_NE(refusal(bad), "") << "bit " << k;
  }
  for (std::size_t length = 0; length < good.size(); ++length)
    ASSERT_NE(refusal(good.substr(0, length)), "") << "length " << length;
  EXPECT_NE(refusal(good + '\0'), "");
  EXPECT_NE(refusal(good + good), "");
}

TEST(Checkpoint, ForgedContentIsRefused) {
  Checkpoint c = small_checkpoint();
  c.dt = -1;
  EXPECT_NE(refusal(pack_checkpoint(c)).find("dt"), std::string::npos);
  c.dt = 0.01, c.step = 11;
  EXPECT_NE(refusal(pack_checkpoint(c)).find("steps"), std::string::npos);
  const std::string state = small_checkpoint().state;
  const SnapshotSection swapped[] = {{"state", state}, {"scene", "x"}, {"run", "x"}};
  EXPECT_NE(refusal(pack_sections(swapped)).find("section run is missing"), std::string::npos);
  EXPECT_NE(refusal(state).find("section run is missing"), std::string::npos);  // a snapshot is no checkpoint
}

TEST(Checkpoint, SaysWhatIsOtherAboutAScene) {
  const SceneIdentity then{{1, 2}, "{\n  \"dt\": 0.01,\n  \"gravity\": [0, 0, -9.81]\n}\n"};
  SceneIdentity now = then;
  EXPECT_EQ(difference(then, now), "");
  now.settings = "{\n  \"dt\": 0.01,\n  \"gravity\": [0, 0, -1]\n}\n";
  EXPECT_EQ(difference(then, now),
            "where its settings were \"gravity\": [0, 0, -9.81] there is now \"gravity\": [0, 0, -1]");
  now.bodies = {1, 3};
  EXPECT_EQ(difference(then, now).find("its bodies, shapes or joints are others, and where"), 0u);
  now.settings = then.settings;
  EXPECT_EQ(difference(then, now), "its bodies, shapes or joints are others");
  now = then, now.settings += "more\n";
  EXPECT_NE(difference(then, now).find("nothing"), std::string::npos);
}

TEST(Checkpoint, AnOlderFileIsRefusedWithWhatToDo) {
  // As before the identity was written: the section run, then the state.
  ByteWriter run;
  run.text("ball");
  run.number(0.01), run.number(std::int64_t{3}), run.number(std::int64_t{10});
  const SnapshotSection sections[] = {{"run", run.take()}, {"state", small_checkpoint().state}};
  EXPECT_NE(refusal(pack_sections(sections)).find("let that version finish the run, or begin it anew"),
            std::string::npos);
}

TEST(Checkpoint, TwoAreKeptAndTheBetterOneIsTaken) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.checkpoint");
  {
    CheckpointWriter writer(path);
    for (const std::int64_t step : {3, 4, 5}) ASSERT_TRUE(writer.write(small_checkpoint(step)));
  }
  EXPECT_EQ(folder.entries(), 2u);  // no lock, no temporary file
  EXPECT_EQ(read_checkpoint(path).value_or_throw().checkpoint.step, 5);
  // Times of files say nothing: the steps decide.
  fs::rename(path, path + ".x"), fs::rename(path + ".previous", path), fs::rename(path + ".x", path + ".previous");
  EXPECT_EQ(read_checkpoint(path).value_or_throw().checkpoint.step, 5);
  fs::rename(path, path + ".x"), fs::rename(path + ".previous", path), fs::rename(path + ".x", path + ".previous");
  std::ofstream(path, std::ios::binary) << bytes_of(path + ".previous").substr(0, 100);  // the newest is damaged
  const LoadedCheckpoint loaded = read_checkpoint(path).value_or_throw();
  EXPECT_EQ(loaded.checkpoint.step, 4);
  ASSERT_EQ(loaded.notes.size(), 1u);
  EXPECT_NE(loaded.notes[0].find("cannot be used"), std::string::npos);
  fs::remove(path);  // killed between the two renames
  EXPECT_EQ(read_checkpoint(path).value_or_throw().checkpoint.step, 4);
  std::ofstream(path + ".previous") << "nonsense";
  EXPECT_FALSE(read_checkpoint(path));
  EXPECT_EQ(folder.entries(), 1u);  // nothing is removed
}

TEST(Checkpoint, ASecondWriterIsRefusedUntilTheFirstIsGone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("c");
  {
    CheckpointWriter writer(path);
    EXPECT_THROW(CheckpointWriter{path}, InputError);
  }
  std::ofstream(path + ".lock") << "left over";  // by a process that was killed
  EXPECT_NO_THROW(CheckpointWriter{path});
  EXPECT_THROW(CheckpointWriter{folder.file("no/such/c")}, InputError);
}

TEST(Checkpoint, WhatIsInTheWayIsNotFollowed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("c");
  std::ofstream(folder.file("victim")) << "keep me";
  CheckpointWriter writer(path);
  fs::create_symlink("victim", path + ".tmp");
  EXPECT_FALSE(writer.write(small_checkpoint()));
  EXPECT_EQ(bytes_of(folder.file("victim")), "keep me");
  fs::remove(path + ".tmp");
  std::ofstream(path + ".tmp") << "left over";
  EXPECT_TRUE(writer.write(small_checkpoint()));
  EXPECT_FALSE(fs::exists(path + ".tmp"));
}

TEST(Checkpoint, AFolderThatIsGoneIsAnErrorNotTheEnd) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("there"));
  CheckpointWriter writer(folder.file("there/c"));
  fs::remove_all(folder.file("there"));
  const Expected<bool> written = writer.write(small_checkpoint());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace cairn
