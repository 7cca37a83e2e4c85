// SPDX-License-Identifier: MIT
// Scene files: what they say is what the world has; generators; what is written reads back to the same world.
#include "cairn/scenefile/scene_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/io/temporary_folder.h"
#include "tests/scenefile/scene_text.h"
#include "tests/source_folder.h"

namespace cairn {
namespace {

LoadedScene load(const std::string& text) {
  return build_scene(parse_scene(text, "s.json", "").value_or_throw()).value_or_throw();
}

TEST(SceneFile, SaysWhatTheWorldHas) {
  const LoadedScene scene = load(scene_text(R"(
    "name": "one ball", "dt": 0.01, "steps": 7, "gravity": [0, 0, -2],
    "solver": {"name": "jacobi", "iterations": 9, "tolerance": 1e-5, "settings": {"relaxation": 0.8}},
    "settings": {"margin": 0.5, "sub_steps": 3, "joint_projection": {"use": "on", "tolerance": 1e-5},
                 "integrator": "velocity_verlet", "stabilisation": {"slop": 0.001}},
    "materials": [{"name": "ice", "friction": 0.02, "restitution_rule": "average"}],
    "bodies": [{"name": "ball", "position": [1, 2, 3], "rotate": {"axis": [0, 0, 2], "degrees": 90},
                "velocity": [0.5, 0, 0], "locked_axes": ["turn_x", "z"], "linear_damping": 0.1,
                "shapes": [{"type": "sphere", "radius": 0.5, "material": "ice", "density": 6, "position": [0, 0, 1]}]}],
    "cameras": [{"position": [9, 9, 9], "field_of_view": 50}])"));
  EXPECT_EQ(scene.name, "one ball");
  EXPECT_EQ(scene.steps, 7);
  EXPECT_EQ(scene.dt, 0.01);
  EXPECT_EQ(scene.cameras.at(0).field_of_view, 50);
  const WorldSettings& s = scene.world.settings();
  EXPECT_EQ(s.solver, "jacobi");
  EXPECT_EQ(s.iterations, 9);
  EXPECT_EQ(s.gravity, (Vec3{0, 0, -2}));
  EXPECT_EQ(s.margin, 0.5);
  EXPECT_EQ(s.stabilisation.slop, 0.001);
  EXPECT_EQ(s.integrator, Integrator::velocity_verlet);
  EXPECT_EQ(s.sub_steps, 3);
  EXPECT_EQ(s.joint_projection.use, JointProjection::on);
  EXPECT_EQ(s.joint_projection.tolerance, 1e-5);
  const std::vector<BodyId> bodies = scene.world.bodies();
  ASSERT_EQ(bodies.size(), 1u);
  EXPECT_EQ(scene.body_names, std::vector<std::string>{"ball"});
  const BodyView ball = scene.world.view(bodies[0]);
  EXPECT_NEAR(ball.mass, 6 * 4 * kPi / 3 * 0.125, 1e-12);
  EXPECT_NEAR(ball.pose.orientation.z, std::sqrt(0.5), 1e-15);
  EXPECT_EQ(ball.velocity.linear, (Vec3{0.5, 0, 0}));
  const Material& ice = scene.world.shape_def(scene.world.shapes_of(bodies[0]).at(0)).material;
  EXPECT_EQ(ice.friction, 0.02);
  EXPECT_EQ(ice.restitution_rule, CombineRule::average);
}

TEST(SceneFile, MassAloneScalesTheInertiaOfTheShapes) {
  const LoadedScene scene = load(scene_text(
      R"("bodies": [{"mass": 12, "shapes": [{"type": "box", "half": [0.5, 1, 1.5]}, {"type": "sphere", "radius": 0.1, "density": 0}]}])"));
  const BodyView body = scene.world.view(scene.world.bodies().at(0));
  // m / 12 (b^2 + c^2) of a box of 1 x 2 x 3 m
  EXPECT_NEAR(body.mass, 12, 1e-12);
  EXPECT_NEAR(body.inertia.xx, 4 + 9, 1e-12);
  EXPECT_NEAR(body.inertia.zz, 1 + 4, 1e-12);
}

TEST(SceneFile, LatticeAndPourAreTheSameForTheSameSeed) {
  const std::string text = scene_text(R"("generators": [
    {"name": "row", "type": "lattice", "count": [3, 2, 1], "first": [1, 0, 0], "spacing": [2, 3, 4],
     "bodies": [{"shapes": [{"type": "sphere", "radius": 0.5}]}, {"shapes": [{"type": "box", "half": [0.1, 0.2, 0.3]}]}]},
    {"name": "grain", "type": "pour", "count": 40, "lower": [-2, -2, 10], "upper": [2, 2, 20], "turn": 180, "seed": 5,
     "bodies": [{"shapes": [{"type": "box", "half": [0.3, 0.2, 0.1]}]}, {"shapes": [{"type": "sphere", "radius": 0.2}]}]}])");
  LoadedScene scene = load(text);
  ASSERT_EQ(scene.world.body_count(), 46u);
  EXPECT_EQ(scene.body_names.at(4), "row.4");
  EXPECT_EQ(scene.body_names.at(45), "grain.39");
  const std::vector<BodyId> bodies = scene.world.bodies();
  EXPECT_EQ(scene.world.view(bodies[5]).pose.position, (Vec3{5, 3, 0}));
  EXPECT_EQ(scene.world.state_hash(), load(text).world.state_hash());
  std::string other = text;
  other.replace(other.find("\"seed\": 5"), 9, "\"seed\": 6");
  EXPECT_NE(scene.world.state_hash(), load(other).world.state_hash());
  scene.world.step(1e-7);
  for (const ContactView& c : scene.world.contacts()) EXPECT_GT(c.separation, 0);
}

TEST(SceneFile, MeshesComeFromTheFolderOfTheScene) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("parts"));
  std::ofstream(folder.file("parts/t.obj"))
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder.file("s.json")) << body_with(
      R"({"type": "mesh", "file": "parts/t.obj", "scale": [2, 1, 1]}, {"type": "hull", "file": "parts/t.obj", "position": [5, 0, 0]})");
  const LoadedScene scene = build_scene(read_scene(folder.file("s.json")).value_or_throw()).value_or_throw();
  EXPECT_NEAR(scene.world.view(scene.world.bodies().at(0)).mass, 1000 * (2.0 + 1.0) / 6, 1e-9);
}

