// SPDX-License-Identifier: MIT
// Scenes of boxes on the ground: stack, pyramid, wall, dominoes.
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr Vec3 kCube{0.5, 0.5, 0.5};

void build_box_stack(World& world, const SceneValues& values) {
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  for (int i = 0; i < values.size(); ++i) add_box(world, {{0, 0, 0.5 + i}, {}}, kCube, material);
}

/// Every cube of an upper row lies on two; cubes of a row are 0.1 m apart.
void build_pyramid(World& world, const SceneValues& values) {
  constexpr double kPitch = 1.1;
  const int n = values.size();
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n - row; ++column)
      add_box(world, {{kPitch * (column + 0.5 * row - 0.5 * (n - 1)), 0, 0.5 + row}, {}}, kCube, material);
}

/// Running bond: odd rows begin and end with half a brick. Joints between the bricks of a row are open by 2 mm: dry
/// masonry carries through its beds.
void build_wall(World& world, const SceneValues& values) {
  constexpr double kLength = 0.4, kWidth = 0.2, kHeight = 0.2, kJoint = 0.002;
  constexpr double kBallRadius = 0.3, kBallDistance = 3;
  const int rows = values.whole("rows"), columns = values.whole("columns");
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  const auto lay = [&](double left, double right, int row) {
    add_box(world, {{0.5 * (left + right), 0, kHeight * (row + 0.5)}, {}},
            {0.5 * (right - left - kJoint), 0.5 * kWidth, 0.5 * kHeight}, material);
  };
  for (int row = 0; row < rows; ++row) {
    const double start = -0.5 * kLength * columns;
    const bool odd = row % 2 == 1;
    if (odd) lay(start, start + 0.5 * kLength, row);
    for (int k = 0; k < columns - (odd ? 1 : 0); ++k)
      lay(start + kLength * (k + (odd ? 0.5 : 0.0)), start + kLength * (k + (odd ? 1.5 : 1.0)), row);
    if (odd) lay(start + kLength * (columns - 0.5), start + kLength * columns, row);
  }
  if (values.get("throw") == 0) return;
  world.add_body({.pose = {{0, -kBallDistance, 0.5 * kHeight * rows + kBallRadius}, {}},
                  .velocity = {{0, values.get("throw"), 0}, {}}},
                 {{.shape = make_sphere(kBallRadius), .material = material, .density = 3000}});
}

/// The first one turns about its lower front edge, so that nothing slips at the start.
void build_dominoes(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{0.05, 0.25, 0.5};
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  for (int i = 0; i < values.whole("count"); ++i) {
    const BodyId domino = add_box(world, {{values.get("pitch") * i, 0, kHalf.z}, {}}, kHalf, material);
    if (i > 0) continue;
    const Vec3 spin{0, values.get("push"), 0}, from_edge{-kHalf.x, 0, kHalf.z};
    world.set_velocity(domino, {cross(spin, from_edge), spin});
  }
}

}  // namespace

std::vector<SceneFamily> box_scenes() {
  return {
      {.name = "box_stack_",
       .size = {1, 10000, 10},
       .summary = "N unit cubes exactly on one another",
       .parameters = {friction_parameter()},
       .build = build_box_stack,
       .steps = 1200,
       .measure_from = 900,
       .measure_to = 1200},
      {.name = "pyramid_",
       .size = {1, 400, 10},
       .summary = "rows of N, N-1, ..., 1 unit cubes, 0.1 m apart",
       .parameters = {friction_parameter()},
       .build = build_pyramid,
       .steps = 1200,
       .measure_from = 900,
       .measure_to = 1200},
      {.name = "wall",
       .summary = "a dry wall of bricks in running bond; a ball can be thrown at it",
       .parameters = {friction_parameter(),
                      {"rows", 10, 1, 200, "of bricks", true},
                      {"columns", 20, 2, 1000, "bricks per row", true},
                      {"throw", 0, 0, 100, "m/s of a ball of 339 kg; 0: no ball"}},
       .build = build_wall},
      {.name = "dominoes",
       .summary = "a row of dominoes, the first of which is pushed over",
       .parameters = {friction_parameter(),
                      {"count", 30, 1, 10000, "dominoes of 0.1 x 0.5 x 1 m", true},
                      {"pitch", 0.5, 0.11, 0.99, "m from one to the next"},
                      {"push", 1, 0, 10, "rad/s of the first"}},
       .build = build_dominoes},
  };
}

}  // namespace cairn::scenes
