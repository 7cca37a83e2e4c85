// SPDX-License-Identifier: MIT
// SceneBuilder: the parts of build_scene. Geometry has its own class, because meshes come from files and are shared.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cairn/scenefile/scene_file.h"

namespace cairn {

/// Throws InputError with the place in front.
[[noreturn]] void fail_at(const Place& place, const std::string& what, ErrorKind kind = ErrorKind::bad_input);
/// Does `work`. An InputError that leaves it gets the place in front, unless its message begins with the same file.
void within(const Place& place, const std::function<void()>& work);

/// Makes shapes from their descriptions in a scene file. Each mesh file is read once.
class GeometryMaker {
 public:
  explicit GeometryMaker(const SceneFile& file) : file_(file) {}

  Shape make(const SceneGeometry& geometry);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Surface {
    std::vector<Vec3> vertices;
    std::vector<std::array<std::int32_t, 3>> triangles;
  };
  const Surface& surface_of(const SceneGeometry& geometry);
  Shape make_simple(const SceneGeometry& geometry);
  Shape make_surface(const SceneGeometry& geometry);
  void note_cleaning(const SceneGeometry& geometry, const MeshReport& report);

  const SceneFile& file_;
  std::map<std::string, Surface> surfaces_;                    ///< by file
  std::map<std::pair<std::string, std::string>, Shape> made_;  ///< by file and use (hull or mesh, scale)
  Surface inline_;                                             ///< of a geometry whose numbers are in the scene file
  std::vector<std::string> notes_;
};

/// A body that is ready to be added, once or many times.
struct PreparedBody {
  BodyDef def;
  std::vector<ShapeDef> shapes;
  std::uint32_t colour = 0;
};

class SceneBuilder {
 public:
  SceneBuilder(const SceneFile& file, const WorldSettings& settings) : file_(file), geometry_(file), world_(settings) {}
  LoadedScene build();

 private:
  struct Named {
    BodyId id;
    Place place;
  };

  void collect_materials();
  const Material& material_of(const SceneShape& shape) const;
  ShapeDef make_shape(const SceneShape& shape);
  PreparedBody prepare(const SceneBody& body);
  void add_body(const Place& place, const std::string& name, const PreparedBody& body);
  void generate(const SceneGenerator& generator);
  void generate_lattice(const SceneGenerator& generator, const std::vector<PreparedBody>& patterns);
  void generate_pour(const SceneGenerator& generator, const std::vector<PreparedBody>& patterns);
  BodyId body_named(const std::string& name, const char* key, const Place& place) const;
  JointId add_joint(const SceneJoint& joint);

  const SceneFile& file_;
  GeometryMaker geometry_;
  World world_;
  std::map<std::string, const SceneMaterial*> materials_;
  std::map<std::string, Named> by_name_;
  std::vector<BodyId> bodies_;
  std::vector<std::string> names_;      ///< per body, in the order added
  std::vector<std::uint32_t> colours_;  ///< the same
};

}  // namespace cairn
