// SPDX-License-Identifier: MIT
// Scenes at the edge of falling: a masonry arch and the harmonic overhang. Both have limits known in closed form or by
// limit analysis, so the engine's own errors decide; both ask for more sweeps than piles do.
#include <array>
#include <cmath>

#include "cairn/geometry/hull_builder.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

/// The stone between two radial joints, a prism with straight sides whose corners lie on the two circles; neighbours
/// share them.
struct Voussoir {
  double from, to;  ///< rad from the springing
  double inner, outer;
};

void add_voussoir(World& world, const Voussoir& stone, const Material& material) {
  const auto& [from, to, inner, outer] = stone;
  const double half_depth = 0.1 * (inner + outer);
  const double middle = 0.5 * (from + to), mean = 0.5 * (inner + outer);
  const Vec3 centre{mean * std::cos(middle), 0, mean * std::sin(middle)};
  std::array<Vec3, 8> corners;
  std::size_t k = 0;
  for (const double angle : {from, to})
    for (const double radius : {inner, outer})
      for (const double y : {-half_depth, half_depth})
        corners[k++] = Vec3{radius * std::cos(angle), y, radius * std::sin(angle)} - centre;
  world.add_body({.pose = {centre, {}}}, {{.shape = make_hull(corners), .material = material}});
}

/// A semicircle from springing to springing. Stands if the thickness over the mean radius exceeds 0.1075 (Milankovitch
/// 1907; 0.107347 for 20 straight-sided stones) and friction prevents sliding.
void build_arch(World& world, const SceneValues& values) {
  const int stones = values.whole("stones");
  const double radius = values.get("radius"), thickness = values.get("thickness") * radius;
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  for (int i = 0; i < stones; ++i)
    add_voussoir(world, {kPi * i / stones, kPi * (i + 1) / stones, radius - 0.5 * thickness, radius + 0.5 * thickness},
                 material);
}

/// Block k from the top sticks out 1 / (2 k) of its length over the one below: H_n / 2 in all at reach 1.
void build_overhang(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{0.5, 0.25, 0.125};
  const int blocks = values.whole("blocks");
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  add_fixed_box(world, {-2, 0, 1}, {2, 1, 1}, material);  // a table whose edge is x = 0, z = 2
  double end = 0;                                         // where the block below ends
  for (int k = blocks; k >= 1; --k) {
    end += values.get("reach") * kHalf.x / k;
    add_box(world, {{end - kHalf.x, 0, 2 + kHalf.z * (2 * (blocks - k) + 1)}, {}}, kHalf, material);
  }
}

}  // namespace

std::vector<SceneFamily> masonry_scenes() {
  return {
      {.name = "arch",
       .summary = "a semicircular arch of wedge-shaped stones; stands if thickness exceeds 0.1075",
       .parameters = {friction_parameter(0.8),
                      {"stones", 20, 3, 1000, "in the arch", true},
                      {"thickness", 0.1129, 0.01, 0.9, "over the mean radius"},
                      {"radius", 10, 0.1, 1000, "m, mean"}},
       .build = build_arch,
       .iterations = 500},
      {.name = "overhang",
       .summary = "blocks that stick out over a table's edge by the harmonic series; fall if reach exceeds 1",
       .parameters = {friction_parameter(),
                      {"blocks", 4, 1, 50, "on one another", true},
                      {"reach", 0.99, 0, 1.5, "over the largest possible"}},
       .build = build_overhang,
       .iterations = 200},
  };
}

}  // namespace cairn::scenes
