// SPDX-License-Identifier: MIT
// Three marble columns, hit and broken into the Voronoi cells of points around the impacts (Tonge et al. 2012).
//
// Columns are prisms of kFaces sides, so that the cells fill them exactly. Most seeds lie around impact points on the
// faces, at distances q = q_max s^2 with s uniform: the nearer the denser, so that splinters of 0.2 kg lie beside
// blocks of 860. The others lie anywhere in the column. Cells keep a hair of room between them, so that nothing
// overlaps at the start.
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/geometry/hull_builder.h"
#include "scenes/scene_family.h"
#include "scenes/scene_parts.h"
#include "scenes/voronoi.h"

namespace cairn::scenes {

namespace {

constexpr int kFaces = 12;
constexpr double kApothem = 0.4, kHeight = 4;  // m, of a column
constexpr double kApart = 3;                   // m between the axes
constexpr double kMarble = 2700;               // kg/m^3
constexpr double kRoom = 1e-4;                 // m between cells
constexpr double kReach = 0.9;                 // m, farthest seed from its impact
constexpr double kNearest = 0.02;              // m between seeds at least

/// One column before it breaks.
struct Column {
  double x;                     ///< of its axis, m
  std::vector<double> impacts;  ///< heights of the points hit, m
  int pieces;                   ///< cells in all
  int blocks;                   ///< of them around seeds that lie anywhere
};

/// 92 + 92 + 93 = 277 pieces.
std::vector<Column> make_columns() {
  return {{-kApart, {2.2}, 92, 12}, {0, {1.2, 3.0}, 92, 12}, {kApart, {0.8, 2.0, 3.2}, 93, 9}};
}

Vec3 face_normal(int face) {
  const double angle = 2 * kPi * face / kFaces;
  return {std::cos(angle), std::sin(angle), 0};
}

/// A prism that stands on the ground.
ConvexRegion column_region(double x) {
  constexpr double kWide = 1.2 * kApothem;  // beyond the corners
  ConvexRegion region{{{x - kWide, -kWide, 0}, {x + kWide, kWide, kHeight}}, {}};
  for (int face = 0; face < kFaces; ++face) {
    const Vec3 normal = face_normal(face);
    region.walls.push_back({normal, kApothem + normal.x * x});
  }
  return region;
}

bool is_inside(const ConvexRegion& region, const Vec3& p) {
  for (const WallPlane& wall : region.walls)
    if (dot(wall.normal, p) > wall.offset - kNearest) return false;
  return p.z > region.box.lower.z + kNearest && p.z < region.box.upper.z - kNearest;
}

bool is_apart(const std::vector<Vec3>& seeds, const Vec3& p) {
  for (const Vec3& seed : seeds)
    if (norm(seed - p) < kNearest) return false;
  return true;
}

/// Tries until a point lies inside and apart from the others.
template <class Draw>
void add_seed(const ConvexRegion& region, std::vector<Vec3>& seeds, Draw&& draw) {
  for (;;) {
    const Vec3 p = draw();
    if (!is_inside(region, p) || !is_apart(seeds, p)) continue;
    seeds.push_back(p);
    return;
  }
}

std::vector<Vec3> make_seeds(const Column& column, const ConvexRegion& region, Random& random) {
  std::vector<Vec3> seeds;
  for (int i = 0; i < column.blocks; ++i)
    add_seed(region, seeds, [&]() -> Vec3 {
      const Vec3 p = random_vector(random, kApothem);
      return {column.x + p.x, p.y, random.uniform(0, kHeight)};
    });
  for (int i = column.blocks; i < column.pieces; ++i) {
    const std::size_t hit = to_index(i) % column.impacts.size();
    const Vec3 normal = face_normal(static_cast<int>(3 * hit + 9) % kFaces);  // each impact on another side
    const Vec3 impact = Vec3{column.x, 0, column.impacts[hit]} + kApothem * normal;
    add_seed(region, seeds, [&] {
      const Vec3 direction = random_direction(random);
      const double s = random.uniform();
      return impact + (kReach * s * s) * direction;
    });
  }
  return seeds;
}

void build_fracture(World& world, const SceneValues& values) {
  const Material material = rubbing(values.get("friction"));
  add_ground(world, material);
  Random random(values.seed());
  for (const Column& column : make_columns()) {
    const ConvexRegion region = column_region(column.x);
    for (const VoronoiCell& cell : voronoi_cells(region, make_seeds(column, region, random), kRoom)) {
      // The body's origin is the middle of its corners.
      Vec3 middle;
      for (const Vec3& p : cell.corners) middle += (1.0 / static_cast<double>(cell.corners.size())) * p;
      std::vector<Vec3> points;
      for (const Vec3& p : cell.corners) points.push_back(p - middle);
      world.add_body({.pose = {middle, {}}}, {{.shape = make_hull(points), .material = material, .density = kMarble}});
    }
  }
}

}  // namespace

std::vector<SceneFamily> fracture_scenes() {
  return {
      {.name = "fracture_277",
       .summary = "three marble columns, broken into 277 Voronoi cells of 0.2 to 860 kg (Tonge et al. 2012)",
       .parameters = {friction_parameter(), seed_parameter()},
       .build = build_fracture,
       .steps = 900,
       .measure_from = 600,
       .measure_to = 900},
  };
}

}  // namespace cairn::scenes
