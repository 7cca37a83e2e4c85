// SPDX-License-Identifier: MIT
// Scenes by name: what each is made of, what detection finds in it, and what is refused.
#include "scenes/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/narrow/collide_box.h"

namespace cairn::scenes {
namespace {

Scene make(std::string_view name, const NamedSettings& parameters = {}) {
  return make_scene(name, parameters).value_or_throw();
}

std::string refusal(std::string_view name, const NamedSettings& parameters = {}) {
  const auto scene = make_scene(name, parameters);
  return scene ? "" : scene.error().message;
}

/// Settings under which an example of the table is built quickly.
NamedSettings small(const SceneInfo& scene) {
  for (const SceneParameter& p : scene.parameters)
    if (p.name == "count" && p.value.size() > 3) return {{"count", "60"}};
  return {};
}

std::size_t body_count(std::string_view name, const NamedSettings& parameters = {}) {
  return make(name, parameters).world.body_count();
}

TEST(SceneTable, EveryExampleRunsAndStaysFinite) {
  ASSERT_GE(scene_table().size(), 15u);
  for (const SceneInfo& info : scene_table()) {
    SCOPED_TRACE(info.example);
    Scene scene = make(info.example, small(info));
    EXPECT_EQ(scene.name, info.example);
    EXPECT_LT(scene.measure_from, scene.measure_to);
    EXPECT_LE(scene.measure_to, scene.steps);
    for (int i = 0; i < 5; ++i) scene.world.step(scene.dt);
    for (const BodyId body : scene.world.bodies()) {
      const BodyView view = scene.world.view(body);
      EXPECT_TRUE(is_finite(view.pose) && is_finite(view.velocity.linear));
      EXPECT_TRUE(view.kind != BodyKind::dynamic || view.pose.position.z >= scene.floor);
      EXPECT_FALSE(view.quarantined);
    }
  }
}

TEST(SceneTable, NothingOverlapsAtTheStart) {
  for (const SceneInfo& info : scene_table()) {
    SCOPED_TRACE(info.example);
    Scene scene = make(info.example, small(info));
    EXPECT_LT(scene.world.step(scene.dt).max_overlap, 1e-9);
  }
}

TEST(SceneTable, TheSameSceneTwiceIsTheSame) {
  for (const SceneInfo& info : scene_table()) {
    SCOPED_TRACE(info.example);
    EXPECT_EQ(make(info.example, small(info)).world.state_hash(), make(info.example, small(info)).world.state_hash());
  }
  EXPECT_NE(make("ball_pile_3").world.state_hash(), make("ball_pile_3", {{"seed", "2"}}).world.state_hash());
}

TEST(Scenes, HaveTheBodiesTheirDefinitionsSay) {
  EXPECT_EQ(body_count("ball_grid_8"), 513u);
  EXPECT_EQ(body_count("ball_pile_4"), 65u);
  EXPECT_EQ(body_count("box_stack_10"), 11u);
  EXPECT_EQ(body_count("pyramid_10"), 56u);
  EXPECT_EQ(body_count("boxes_on_mesh"), 5161u);
  EXPECT_EQ(body_count("card_house_40"), 41u);
  EXPECT_EQ(body_count("card_house_48"), 49u);
  EXPECT_EQ(body_count("card_house_58"), 59u);
  EXPECT_EQ(body_count("chain_25"), 26u);
  EXPECT_EQ(body_count("chess_1000"), 1001u);
  EXPECT_EQ(body_count("hull_pile"), 1285u);
  EXPECT_EQ(body_count("convex_pit"), 3005u);
  EXPECT_EQ(body_count("compounds_on_mesh"), 45u);
  EXPECT_EQ(body_count("fracture_277"), 278u);
  EXPECT_EQ(body_count("wall", {{"rows", "4"}, {"columns", "5"}}), 2u * 5 + 2 * 6 + 1);
  EXPECT_EQ(body_count("wall", {{"rows", "1"}, {"columns", "5"}, {"throw", "10"}}), 5u + 2);
  EXPECT_EQ(body_count("dominoes", {{"count", "7"}}), 8u);
  EXPECT_EQ(body_count("arch", {{"stones", "11"}}), 12u);
  EXPECT_EQ(body_count("overhang", {{"blocks", "5"}}), 7u);
  EXPECT_EQ(body_count("hopper", {{"count", "200"}}), 202u);
}

TEST(Scenes, HaveTheJointsTheirDefinitionsSay) {
  const auto rows_that_hold = [](const World& world) {
    std::size_t rows = 0;
    for (const JointRow& row : world.problem().joint_rows)
      if (row.lower == -kUnlimited && row.upper == kUnlimited && row.compliance == 0) ++rows;
    return rows;
  };
  const auto expect = [&](std::string_view name, std::size_t bodies, std::size_t joints, std::size_t rows) {
    Scene scene = make(name);
    EXPECT_EQ(scene.world.body_count(), bodies) << name;
    EXPECT_EQ(scene.world.joints().size(), joints) << name;
    WorldSettings settings = scene.world.settings();
    settings.sub_steps = 1;  // errors are measured at the beginning of each
    scene.world.set_settings(settings);
    EXPECT_EQ(to_index(scene.world.step(scene.dt).joints), joints) << name;
    EXPECT_EQ(rows_that_hold(scene.world), rows) << name;
    EXPECT_LT(scene.world.last_report().max_joint_error, 1e-12) << name;  // together at the start
    EXPECT_LT(scene.world.last_report().max_joint_angle_error, 1e-12) << name;
  };
  expect("heavy_chain_1000", 26, 26, 78);
  expect("hinge_chains", 1101, 1000, 5000);
  expect("four_bar", 3, 4, 20);
  expect("bridge_100", 101, 101, 505);
  expect("ragdolls_100", 1101, 1000, 600 * 3 + 400 * 5);
  expect("tracked_vehicle", 92, 90, 450);
  expect("wheeled_vehicle", 22, 20, 88);  // Mizerski 2020: 20 constraints, 88 rows
  expect("crane", 25, 24, 2 * 5 + 1 + 21 * 3);
  expect("excavator", 504, 3, 15);
}

TEST(Scenes, TheHeavyChainWeighsWhatItSays) {
  const Scene scene = make("heavy_chain_1000");
  double most = 0;
  for (const BodyId body : scene.world.bodies()) {
    const double mass = scene.world.view(body).mass;
    most = std::max(most, mass);
    EXPECT_TRUE(std::fabs(mass - 1) < 1e-12 || std::fabs(mass - 1000) < 1e-9) << mass;
  }
  EXPECT_NEAR(most, 1000, 1e-9);
}

std::int64_t first_contacts(std::string_view name) {
  Scene scene = make(name);
  return scene.world.step(scene.dt).contacts;
}

TEST(Scenes, DetectionFindsTheContactsOfTheDocuments) {
  EXPECT_EQ(first_contacts("ball_grid_8"), 1408);  // 3 N^2 (N-1) + N^2
  EXPECT_EQ(first_contacts("ball_grid_24"), 40320);
  EXPECT_EQ(first_contacts("box_stack_10"), 40);
  EXPECT_EQ(first_contacts("pyramid_10"), 4 * 10 + 2 * 4 * 45);
  EXPECT_NEAR(static_cast<double>(first_contacts("ball_pile_40")), 6605, 660);  // Poulsen 2010, table 3.4, within 10 %
}

TEST(Scenes, TheMeshHasTheTrianglesOfDoc001) {
  const Scene scene = make("boxes_on_mesh", {{"count", "1"}});
  const ShapeId mesh = scene.world.shapes_of(scene.world.bodies().front()).front();
  EXPECT_EQ(std::get<TriangleMesh>(scene.world.shape_def(mesh).shape).data->triangles.size(), 8192u);
}

TEST(Scenes, BoxesOnMeshAreTurnedByAtMostATenth) {
  const Scene scene = make("boxes_on_mesh");
  double most = 0;
  for (const BodyId body : scene.world.bodies())
    most = std::max(most, 2 * std::acos(std::min(1.0, std::fabs(scene.world.view(body).pose.orientation.w))));
  EXPECT_LE(most, 0.1 + 1e-12);
  EXPECT_GT(most, 0.099);
}

/// Touching pairs of boxes, and the deepest overlap of any two.
struct Touching {
  int pairs = 0;
  double deepest = 0;
};

Touching touching_boxes(const World& world) {
  Touching result;
  std::vector<std::pair<Box, Pose>> boxes;
  for (const BodyId body : world.bodies()) {
    const ShapeDef& def = world.shape_def(world.shapes_of(body).front());
    if (const Box* box = std::get_if<Box>(&def.shape)) boxes.emplace_back(*box, world.view(body).pose);
  }
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const Manifold m = collide_box_box(boxes[i].first, boxes[i].second, boxes[j].first, boxes[j].second, 1e-3);
      if (m.count == 0) continue;
      ++result.pairs;
      result.deepest = std::max(result.deepest, -deepest(m, 0));
    }
  return result;
}

TEST(CardHouse, CardsTouchExactly) {
  // Within 1 mm of each other: 15 tents, 20 feet on flat cards, 20 ends of flat cards on tents.
  const Touching touching = touching_boxes(make("card_house_40").world);
  EXPECT_EQ(touching.pairs, 15 + 20 + 20);
  EXPECT_LT(touching.deepest, 1e-12);
  // Eight more cards, each on one other.
  const Touching more = touching_boxes(make("card_house_48").world);
  EXPECT_EQ(more.pairs, 15 + 20 + 20 + 8);
  EXPECT_LT(more.deepest, 1e-12);
}

TEST(CardHouse, LowestCardsStandOnTheGround) {
  const Scene scene = make("card_house_40");
  int standing = 0;
  for (const BodyId body : scene.world.bodies()) {
    const ShapeDef& def = scene.world.shape_def(scene.world.shapes_of(body).front());
    if (!std::holds_alternative<Box>(def.shape)) continue;
    const double lowest = bounds(def.shape, scene.world.view(body).pose).lower.z;
    EXPECT_GE(lowest, -1e-12);
    if (lowest < 1e-3) ++standing;
  }
  EXPECT_EQ(standing, 10);
}

TEST(SceneNames, NearestNameIsOffered) {
  EXPECT_NE(refusal("bal_grid_8").find("did you mean 'ball_grid_8'"), std::string::npos);
  EXPECT_NE(refusal("card_hose_40").find("did you mean 'card_house_40'"), std::string::npos);
  EXPECT_NE(refusal("").find("there is no scene"), std::string::npos);
  EXPECT_NE(refusal("incline2").find("did you mean 'incline'"), std::string::npos);
}

TEST(SceneNames, SizesAreChecked) {
  for (const char* name :
       {"ball_grid_", "ball_grid_0", "ball_grid_-1", "ball_grid_8x", "ball_grid_121", "ball_grid_99999999999999999999"})
    EXPECT_NE(refusal(name).find("give a size from 1 to 120"), std::string::npos) << name;
}

TEST(SceneParameters, AreCheckedByNameAndRange) {
  EXPECT_NE(refusal("incline", {{"anlge", "3"}}).find("did you mean 'angle'"), std::string::npos);
  for (const char* value : {"", "x", "nan", "inf", "-1", "45", "1e999", "30 "})
    EXPECT_NE(refusal("incline", {{"angle", value}}).find("a number in [0, 44]"), std::string::npos) << value;
  EXPECT_NE(refusal("arch", {{"stones", "7.5"}}).find("a whole number in [3, 1000]"), std::string::npos);
  EXPECT_EQ(refusal("incline", {{"angle", "12.5"}}), "");
}

TEST(SceneSettings, TheCallerHasTheLastWord) {
  const auto scene = make_scene("box_stack_2", {}, [](WorldSettings& s) {
    s.solver = "jacobi";
    s.broad_phase = "grid";
    s.sleep.enabled = true;
  });
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->world.settings().solver, "jacobi");
  EXPECT_EQ(scene->world.settings().broad_phase, "grid");
  EXPECT_TRUE(scene->world.settings().sleep.enabled);
  EXPECT_FALSE(make("box_stack_2").world.settings().sleep.enabled);
  EXPECT_FALSE(make_scene("box_stack_2", {}, [](WorldSettings& s) { s.solver = "no_such_solver"; }));
}

}  // namespace
}  // namespace cairn::scenes
