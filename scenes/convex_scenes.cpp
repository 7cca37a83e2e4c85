// SPDX-License-Identifier: MIT
// Scenes that live on the narrow phase of convex shapes: a pile of round hulls, a pit of hulls, capsules and cylinders,
// and rings of prisms on a fine mesh.
#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/geometry/hull_builder.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"

namespace cairn::scenes {

namespace {

constexpr int kKindsOfHull = 16;  // different hulls, shared by all bodies
constexpr double kLand = 40;      // m, half of the side of the mesh

/// The hull of points on an ellipsoid: each of them is a corner.
template <std::size_t Corners>
std::vector<ConvexHull> ellipsoid_hulls(Random& random, const Vec3& half) {
  std::vector<ConvexHull> hulls;
  for (int i = 0; i < kKindsOfHull; ++i) {
    std::array<Vec3, Corners> points;
    for (Vec3& point : points) {
      const Vec3 d = random_direction(random);
      point = {half.x * d.x, half.y * d.y, half.z * d.z};
    }
    hulls.push_back(make_hull(points));
  }
  return hulls;
}

/// The ground and four walls around it.
void add_pit(World& world, double half, double height, const Material& material) {
  constexpr double kThick = 1;
  add_ground(world, material);
  for (const double side : {-1.0, 1.0}) {
    const double across = side * (half + 0.5 * kThick);
    add_fixed_box(world, {across, 0, 0.5 * height}, {0.5 * kThick, half + kThick, 0.5 * height}, material);
    add_fixed_box(world, {0, across, 0.5 * height}, {half, 0.5 * kThick, 0.5 * height}, material);
  }
}

/// Where the bodies of a pit start: layers of `side` times `side` places.
struct Layers {
  int side;
  double pitch;

  Layers(int count, double step, double height_to_side)
      : side(std::max(2, static_cast<int>(std::ceil(std::cbrt(count / height_to_side))))), pitch(step) {}
  double half() const { return 0.5 * pitch * side; }
  Vec3 place(int i) const {
    const int x = i % side, y = i / side % side, z = i / (side * side);
    return pitch * Vec3{x - 0.5 * (side - 1), y - 0.5 * (side - 1), z + 0.5};
  }
};

void build_hull_pile(World& world, const SceneValues& values) {
  constexpr Vec3 kHalf{0.5, 0.45, 0.4};
  const int count = values.whole("count");
  const Layers layers(count, 1.05, 2.5);
  const Material material = rubbing(values.get("friction"));
  add_pit(world, layers.half(), 2 * layers.half(), material);
  Random random(values.seed());
  const std::vector<ConvexHull> hulls = ellipsoid_hulls<32>(random, kHalf);
  for (int i = 0; i < count; ++i)
    world.add_body({.pose = {layers.place(i), random_orientation(random)}},
                   {{.shape = hulls[random.below(hulls.size())], .material = material}});
}

void build_convex_pit(World& world, const SceneValues& values) {
  constexpr double kHalf = 0.15;
  const int count = values.whole("count");
  const Layers layers(count, 0.6, 1.5);
  const Material material = rubbing(values.get("friction"));
  add_pit(world, layers.half(), 2 * layers.half(), material);
  Random random(values.seed());
  const std::vector<ConvexHull> hulls = ellipsoid_hulls<20>(random, {kHalf, 0.9 * kHalf, 0.8 * kHalf});
  for (int i = 0; i < count; ++i) {
    const double s = kHalf * random.uniform(0.8, 1.2);
    Shape shape = hulls[random.below(hulls.size())];
    if (i % 3 == 1) shape = make_capsule(0.6 * s, 0.8 * s);
    if (i % 3 == 2) shape = make_cylinder(0.8 * s, 0.9 * s);
    world.add_body({.pose = {layers.place(i), random_orientation(random)}}, {{.shape = shape, .material = material}});
  }
}

/// Prisms of six sides that overlap a little, as a ring about z.
Compound prism_ring() {
  constexpr int kPrisms = 22;
  constexpr double kRadius = 1, kPrismRadius = 0.16, kHalfLength = 0.16;
  std::array<Vec3, 12> corners;
  for (std::size_t k = 0; k < 6; ++k) {
    const double angle = 2 * kPi * static_cast<double>(k) / 6;
    const Vec3 rim{kPrismRadius * std::cos(angle), kPrismRadius * std::sin(angle), 0};
    corners[2 * k] = rim + Vec3{0, 0, kHalfLength}, corners[2 * k + 1] = rim - Vec3{0, 0, kHalfLength};
  }
  const ConvexHull prism = make_hull(corners);
  std::vector<CompoundChild> children;
  for (int i = 0; i < kPrisms; ++i) {
    const Quat around = turn({0, 0, 1}, 2 * kPi * i / kPrisms);
    children.push_back({prism, {rotate(around, {kRadius, 0, 0}), around * turn({1, 0, 0}, 0.5 * kPi)}});
  }
  return make_compound(std::move(children));
}

void build_compounds_on_mesh(World& world, const SceneValues& values) {
  constexpr int kQuads = 160;
  constexpr double kPitch = 2.5, kLowest = 3;
  const int count = values.whole("count"), side = std::min(25, static_cast<int>(std::ceil(std::sqrt(count))));
  const Material material = rubbing(values.get("friction"));
  const TriangleMesh land =
      make_hills(kQuads, kLand, [](double x, double y) { return std::sin(0.35 * x) * std::cos(0.35 * y); });
  world.add_body({.kind = BodyKind::fixed}, {{.shape = land, .material = material}});
  const Compound ring = prism_ring();
  Random random(values.seed());
  for (int i = 0; i < count; ++i) {
    const int x = i % side, y = i / side % side, z = i / (side * side);
    const Vec3 place{kPitch * (x - 0.5 * (side - 1)), kPitch * (y - 0.5 * (side - 1)), kLowest + kPitch * z};
    world.add_body({.pose = {place, random_orientation(random)}}, {{.shape = ring, .material = material}});
  }
}

}  // namespace

std::vector<SceneFamily> convex_scenes() {
  return {
      {.name = "hull_pile",
       .summary = "1280 round hulls of 32 corners fall into a pit",
       .parameters = {friction_parameter(), {"count", 1280, 1, 100000, "hulls", true}, seed_parameter()},
       .build = build_hull_pile},
      {.name = "convex_pit",
       .summary = "3000 hulls, capsules and cylinders fall into a pit",
       .parameters = {friction_parameter(), {"count", 3000, 1, 100000, "shapes", true}, seed_parameter()},
       .build = build_convex_pit},
      {.name = "compounds_on_mesh",
       .summary = "44 rings of 22 prisms each fall on hills of 51,200 triangles",
       .parameters = {friction_parameter(), {"count", 44, 1, 10000, "rings", true}, seed_parameter()},
       .build = build_compounds_on_mesh,
       .half_width = [](const SceneValues&) { return kLand; },
       .floor = -2},
  };
}

}  // namespace cairn::scenes
