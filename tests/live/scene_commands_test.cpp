// SPDX-License-Identifier: MIT
// What a viewer may ask about its scene: another one, the run before a restart, drives, friction, a file of the run.
#include <gtest/gtest.h>

#include "tests/io/temporary_folder.h"
#include "tests/live/asking.h"
#include "tests/live/live_scene.h"

namespace cairn {
namespace {

/// A pendulum on a hinge of the world.
World pendulum() {
  World world;
  const BodyId bob = world.add_body({.pose = {{1, 0, 2}}}, {{.shape = make_sphere(0.1)}});
  world.add_joint(world.joint_at({}, bob, frame_along({0, 0, 2}, {0, 1, 0}), HingeJoint{}));
  return world;
}

LiveSettings settings_with(const std::string& file = "") {
  LiveSettings settings;
  settings.scene = "heap", settings.paused = true;
  settings.load = [](const std::string& scene, const NamedSettings& parameters) {
    require(scene == "pendulum" && parameters.size() == 1 && parameters[0].second == "3", "there is no such scene");
    return LiveLoaded{.world = pendulum(), .dt = 0.01, .scene = scene, .body_names = {"bob"}, .joint_names = {"pivot"}};
  };
  settings.save = [file](const SavedRun& run, const RecordingMeta& meta) {
    return LiveFile{file, write_saved_run(file, run, meta)};
  };
  return settings;
}

TEST(SceneCommands, AnotherSceneTakesThePlaceOfThis) {
  LiveSession session(live_heap(), settings_with());
  ask(session, R"({"do": "step", "count": 5})");
  EXPECT_NE(text(ask(session, R"({"do": "load", "scene": "nothing"})"), "error"), "");
  EXPECT_EQ(session.summary().step, 5);  // nothing has changed
  const JsonValue loaded = ask(session, R"({"do": "load", "scene": "pendulum", "parameters": {"length": 3}})");
  EXPECT_EQ(number(loaded, "step"), 0);
  EXPECT_EQ(text(loaded, "hash"), pendulum().state_hash().to_string());
  World world = pendulum();
  for (int k = 0; k < 20; ++k) world.step(0.01);
  EXPECT_EQ(text(ask(session, R"({"do": "step", "count": 20})"), "hash"), world.state_hash().to_string());
  EXPECT_NE(text(ask(session, R"({"do": "drag", "body": 1, "point": [0, 0, 0], "target": [0, 0, 0]})"), "error"), "");
}

TEST(SceneCommands, ADriveHoldsAHinge) {
  LiveSession session(pendulum(), settings_with());
  ask(session, R"({"do": "drive", "joint": 0, "kind": "position", "position": 0, "stiffness": 1e6, "damping": 1e5})");
  ask(session, R"({"do": "step", "count": 120})");
  const JsonValue end = ask(session, R"({"do": "pick", "origin": [1, -5, 2], "direction": [0, 1, 0]})");
  EXPECT_EQ(number(end, "body"), 0);  // it is still where it began
  EXPECT_NE(text(ask(session, R"({"do": "drive", "joint": 1})"), "error"), "");
  EXPECT_NE(text(ask(session, R"({"do": "drive", "joint": 0, "kind": "magic"})"), "error"), "");
}

TEST(SceneCommands, TheRunBeforeARestart) {
  LiveSession session(live_heap(), settings_with());
  EXPECT_NE(text(ask(session, R"({"do": "previous"})"), "error"), "");
  const std::string end = text(ask(session, R"({"do": "step", "count": 30})"), "hash");
  ask(session, R"({"do": "restart"})");
  ask(session, R"({"do": "step", "count": 3})");
  const JsonValue back = ask(session, R"({"do": "previous"})");
  EXPECT_EQ(number(back, "step"), 30);
  EXPECT_EQ(text(back, "hash"), end);
  EXPECT_EQ(number(ask(session, R"({"do": "previous"})"), "step"), 3);
}

TEST(SceneCommands, ARunIsSavedWithWhatWasDone) {
  const TemporaryFolder folder;
  LiveSession session(live_heap(), settings_with(folder.file("hand.h5")));
  ask(session, R"({"do": "settings", "friction": 0.2, "iterations": 7})");
  ask(session, R"({"do": "step", "count": 10})");
  ask(session, R"({"do": "shoot", "origin": [-3, 0, 1], "direction": [1, 0, 0], "shape": "capsule"})");
  EXPECT_NE(
      text(ask(session, R"({"do": "shoot", "origin": [0, 0, 9], "direction": [1, 0, 0], "shape": "capsul"})"), "error")
          .find("capsule"),
      std::string::npos);
  const JsonValue now = ask(session, R"({"do": "settings", "details": true})");
  EXPECT_EQ(number(now, "iterations"), 7);
  EXPECT_EQ(now.find("friction")->value.kind, JsonKind::null);  // the capsule has its own
  ask(session, R"({"do": "settings", "friction": 0.3})");
  EXPECT_EQ(number(ask(session, R"({"do": "settings", "details": true})"), "friction"), 0.3);
  ASSERT_NE(now.find("solver_settings"), nullptr);
  EXPECT_FALSE(now.find("solver_settings")->value.items.empty());
  const std::string end = text(ask(session, R"({"do": "step", "count": 10})"), "hash");
  const JsonValue saved = ask(session, R"({"do": "save"})");
  EXPECT_EQ(number(saved, "steps"), 20);
  EXPECT_EQ(number(saved, "different"), 0);
  const RecordingInfo info = read_recording(text(saved, "file")).value_or_throw();
  EXPECT_EQ(info.hashes.back().to_string(), end);
  EXPECT_EQ(info.bodies.back().shape, "capsule");
}

}  // namespace
}  // namespace cairn
