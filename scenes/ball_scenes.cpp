// SPDX-License-Identifier: MIT
// Scenes of spheres: lattices of Poulsen 2010, and a row in which impacts travel.
#include <cmath>
#include <numeric>
#include <utility>

#include "cairn/core/index.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr double kRadius = 0.5;

double grid_half_width(const SceneValues& values) { return 0.5 * values.size() + 1; }

/// Contacts 3 N^2 (N - 1) + N^2. Coordinates are halves of integers, so neighbours touch exactly.
void build_ball_grid(World& world, const SceneValues& values) {
  const int n = values.size();
  const Material material = rubbing(values.get("friction"));
  const double half = grid_half_width(values);
  add_fixed_box(world, {0, 0, -1}, {half, half, 1}, material);
  const double first = -0.5 * (n - 1);
  std::vector<int> order(to_index(n) * n * n);
  std::iota(order.begin(), order.end(), 0);
  if (values.get("shuffled") > 0) {
    Random random(1);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  for (const int i : order)
    world.add_body({.pose = {{first + i % n, first + i / n % n, kRadius + i / (n * n)}, {}}},
                   {{.shape = make_sphere(kRadius), .material = material}});
}

/// Rows along x in planes one above the other. At first neighbours of a row touch with a given chance, all others are
/// apart; then everything falls. With the default the first step has the contacts of Poulsen 2010, table 3.4: 6,605
/// for 40.
void build_ball_pile(World& world, const SceneValues& values) {
  constexpr double kPitch = 1.1, kLowest = 1.0, kLeastGap = 0.05, kMostGap = 0.45;
  const int n = values.size();
  const double touching = values.get("touching"), speed = values.get("speed");
  const Material material = rubbing(values.get("friction"));
  Random random(values.seed());
  add_ground(world, material);
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y) {
      double x = -0.5 * n * (1 + 0.5 * (kLeastGap + kMostGap));
      for (int k = 0; k < n; ++k) {
        world.add_body({.pose = {{x, kPitch * (y - 0.5 * (n - 1)), kLowest + kPitch * z}, {}},
                        .velocity = {random_vector(random, speed), {}}},
                       {{.shape = make_sphere(kRadius), .material = material}});
        const bool touches = random.uniform() < touching;
        const double gap = random.uniform(kLeastGap, kMostGap);
        x += 2 * kRadius + (touches ? 0 : gap);
      }
    }
}

/// Spheres in a row on the ground, the first of which runs into the others. Newton's law for all impacts at once gives
/// (-1/3, 2/3, 2/3) v for three touching ones, and (0, 0, v) with gaps wide enough for one impact at a time.
void build_ball_row(World& world, const SceneValues& values) {
  const int count = values.whole("count");
  const double pitch = 2 * kRadius + values.get("gap");
  Material material = rubbing(values.get("friction"));
  material.restitution = values.get("restitution");
  Material smooth = rubbing(values.get("friction"));
  add_ground(world, smooth);
  for (int i = 0; i < count; ++i) {
    const Vec3 velocity{i == 0 ? values.get("speed") : 0, 0, 0};
    world.add_body({.pose = {{pitch * i, 0, kRadius}, {}}, .velocity = {velocity, {}}},
                   {{.shape = make_sphere(kRadius), .material = material}});
  }
}

/// One layer of loose spheres that roll and bump into each other, in random places of a square lattice.
void build_ball_field(World& world, const SceneValues& values) {
  constexpr double kPitch = 1.3, kPlay = 0.15;
  const int count = values.whole("count");
  const double speed = values.get("speed");
  const auto side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  Material material = rubbing(values.get("friction"));
  material.restitution = values.get("restitution");
  Random random(values.seed());
  add_ground(world, material);
  for (int i = 0; i < count; ++i) {
    const Vec3 play = random_vector(random, kPlay), velocity = random_vector(random, speed);
    const Vec3 place{kPitch * (i % side - 0.5 * (side - 1)) + play.x, kPitch * (i / side - 0.5 * (side - 1)) + play.y,
                     kRadius + kPlay + play.z};
    world.add_body({.pose = {place, {}}, .velocity = {{velocity.x, velocity.y, 0}, {}}},
                   {{.shape = make_sphere(kRadius), .material = material}});
  }
}

}  // namespace

std::vector<SceneFamily> ball_scenes() {
  return {
      {.name = "ball_grid_",
       .size = {1, 120, 8},
       .summary = "N^3 touching spheres on a box (Poulsen 2010: 8, 24, 40)",
       .parameters = {friction_parameter(),
                      {"shuffled", 0, 0, 1, "1: bodies are made in random order, as those of a pour are", true}},
       .build = build_ball_grid,
       .half_width = grid_half_width,
       .steps = 300,
       .measure_from = 100,
       .measure_to = 300,
       .floor = -0.5},
      {.name = "ball_pile_",
       .size = {1, 120, 8},
       .summary = "N^3 spheres with random gaps and velocities fall on the ground (Poulsen 2010: 40, 80)",
       .parameters = {friction_parameter(),
                      {"touching", 0.1058, 0, 1, "chance that a sphere touches the next of its row"},
                      {"speed", 1, 0, 100, "m/s, largest component of a velocity at the start"},
                      seed_parameter()},
       .build = build_ball_pile},
      {.name = "ball_field",
       .summary = "one layer of loose spheres that roll and bump into each other: a crowd for `ffd`",
       .parameters = {friction_parameter(),
                      {"count", 10000, 1, 1000000, "spheres", true},
                      {"speed", 2, 0, 100, "m/s, largest component of a velocity at the start"},
                      {"restitution", 0, 0, 1, "of all contacts"},
                      seed_parameter()},
       .build = build_ball_field},
      {.name = "ball_row",
       .summary = "spheres in a row, struck at one end: how impacts travel (Newton's cradle)",
       .parameters = {friction_parameter(0),
                      {"count", 3, 2, 10000, "spheres", true},
                      {"gap", 0, 0, 10, "m between neighbours"},
                      {"speed", 1, 0, 100, "m/s of the first"},
                      {"restitution", 1, 0, 1, "between spheres"}},
       .build = build_ball_row,
       .steps = 120,
       .measure_from = 0,
       .measure_to = 120},
  };
}

}  // namespace cairn::scenes