TEST(SceneFile, WarnsOfWhatIsStrange) {
  const auto warnings = [](const std::string& members) {
    std::string all;
    for (const std::string& w : scene_warnings(load(scene_text(members)))) all += w + "\n";
    return all;
  };
  EXPECT_EQ(warnings(R"("bodies": [{"shapes": [{"type": "sphere", "radius": 0.5}]}])"), "");
  EXPECT_NE(warnings(R"("bodies": [{"name": "p", "shapes": [{"type": "sphere", "radius": 0.5}]},
      {"name": "q", "position": [0.9, 0, 0], "shapes": [{"type": "sphere", "radius": 0.5}]}])")
                .find("p and q overlap by 100 mm"),
            std::string::npos);
  EXPECT_NE(warnings(R"("bodies": [{"shapes": [{"type": "sphere", "radius": 0.5, "density": 1e6}]}])")
                .find("is that its mass"),
            std::string::npos);
  EXPECT_NE(warnings(R"("bodies": [{"shapes": [{"type": "sphere", "radius": 5000}]}])").find("is the scale right"),
            std::string::npos);
  EXPECT_NE(warnings(R"("bodies": [{"velocity": [900, 0, 0], "shapes": [{"type": "sphere", "radius": 0.5}]}])")
                .find("continuous"),
            std::string::npos);
  EXPECT_NE(warnings(R"("bodies": [{"name": "x", "shapes": [{"type": "sphere", "radius": 0.5}]}],
      "joints": [{"type": "ball", "b": "x", "frame_a": {"position": [0, 0, 1]}}])")
                .find("apart"),
            std::string::npos);
  EXPECT_NE(warnings(R"("bodies": [])").find("nothing"), std::string::npos);
}

class ExampleScenes : public testing::TestWithParam<const char*> {};

/// Every example runs, its joints hold, nothing falls, and what is written of it is the same world.
TEST_P(ExampleScenes, RunAndReadBack) {
  const SceneFile file = read_scene(source_folder() + "/examples/scenes/" + GetParam()).value_or_throw();
  LoadedScene scene = build_scene(file).value_or_throw();
  EXPECT_EQ(scene_warnings(scene), std::vector<std::string>{});
  SceneFile again = parse_scene(write_scene(file), "again.json", file.folder).value_or_throw();
  LoadedScene copy = build_scene(again).value_or_throw();
  EXPECT_TRUE(copy.world.save() == scene.world.save());
  for (int k = 0; k < scene.steps; ++k) {
    const StepReport& report = scene.world.step(scene.dt);
    ASSERT_LT(report.max_joint_error, 0.05) << "step " << k;
    ASSERT_TRUE(report.quarantined.empty());
  }
  for (const BodyId body : scene.world.bodies()) EXPECT_GT(scene.world.view(body).pose.position.z, file.floor - 1);
}

INSTANTIATE_TEST_SUITE_P(All, ExampleScenes, testing::Values("machine.json", "pour.json", "tower.json"));

}  // namespace
}  // namespace cairn
