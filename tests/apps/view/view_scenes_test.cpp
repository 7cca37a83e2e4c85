// SPDX-License-Identifier: MIT
// What a page may choose: scenes by name with their parameters, no files but the given one; and where runs are saved.
#include "apps/view/view_scenes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "scenes/scene.h"
#include "tests/io/temporary_folder.h"

namespace cairn::cli {
namespace {

std::string text(const JsonValue& object, const char* key) {
  const JsonMember* member = object.find(key);
  return member != nullptr ? member->value.text : "";
}

TEST(ViewScenes, TheCatalogueHasAllScenesWithTheValuesOfTheCommandLine) {
  RunOptions given;
  given.scene = "wall", given.parameters = {"throw=20"};
  const JsonValue list = view_catalogue(given);
  EXPECT_EQ(list.items.size(), scenes::scene_table().size());
  for (const JsonValue& scene : list.items) {
    if (text(scene, "name") != "wall") continue;
    for (const JsonValue& p : scene.find("parameters")->value.items) {
      if (text(p, "name") == "throw") {
        EXPECT_EQ(text(p, "value"), "20");
      }
      if (text(p, "name") == "rows") {
        EXPECT_EQ(text(p, "value"), "10");
      }
      EXPECT_NE(text(p, "allowed").find('['), std::string::npos);
    }
  }
  given.scene = "some/robot.urdf", given.parameters.clear();
  const JsonValue longer = view_catalogue(given);
  EXPECT_EQ(longer.items.size(), list.items.size() + 1);
  EXPECT_EQ(text(longer.items[0], "name"), "some/robot.urdf");
}

TEST(ViewScenes, ThePageComesBeforeTheCommandLine) {
  RunOptions given;
  given.scene = "wall", given.parameters = {"throw=20", "rows=2"};
  const std::size_t both = view_load(given, "wall", {}).world.body_count();
  const LiveLoaded taller = view_load(given, "wall", {{"rows", "4"}, {"columns", "20"}});
  EXPECT_GT(taller.world.body_count(), both);
  // The ball is still thrown: one body is faster than all others.
  double fastest = 0;
  for (const BodyId body : taller.world.bodies())
    fastest = std::max(fastest, norm(taller.world.view(body).velocity.linear));
  EXPECT_NEAR(fastest, 20, 1e-9);
  EXPECT_GT(view_load(given, "pyramid_3", {}).world.body_count(), 3u);  // its parameters are its own
}

TEST(ViewScenes, NoFileButTheGivenOne) {
  RunOptions given;
  given.scene = "wall";
  EXPECT_THROW(view_load(given, "/etc/passwd.json", {}), InputError);
  EXPECT_THROW(view_load(given, "robot.urdf", {}), InputError);
  EXPECT_THROW(view_load(given, "no_such_scene", {}), InputError);
}

TEST(ViewScenes, RunsAreSavedUnderFreeNames) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  LiveRun run(World(), 0.01);
  for (int k = 0; k < 3; ++k) run.step();
  const SavedRun saved = saved_run(run.history());
  EXPECT_EQ(view_save(saved, {.scene = "../a b"}).path, "a_b-1.h5");
  EXPECT_EQ(view_save(saved, {.scene = "../a b"}).path, "a_b-2.h5");
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(folder.file("a_b-2.h5")));
}

}  // namespace
}  // namespace cairn::cli
