// SPDX-License-Identifier: MIT
// A hopper: six kinds of shapes pour through a funnel on the ground. Every pair of kinds meets.
#include <array>
#include <cmath>

#include "cairn/geometry/hull_builder.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr double kSize = 0.15;   // m, about half of a shape
constexpr double kPitch = 0.55;  // m between the centres at the start: nothing touches, however it is turned
constexpr int kHullKinds = 16;   // different hulls, shared by all bodies

ConvexHull random_hull(Random& random) {
  std::array<Vec3, 14> points;
  for (Vec3& point : points) point = 1.1 * kSize * random_direction(random);
  return make_hull(points);
}

/// One of six kinds, up to 20 % smaller or larger than the mean; hulls are shared and have one size.
Shape random_shape(Random& random, const std::vector<ConvexHull>& hulls) {
  const std::uint64_t kind = random.below(6);
  const double s = kSize * random.uniform(0.8, 1.2);
  switch (kind) {
    case 0: return make_sphere(s);
    case 1: return make_box({s, 0.8 * s, 0.6 * s});
    case 2: return make_capsule(0.6 * s, 0.7 * s);
    case 3: return make_cylinder(0.8 * s, 0.8 * s);
    case 4: return make_cone(s, 1.6 * s);
    default: return hulls[random.below(hulls.size())];
  }
}

/// The funnel's sizes, m. The opening is a square; the walls of the funnel fall at 45 degrees.
struct Funnel {
  double half;     ///< of the bin above
  double opening;  ///< half of it
  double bottom;   ///< height of the opening
  double top;      ///< of the bin

  double bin_bottom() const { return bottom + half - opening; }
};

/// Four upright walls and four sloping ones, as one fixed body. Each is built for the side +x and turned.
void add_funnel(World& world, const Funnel& funnel, const Material& material) {
  constexpr double kThick = 0.5;
  const double height = funnel.top - funnel.bin_bottom(), slope = (funnel.half - funnel.opening) * std::sqrt(2.0);
  // The sloping wall's upper face goes through the edge of the opening and that of the bin.
  const Vec3 down{std::sqrt(0.5), 0, -std::sqrt(0.5)};
  const Vec3 middle =
      Vec3{0.5 * (funnel.half + funnel.opening), 0, 0.5 * (funnel.bottom + funnel.bin_bottom())} + 0.5 * kThick * down;
  std::vector<ShapeDef> walls;
  for (int side = 0; side < 4; ++side) {
    const Pose turned{{}, turn({0, 0, 1}, 0.5 * kPi * side)};
    const Pose upright{{funnel.half + 0.5 * kThick, 0, funnel.bin_bottom() + 0.5 * height}, {}};
    walls.push_back({.shape = make_box({0.5 * kThick, funnel.half + kThick, 0.5 * height}),
                     .pose = turned * upright,
                     .material = material});
    walls.push_back({.shape = make_box({0.5 * slope, funnel.half + kThick, 0.5 * kThick}),
                     .pose = turned * Pose{middle, turn({0, 1, 0}, -0.25 * kPi)},
                     .material = material});
  }
  world.add_body({.kind = BodyKind::fixed}, walls);
}

void build_hopper(World& world, const SceneValues& values) {
  const int count = values.whole("count");
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  const Material material = rubbing(values.get("friction"));
  const double half = 0.5 * kPitch * std::max(side, 4);
  Funnel funnel{half, std::max(0.6, 0.2 * half), std::max(1.0, 0.7 * half), 0};
  funnel.top = funnel.bin_bottom() + kPitch * (side + 1);
  add_ground(world, material);
  add_funnel(world, funnel, material);
  Random random(values.seed());
  std::vector<ConvexHull> hulls;
  for (int i = 0; i < kHullKinds; ++i) hulls.push_back(random_hull(random));
  for (int i = 0; i < count; ++i) {
    const int x = i % side, y = i / side % side, z = i / (side * side);
    const Vec3 position{kPitch * (x - 0.5 * (side - 1)), kPitch * (y - 0.5 * (side - 1)),
                        funnel.bin_bottom() + kPitch * (z + 0.5)};
    const Shape shape = random_shape(random, hulls);
    world.add_body({.pose = {position, random_orientation(random)}}, {{.shape = shape, .material = material}});
  }
}

}  // namespace

std::vector<SceneFamily> hopper_scenes() {
  return {
      {.name = "hopper",
       .summary = "spheres, boxes, capsules, cylinders, cones and hulls pour through a funnel",
       .parameters = {friction_parameter(), {"count", 10000, 1, 1000000, "shapes", true}, seed_parameter()},
       .build = build_hopper,
       .steps = 1200,
       .measure_from = 300,
       .measure_to = 1200},
  };
}

}  // namespace cairn::scenes
