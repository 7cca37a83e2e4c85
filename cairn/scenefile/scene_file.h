// SPDX-License-Identifier: MIT
// Scene files: a world as JSON (docs/scenes.md), and the plain structs between the file and the world.
//
//   const SceneFile file = read_scene("pile.json").value_or_throw();
//   LoadedScene scene = build_scene(file).value_or_throw();
//   for (int i = 0; i < scene.steps; ++i) scene.world.step(scene.dt);
//
// Reading checks every value by itself. Building makes the world and checks what values mean together. Messages of both
// are "file:line:column: field: what is wrong, what is allowed, what was given". Meshes are read when the world is
// built, and only from inside the folder of the scene.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/euler/elastic_material.h"
#include "cairn/io/json_text.h"
#include "cairn/scenefile/fields.h"
#include "cairn/world/world.h"

namespace cairn {

inline constexpr const char* kSceneFormat = "cairn-scene/1";
inline constexpr std::size_t kMostSceneBodies = 1'000'000;  ///< generated ones included
inline constexpr std::size_t kMostSceneJoints = 1'000'000;

/// In the order of the variant Shape.
enum class GeometryType { sphere, box, capsule, cylinder, cone, half_space, hull, height_field, mesh, compound };

struct SceneChild;

/// One geometry. `type` says which of the numbers are used.
struct SceneGeometry {
  Place place{};
  GeometryType type = GeometryType::sphere;
  double radius = 0, half_length = 0, half_height = 0, height = 0;  ///< m
  Vec3 half{};                                                      ///< of a box
  Vec3 normal{0, 0, 1};                                             ///< of a half-space
  double offset = 0;
  std::vector<double> points{};     ///< of a hull, vertices of a mesh: three each
  std::vector<double> triangles{};  ///< of a mesh: three indices each
  std::string file{};               ///< of a hull or a mesh, instead of points
  Vec3 scale{1, 1, 1};              ///< of what is in the file
  std::int64_t vertex_limit = 255;  ///< of a hull
  double spacing = 0;               ///< of a height field
  std::int64_t rows = 0, columns = 0;
  std::vector<double> heights{};
  std::vector<SceneChild> children;  ///< of a compound
};

struct SceneChild {
  SceneGeometry geometry{};
  Pose pose{};
};

struct SceneShape {
  SceneGeometry geometry{};
  Pose pose{};
  std::string material{};  ///< a name of SceneFile::materials; empty: the default
  double density = 1000;
  std::int64_t layer = 1, mask = 0xffffffff;
};

struct SceneBody {
  Place place{};
  std::string name{};
  BodyDef def{};      ///< without its mass
  double mass = 0;    ///< kg; 0: from the shapes
  Vec3 centre{};      ///< of mass, body frame
  SymMat3 inertia{};  ///< kg m^2; all 0: the inertia of the shapes, scaled to the mass
  std::vector<SceneShape> shapes{};
  std::string colour{};  ///< "#rrggbb" or "#rrggbbaa"; empty: the colour of the material of its first shape, if any
};

struct SceneMaterial {
  Place place{};
  std::string name{};
  Material material{};
  std::string colour{};  ///< colour of bodies whose first shape has this material
};

struct SceneJoint {
  Place place{};
  std::string name{};
  std::string body_a{}, body_b{}, carrier{};  ///< names; empty: the world
  JointDef def{};                             ///< without its bodies
  bool at_point = false;                      ///< true: its frames come from `point` and `axis`, in world axes
  Vec3 point{}, axis{1, 0, 0};
  Vec3 pitch_point{};  ///< of a gear, world
};

/// A joint that follows another: its position is factor * (position of `of`) + offset.
struct SceneMimic {
  std::string joint, of;
  double factor = 1, offset = 0;
};

enum class GeneratorType { lattice, pour };

/// Makes many bodies from a few patterns. They are named NAME.0, NAME.1, ...
struct SceneGenerator {
  Place place{};
  std::string name{};
  GeneratorType type = GeneratorType::lattice;
  std::int64_t nx = 1, ny = 1, nz = 1;  ///< lattice: number of bodies along x, y, z
  Vec3 first{};                         ///< m, lattice: place of body 0
  Vec3 spacing{1, 1, 1};                ///< m, lattice
  double shift = 0;                     ///< m, largest random shift of a body along each axis
  double turn = 0;                      ///< degrees, largest random turn of a body, about a random axis
  std::int64_t count = 0;               ///< pour: number of bodies
  Vec3 lower{}, upper{};                ///< m, pour: the box that is filled from below
  double speed = 0;                     ///< m/s, largest random component of the velocity
  std::int64_t seed = 1;
  std::vector<SceneBody> bodies{};  ///< patterns: a lattice takes them in turn, a pour at random
};

/// An elastic solid on the grid.
struct SceneSolid {
  Place place{};
  std::string name{};
  SceneGeometry geometry{};
  Pose pose{};
  Velocity velocity{};
  Vec3 stretch{1, 1, 1};
  ElasticMaterial material{};
};

/// Elastic solids and the grid that they share. A scene without solids has rigid bodies only.
struct SceneElastic {
  double spacing = 0.05;                   ///< m
  Vec3 lower{-1, -1, -1}, upper{1, 1, 1};  ///< m, corners of the grid
  double cfl = 0.5;
  std::vector<SceneSolid> bodies{};
};

struct SceneCamera {
  std::string name{};
  Vec3 position{8, -8, 5}, target{}, up{0, 0, 1};
  double field_of_view = 40;  ///< degrees, vertical
};

struct SceneFile {
  std::string file{};    ///< its name in messages
  std::string folder{};  ///< folder of its meshes; empty: the current one
  std::string text{};    ///< the file as it was read; empty for scenes that a program made
  std::string schema{};  ///< address of a JSON Schema, for editors; it is not used here
  std::string name{}, description{};
  double dt = 1.0 / 60;
  std::int64_t steps = 600;
  double floor = -1e6;  ///< m; a body below has fallen through something
  WorldSettings settings{};
  std::vector<SceneMaterial> materials{};
  std::vector<SceneBody> bodies{};
  std::vector<SceneGenerator> generators{};
  std::vector<SceneJoint> joints{};
  std::vector<std::pair<std::string, std::string>> no_collision{};  ///< names of bodies that never collide
  std::vector<SceneCamera> cameras{};
  std::vector<SceneMimic> mimics{};  ///< of a URDF robot, not of scene files; drives follow them (robot_setup.h)
  SceneElastic elastic{};
  std::vector<std::string> notes{};  ///< what was left out when it was converted from another format
};

/// A world at its beginning, and how to run it.
struct LoadedScene {
  std::string name;
  double dt = 1.0 / 60;
  int steps = 600;
  double floor = -1e6;
  World world;
  std::vector<std::string> body_names;      ///< per body in the order of World::bodies()
  std::vector<std::uint32_t> body_colours;  ///< per body: red, green, blue, opacity from the lowest byte on; 0: none
  std::vector<std::pair<std::string, JointId>> joints;  ///< by name, in the order of the file
  std::vector<SceneCamera> cameras;
  std::vector<std::string> notes;  ///< one sentence each, about meshes and conversions
};

Expected<SceneFile> read_scene(const std::string& path);
/// `file` is its name in messages. Meshes are looked for in `folder`.
Expected<SceneFile> parse_scene(const std::string& text, const std::string& file, const std::string& folder);

/// `change` may alter the settings before the world is made.
Expected<LoadedScene> build_scene(const SceneFile& file, const std::function<void(WorldSettings&)>& change = {});

/// The JSON of a scene, without values that are the defaults. Reading it gives the same world, bit for bit.
std::string write_scene(const SceneFile& file);

/// The JSON Schema (draft 7) of what read_scene takes.
std::string scene_schema();

/// Warns of what is allowed but looks like a mistake: overlaps, strange masses and sizes. One sentence each.
std::vector<std::string> scene_warnings(const LoadedScene& scene);

/// A colour as four bytes, red in the lowest; 0 for an empty text. Throws InputError for any text but "#rrggbb" and
/// "#rrggbbaa".
std::uint32_t parse_colour(const std::string& text);

/// Names of the geometry types, in the order of GeometryType.
std::span<const char* const> geometry_names();

// Descriptions of the parts of a scene file, for the reader, the writer and the schema (fields.h).
void describe(Fields& f, SceneFile& scene);
void describe(Fields& f, SceneBody& body);
void describe(Fields& f, SceneMaterial& material);
void describe(Fields& f, SceneJoint& joint);
void describe(Fields& f, SceneElastic& elastic);
void describe_geometry(Fields& f, SceneGeometry& geometry, bool may_be_compound);
void describe_pose(Fields& f, Pose& pose);
void describe_softness(Fields& f, const char* key, JointSoftness& softness, const char* help);

}  // namespace cairn
