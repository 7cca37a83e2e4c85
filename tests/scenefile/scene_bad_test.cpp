// SPDX-License-Identifier: MIT
// Scene files that cannot be used: each refusal names the place, the field, what is allowed and what was given, and
// files outside the scene's folder are never opened.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/io/temporary_folder.h"
#include "tests/scenefile/scene_text.h"

namespace cairn {
namespace {

TEST(BadScene, NamesPlaceFieldRangeAndValue) {
  EXPECT_EQ(scene_refusal("{\"format\": \"cairn-scene/1\",\n  \"dt\": -1}"),
            "s.json:2:9: dt: must be a number in [1e-07, 1], got -1");
  EXPECT_EQ(scene_refusal(scene_text("\"bodies\": [{\"shapes\": [{\"type\": \"sphere\", \"radius\": \"big\"}]}]")),
            "s.json:2:53: bodies[0].shapes[0].radius: must be a number in [1e-06, 1e+06], got \"big\"");
  EXPECT_EQ(scene_refusal(scene_text("\"gravty\": [0, 0, 0]")),
            "s.json:2:1: gravty: there is no such key here (did you mean \"gravity\"?)");
  EXPECT_EQ(scene_refusal(""), "s.json:1:1: expected a value, got the end of the file");
  EXPECT_EQ(scene_refusal("[]"), "s.json:1:1: must be an object, got an array of 0");
  EXPECT_NE(scene_refusal("{}").find("\"format\" is missing"), std::string::npos);
  EXPECT_NE(scene_refusal("{\"format\": \"cairn-scene/2\"}").find("must be one of cairn-scene/1"), std::string::npos);
}

TEST(BadScene, AllMistakesAreToldAtOnce) {
  EXPECT_EQ(
      scene_refusal(scene_text("\"dt\": -1,\n\"bodies\": [{\"kind\": \"static\"},\n"
                               "{\"shapes\": [{\"type\": \"box\", \"size\": [1, 1, 1]}]}]")),
      "s.json:2:7: dt: must be a number in [1e-07, 1], got -1\n"
      "s.json:3:21: bodies[0].kind: must be one of dynamic, fixed, kinematic, got \"static\"; write \"fixed\"\n"
      "s.json:4:13: bodies[1].shapes[0]: \"half\" is missing\n"
      "s.json:4:29: bodies[1].shapes[0].size: there is no such key here; write \"half\", which is half of each edge "
      "length");
  std::string many;
  for (int k = 0; k < 30; ++k) many += fmt::format("{}\"x{}\": 1", k > 0 ? ", " : "", k);
  EXPECT_NE(scene_refusal(scene_text(many)).find("\nand 10 more mistakes"), std::string::npos);
}

TEST(BadScene, WordsOfOtherEnginesAreKnownAndFarGuessesAreNotMade) {
  const auto shape = [](const std::string& text) {
    return scene_refusal(scene_text("\"bodies\": [{\"shapes\": [" + text + "]}]"));
  };
  EXPECT_NE(shape(R"({"type": "cylinder", "radius": 1, "half_length": 1})").find("write \"half_height\""),
            std::string::npos);
  EXPECT_NE(shape(R"({"type": "capsule", "radius": 1, "half_height": 1})").find("write \"half_length\""),
            std::string::npos);
  EXPECT_NE(shape(R"({"type": "plane"})").find("write \"half_space\""), std::string::npos);
  EXPECT_NE(scene_refusal(scene_text(R"("joints": [{"type": "revolute"}])")).find("write \"hinge\""),
            std::string::npos);
  // Of a form that is not known, the other keys are not refused too.
  EXPECT_EQ(shape(R"({"type": "plane", "radius": 1})").find("radius"), std::string::npos);
  const std::string far = shape(R"({"type": "sphere", "radius": 1, "zzz": 1})");
  EXPECT_EQ(far.find("did you mean"), std::string::npos) << far;
  EXPECT_NE(far.find("allowed are type, radius"), std::string::npos) << far;
}

TEST(BadScene, TheAddressOfASchemaIsTaken) {
  EXPECT_EQ(scene_refusal(scene_text(R"("$schema": "cairn.schema.json")")), "");
}

TEST(BadScene, ATrailingCommaIsNamed) {
  EXPECT_EQ(scene_refusal("{\"format\": \"cairn-scene/1\",\n}"),
            "s.json:2:1: there is a comma before this '}': leave it out, JSON has no trailing commas");
  EXPECT_EQ(scene_refusal("{\"bodies\": [{},]}"),
            "s.json:1:16: there is a comma before this ']': leave it out, JSON has no trailing commas");
}

TEST(BadScene, LongNamesAreShortToRefuse) {
  const std::string name(5000, 'x'), key(1'000'000, 'k');
  EXPECT_NE(scene_refusal(scene_text("\"name\": \"" + name + "\"")).find("at most 4096 bytes long, got 5000"),
            std::string::npos);
  EXPECT_NE(scene_refusal(scene_text("\"" + key + "\": 1")).find("there is no such key"), std::string::npos);
  EXPECT_NE(scene_refusal(scene_text("\"solver\": {\"settings\": {\"" + key + "\": 1}}")).find("4096"),
            std::string::npos);
}

/// What a message must contain, and the members of the scene that cause it.
struct Case {
  const char* members;
  const char* expected;
};

TEST(BadScene, EveryKindOfMistakeIsNamed) {
  const Case cases[] = {
      {R"("gravity": [0, 0])", "gravity: must be an array of 3, got an array of 2"},
      {R"("gravity": [0, 0, 0, 0])", "gravity: must be an array of 3, got an array of 4"},
      {R"("gravity": [0, 0, 1e30])", "gravity[2]: must be a number in [-1e+06, 1e+06], got 1e+30"},
      {R"("solver": {"iterations": -1})", "solver.iterations: must be a number in [0, 1e+09], whole, got -1"},
      {R"("solver": {"iterations": 10000000000})", "solver.iterations"},
      {R"("solver": {"iterations": 1.5})", "whole, got 1.5"},
      {R"("solver": {"name": "gausseidel"})", "did you mean 'gauss_seidel'"},
      {R"("solver": {"name": "gauss_seidel", "settings": {"relaxatoin": 1}})", "did you mean 'relaxation'"},
      {R"("settings": {"broad_phase": "tre"})", "did you mean 'tree'"},
      {R"("steps": 0)", "steps: must be a number in [1, 1e+09]"},
      {R"("bodies": {})", "bodies: must be an array, got an object"},
      {R"("bodies": [{"kind": "fixd"}])", "did you mean \"fixed\""},
      {R"("bodies": [{"mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "orientation": [0, 0, 0, 0]}])", "has norm 0"},
      {R"("bodies": [{"orientation": [1, 0, 0, 0], "rotate": {"degrees": 9}}])", "only one can be meant"},
      {R"("bodies": [{"rotate": {"axis": [0, 0, 0]}}])", "the axis must have a direction"},
      {R"("bodies": [{}])", "needs \"mass\" and \"inertia\""},
      {R"("bodies": [{"mass": -2}])", "bodies[0].mass: must be a number in [0, 1e+15], got -2"},
      {R"("bodies": [{"mass": 1, "inertia": [1, 1, 9, 0, 0, 0]}])", "principal moments"},
      {R"("bodies": [{"inertia": [1, 1, 1, 0, 0, 0]}])", "an inertia needs a \"mass\""},
      {R"("bodies": [{"locked_axes": ["q"]}])", "locked_axes[0]: must be one of x, y, z"},
      {R"("bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]},
                     {"name": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}])",
       "s.json:3:22: bodies[1]: the name \"a\" was already given at s.json:2:12: bodies[0]"},
      {R"("materials": [{"name": "m"}, {"name": "m"}])", "was already given at"},
      {R"("materials": [{"name": "m", "friction": 0.5, "static_friction": 0.2}])", "below friction"},
      {R"("bodies": [{"shapes": [{"type": "sphere", "radius": 1, "material": "stel"}]}], "materials": [{"name": "steel"}])",
       "did you mean \"steel\""},
      {R"("joints": [{"type": "hinge"}])", "\"b\" is missing"},
      {R"("joints": [{"type": "hinge", "b": "nobody"}])", "joints[0]: b: there is no body \"nobody\""},
      {R"("joints": [{"type": "hnge", "b": "x"}])", "did you mean \"hinge\""},
      {R"("joints": [{"type": "hinge", "b": "x", "turn": {"motion": "limited", "lower": 2, "upper": 1}}])", "exchange"},
      {R"("joints": [{"type": "hinge", "b": "x", "turn": {"lower": 2}}])", "needs \"motion\""},
      {R"("joints": [{"type": "hinge", "b": "x", "axis": [1, 0, 0]}])", "\"point\" is missing"},
      {R"("no_collision": [["a"]])", "no_collision[0]: must be an array of 2"},
      {R"("no_collision": [["a", "b"]])", "there is no body \"a\""},
      {R"("generators": [{"name": "g", "type": "lattice", "count": [1000, 1000, 1000], "spacing": [1, 1, 1],
          "bodies": [{"shapes": [{"type": "sphere", "radius": 0.1}]}]}])",
       "the limit is 1000000"},
      {R"("generators": [{"name": "g", "type": "pour", "count": 1000000000, "lower": [0, 0, 0], "upper": [1, 1, 1],
          "bodies": [{"shapes": [{"type": "sphere", "radius": 0.1}]}]}])",
       "count: must be a number in [1, 1e+06]"},
      {R"("generators": [{"name": "g", "type": "pour", "count": 100, "lower": [0, 0, 0], "upper": [1, 1, 1],
          "bodies": [{"shapes": [{"type": "sphere", "radius": 0.4}]}]}])",
       "has room for 1 bodies"},
      {R"("generators": [{"name": "g", "type": "pour", "count": 1, "lower": [0, 0, 0], "upper": [1, 1, 1], "bodies": []}])",
       "must have 1 to 1000 elements"},
      {R"("bodies": [{"shapes": [{"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}]}])",
       "bodies[0].shapes[0]: "},
      {R"("bodies": [{"shapes": [{"type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0]], "triangles": [[0,1,3]]}]}])",
       "bodies[0].shapes[0]: "},
      {R"("bodies": [{"shapes": [{"type": "mesh"}]}])", "give this, or the numbers themselves"},
      {R"("bodies": [{"kind": "fixed", "shapes": [{"type": "height_field", "rows": 2, "columns": 2, "spacing": 1, "heights": [1]}]}])",
       "rows x columns = 4 numbers, got 1"},
      {R"("bodies": [{"shapes": [{"type": "compound", "children": [{"type": "compound", "children": []}]}]}])",
       "children[0].type: must be one of sphere"},
  };
  for (const Case& c : cases) {
    const std::string message = scene_refusal(scene_text(c.members));
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.members << "\n -> " << message;
    EXPECT_EQ(message.substr(0, 6), "s.json") << message;
  }
}

