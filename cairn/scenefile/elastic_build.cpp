// SPDX-License-Identifier: MIT
// Scene files with elastic solids: an ElasticWorld whose rigid bodies are those of the scene.
#include <fmt/format.h>

#include <cmath>

#include "cairn/scenefile/elastic_scene.h"
#include "cairn/scenefile/scene_builder.h"

namespace cairn {

namespace {

SolidShape solid_shape_of(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return *s;
  if (const auto* s = std::get_if<Box>(&shape)) return *s;
  if (const auto* s = std::get_if<Capsule>(&shape)) return *s;
  if (const auto* s = std::get_if<Cylinder>(&shape)) return *s;
  if (const auto* s = std::get_if<TriangleMesh>(&shape)) return *s;
  fail_input("type: an elastic solid is a sphere, a box, a capsule, a cylinder or a closed mesh",
             ErrorKind::unsupported);
}

Grid grid_of(const SceneElastic& e) {
  const Vec3 size = e.upper - e.lower;
  const auto count = [&](double length) {
    const double cells = std::ceil(length / e.spacing - 1e-9);
    return cells >= 0 && cells < 1e6 ? static_cast<std::int32_t>(cells) : 0;
  };
  return {e.lower, e.spacing, {count(size.x), count(size.y), count(size.z)}};
}

}  // namespace

Expected<LoadedElasticScene> build_elastic_scene(const SceneFile& file, int threads) {
  try {
    LoadedScene rigid = build_scene(file, [](WorldSettings& s) { s.measure_residual = false; }).value_or_throw();
    ElasticSettings settings;
    settings.grid = grid_of(file.elastic);
    settings.gravity = file.settings.gravity;
    settings.cfl = file.elastic.cfl;
    settings.threads = threads;
    std::optional<ElasticWorld> world;
    within(file.file + ": elastic", [&] { world.emplace(settings); });
    world->rigid() = std::move(rigid.world);
    GeometryMaker geometry(file);
    for (const SceneSolid& solid : file.elastic.bodies)
      within(solid.place, [&] {
        ElasticBodyDef def;
        def.shape = solid_shape_of(geometry.make(solid.geometry));
        def.pose = checked_pose(solid.pose, "the pose");
        def.velocity = solid.velocity;
        def.stretch = solid.stretch;
        def.material = solid.material;
        world->add_body(def);
      });
    std::vector<std::string> notes = rigid.notes;
    notes.insert(notes.end(), geometry.notes().begin(), geometry.notes().end());
    return LoadedElasticScene{file.name, file.dt, static_cast<int>(file.steps), std::move(*world), std::move(notes)};
  } catch (const InputError& error) {
    return Error{error.kind(), error.what()};
  }
}

}  // namespace cairn
