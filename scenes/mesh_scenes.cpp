// SPDX-License-Identifier: MIT
// Scenes on triangle meshes: a heap of boxes on hills, and a block that must not notice the edges of a flat mesh.
#include <cmath>

#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr double kHills = 40, kFlat = 12;  // m, half of the side

/// The first scene of Tonge et al. 2012. The lattice has 12 x 12 x 36 = 5184 places, of which the last stay empty.
void build_boxes_on_mesh(World& world, const SceneValues& values) {
  constexpr int kSide = 12;
  constexpr double kSpacing = 1.1, kLowest = 2.0, kHalf = 0.4, kMostTurn = 0.1;
  const Material material = rubbing(values.get("friction"));
  const TriangleMesh hills =
      make_hills(64, kHills, [](double x, double y) { return std::sin(0.35 * x) * std::cos(0.35 * y); });
  world.add_body({.kind = BodyKind::fixed}, {{.shape = hills, .material = material}});
  Random random(values.seed());
  for (int i = 0; i < values.whole("count"); ++i) {
    const int x = i % kSide, y = i / kSide % kSide, z = i / (kSide * kSide);
    const Vec3 axis = random_direction(random);
    const Vec3 position{kSpacing * (x - 0.5 * (kSide - 1)), kSpacing * (y - 0.5 * (kSide - 1)), kLowest + kSpacing * z};
    add_box(world, {position, turn(axis, random.uniform(0, kMostTurn))}, {kHalf, kHalf, kHalf}, material);
  }
}

/// On a plane the block stops after v^2 / (2 mu g) without turning; inner edges of the mesh that catch it would show.
void build_slide_on_mesh(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{0.3, 0.2, 0.1};
  const double direction = values.get("direction") * kDegree, speed = values.get("speed");
  const Material material = rubbing(values.get("friction"));
  const TriangleMesh flat = make_hills(64, kFlat, [](double, double) { return 0.0; });
  world.add_body({.kind = BodyKind::fixed}, {{.shape = flat, .material = material}});
  const BodyId block = add_box(world, {{0, 0, kHalf.z}, turn({0, 0, 1}, direction)}, kHalf, material);
  world.set_velocity(block, {{speed * std::cos(direction), speed * std::sin(direction), 0}, {}});
}

}  // namespace

std::vector<SceneFamily> mesh_scenes() {
  return {
      {.name = "boxes_on_mesh",
       .summary = "5160 boxes fall on hills of 8192 triangles (Tonge et al. 2012)",
       .parameters = {friction_parameter(), {"count", 5160, 1, 100000, "boxes", true}, seed_parameter()},
       .build = build_boxes_on_mesh,
       .half_width = [](const SceneValues&) { return kHills; },
       .steps = 1200,
       .measure_from = 900,
       .measure_to = 1200,
       .floor = -2},
      {.name = "slide_on_mesh",
       .summary = "a block slides over a flat mesh and must not catch on its inner edges",
       .parameters = {friction_parameter(),
                      {"speed", 5, 0, 10, "m/s"},
                      {"direction", 20, -180, 180, "degrees from the x axis"}},
       .build = build_slide_on_mesh,
       .half_width = [](const SceneValues&) { return kFlat; },
       .steps = 120,
       .measure_from = 0,
       .measure_to = 120,
       .floor = -0.1},
  };
}

}  // namespace cairn::scenes