std::string mesh_refusal(const std::string& path, const std::string& folder) {
  return scene_refusal(body_with("{\"type\": \"mesh\", \"file\": \"" + path + "\"}"), folder);
}

TEST(BadScene, PathsStayInsideTheFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("inside"));
  std::ofstream(folder.file("secret.obj"))
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string inside = folder.file("inside");
  std::filesystem::create_symlink("../secret.obj", inside + "/link.obj");
  std::filesystem::create_directory_symlink("..", inside + "/up");
  std::filesystem::create_directory(inside + "/folder.obj");
  ASSERT_EQ(::mkfifo((inside + "/fifo.obj").c_str(), 0600), 0);
  std::ofstream(inside + "/empty.obj");
  for (const char* path :
       {"../secret.obj", "a/../../secret.obj", "/etc/passwd", "file:///etc/passwd", "~/x.obj", "\\\\\\\\host\\\\x.obj",
        "%2e%2e/secret.obj", "a\\u0000b.obj", "./secret.obj", "", "a//b.obj"})
    EXPECT_NE(mesh_refusal(path, inside), "") << path;
  EXPECT_NE(mesh_refusal("../secret.obj", inside).find("inside the folder"), std::string::npos);
  EXPECT_NE(mesh_refusal("link.obj", inside).find("it is a link"), std::string::npos);
  EXPECT_NE(mesh_refusal("up/secret.obj", inside).find("link"), std::string::npos);
  EXPECT_NE(mesh_refusal("folder.obj", inside).find("it is a folder"), std::string::npos);
  EXPECT_NE(mesh_refusal("fifo.obj", inside).find("not a regular file"), std::string::npos);
  EXPECT_NE(mesh_refusal("absent.obj", inside).find("bodies[0].shapes[0]: cannot read absent.obj"), std::string::npos);
  EXPECT_NE(mesh_refusal("empty.obj", inside).find("empty.obj: is empty"), std::string::npos);
}

TEST(BadScene, FilesThatAreNone) {
  const TemporaryFolder folder;
  EXPECT_NE(read_scene(folder.file("absent.json")).error().message.find("no such file"), std::string::npos);
  EXPECT_NE(read_scene("/dev/zero").error().message.find("not a regular file"), std::string::npos);
  EXPECT_NE(read_scene(folder.file(".")).error().message.find("folder"), std::string::npos);
  std::ofstream(folder.file("large.json"));
  std::filesystem::resize_file(folder.file("large.json"), kMostJsonBytes + 1);
  EXPECT_EQ(read_scene(folder.file("large.json")).error().kind, ErrorKind::limit);
}

}  // namespace
}  // namespace cairn
