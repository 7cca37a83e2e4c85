// SPDX-License-Identifier: MIT
// Elastic solids in scene files: read, built, written back; what is wrong is named with its place.
#include "cairn/scenefile/elastic_scene.h"

#include <gtest/gtest.h>

#include "tests/scenefile/scene_text.h"
#include "tests/source_folder.h"

namespace cairn {
namespace {

/// A scene with one solid, whose members are given.
std::string solid_with(const std::string& members, const std::string& grid = "\"spacing\": 0.1") {
  return scene_text("\"elastic\": {" + grid + ", \"lower\": [-1, -1, -1], \"upper\": [1, 1, 1], \"bodies\": [{" +
                    members + "}]}");
}

/// The message of the first error; empty when there is none.
std::string elastic_refusal(const std::string& text) {
  const Expected<SceneFile> file = parse_scene(text, "s.json", "");
  if (!file) return file.error().message;
  const Expected<LoadedElasticScene> scene = build_elastic_scene(*file);
  return scene ? "" : scene.error().message;
}

TEST(ElasticScene, ExampleRunsAndReadsBack) {
  const SceneFile file = read_scene(source_folder() + "/examples/scenes/jelly.json").value_or_throw();
  LoadedElasticScene scene = build_elastic_scene(file).value_or_throw();
  EXPECT_EQ(scene.world.body_count(), 1);
  EXPECT_EQ(scene.world.rigid().body_count(), 2U);
  EXPECT_EQ(scene.world.body(0).material.young, 5e4);
  const SceneFile again = parse_scene(write_scene(file), "again.json", file.folder).value_or_throw();
  EXPECT_EQ(build_elastic_scene(again).value_or_throw().world.save(), scene.world.save());
  for (int i = 0; i < 3; ++i) scene.world.step(scene.dt);
  EXPECT_LT(scene.world.measures(0).momentum.z, 0);
  EXPECT_EQ(scene.world.last_report().frozen, 0);
}

TEST(ElasticScene, WhatIsWrongIsNamed) {
  EXPECT_EQ(elastic_refusal(solid_with(R"("type": "sphere", "radius": 0.3)")), "");
  const auto says = [](const std::string& text, const char* word) {
    const std::string message = elastic_refusal(text);
    EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_NE(message.find("s.json"), std::string::npos) << message;
  };
  says(solid_with(R"("type": "sphere", "radius": 0.3, "position": [0.8, 0, 0])"), "out of the grid");
  says(solid_with(R"("type": "sphere", "radius": 0.02)"), "too thin");
  says(solid_with(R"("type": "sphere", "radius": -1)"), "radius");
  says(solid_with(R"("type": "cone", "radius": 0.3, "height": 0.3)"), "sphere, a box");
  says(solid_with(R"("type": "sphere", "radius": 0.3, "material": {"poisson": 0.5})"), "poisson");
  says(solid_with(R"("type": "sphere", "radius": 0.3, "material": {"young": -1})"), "young");
  says(solid_with(R"("type": "sphere", "radius": 0.3)", "\"spacing\": 0"), "spacing");
  says(solid_with(R"("type": "sphere", "radius": 0.3)", "\"spacing\": 0.5"), "too few cells");
  says(solid_with(R"("type": "mesh", "vertices": [[0,0,0],[0.3,0,0],[0,0.3,0],[0,0,0.3]],
                     "triangles": [[0,2,1],[0,1,3],[0,3,2]])"),
       "not closed");
}

}  // namespace
}  // namespace cairn
